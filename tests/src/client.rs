//! A raw client: JSON-RPC over either transport, in either era.

mod methods;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use base64::{Engine, engine::general_purpose::STANDARD};
pub use methods::{names_in, receipt_of, take_receipt, with_receipt};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncWriteExt, DuplexStream, WriteHalf},
    sync::Mutex,
    task::JoinHandle,
};

use crate::{
    Bench, Identity, Reply, Setup, Transport,
    admission::HEADER,
    http::{self, Events, Headers},
    inbox::Inbox,
    messages::{request, response},
    soon,
    wire::{post, read_lines},
};

/// The revision with sessions that is spoken.
pub const SESSION_VERSION: &str = "2025-11-25";
/// The stateless revision.
pub const STATELESS_VERSION: &str = "2026-07-28";

/// A connected client.
#[derive(Debug)]
pub struct Client {
    /// How it is connected.
    pub setup: Setup,
    /// What it received.
    pub inbox: Arc<Inbox>,
    /// The result of `initialize`.
    pub introduction: Value,
    /// Its session over HTTP.
    pub session: Option<String>,
    identity: Identity,
    wire: Wire,
    next_id: AtomicU64,
}

#[derive(Debug)]
enum Wire {
    Stdio(Mutex<WriteHalf<DuplexStream>>),
    Http(std::net::SocketAddr),
}

/// A request that is under way.
#[derive(Debug)]
pub struct Pending {
    /// Its id.
    pub id: Value,
    from: usize,
    exchange: Option<JoinHandle<Reply>>,
    inbox: Arc<Inbox>,
}

impl Client {
    /// Connects a client that offers the setup's strategy.
    pub async fn connect(bench: &Bench, setup: Setup) -> Self {
        Self::connect_as(bench, setup, Identity::offering(setup.strategy)).await
    }

    /// Connects, and opens a session in the era that has them.
    pub async fn connect_as(bench: &Bench, setup: Setup, identity: Identity) -> Self {
        let mut client = Self::attach(bench, setup, identity);
        if setup.has_sessions() {
            let reply = client.handshake().await;
            client.introduction = reply.result();
            let chosen = client.identity.concerns_afterwards.as_ref();
            let params = chosen.map_or(json!({}), |chosen| json!({"concerns": chosen}));
            client.notify("notifications/initialized", params).await;
        }
        client
    }

    /// The method and parameters of the first request of its era.
    pub fn hello(&self) -> (&'static str, Value) {
        if !self.setup.has_sessions() {
            return ("server/discover", self.complete(json!({})));
        }
        let mut hello = json!({
            "protocolVersion": self.identity.revision.unwrap_or(SESSION_VERSION),
            "capabilities": self.identity.capabilities(),
            "clientInfo": {"name": "kit", "version": "1"},
        });
        if let Some(concerns) = &self.identity.concerns {
            hello["concerns"] = concerns.clone();
        }
        ("initialize", hello)
    }

    /// Sends the first request of its era, `initialize` or `server/discover`.
    pub async fn handshake(&mut self) -> Reply {
        let (method, params) = self.hello();
        let reply = self.request(method, params).await;
        self.session.clone_from(&reply.session);
        reply
    }

    /// Ends its session over HTTP; the status of the answer.
    pub async fn end_session(&self) -> u16 {
        let Wire::Http(address) = self.wire else { return 0 };
        let headers = self.headers_for("", &Value::Null);
        let sending = http::send(address, "DELETE", self.identity.path(), &headers, b"");
        soon("the end", sending).await.unwrap().status
    }

    /// Connects the transport and sends nothing.
    pub fn attach(bench: &Bench, setup: Setup, identity: Identity) -> Self {
        let inbox = Arc::new(Inbox::default());
        let wire = match setup.transport {
            Transport::Http => Wire::Http(bench.address),
            Transport::Stdio => {
                let (input, output) = tokio::io::split(bench.pipe());
                tokio::spawn(read_lines(input, Arc::clone(&inbox)));
                Wire::Stdio(Mutex::new(output))
            }
        };
        let next_id = AtomicU64::new(1);
        Self { setup, inbox, introduction: Value::Null, session: None, identity, wire, next_id }
    }

