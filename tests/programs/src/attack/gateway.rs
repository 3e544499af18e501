//! The program under attack, and how it is started.

use std::{
    fmt::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use kit::process::{CACHE, Process, Signal, send_signal};
use serde_json::Value;
use tempfile::TempDir;

use super::{Lab, procfs, upstream::ROLE};

/// How the program is started: with a configuration file of these upstreams, over HTTP.
#[derive(Debug)]
pub(super) struct Serve {
    program: PathBuf,
    upstream: PathBuf,
    folder: TempDir,
    upstreams: String,
    rules: String,
    flags: Vec<String>,
    open_files: Option<u32>,
}

impl Serve {
    /// With one upstream, `good`, which the honest client uses. The others are the attack's.
    pub(super) fn new(lab: &Lab) -> Self {
        let serve = Self {
            program: lab.gateway.clone(),
            upstream: lab.upstream.clone(),
            folder: tempfile::tempdir().unwrap(),
            upstreams: String::new(),
            rules: String::new(),
            flags: Vec::new(),
            open_files: None,
        };
        serve.upstream("good", &["--tools", "echo"])
    }

    /// With the hostile upstream, under this name and with these arguments.
    pub(super) fn upstream(mut self, name: &str, arguments: &[&str]) -> Self {
        let program = Value::from(self.upstream.display().to_string());
        let arguments = Value::from([&[ROLE], arguments].concat());
        let _ = writeln!(self.upstreams, "[upstreams.{name}]\ncommand = {program}\nargs = {arguments}\n");
        self
    }

    /// With the hostile upstream, which also lists these tools; calls of them are echoed.
    pub(super) fn tools(self, name: &str, tools: &[Value]) -> Self {
        let file = self.folder.path().join(format!("{name}.json"));
        std::fs::write(&file, Value::from(tools).to_string()).unwrap();
        let file = file.display().to_string();
        self.upstream(name, &["--tools", "none", "--definitions", &file])
    }

    /// With these lines in the configuration.
    pub(super) fn rules(mut self, lines: &str) -> Self {
        self.rules.push_str(lines);
        self
    }

    /// With these flags.
    pub(super) fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
        self
    }

    /// With at most this many open files.
    pub(super) fn open_files(mut self, most: u32) -> Self {
        self.open_files = Some(most);
        self
    }

    /// The folder of its files.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it, and waits until it listens.
    pub(super) fn start(self) -> Gateway {
        let config = self.folder.path().join("disclosure.toml");
        std::fs::write(&config, format!("{}\n{}", self.upstreams, self.rules)).unwrap();
        let limit = self.open_files.map_or(String::new(), |most| format!("ulimit -n {most} && "));
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}exec \"$0\" \"$@\"")]).arg(&self.program);
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

/// At once, and with its children, whatever state they are in.
impl Drop for Gateway {
    fn drop(&mut self) {
        let descendants = procfs::descendants(self.process.id());
        if self.process.is_running() {
            self.process.signal(Signal::KILL);
        }
        for id in descendants {
            send_signal(id, Signal::KILL);
        }
    }
}
