//! A client that says whatever it likes, from whichever address of this machine.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::atomic::{AtomicU64, Ordering},
};

use kit::{
    Reply,
    client::SESSION_VERSION,
    http::{self, Headers, headers},
    inbox::Inbox,
    messages::hello,
};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};

/// Where attacks come from.
pub(super) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// Where the honest client comes from, and everybody who does not say.
pub(super) const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A client over HTTP, in the era with sessions. No answer is an error.
#[derive(Debug)]
pub(super) struct Peer {
    to: SocketAddr,
    from: IpAddr,
    path: &'static str,
    session: Option<String>,
    next_id: AtomicU64,
}

impl Peer {
    /// One that has said nothing yet.
    pub(super) fn new(to: SocketAddr, from: IpAddr) -> Self {
        Self { to, from, path: "/mcp", session: None, next_id: AtomicU64::new(1) }
    }

    /// The same at this path, which names a strategy.
    pub(super) fn at(self, path: &'static str) -> Self {
        Self { path, ..self }
    }

    /// The same, with a session.
    pub(super) async fn begin_session(mut self) -> Result<Self, String> {
        let reply = self.initialize(json!({})).await?;
        self.session = Some(reply.session.ok_or("no session")?);
        self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await?;
        Ok(self)
    }

    /// Says hello with these capabilities, and no more.
    pub(super) async fn initialize(&self, capabilities: Value) -> Result<Reply, String> {
        self.post(&hello(capabilities).to_string()).await
    }

    /// Sends a request and waits for what comes back.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Result<Reply, String> {
        self.ask_text(method, &params.to_string()).await
    }

    /// The same with the parameters as text, which need not be JSON.
    pub(super) async fn ask_text(&self, method: &str, params: &str) -> Result<Reply, String> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.post(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)).await
    }

    /// Calls a tool.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, String> {
        self.call_text(tool, &arguments.to_string()).await
    }

    /// The same with the arguments as text.
    pub(super) async fn call_text(&self, tool: &str, arguments: &str) -> Result<Reply, String> {
        self.ask_text("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)).await
    }

    /// A connection from its address.
    pub(super) async fn connect(&self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(self.from, 0))?;
        socket.connect(self.to).await
    }

    /// The headers of a message.
    pub(super) fn headers(&self) -> Headers {
        let json = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let session = self.session.iter();
        let session =
            session.flat_map(|id| [("mcp-session-id", &**id), ("mcp-protocol-version", SESSION_VERSION)]);
        headers(&json.into_iter().chain(session).collect::<Vec<_>>())
    }

    async fn post(&self, body: &str) -> Result<Reply, String> {
        let exchange = async {
            let stream = self.connect().await?;
            let answer = http::send_over(stream, "POST", self.path, &self.headers(), body.as_bytes()).await?;
            Reply::read(answer, &Inbox::default()).await
        };
        exchange.await.map_err(|error: io::Error| format!("no answer: {error}"))
    }
}

/// Whether an answer refuses what was asked for, in any form.
pub(super) fn is_refusal(reply: &Reply) -> bool {
    let answer: Value = serde_json::from_str(text(reply)).unwrap_or_default();
    reply.status >= Some(400) || answer["error"].is_object() || answer["result"]["isError"] == true
}

/// The answer as it came; nothing where it is none of JSON-RPC.
pub(super) fn text(reply: &Reply) -> &str {
    reply.text.as_deref().unwrap_or_default()
}
