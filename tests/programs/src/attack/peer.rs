//! A client that says whatever it likes, from whichever address of this machine.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::atomic::{AtomicU64, Ordering},
};

use kit::{
    client::{SESSION_VERSION, STATELESS_VERSION},
    http::{self, Events, Headers},
};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};

/// Where attacks come from.
pub(super) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// Where the honest client comes from, and everybody who does not say.
pub(super) const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What came back for a request.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// A result.
    Result(Value),
    /// A JSON-RPC error.
    Error(Value),
    /// No JSON-RPC at all.
    Status(u16, String),
    /// No HTTP answer.
    Broken(String),
}

impl Reply {
    /// The result; what came instead where there is none.
    pub(super) fn result(self) -> Result<Value, String> {
        match self {
            Self::Result(result) => Ok(result),
            other => Err(other.text()),
        }
    }

    /// All of it, as text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Result(value) | Self::Error(value) => value.to_string(),
            Self::Status(status, text) => format!("HTTP {status} {text}"),
            Self::Broken(reason) => format!("no answer: {reason}"),
        }
    }

    /// Whether it refuses what was asked for, in any form.
    pub(super) fn is_refusal(&self) -> bool {
        match self {
            Self::Result(result) => result["isError"] == true,
            Self::Error(_) => true,
            Self::Status(status, _) => *status >= 400,
            Self::Broken(_) => false,
        }
    }
}

/// A client over HTTP.
#[derive(Debug)]
pub(super) struct Peer {
    to: SocketAddr,
    from: IpAddr,
    path: &'static str,
    session: Option<String>,
    capabilities: Value,
    next_id: AtomicU64,
}

impl Peer {
    /// One that has said nothing yet. Without a session, its requests stand for themselves.
    pub(super) fn new(to: SocketAddr, from: IpAddr) -> Self {
        Self { to, from, path: "/mcp", session: None, capabilities: json!({}), next_id: AtomicU64::new(1) }
    }

    /// The same with these capabilities.
    pub(super) fn able(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    /// The same at this path, which names a strategy.
    pub(super) fn at(self, path: &'static str) -> Self {
        Self { path, ..self }
    }

    /// One with a session.
    pub(super) async fn with_session(to: SocketAddr, from: IpAddr) -> Result<Self, String> {
        Self::new(to, from).begin_session().await
    }

    /// The same, with a session.
    pub(super) async fn begin_session(mut self) -> Result<Self, String> {
        let (reply, session) = self.initialize().await;
        reply.result()?;
        self.session = Some(session.ok_or("no session")?);
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.post(&self.headers("", None), note.to_string().as_bytes()).await?;
        Ok(self)
    }

    /// Says hello and no more; the session that was opened.
    pub(super) async fn initialize(&self) -> (Reply, Option<String>) {
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": SESSION_VERSION,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "attack", "version": "1"},
        }});
        let headers = vec![json_content(), accepts_both()];
        match self.post(&headers, message.to_string().as_bytes()).await {
            Ok(posted) => (reply(posted.status, &posted.body), posted.session),
            Err(reason) => (Reply::Broken(reason), None),
        }
    }

    /// Sends a request and waits for what comes back.
    pub(super) async fn ask(&self, method: &str, mut params: Value) -> Reply {
        if self.session.is_none() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "attack", "version": "1"},
            });
        }
        let name = ["name", "uri", "taskId"].iter().find_map(|key| params[key].as_str()).map(str::to_owned);
        self.ask_text(method, name.as_deref(), &params.to_string()).await
    }

    /// The same with the parameters as text, which need not be JSON.
    pub(super) async fn ask_text(&self, method: &str, name: Option<&str>, params: &str) -> Reply {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        match self.post(&self.headers(method, name), message.as_bytes()).await {
            Ok(posted) => reply(posted.status, &posted.body),
            Err(reason) => Reply::Broken(reason),
        }
    }

    /// Calls a tool.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The same with the arguments as text.
    pub(super) async fn call_text(&self, tool: &str, arguments: &str) -> Reply {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        self.ask_text("tools/call", Some(tool), &params).await
    }

    /// A connection from its address.
    pub(super) async fn connect(&self) -> Result<TcpStream, String> {
        let socket = TcpSocket::new_v4().map_err(|error| error.to_string())?;
        socket.bind(SocketAddr::new(self.from, 0)).map_err(|error| error.to_string())?;
        socket.connect(self.to).await.map_err(|error| error.to_string())
    }

    /// The headers of a message.
    pub(super) fn headers(&self, method: &str, name: Option<&str>) -> Headers {
        let mut headers = vec![json_content(), accepts_both()];
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        match &self.session {
            Some(session) => {
                add("mcp-session-id", session);
                add("mcp-protocol-version", SESSION_VERSION);
            }
            None => {
                add("mcp-protocol-version", STATELESS_VERSION);
                add("mcp-method", method);
                name.iter().for_each(|name| add("mcp-name", name));
            }
        }
        headers
    }

    async fn post(&self, headers: &Headers, body: &[u8]) -> Result<Posted, String> {
        let stream = self.connect().await?;
        let exchange = async {
            let mut answer = http::send_over(stream, "POST", self.path, headers, body).await?;
            let body = answer.rest().await?;
            let session = answer.header("mcp-session-id").map(str::to_owned);
            Ok::<_, std::io::Error>(Posted { status: answer.status, session, body })
        };
        exchange.await.map_err(|error| error.to_string())
    }
}

struct Posted {
    status: u16,
    session: Option<String>,
    body: String,
}

fn json_content() -> (String, String) {
    ("content-type".to_owned(), "application/json".to_owned())
}

fn accepts_both() -> (String, String) {
    ("accept".to_owned(), "application/json, text/event-stream".to_owned())
}

/// The answer in a body: JSON, or the last message of an event stream.
fn reply(status: u16, body: &str) -> Reply {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    let is_answer = |message: &Value| message["method"].is_null();
    let message = parse(body)
        .or_else(|| Events::default().take(body.as_bytes()).iter().rev().find_map(|text| parse(text)));
    match message.filter(is_answer) {
        Some(mut message) if message["error"].is_object() => Reply::Error(message["error"].take()),
        Some(mut message) if message.get("result").is_some() => Reply::Result(message["result"].take()),
        _ => Reply::Status(status, body.chars().take(200).collect()),
    }
}
