//! The program under attack: how it is started, what it says, and how it ends.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::{Lab, procfs, upstream::ROLE};
use kit::process::CACHE;

/// How the program is started: with a configuration file of these upstreams, over HTTP.
#[derive(Debug)]
pub(super) struct Serve {
    program: PathBuf,
    upstream: PathBuf,
    folder: TempDir,
    upstreams: String,
    rules: String,
    flags: Vec<String>,
    log: &'static str,
    environment: Vec<(String, String)>,
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
            log: "info",
            environment: Vec::new(),
            open_files: None,
        };
        serve.upstream("good", &["--tools", "echo"])
    }

    /// With the hostile upstream, under this name and with these arguments.
    pub(super) fn upstream(self, name: &str, arguments: &[&str]) -> Self {
        let program = self.upstream.display().to_string();
        self.command(name, &program, &[&[ROLE], arguments].concat())
    }

    /// With this program for an upstream.
    pub(super) fn command(mut self, name: &str, program: &str, arguments: &[&str]) -> Self {
        let (program, arguments) = (Value::from(program), Value::from(arguments));
        let _ = writeln!(self.upstreams, "[upstreams.{name}]\ncommand = {program}\nargs = {arguments}\n");
        self
    }

    /// With these lines in the section of the last upstream.
    pub(super) fn keys(mut self, lines: &str) -> Self {
        let _ = writeln!(self.upstreams, "{lines}\n");
        self
    }

    /// With an upstream at a URL; the lines are more keys of it.
    pub(super) fn url(mut self, name: &str, url: &str, lines: &str) -> Self {
        let _ = writeln!(self.upstreams, "[upstreams.{name}]\nurl = {}\n{lines}\n", Value::from(url));
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

    /// Logging at this level.
    pub(super) fn log(mut self, level: &'static str) -> Self {
        self.log = level;
        self
    }

    /// With this in its environment.
    pub(super) fn environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
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
        let text = format!("{}\n{}", self.upstreams, self.rules);
        std::fs::write(&config, &text).unwrap();
        let limit = self.open_files.map_or(String::new(), |most| format!("ulimit -n {most} && "));
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}exec \"$0\" \"$@\"")]).arg(&self.program);
        command.args(["--log", self.log, "serve", "--transport", "http", "--listen", "127.0.0.1:0"]);
        command.arg("--config").arg(&config).args(&self.flags);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
            .env_remove("MCP_DISCLOSURE_LOG")
            .env(CACHE, self.folder.path().join("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Gateway::start(command, config, text, self.folder)
    }
}

/// The program, running.
#[derive(Debug)]
pub(super) struct Gateway {
    child: Child,
    log: Arc<Mutex<Vec<String>>>,
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// Its configuration file, and what stands there.
    pub(super) config: PathBuf,
    pub(super) text: String,
    _folder: TempDir,
}

impl Gateway {
    fn start(mut command: Command, config: PathBuf, text: String, folder: TempDir) -> Self {
        let mut child = command.spawn().expect("the program under attack");
        let log = Arc::new(Mutex::new(Vec::new()));
        let stderr = child.stderr.take().expect("piped");
        let lines = Arc::clone(&log);
        thread::spawn(move || keep(stderr, &lines));
        let mut gateway =
            Self { child, log, address: ([127, 0, 0, 1], 0).into(), config, text, _folder: folder };
        gateway.address = gateway.listens();
        gateway
    }

    fn listens(&mut self) -> SocketAddr {
        let mut address = None;
        let listening = until(Duration::from_secs(15), || {
            let lines = self.log();
            let line = lines.iter().find_map(|line| line.split_once("listening on http://"));
            address = line.and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
            address.is_some() || self.has_ended()
        });
        address
            .filter(|_| listening)
            .unwrap_or_else(|| panic!("it does not start: {}", self.log().join("\n")))
    }

    /// Its process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to stderr.
    pub(super) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child of ours").is_some()
    }

    /// Sends it a signal.
    pub(super) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        // It may have ended by itself.
        let _gone = kill_process(id, signal);
    }

    /// Waits for its end; how long that took, if it came within this.
    pub(super) async fn ends_within(&mut self, longest: Duration) -> Option<Duration> {
        let begun = Instant::now();
        while begun.elapsed() < longest {
            if self.has_ended() {
                return Some(begun.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        None
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let descendants = procfs::descendants(self.id());
        let _gone = self.child.kill();
        let _gone = self.child.wait();
        for id in descendants.into_iter().filter_map(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
            let _gone = kill_process(id, Signal::KILL);
        }
    }
}

/// Keeps lines; of a flood the first ones, and how many there were by their count.
fn keep(stream: impl Read, lines: &Mutex<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        let text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
        lines.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        line.clear();
    }
}

/// Polls until this holds; `false` if it does not in time.
pub(super) fn until(longest: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !holds() {
        if begun.elapsed() > longest {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}
