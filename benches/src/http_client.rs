//! A minimal HTTP client, so that the server's share of the two cores is large:
//! one connection, kept alive, one request at a time.

use std::{io, net::SocketAddr};

use mcp_disclosure_core::Era;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// A connection.
#[derive(Debug)]
pub struct HttpClient {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    session: Option<String>,
    body: Vec<u8>,
}

impl HttpClient {
    /// Connects.
    ///
    /// # Errors
    /// The error of the operating system.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let stream = BufReader::with_capacity(64 * 1024, stream);
        Ok(Self { stream, address, session: None, body: Vec::new() })
    }

    /// Opens a session for later requests.
    ///
    /// # Errors
    /// As of [`HttpClient::post`].
    pub async fn initialize(&mut self) -> io::Result<()> {
        self.session = None;
        let client = json!({"name": "bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        self.post("", &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await?;
        if self.session.is_none() {
            return Err(io::Error::other("the response has no session id"));
        }
        self.post("", &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As of [`HttpClient::post`], or if the result is an error.
    pub async fn call(&mut self, era: Era, id: u64, tool: &str, arguments: &Value) -> io::Result<()> {
        let mut params = json!({"name": tool, "arguments": arguments});
        let mut headers = String::new();
        if era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            headers =
                format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n");
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.post(&headers, &request).await?;
        let answer = String::from_utf8_lossy(&self.body);
        if answer.contains("\"content\":") && !answer.contains("\"isError\":true") {
            return Ok(());
        }
        Err(io::Error::other(format!("unexpected response to the call: {answer}")))
    }

    /// Opens the session's stream and leaves it open.
    ///
    /// # Errors
    /// As of [`HttpClient::post`].
    pub async fn listen(mut self) -> io::Result<Self> {
        let head = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{}\r\n",
            self.address,
            self.session_header()
        );
        self.stream.get_mut().write_all(head.as_bytes()).await?;
        self.read_head().await?;
        Ok(self)
    }

    /// Sends a message and reads the whole response, in either framing.
    ///
    /// # Errors
    /// The error of the operating system, or a status that is not success.
    pub async fn post(&mut self, headers: &str, message: &Value) -> io::Result<()> {
        let body = message.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\n{}{headers}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.session_header(),
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        let framing = self.read_head().await?;
        self.body.clear();
        match framing {
            Framing::Length(length) => self.read_exactly(length).await?,
            Framing::Chunked => while self.read_chunk().await? {},
        }
        Ok(())
    }

    fn session_header(&self) -> String {
        self.session.as_ref().map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"))
    }

    async fn read_head(&mut self) -> io::Result<Framing> {
        let status = self.read_line().await?;
        let is_success = status.split(' ').nth(1).is_some_and(|code| code.starts_with('2'));
        let mut framing = Framing::Length(0);
        loop {
            let line = self.read_line().await?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => framing = Framing::Length(value.parse().unwrap_or(0)),
                "transfer-encoding" => framing = Framing::Chunked,
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        if is_success { Ok(framing) } else { Err(io::Error::other(format!("HTTP status: {status}"))) }
    }

    async fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::Error::other("the server closed the connection"));
        }
        Ok(line.trim_end().to_owned())
    }

    async fn read_exactly(&mut self, length: usize) -> io::Result<()> {
        let start = self.body.len();
        self.body.resize(start + length, 0);
        self.stream.read_exact(&mut self.body[start..]).await.map(drop)
    }

    /// `false` after the last one.
    async fn read_chunk(&mut self) -> io::Result<bool> {
        let length = usize::from_str_radix(&self.read_line().await?, 16).map_err(io::Error::other)?;
        self.read_exactly(length).await?;
        self.read_line().await?;
        Ok(length > 0)
    }
}

enum Framing {
    Length(usize),
    Chunked,
}
