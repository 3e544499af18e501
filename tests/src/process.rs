//! A program under test: started, driven line by line, and ended when dropped.

use std::{
    io::Write,
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    PATIENCE,
    lines::{Lines, count_of},
};

/// The variable that names the user's cache folder.
pub const CACHE: &str = "XDG_CACHE_HOME";

/// How a program ended, and all of its output.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Its stdout.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

impl Ended {
    /// How many messages of this method came.
    pub fn count(&self, method: &str) -> usize {
        count_of(self.stdout.lines(), method)
    }

    /// Asserts the exit code, and that stderr contains all of these.
    #[track_caller]
    pub fn says(&self, code: i32, expected: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        for expected in expected {
            assert!(self.stderr.contains(expected), "{expected:?} is not in:\n{}", self.stderr);
        }
        self
    }

    /// Asserts the exit code, and that stdout contains all of these.
    #[track_caller]
    pub fn prints(&self, code: i32, expected: &[&str]) -> &Self {
        self.says(code, &[]);
        for expected in expected {
            assert!(self.stdout.contains(expected), "{expected:?} is not in:\n{}", self.stdout);
        }
        self
    }

    /// Asserts that stderr contains none of these.
    #[track_caller]
    pub fn omits(&self, unexpected: &[&str]) -> &Self {
        for unexpected in unexpected {
            assert!(!self.stderr.contains(unexpected), "{unexpected:?} is in:\n{}", self.stderr);
        }
        self
    }

    /// What a success says on stdout, as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.says(0, &[]).stdout).expect("JSON")
    }
}

/// A running program that speaks JSON-RPC in lines.
#[derive(Debug)]
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines,
    stderr: Lines,
    last_id: u64,
    /// Its cache folder, unless the command names one.
    _cache: Option<TempDir>,
}

impl Process {
    /// Starts it with all streams piped.
    pub fn start(command: &mut Command) -> Self {
        Self::start_with(command, Stdio::piped())
    }

    /// Starts it with this for stdin.
    pub fn start_with(command: &mut Command, stdin: Stdio) -> Self {
        command.env_remove("MCP_DISCLOSURE_LOG").env_remove("NO_COLOR");
        let cache = cache_for(command);
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program under test");
        let stdout = Lines::of(child.stdout.take().expect("piped"));
        let stderr = Lines::of(child.stderr.take().expect("piped"));
        Self { stdin: child.stdin.take(), child, stdout, stderr, last_id: 0, _cache: cache }
    }

