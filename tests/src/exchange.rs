//! HTTP with a program under test, from threads that block: pages, messages, and sessions.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

use serde_json::{Value, json};

use crate::{
    PATIENCE,
    messages::{call, hello, request},
};

/// What a request is answered.
#[derive(Debug)]
pub struct Page {
    /// The status.
    pub status: u16,
    /// The headers as received.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Page {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// A header's value.
    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case(wanted).then_some(value)
        })
    }
}

/// Sends the only request of a connection; `headers` are whole lines with their ends, and say which host is meant.
#[track_caller]
pub fn send(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a listener");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).expect("a listener that reads");
    stream
}

/// The same, and what it is answered.
#[track_caller]
pub fn exchange(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> Page {
    let mut answer = String::new();
    send(address, method, path, headers, body).read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let body = match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        // Each piece has its length in front.
        true => body.split("\r\n").skip(1).step_by(2).collect(),
        false => body.to_owned(),
    };
    Page { status, head: head.to_owned(), body }
}

/// Reads a page.
#[track_caller]
pub fn get(address: SocketAddr, path: &str, headers: &str) -> Page {
    exchange(address, "GET", path, headers, "")
}

/// Posts a message over HTTP: the session's id if there is one, and the answer.
#[track_caller]
pub fn post(address: SocketAddr, session: Option<&str>, message: &Value) -> (Option<String>, Value) {
    let session = session.map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
    post_with(address, &session, message)
}

/// The same with these headers, which are whole lines with their ends.
#[track_caller]
pub fn post_with(address: SocketAddr, headers: &str, message: &Value) -> (Option<String>, Value) {
    let json = "Content-Type: application/json\r\nAccept: application/json\r\n";
    let headers = format!("Host: {address}\r\n{json}{headers}");
    let page = exchange(address, "POST", "/mcp", &headers, &message.to_string());
    let session = page.header("mcp-session-id").map(str::to_owned);
    (session, serde_json::from_str(&page.body).unwrap_or(Value::Null))
}

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Where the program listens.
    pub address: SocketAddr,
    /// Its id.
    pub id: String,
}

impl Session {
    /// Opens one.
    #[track_caller]
    pub fn open(address: SocketAddr) -> Self {
        let (id, answer) = post(address, None, &hello(json!({})));
        Self { address, id: id.unwrap_or_else(|| panic!("no session: {answer}")) }
    }

    /// Sends a request; the answer, whole.
    #[track_caller]
    pub fn request(&self, method: &str, params: Value) -> Value {
        post(self.address, Some(&self.id), &request(2, method, params)).1
    }

    /// Calls a tool; the answer, whole.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        post(self.address, Some(&self.id), &call(2, tool, arguments)).1
    }
}
