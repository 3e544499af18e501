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

/// What a GET is answered.
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
}

/// Reads a page; `headers` are whole lines with their ends, and say which host is meant.
#[track_caller]
pub fn get(address: SocketAddr, path: &str, headers: &str) -> Page {
    let (head, body) =
        exchange(address, &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let body = match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        // Each piece has its length in front.
        true => body.split("\r\n").skip(1).step_by(2).collect(),
        false => body,
    };
    Page { status, head, body }
}

/// Sends a request; the head and the body of the answer, after which the connection closes.
#[track_caller]
fn exchange(address: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("a listener");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream.write_all(request.as_bytes()).expect("a listener that reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    (head.to_owned(), body.to_owned())
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
    let body = message.to_string();
    let (head, body) = exchange(
        address,
        &format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    );
    let session = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
    });
    (session, serde_json::from_str(&body).unwrap_or(Value::Null))
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
