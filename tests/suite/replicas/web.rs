//! A client of several replicas: each request goes to the one that the test names.

use std::{
    io::{BufRead, BufReader},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use kit::{
    exchange,
    messages::{hello, request},
};
use mcp_disclosure_core::Digest;
use serde_json::{Value, json};

/// An answer: status, and body as JSON.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    /// Whether it asks the client to try again later.
    pub(super) asks_for_patience: bool,
    pub(super) body: Value,
    pub(super) took: Duration,
}

impl Answer {
    #[track_caller]
    pub(super) fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(self.body["error"].is_null(), "{self:?}");
        &self.body["result"]
    }

    /// The error of a store that cannot be used, soon.
    #[track_caller]
    pub(super) fn is_of_store(&self, says: &str) {
        assert_eq!(self.status, 503, "{self:?}");
        assert_eq!(self.body["error"]["code"], -32006, "{self:?}");
        assert!(self.asks_for_patience, "{self:?}");
        let message = self.body["error"]["message"].as_str().unwrap();
        assert!(message.contains("session store") && message.contains(says), "{message}");
        assert!(!message.contains("127.0.0.1"), "no address: {message}");
        // On a busy machine; one that is idle is within a second.
        assert!(self.took < Duration::from_secs(5), "{:?}", self.took);
    }
}

/// The headers of a request: JSON to this host, for an answer of these kinds; and these.
fn headers(at: SocketAddr, accepted: &str, headers: &str) -> String {
    format!("Host: {at}\r\nContent-Type: application/json\r\nAccept: {accepted}\r\n{headers}")
}

/// Sends a request whose answer is no stream.
#[track_caller]
pub(super) fn exchange(at: SocketAddr, method: &str, path: &str, more: &str, body: &str) -> Answer {
    let begun = Instant::now();
    let page = exchange::exchange(at, method, path, &headers(at, "application/json", more), body);
    Answer {
        status: page.status,
        session: page.header("mcp-session-id").map(str::to_owned),
        asks_for_patience: page.header("retry-after").is_some(),
        body: serde_json::from_str(&page.body).unwrap_or(Value::Null),
        took: begun.elapsed(),
    }
}

/// A session, which any replica serves.
#[derive(Clone, Debug)]
pub(super) struct Web {
    pub(super) session: String,
    path: String,
    headers: String,
}

impl Web {
    /// Opens a session at this replica.
    #[track_caller]
    pub(super) fn open(at: SocketAddr) -> Self {
        Self::open_with(at, "/mcp", "", json!({}))
    }

    /// The same at this path, with these headers and capabilities.
    #[track_caller]
    pub(super) fn open_with(at: SocketAddr, path: &str, headers: &str, capabilities: Value) -> Self {
        let answer = exchange(at, "POST", path, headers, &hello(capabilities).to_string());
        answer.result();
        let session = answer.session.expect("a session");
        Self { headers: format!("{headers}Mcp-Session-Id: {session}\r\n"), path: path.to_owned(), session }
    }

    /// What the store knows of the session's id.
    pub(super) fn digest(&self) -> String {
        digest(&self.session)
    }

    /// The session's key in the store.
    pub(super) fn key(&self) -> String {
        format!("mcp-disclosure:4:s:{}", self.digest())
    }

    /// Sends a message.
    #[track_caller]
    pub(super) fn post(&self, at: SocketAddr, message: &Value) -> Answer {
        exchange(at, "POST", &self.path, &self.headers, &message.to_string())
    }

    /// Sends a request.
    #[track_caller]
    pub(super) fn request(&self, at: SocketAddr, method: &str, params: Value) -> Answer {
        self.post(at, &request(7, method, params))
    }

    /// Calls a tool.
    #[track_caller]
    pub(super) fn call(&self, at: SocketAddr, tool: &str) -> Answer {
        self.request(at, "tools/call", json!({"name": tool, "arguments": {"text": "hello"}}))
    }

    /// Whether a call of the odd upstream's `echo` is forwarded.
    #[track_caller]
    pub(super) fn may_call(&self, at: SocketAddr) -> bool {
        let answer = self.call(at, "echo");
        let is_error = answer.result()["isError"] == true;
        if is_error {
            assert!(answer.result().to_string().contains("DESCRIPTION_REQUIRED"), "{answer:?}");
        }
        !is_error
    }

    /// Fetches the definition of `echo`.
    #[track_caller]
    pub(super) fn fetch(&self, at: SocketAddr) {
        self.fetch_of(at, "echo").result();
    }

    /// Fetches the definition of a tool.
    #[track_caller]
    pub(super) fn fetch_of(&self, at: SocketAddr, tool: &str) -> Answer {
        let uri = format!("resource:///tool_descriptions?tools={tool}");
        self.request(at, "resources/read", json!({"uri": uri}))
    }

    /// The names of the tools listed.
    #[track_caller]
    pub(super) fn tools(&self, at: SocketAddr) -> Vec<String> {
        let answer = self.request(at, "tools/list", json!({}));
        let tools = answer.result()["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Ends the session.
    #[track_caller]
    pub(super) fn end(&self, at: SocketAddr) -> Answer {
        exchange(at, "DELETE", &self.path, &self.headers, "")
    }

    /// Opens the general stream.
    #[track_caller]
    pub(super) fn listen(&self, at: SocketAddr) -> Events {
        Events::of(at, "GET", &self.path, &self.headers, "")
    }

    /// Sends a request whose answer may be a stream.
    #[track_caller]
    pub(super) fn stream(&self, at: SocketAddr, message: &Value) -> Events {
        Events::of(at, "POST", &self.path, &self.headers, &message.to_string())
    }

    /// The same session, with another header in front.
    pub(super) fn with(&self, header: &str) -> Self {
        Self { headers: format!("{header}Mcp-Session-Id: {}\r\n", self.session), ..self.clone() }
    }
}

/// What the store knows of a session's id.
pub(super) fn digest(session: &str) -> String {
    Digest::of_bytes(session.as_bytes()).to_string()["sha256:".len()..][..32].to_owned()
}

/// A stream of events.
pub(super) struct Events(BufReader<TcpStream>);

impl Events {
    #[track_caller]
    fn of(at: SocketAddr, method: &str, path: &str, more: &str, body: &str) -> Self {
        let headers = headers(at, "application/json, text/event-stream", more);
        let mut stream = BufReader::new(exchange::send(at, method, path, &headers, body));
        let mut line = String::new();
        stream.read_line(&mut line).expect("an answer");
        assert!(line.contains(" 200 "), "{line}");
        Self(stream)
    }

    /// The id of the next event that has one.
    #[track_caller]
    pub(super) fn id(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("an event in time") > 0, "the stream ended");
            if let Some(id) = line.trim_end().strip_prefix("id: ") {
                return id.to_owned();
            }
        }
    }

    /// The next message for which this holds; `None` if the stream ends first.
    #[track_caller]
    pub(super) fn next(&mut self, holds: impl Fn(&Value) -> bool) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("an event in time") == 0 {
                return None;
            }
            let text = line.trim_end().strip_prefix("data: ").unwrap_or(line.trim_end());
            if let Some(message) =
                serde_json::from_str::<Value>(text).ok().filter(Value::is_object).filter(&holds)
            {
                return Some(message);
            }
        }
    }
}
