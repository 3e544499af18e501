//! A scene: the program with a configuration of upstreams, one of them good.

use std::{
    fmt::Write as _,
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Lab, within};
use kit::process::{Process, Signal, id_in, send_signal};

/// A configuration that is written step by step.
#[derive(Debug)]
pub(super) struct Setting {
    lab: Lab,
    folder: TempDir,
    entries: String,
}

impl Setting {
    /// With no upstream yet.
    pub(super) fn empty(lab: &Lab) -> Self {
        Self { lab: lab.clone(), folder: tempfile::tempdir().unwrap(), entries: String::new() }
    }

    /// With the good upstream, whose tools are `echo` and `wait`.
    pub(super) fn new(lab: &Lab) -> Self {
        Self::empty(lab).odd("good", "ordinary", "")
    }

    /// With the odd upstream in this mode; the lines are more keys of its entry. It writes its process id to NAME.id.
    pub(super) fn odd(self, name: &str, mode: &str, lines: &str) -> Self {
        let id = self.path(&format!("{name}.id")).display().to_string();
        let program = self.lab.upstream.display().to_string();
        self.command(name, &program, &[mode, &id], lines)
    }

    /// With this shell script, in which ODD is the odd upstream and FOLDER the folder of the configuration.
    pub(super) fn script(self, name: &str, script: &str, lines: &str) -> Self {
        let script = script.replace("ODD", &self.lab.upstream.display().to_string());
        let script = script.replace("FOLDER", &self.folder.path().display().to_string());
        self.command(name, "sh", &["-c", &script], lines)
    }

    /// With this program.
    pub(super) fn command(mut self, name: &str, program: &str, arguments: &[&str], lines: &str) -> Self {
        let (program, arguments) = (Value::from(program), Value::from(arguments));
        let _ =
            writeln!(self.entries, "[upstreams.{name}]\ncommand = {program}\nargs = {arguments}\n{lines}\n");
        self
    }

    /// With an upstream at this URL.
    pub(super) fn url(mut self, name: &str, url: &str, lines: &str) -> Self {
        let _ = writeln!(self.entries, "[upstreams.{name}]\nurl = {}\n{lines}\n", Value::from(url));
        self
    }

    /// A file of the configuration's folder.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Starts the program over stdio, and initializes it.
    pub(super) fn start(self, flags: &[&str]) -> Scene {
        let mut scene = self.start_without_client(flags);
        scene.gateway.initialize();
        scene
    }

    /// Starts the program, to which no client has spoken yet.
    pub(super) fn start_without_client(self, flags: &[&str]) -> Scene {
        let Self { lab, folder, entries } = self;
        let config = folder.path().join("disclosure.toml");
        fs::write(&config, entries).unwrap();
        let mut command = Command::new(&lab.gateway);
        command.args(["serve", "--strategy", "full", "--config"]).arg(&config).args(flags);
        Scene { gateway: Process::start(&mut command), folder }
    }
}

/// The program, running.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) gateway: Process,
    folder: TempDir,
}

impl Scene {
    /// A file of the configuration's folder.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Writes a file of the configuration's folder.
    pub(super) fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap();
    }

    /// Whether a call of this tool has a result.
    pub(super) fn answers(&mut self, tool: &str) -> bool {
        self.gateway.call(tool, json!({"text": "here"}))["result"].is_object()
    }

    /// The text of the error that answers a call, and how long that took; empty for a result.
    pub(super) fn error(&mut self, tool: &str) -> (String, Duration) {
        let begun = Instant::now();
        let answer = self.gateway.call(tool, json!({"text": "here"}));
        (answer["error"]["message"].as_str().unwrap_or_default().to_owned(), begun.elapsed())
    }

    /// The list of tools, and how long it took.
    pub(super) fn list(&mut self) -> (Vec<String>, Duration) {
        let begun = Instant::now();
        (self.gateway.tool_names(), begun.elapsed())
    }

    /// How long it takes until exactly these tools are listed.
    pub(super) fn lists(&mut self, longest: Duration, tools: &[&str]) -> Option<Duration> {
        within(longest, || self.gateway.tool_names() == tools)
    }

    /// Ends an upstream's process without asking it.
    pub(super) fn kill(&self, name: &str) {
        let id = id_in(self.path(&format!("{name}.id")), "");
        assert!(send_signal(id.trim().parse().unwrap(), Signal::KILL), "{name}");
    }
}