    /// Sends a request and waits for its answer.
    pub async fn request(&self, method: &str, params: Value) -> Reply {
        self.start(method, params).await.reply().await
    }

    /// Sends a request.
    pub async fn start(&self, method: &str, params: Value) -> Pending {
        let id = json!(self.next_id.fetch_add(1, Ordering::Relaxed));
        self.start_under(id, method, params).await
    }

    /// Sends a request under this id.
    pub async fn start_under(&self, id: Value, method: &str, params: Value) -> Pending {
        let params = self.complete(params);
        let headers = self.headers_for(method, &params);
        let message = request(id.clone(), method, params).to_string();
        self.dispatch(id, headers, message).await
    }

    /// Answers a request of the gateway with this result.
    pub async fn answer(&self, question: &Value, result: Value) {
        self.send_unanswered(response(&question["id"], result)).await;
    }

    /// Sends a request over HTTP with these headers.
    pub async fn send_with(&self, headers: Headers, method: &str, params: Value) -> Reply {
        let id = json!(self.next_id.fetch_add(1, Ordering::Relaxed));
        let message = request(id.clone(), method, params).to_string();
        self.dispatch(id, headers, message).await.reply().await
    }

    /// Sends any text and waits for what answers it.
    pub async fn send_text(&self, text: &str) -> Reply {
        self.dispatch(Value::Null, self.headers_for("", &Value::Null), text.to_owned()).await.reply().await
    }

