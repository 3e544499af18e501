//! A minimal client over stdio: it writes a line and reads a line.

use std::{
    io::{self, BufRead, BufReader, Write},
    process::{ChildStdin, ChildStdout},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::process::Process;

/// A client and its server.
#[derive(Debug)]
pub struct LineClient {
    // Dropped first, so that the server reads the end of its input before it is killed.
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _server: Process,
    line: Vec<u8>,
    number: u64,
}

impl LineClient {
    /// Starts a program of this package.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn start(program: &str, arguments: &[&str]) -> io::Result<Self> {
        let (server, input, output) = Process::piped(program, arguments)?;
        let output = BufReader::with_capacity(256 * 1024, output);
        Ok(Self { input, output, _server: server, line: Vec::new(), number: 0 })
    }

    /// Opens the session.
    ///
    /// # Errors
    /// As of [`LineClient::request`].
    pub fn initialize(&mut self) -> io::Result<()> {
        let client = json!({"name": "bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        self.request("initialize", &params)?;
        self.input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
    }

    /// Sends a request and awaits the response. Returns the time it took.
    ///
    /// # Errors
    /// If the server has exited or responds with an error.
    pub fn request(&mut self, method: &str, params: &Value) -> io::Result<Duration> {
        let request = self.encode(method, params);
        let start = Instant::now();
        self.input.write_all(&request)?;
        self.read()?;
        let took = start.elapsed();
        self.check(method)?;
        Ok(took)
    }

    /// Sends `count` requests at once and awaits all responses. Returns the time it took.
    ///
    /// # Errors
    /// If the server has exited or responds with an error.
    pub fn burst(&mut self, method: &str, params: &Value, count: usize) -> io::Result<Duration> {
        let requests: Vec<u8> = (0..count).flat_map(|_| self.encode(method, params)).collect();
        let start = Instant::now();
        self.input.write_all(&requests)?;
        for _ in 0..count {
            self.read()?;
            self.check(method)?;
        }
        Ok(start.elapsed())
    }

    /// The length of the last response.
    pub fn answer_length(&self) -> usize {
        self.line.len()
    }

    fn encode(&mut self, method: &str, params: &Value) -> Vec<u8> {
        self.number += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        format!("{request}\n").into_bytes()
    }

    fn read(&mut self) -> io::Result<()> {
        self.line.clear();
        self.output.read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() { Err(io::Error::other("the server exited")) } else { Ok(()) }
    }

    fn check(&self, method: &str) -> io::Result<()> {
        let start = String::from_utf8_lossy(&self.line[..self.line.len().min(400)]).into_owned();
        if start.contains("\"error\":") || start.contains("\"isError\":true") {
            return Err(io::Error::other(format!("unexpected response to {method}: {start}")));
        }
        Ok(())
    }
}
