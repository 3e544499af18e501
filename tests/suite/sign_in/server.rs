//! A server that asks for sign-in and is its own authorization server; a test says what it lies about.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    body::{Body, Bytes},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use kit::{
    HttpServer,
    http_server::{JSON, Received, reply, said, status},
    messages::{introduction, response},
};
use mcp_disclosure_gateway::upstream::Endpoint;
use mcp_disclosure_sign_in::{Settings, SignIn};
use reqwest::Url;
use serde_json::{Value, json};
use tempfile::TempDir;

type Lie = dyn Fn(&str, &str) -> Option<Response> + Send + Sync;

/// The server.
pub(super) struct Server {
    pub(super) origin: String,
    server: HttpServer<Lies>,
    folder: TempDir,
}

struct Lies {
    lie: Mutex<Arc<Lie>>,
    /// How often tokens were asked for.
    issued: AtomicUsize,
}

impl Server {
    /// One that is honest where `lie` answers nothing, given the path and its own origin.
    pub(super) async fn start(lie: impl Fn(&str, &str) -> Option<Response> + Send + Sync + 'static) -> Self {
        let lies = Lies { lie: Mutex::new(Arc::new(lie)), issued: AtomicUsize::new(0) };
        let server = HttpServer::serving(lies, answer).await;
        Self { origin: server.at(""), server, folder: tempfile::tempdir().unwrap() }
    }

    pub(super) async fn honest() -> Self {
        Self::start(|_, _| None).await
    }

    /// From now on, it answers so.
    pub(super) fn lie(&self, lie: impl Fn(&str, &str) -> Option<Response> + Send + Sync + 'static) {
        *self.server.lie.lock().unwrap() = Arc::new(lie);
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
    pub(super) fn heard(&self, path: &str) -> Vec<Received> {
        self.server.received().into_iter().filter(|request| request.uri.path() == path).collect()
    }
}

async fn answer(lies: Arc<Lies>, request: Received) -> Response {
    let (path, origin) = (request.uri.path(), format!("http://{}", request.header("host").unwrap()));
    let issued = match path {
        "/token" => lies.issued.fetch_add(1, Ordering::SeqCst),
        _ => 0,
    };
    let lie = Arc::clone(&lies.lie.lock().unwrap());
    lie(path, &origin).unwrap_or_else(|| honest(&request, &origin, issued))
}

fn honest(request: &Received, origin: &str, issued: usize) -> Response {
    match request.uri.path() {
        "/mcp" if request.header("authorization").is_none() => {
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response()
        }
        "/mcp" => called(&request.message),
        "/.well-known/oauth-protected-resource/mcp" => reply(
            &json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin], "scopes_supported": ["read"]}),
        ),
        "/.well-known/oauth-authorization-server" => reply(&metadata(origin)),
        "/register" => reply(&json!({"client_id": "registered", "redirect_uris": []})),
        "/token" => reply(&tokens(issued)),
        _ => status(404),
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

/// A body without an end.
pub(super) fn endless() -> Response {
    let chunks =
        futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 65_536])));
    said(200, JSON, Body::from_stream(chunks))
}

fn called(message: &Value) -> Response {
    let result = match message["method"].as_str() {
        Some("initialize") => introduction("notes", "2025-11-25", json!({"tools": {}})),
        Some("tools/list") => json!({"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}),
        Some("tools/call") => json!({"content": []}),
        _ => return status(202),
    };
    reply(&response(&message["id"], result))
}