    /// Sends a message as it is and waits for what answers its id.
    pub async fn send_message(&self, message: Value) -> Reply {
        let method = message["method"].as_str().unwrap_or_default();
        let headers = self.headers_for(method, &message["params"]);
        self.dispatch(message["id"].clone(), headers, message.to_string()).await.reply().await
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        self.send_unanswered(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Sends a message that is not answered: a notification or a response.
    pub async fn send_unanswered(&self, message: Value) {
        match &self.wire {
            Wire::Stdio(_) => self.write(&message.to_string()).await,
            Wire::Http(_) => {
                let method = message["method"].as_str().unwrap_or_default();
                let headers = self.headers_for(method, &message["params"]);
                let reply = self.dispatch(Value::Null, headers, message.to_string()).await;
                assert_eq!(reply.reply().await.status, Some(202));
            }
        }
    }

    /// Cancels a request in the way of its transport and era.
    pub async fn cancel(&self, pending: &Pending) {
        match &pending.exchange {
            Some(exchange) if !self.setup.has_sessions() => exchange.abort(),
            _ => self.notify("notifications/cancelled", json!({"requestId": pending.id})).await,
        }
    }

    /// Opens the stream of unsolicited messages of a session, where the transport has one; what is done when it has ended.
    pub async fn open_stream(&self) -> Option<JoinHandle<()>> {
        let Wire::Http(address) = self.wire else { return None };
        let mut headers = self.headers_for("", &Value::Null);
        headers.push(("accept".into(), "text/event-stream".into()));
        let opening = http::send(address, "GET", self.identity.path(), &headers, b"");
        let mut answer = soon("the stream", opening).await.unwrap();
        assert_eq!(answer.status, 200);
        let inbox = Arc::clone(&self.inbox);
        Some(tokio::spawn(async move {
            let mut events = Events::default();
            while let Ok(Some(piece)) = answer.piece().await {
                events.take(&piece).into_iter().for_each(|message| inbox.put(message));
            }
        }))
    }

    /// The same for a client of the era that has sessions; others have no such stream.
    pub async fn open_stream_of_session(&self) {
        if self.setup.has_sessions() {
            self.open_stream().await;
        }
    }

    /// The first notification of a kind, however it comes.
    pub async fn notification(&self, method: &str) -> Value {
        let (_, message) = self.inbox.first(0, method, |message| message["method"] == method).await;
        serde_json::from_str(&message).unwrap()
    }

    /// The headers that a request of this client has over HTTP.
    pub fn headers_for(&self, method: &str, params: &Value) -> Headers {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        if let Some(principal) = self.identity.principal {
            headers.push((HEADER, principal.to_owned()));
        }
        if let Some(from) = &self.identity.from {
            headers.push(("x-forwarded-for", from.clone()));
        }
        if let Some(token) = self.identity.token {
            headers.push(("authorization", format!("Bearer {token}")));
        }
        if self.setup.has_sessions() {
            if let Some(session) = &self.session {
                headers.push(("mcp-session-id", session.clone()));
                let revision = self.identity.revision.unwrap_or(SESSION_VERSION);
                headers.push(("mcp-protocol-version", revision.to_owned()));
            }
        } else {
            // The header repeats the body, even an unknown version.
            let version = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
            headers.push(("mcp-protocol-version", version.unwrap_or(STATELESS_VERSION).to_owned()));
            headers.push(("mcp-method", method.to_owned()));
            let name = match method {
                "resources/read" => &params["uri"],
                "tasks/get" | "tasks/update" | "tasks/cancel" => &params["taskId"],
                _ => &params["name"],
            };
            if let Some(name) = name.as_str() {
                let plain = name.bytes().all(|byte| byte.is_ascii_graphic());
                let encoded = || format!("=?base64?{}?=", STANDARD.encode(name));
                headers.push(("mcp-name", if plain { name.to_owned() } else { encoded() }));
            }
        }
        headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Parameters with what the era wants in them.
    pub fn complete(&self, mut params: Value) -> Value {
        if !self.setup.has_sessions() {
            let mut meta = params.get("_meta").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
            for (key, value) in [
                ("protocolVersion", json!(STATELESS_VERSION)),
                ("clientCapabilities", self.identity.capabilities_with_each_request()),
                ("clientInfo", json!({"name": "kit", "version": "1"})),
            ] {
                meta.entry(format!("io.modelcontextprotocol/{key}")).or_insert(value);
            }
            params["_meta"] = meta.into();
        }
        params
    }

    async fn dispatch(&self, id: Value, headers: Headers, message: String) -> Pending {
        let from = self.inbox.count();
        let exchange = match &self.wire {
            Wire::Stdio(_) => {
                self.write(&message).await;
                None
            }
            Wire::Http(address) => {
                let (address, path) = (*address, self.identity.path().to_owned());
                let inbox = Arc::clone(&self.inbox);
                Some(tokio::spawn(
                    async move { post(address, &path, &headers, message.as_bytes(), &inbox).await },
                ))
            }
        };
        Pending { id, from, exchange, inbox: Arc::clone(&self.inbox) }
    }

    async fn write(&self, line: &str) {
        let Wire::Stdio(output) = &self.wire else { return };
        let mut output = output.lock().await;
        let line = format!("{line}\n");
        soon("writing a line", output.write_all(line.as_bytes())).await.unwrap();
    }
}

impl Pending {
    /// Waits for what comes back.
    pub async fn reply(self) -> Reply {
        if let Some(exchange) = self.exchange {
            return soon("the answer over HTTP", exchange).await.unwrap();
        }
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == self.id;
        let (place, text) = self.inbox.first(self.from, "the answer on stdio", is_answer).await;
        let before = self.inbox.since(self.from).into_iter().take(place - self.from);
        let before = before.filter_map(|message| serde_json::from_str::<Value>(&message).ok());
        let notifications = before.filter(|message| message.get("method").is_some()).collect();
        Reply { status: None, session: None, retry_after: None, notifications, text: Some(text) }
    }
}
