//! A server that asks for sign-in and is its own authorization server; a test says what it lies about.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use mcp_disclosure_gateway::upstream::Endpoint;
use mcp_disclosure_sign_in::{Settings, SignIn};
use reqwest::Url;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// A request that was received.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

type Lie = dyn Fn(&str, &str) -> Option<Response> + Send + Sync;

/// The server.
pub(super) struct Server {
    pub(super) origin: String,
    shared: Shared,
    folder: TempDir,
}

#[derive(Clone)]
struct Shared {
    origin: String,
    lie: Arc<Mutex<Arc<Lie>>>,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Server {
    /// One that is honest where `lie` answers nothing, given the path and its own origin.
    pub(super) async fn start(lie: impl Fn(&str, &str) -> Option<Response> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let lie = Arc::new(Mutex::new(Arc::new(lie) as Arc<Lie>));
        let shared = Shared { origin: origin.clone(), lie, heard: Arc::default() };
        let router = Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { origin, shared, folder: tempfile::tempdir().unwrap() }
    }

    pub(super) async fn honest() -> Self {
        Self::start(|_, _| None).await
    }

    /// From now on, it answers so.
    pub(super) fn lie(&self, lie: impl Fn(&str, &str) -> Option<Response> + Send + Sync + 'static) {
        *self.shared.lie.lock().unwrap() = Arc::new(lie);
    }

    /// The sign-in to it.
    pub(super) fn sign_in(&self) -> SignIn {
        let (endpoint, folder) =
            (Endpoint::from(self.url()), self.config_home().join("mcp-disclosure/sign-in"));
        SignIn::new(&endpoint, Settings::default(), folder, "mcp-disclosure login notes".to_owned()).unwrap()
    }

    /// The user's configuration folder, for programs that are to use the same tokens.
    pub(super) fn config_home(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn url(&self) -> Url {
        format!("{}/mcp", self.origin).parse().unwrap()
    }

    /// The requests for a path, in their order.
    pub(super) fn heard(&self, path: &str) -> Vec<Heard> {
        self.shared.heard(path)
    }
}

impl Shared {
    fn heard(&self, path: &str) -> Vec<Heard> {
        self.heard.lock().unwrap().iter().filter(|heard| heard.path == path).cloned().collect()
    }
}

async fn answer(State(shared): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 100_000).await.unwrap();
    let path = parts.uri.path().to_owned();
    let body = String::from_utf8_lossy(&body).into_owned();
    let heard = Heard { path: path.clone(), headers: parts.headers, body };
    let issued = shared.heard("/token").len();
    shared.heard.lock().unwrap().push(heard.clone());
    let lie = Arc::clone(&shared.lie.lock().unwrap());
    lie(&path, &shared.origin).unwrap_or_else(|| honest(&heard, &shared.origin, issued))
}

fn honest(heard: &Heard, origin: &str, issued: usize) -> Response {
    match &*heard.path {
        "/mcp" if !heard.headers.contains_key(header::AUTHORIZATION) => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response()
        }
        "/mcp" => called(&heard.body),
        "/.well-known/oauth-protected-resource/mcp" => shown(
            &json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin], "scopes_supported": ["read"]}),
        ),
        "/.well-known/oauth-authorization-server" => shown(&metadata(origin)),
        "/register" => shown(&json!({"client_id": "registered", "redirect_uris": []})),
        "/token" => shown(&tokens(issued)),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The metadata of an authorization server.
pub(super) fn metadata(origin: &str) -> Value {
    json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}

/// Tokens after so many others. The first expire at once.
fn tokens(generation: usize) -> Value {
    json!({
        "access_token": format!("access-{generation}"),
        "refresh_token": format!("refresh-{generation}"),
        "token_type": "Bearer",
        "expires_in": if generation == 0 { 0 } else { 3600 },
        "id_token": "an-id-token",
    })
}

pub(super) fn shown(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// A body without an end.
pub(super) fn endless() -> Response {
    let chunks =
        futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 65_536])));
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(chunks)).into_response()
}

fn called(body: &str) -> Response {
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}),
        Some("tools/call") => json!({"content": []}),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    shown(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}
