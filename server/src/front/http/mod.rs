//! The front over Streamable HTTP: `/mcp`, and `/mcp/<strategy>` for each strategy offered.

mod body;
mod guard;
mod post;
mod standard_headers;
mod stream;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Path, Request, State, rejection::PathRejection},
    http::{self, HeaderMap, Method, StatusCode},
    response::Response,
    routing::any,
    serve::Listener,
};
pub use guard::Guard;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use stream::Stream;
use tokio::net::TcpListener;
use tokio_io_timeout::TimeoutStream;

use crate::{
    gateway::Gateway,
    session::{Outlet, Purpose, Session},
    wire::{ErrorText, code},
};

/// After the request to end, running calls get so long to finish.
const GRACE: Duration = Duration::from_secs(10);

/// A connection is closed when no whole request head came for so long. Waiting for the next request counts:
/// whoever closes while the other sends loses a request, so it is longer than the 60 seconds for which proxies
/// keep connections they do not use.
const HEAD: Duration = Duration::from_secs(75);

/// A connection is closed when its client took nothing of what it is sent for so long: answers that nobody
/// takes fill memory. A stream without news has a comment each 15 seconds to take.
const STALLED: Duration = Duration::from_secs(60);

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// What every request needs.
#[derive(Clone, Debug)]
struct Front {
    gateway: Arc<Gateway>,
    guard: Arc<Guard>,
}

/// Serves clients until the gateway shuts down. Answers under way are finished first.
///
/// # Errors
/// None at present: what a connection or the listener says is waited out.
pub async fn serve(gateway: Arc<Gateway>, mut listener: TcpListener, guard: Guard) -> std::io::Result<()> {
    let shutdown = gateway.shutdown().clone();
    let app = TowerToHyperService::new(router(gateway, guard));
    // Not `axum::serve`, and not hyper-util's `auto`, which wait for a head, or its first bytes, for ever.
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let connections = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = shutdown.cancelled() => break,
        };
        // Without it a small event waits for the acknowledgement of the one before: 43 ms were measured.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(STALLED));
        let app = app.clone();
        let service = service_fn(move |request: http::Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            app.call(request)
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%peer, %error, "a connection broke");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!("requests that were still running after {} seconds were dropped", GRACE.as_secs());
    }
    Ok(())
}

/// The routes, for those who serve them with others of their own.
pub fn router(gateway: Arc<Gateway>, guard: Guard) -> Router {
    let front = Front { gateway, guard: Arc::new(guard) };
    Router::new()
        .route("/mcp", any(at_any))
        .route("/mcp/{strategy}", any(at_strategy))
        .fallback(|| async { plain(StatusCode::NOT_FOUND, "MCP is served at /mcp and /mcp/<strategy>") })
        .with_state(front)
}

async fn at_any(
    State(front): State<Front>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    front.answer(peer, None, request).await
}

async fn at_strategy(
    State(front): State<Front>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    strategy: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    // A name that is no UTF-8 is nobody's.
    let strategy = strategy.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(name)| name);
    front.answer(peer, Some(strategy), request).await
}

impl Front {
    async fn answer(&self, peer: SocketAddr, address: Option<String>, request: Request) -> Response {
        if let Err(reason) = self.guard.admit(request.headers()) {
            tracing::warn!(%peer, reason, "request refused");
            return body::error(StatusCode::FORBIDDEN, &ErrorText::new(code::INVALID_REQUEST, reason));
        }
        if let Some(name) = address.as_deref().filter(|name| !self.gateway.strategies().is_offered(name)) {
            let told = format_args!("no strategy '{name}' is offered here; offered are: {}", self.offered());
            return body::error(StatusCode::NOT_FOUND, &ErrorText::new(code::INVALID_REQUEST, told));
        }
        match *request.method() {
            Method::POST => self.post(peer, address, request).await,
            Method::GET => self.listen(address.as_deref(), request.headers()),
            Method::DELETE => self.end(address.as_deref(), request.headers()),
            _ => not_allowed("POST, GET, DELETE"),
        }
    }

    fn offered(&self) -> String {
        self.gateway.strategies().offered().join(", ")
    }

    /// The stream of what a session is told unasked, or a stream of it that broke.
    fn listen(&self, address: Option<&str>, headers: &HeaderMap) -> Response {
        let session = match self.session(address, headers) {
            Ok(Some(session)) => session,
            // The stateless era has no such stream.
            Ok(None) => return not_allowed("POST"),
            Err(refused) => return refused,
        };
        let shutdown = self.gateway.shutdown();
        let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
        let missed = match last.and_then(|id| session.tracks.find(id)) {
            Some((track, missed)) if track.purpose() == Purpose::Answer => {
                return Stream::new(track, shutdown).beginning_with(missed).into_response();
            }
            Some((_, missed)) => missed,
            None => Vec::new(),
        };
        let (outlet, frames) = Outlet::new();
        session.client.outbox().open(outlet);
        let track = session.tracks.open(Purpose::News, frames);
        let first = session.first_event(&track);
        Stream::new(track, shutdown).beginning_with(missed).beginning_with(first).into_response()
    }

    /// Ends a session.
    fn end(&self, address: Option<&str>, headers: &HeaderMap) -> Response {
        match self.session(address, headers) {
            Ok(Some(session)) => {
                self.gateway.end_session(session.id());
                body::empty(StatusCode::NO_CONTENT)
            }
            Ok(None) => not_allowed("POST"),
            Err(refused) => refused,
        }
    }

    /// The session that the headers name, if they name one.
    fn session(&self, address: Option<&str>, headers: &HeaderMap) -> Result<Option<Arc<Session>>, Response> {
        let Some(id) = headers.get(SESSION) else { return Ok(None) };
        let found = id.to_str().ok().and_then(|id| self.gateway.sessions().find(id));
        let principal = self.gateway.admission().principal(Some(headers));
        // Somebody else's session is answered like one that nobody has.
        let Some(session) = found.filter(|session| *session.principal() == principal) else {
            let told = "this session is unknown or has ended; initialize a new one";
            return Err(body::error(StatusCode::NOT_FOUND, &ErrorText::new(code::INVALID_REQUEST, told)));
        };
        if session.address() != address {
            let told = "this session was opened at another address and can be used there only";
            return Err(body::error(StatusCode::BAD_REQUEST, &ErrorText::new(code::INVALID_REQUEST, told)));
        }
        session.touch();
        Ok(Some(session))
    }
}

fn not_allowed(allow: &'static str) -> Response {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here");
    response.headers_mut().insert("allow", http::HeaderValue::from_static(allow));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}
