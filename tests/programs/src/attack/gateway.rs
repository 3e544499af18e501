//! The program under attack, and how it is started.

use std::{
    fmt::Write as _,
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

use kit::{
    Scenario,
    process::{CACHE, Process, Signal},
};
use serde_json::Value;
use tempfile::TempDir;

use super::Lab;
use crate::Programs;

/// How the program is started: with a configuration file of these upstreams, over HTTP.
#[derive(Debug)]
pub(super) struct Serve {
    programs: Programs,
    folder: TempDir,
    /// The configuration.
    lines: String,
    flags: Vec<String>,
}

impl Serve {
    /// With one upstream, `good`, which the honest client uses.
    pub(super) fn new(lab: &Lab) -> Self {
        let programs = lab.programs.clone();
        let folder = tempfile::tempdir().unwrap();
        let serve = Self { folder, lines: String::new(), flags: Vec::new(), programs };
        let odd = serve.programs.odd.clone();
        serve.upstream("good", &odd, "ordinary", "")
    }

    /// With the odd upstream in this mode; its tools are `evil_echo` and `evil_wait`.
    pub(super) fn odd(self, mode: &str) -> Self {
        let odd = self.programs.odd.clone();
        self.upstream("evil", &odd, mode, "prefix = \"evil_\"")
    }

    /// With an upstream that plays this.
    pub(super) fn playing(self, scenario: &Scenario) -> Self {
        let (kit, file) = (self.programs.kit.clone(), self.folder.path().join("scenario.json"));
        scenario.write(&file);
        self.upstream("evil", &kit, &file.display().to_string(), "")
    }

    fn upstream(self, name: &str, program: &Path, argument: &str, lines: &str) -> Self {
        let (program, argument) = (Value::from(program.display().to_string()), Value::from(argument));
        self.rules(&format!("[upstreams.{name}]\ncommand = {program}\nargs = [{argument}]\n{lines}\n"))
    }

    /// With these lines in the configuration.
    pub(super) fn rules(mut self, lines: &str) -> Self {
        let _ = writeln!(self.lines, "{lines}");
        self
    }

    /// With these flags.
    pub(super) fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
        self
    }

    /// Starts it, and waits until it listens.
    pub(super) fn start(self) -> Gateway {
        let config = self.folder.path().join("disclosure.toml");
        std::fs::write(&config, self.lines).unwrap();
        let mut command = Command::new(&self.programs.gateway);
        command.args(["--log", "info", "serve", "--transport", "http", "--listen", "127.0.0.1:0"]);
        command.arg("--config").arg(&config).args(&self.flags);
        command.env(CACHE, self.folder.path().join("cache"));
        let process = Process::start_with(&mut command, Stdio::null());
        let address = process.address();
        Gateway { process, address, _folder: self.folder }
    }
}

/// The program, running.
#[derive(Debug)]
pub(super) struct Gateway {
    pub(super) process: Process,
    /// Where it listens.
    pub(super) address: SocketAddr,
    _folder: TempDir,
}

/// At once, whatever state it is in. Its children end with it.
impl Drop for Gateway {
    fn drop(&mut self) {
        if self.process.is_running() {
            self.process.signal(Signal::KILL);
        }
    }
}