    /// Sends bytes.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        // If the program is gone, what the test waits for next fails.
        let _gone = stdin.write_all(bytes.as_ref());
    }

    /// Sends bytes and a line's end.
    pub fn line(&mut self, line: impl AsRef<[u8]>) {
        self.write(line);
        self.write(b"\n");
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.line(request.to_string());
        self.last_id
    }

    /// The answer with this id, whole, once it is there.
    #[track_caller]
    pub fn answer(&self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.received(&format!("answer {id}"), |message| message["id"] == id && message["method"].is_null())
    }

    /// The response without an id whose error message contains this, whole.
    #[track_caller]
    pub fn error_without_id(&self, expected: &str) -> Value {
        let says = |message: &Value| {
            message["error"]["message"].as_str().is_some_and(|text| text.contains(expected))
        };
        self.received(expected, |message| message["id"].is_null() && says(message))
    }

    /// Sends a request and waits for its answer, whole.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Opens a session and returns the result.
    #[track_caller]
    pub fn initialize(&mut self) -> Value {
        let answer = self.request("initialize", hello());
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer["result"].clone()
    }

    /// Calls a tool and waits for the answer, whole.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The tools listed.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools in {answer}")).clone()
    }

    /// The names of the tools listed.
    #[track_caller]
    pub fn tool_names(&mut self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until these tools are listed.
    #[track_caller]
    pub fn lists(&mut self, names: &[&str]) {
        let mut listed = Vec::new();
        let are_listed = until(|| {
            listed = self.tool_names();
            listed == names
        });
        assert!(are_listed, "{listed:?}\n{}", self.log().join("\n"));
    }

    /// Waits until this many notifications of this method have come.
    #[track_caller]
    pub fn notified(&self, method: &str, count: usize) {
        let come = self.stdout.wait(|read| (count_of(&read.lines, method) >= count).then_some(()));
        assert!(come.is_some(), "{method} did not come {count} times");
    }

    /// How many messages of this method have come so far: all that were written before an answer that was waited for.
    pub fn count(&self, method: &str) -> usize {
        count_of(self.stdout.all(), method)
    }

    /// The first message of this method, whole.
    #[track_caller]
    pub fn received_request(&self, method: &str) -> Value {
        self.received(method, |message| message["method"] == method)
    }

    /// Waits for a line on stderr that contains this.
    #[track_caller]
    pub fn logged(&self, text: &str) -> String {
        self.logs(&[text])
    }

    /// Waits for a line on stderr that contains all of these.
    #[track_caller]
    pub fn logs(&self, parts: &[&str]) -> String {
        let has_all = |line: &&String| parts.iter().all(|part| line.contains(part));
        let found = self.stderr.wait(|read| read.lines.iter().find(has_all).cloned());
        found.unwrap_or_else(|| panic!("{parts:?} is in no line of:\n{}", self.stderr.all().join("\n")))
    }

    /// What it logged so far.
    pub fn log(&self) -> Vec<String> {
        self.stderr.all()
    }

    /// The address that it logs as its own.
    #[track_caller]
    pub fn address(&self) -> SocketAddr {
        self.logged_address("listening on http://", "/mcp")
    }

    /// The address that it logs for operators.
    #[track_caller]
    pub fn admin(&self) -> SocketAddr {
        self.logged_address("operators find http://", "/status")
    }

    #[track_caller]
    fn logged_address(&self, before: &str, after: &str) -> SocketAddr {
        let line = self.logged(before);
        let (_, address) = line.split_once(before).expect("it was found");
        address.split(after).next().and_then(|address| address.parse().ok()).expect("an address")
    }

    /// Ends its input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child of ours").is_none()
    }

    /// Asks it to end.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Asks it to read its configuration again.
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        assert!(send_signal(self.child.id(), signal), "a child of ours");
    }

    /// Ends its input and waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Ended {
        self.close_stdin();
        self.ended()
    }

    /// Waits for its end.
    #[track_caller]
    pub fn ended(mut self) -> Ended {
        let mut status = None;
        let ended = until(|| {
            status = self.child.try_wait().expect("a child of ours");
            status.is_some()
        });
        assert!(ended, "it does not end; stderr:\n{}", self.stderr.all().join("\n"));
        // Descendants that hold a stream open would keep us waiting; they are a failure of their own.
        for stream in [&self.stdout, &self.stderr] {
            assert!(stream.wait(|read| read.ended.then_some(())).is_some(), "a stream is held open");
        }
        Ended {
            code: status.and_then(|status| status.code()),
            stdout: self.stdout.all().join("\n"),
            stderr: self.stderr.all().join("\n"),
        }
    }

    /// The first message that fits, whole, once it is there.
    #[track_caller]
    pub fn received(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = 0;
        let found = self.stdout.wait(|read| {
            let new = read.lines.get(seen..).unwrap_or_default();
            seen = read.lines.len();
            new.iter().filter_map(|line| serde_json::from_str(line).ok()).find(|message| fits(message))
        });
        found.unwrap_or_else(|| panic!("no {what}; stderr:\n{}", self.stderr.all().join("\n")))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // First the polite way, so that it takes its own children with it.
        self.stdin = None;
        if self.is_running() {
            self.terminate();
            if !until(|| !self.is_running()) {
                let _gone = self.child.kill();
            }
        }
        let _gone = self.child.wait();
    }
}

/// A cache folder for a command that names none: what it remembers must neither reach the user's nor other tests.
fn cache_for(command: &mut Command) -> Option<TempDir> {
    if command.get_envs().any(|(name, _)| name == CACHE) {
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    command.env(CACHE, folder.path());
    Some(folder)
}

/// Polls until this holds; `false` if it does not in time.
pub fn until(mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// What clients introduce themselves with.
pub fn hello() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// Sends a process a signal; whether it is there.
pub fn send_signal(id: u32, signal: Signal) -> bool {
    i32::try_from(id).ok().and_then(Pid::from_raw).is_some_and(|id| kill_process(id, signal).is_ok())
}

/// Ends the process of this id, as a file has it, without asking it.
#[track_caller]
pub fn kill(id: &str) {
    assert!(send_signal(id.trim().parse().expect("an id"), Signal::KILL), "no process {id}");
}

/// The memory of a process, in bytes: what it has, and the most that it has had so far. None where it has ended.
pub fn memory(id: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

/// The most memory that a process has had so far, in megabytes.
pub fn peak_megabytes(id: u32) -> u64 {
    memory(id).expect("a running process").1 >> 20
}

/// The process id in a file, once one is there that is not `other`.
#[track_caller]
pub fn id_in(file: impl AsRef<Path>, other: &str) -> String {
    let mut id = String::new();
    let is_there = until(|| {
        id = std::fs::read_to_string(&file).unwrap_or_default();
        !id.is_empty() && id != other
    });
    assert!(is_there, "no other process than {other:?} was started");
    id
}

/// Whether a process is gone, or nothing but a zombie that its parent has not looked at.
pub fn is_gone(id: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{}/stat", id.trim())) {
        Ok(stat) => stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'),
        Err(_) => true,
    }
}
