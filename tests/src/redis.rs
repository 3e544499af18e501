//! A real `redis-server`, in a folder of its own, on a port of this machine.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    HeldPort, PATIENCE,
    process::{Signal, send_signal, until},
};

/// The server's program, unless [`NAMED`] is set: Redis or Valkey.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// The environment variable that names the server's program.
const NAMED: &str = "SESSION_STORE_SERVER";

/// A running server. It keeps nothing on disk.
#[derive(Debug)]
pub struct Redis {
    child: Option<Child>,
    port: HeldPort,
    /// On which the nodes of a cluster speak with this one.
    _bus: Option<HeldPort>,
    arguments: Vec<String>,
    folder: TempDir,
}

impl Redis {
    /// Starts one with these arguments, and waits until it answers.
    ///
    /// # Panics
    /// If there is no `redis-server` or `valkey-server` on the PATH, or none where `SESSION_STORE_SERVER` says.
    #[track_caller]
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, None)
    }

    #[track_caller]
    fn start_with(arguments: &[&str], bus: Option<HeldPort>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let memory_only = ["--save", "", "--appendonly", "no"].into_iter().chain(arguments.iter().copied());
        let arguments = memory_only.map(str::to_owned).collect();
        let mut redis = Self { child: None, port: HeldPort::take(), _bus: bus, arguments, folder };
        redis.restart();
        redis
    }

    /// Starts a cluster of one node, and waits until it serves all keys.
    #[track_caller]
    pub fn start_cluster() -> Self {
        // By itself it takes the port that is 10000 higher than its own: it may be taken, and there may be none.
        let bus = HeldPort::take();
        let port = bus.address().port().to_string();
        let node = Self::start_with(&["--cluster-enabled", "yes", "--cluster-port", &port], Some(bus));
        node.command("CLUSTER ADDSLOTSRANGE 0 16383");
        assert!(until(|| node.command("CLUSTER INFO").concat().contains("cluster_state:ok")));
        node
    }

    /// Starts a copy of this server, and waits until it has everything.
    #[track_caller]
    pub fn start_replica(&self) -> Self {
        self.command("CONFIG SET repl-diskless-sync-delay 0");
        let replica = Self::start(&["--replicaof", "127.0.0.1", &self.address().port().to_string()]);
        let state = || self.command("INFO replication").concat();
        assert!(until(|| state().contains("state=online")), "{}", state());
        replica
    }

    /// Starts a sentinel, which watches this server under this name, and waits until it knows the server's replica.
    #[track_caller]
    pub fn start_sentinel(&self, name: &str) -> Self {
        let mut sentinel = Self::start(&[]);
        let file = sentinel.folder.path().join("sentinel.conf");
        let watching = format!(
            "sentinel monitor {name} 127.0.0.1 {} 1\nsentinel down-after-milliseconds {name} 2000\n\
             sentinel failover-timeout {name} 10000\n",
            self.address().port()
        );
        std::fs::write(&file, watching).expect("a writable folder");
        sentinel.arguments = vec![file.display().to_string(), "--sentinel".to_owned()];
        sentinel.restart();
        let known = || sentinel.command(&format!("SENTINEL REPLICAS {name}"));
        assert!(until(|| !known().is_empty()), "no replica is known");
        sentinel
    }

    /// Starts it again on the same port, empty.
    #[track_caller]
    pub fn restart(&mut self) {
        self.kill();
        let port = self.address().port().to_string();
        let named = std::env::var_os(NAMED);
        let programs = match &named {
            Some(named) => vec![named.as_os_str()],
            None => PROGRAMS.iter().map(OsStr::new).collect(),
        };
        let spawned = programs.iter().find_map(|program| {
            Command::new(program)
                .args(&self.arguments)
                .args(["--port", &port, "--bind", "127.0.0.1"])
                .current_dir(self.folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .ok()
        });
        self.child = Some(spawned.expect(
            "this test needs redis-server or valkey-server on the PATH, or SESSION_STORE_SERVER: apt-get install -y redis-server",
        ));
        assert!(until(|| TcpStream::connect(self.address()).is_ok()), "redis-server does not listen");
    }

    /// Ends it without asking it.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone = child.kill();
            let _gone = child.wait();
        }
    }

    /// Stops it, or lets it go on: it keeps its connections, and does not answer.
    pub fn signal(&self, signal: Signal) {
        let child = self.child.as_ref().expect("a running server");
        assert!(send_signal(child.id(), signal), "a child of ours");
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Its URL, for `--session-store`.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address())
    }

    /// Sends a command; the reply's lines, without their marks of type and length.
    pub fn command(&self, command: &str) -> Vec<String> {
        let mut stream = TcpStream::connect(self.address()).expect("a running server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream.write_all(format!("{command}\r\n").as_bytes()).expect("a server that reads");
        read_reply(&mut BufReader::new(stream))
    }

    /// A command's reply as a number.
    pub fn number(&self, command: &str) -> i64 {
        let reply = self.command(command);
        reply.first().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{command}: {reply:?}"))
    }

    /// The keys that match a pattern.
    pub fn keys(&self, pattern: &str) -> Vec<String> {
        self.command(&format!("KEYS {pattern}"))
    }
}

fn read_reply(stream: &mut impl BufRead) -> Vec<String> {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a reply");
    let (kind, rest) = line.trim_end().split_at(1);
    match kind {
        "*" => {
            let count: usize = rest.parse().unwrap_or(0);
            (0..count).flat_map(|_| read_reply(stream)).collect()
        }
        "$" => {
            let Ok(length) = rest.parse::<usize>() else { return Vec::new() };
            let mut bytes = vec![0; length + 2];
            std::io::Read::read_exact(stream, &mut bytes).expect("a whole reply");
            vec![String::from_utf8_lossy(&bytes[..length]).into_owned()]
        }
        "-" => panic!("the server refused: {rest}"),
        _ => vec![rest.to_owned()],
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
