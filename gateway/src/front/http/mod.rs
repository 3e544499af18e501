//! The Streamable HTTP front: `/mcp`, and `/mcp/<strategy>` for each offered strategy; a profile stands before it, as in
//! `/mcp/@<profile>/<strategy>`. The query of either is read where a
//! client comes in: with `initialize`, or with each request without a session.

mod accept;
mod body;
mod connections;
mod cors;
mod entry;
mod guard;
mod post;
mod proxies;
mod query;
mod standard_headers;
mod stream;

use std::{net::SocketAddr, sync::Arc};

pub use accept::{serve, serve_app};
use axum::{
    Extension, Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{self, HeaderMap, Method, StatusCode},
    middleware::from_fn_with_state,
    response::Response,
    routing::any,
};
pub use cors::guarded;
pub use guard::{Guard, Refused};
use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{
    ErrorText, code,
    headers::{LAST_EVENT_ID, SESSION},
};
pub use proxies::{Proxies, network};
use stream::Stream;

use crate::{
    dispatch::{Admitted, Gateway},
    session::{Location, Outlet, Peer, Purpose, Session},
};

/// Shared state of all request handlers.
#[derive(Clone, Debug)]
struct Front {
    gateway: Arc<Gateway>,
    guard: Arc<Guard>,
}

/// The routes, to be merged with an application's own. Serve them with
/// `into_make_service_with_connect_info::<SocketAddr>()`, since limits count by address. The limits on connections and on
/// clients that read slowly are those of [`serve`], and do not hold here.
pub fn router(gateway: Arc<Gateway>, guard: Guard) -> Router {
    let guard = Arc::new(guard);
    let front = Front { gateway, guard: Arc::clone(&guard) };
    let router = Router::new()
        .route("/mcp", any(at))
        .route("/mcp/{*location}", any(at))
        .fallback(|| async { nothing_here() })
        .layer(from_fn_with_state(front.clone(), entry::admit))
        .with_state(front);
    guarded(router, guard)
}

/// Admits each request to a router of other pages, as those to `/mcp` are.
pub fn admitted(router: Router, gateway: Arc<Gateway>, guard: Arc<Guard>) -> Router {
    router.layer(from_fn_with_state(Front { gateway, guard }, entry::admit))
}

async fn at(
    State(front): State<Front>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(admitted): Extension<Admitted>,
    Extension(location): Extension<Option<Location>>,
    request: Request,
) -> Response {
    match location {
        Some(location) => front.answer(peer, admitted, location, request).await,
        None => nothing_here(),
    }
}

fn nothing_here() -> Response {
    plain(StatusCode::NOT_FOUND, "MCP is served at /mcp and /mcp/<strategy>")
}

impl Front {
    async fn answer(
        &self,
        peer: SocketAddr,
        admitted: Admitted,
        location: Location,
        request: Request,
    ) -> Response {
        let principal = &admitted.principal;
        if let Some(name) = location.strategy.as_deref().filter(|name| !self.is_offered(principal, name)) {
            let message = format_args!(
                "no strategy '{name}' is offered here; offered are: {}",
                self.offered(principal)
            );
            return body::error(StatusCode::NOT_FOUND, &ErrorText::new(code::INVALID_REQUEST, message));
        }
        match *request.method() {
            Method::POST => self.post(peer, admitted, location, request).await,
            Method::GET => self.listen(principal, &location, request.headers()),
            Method::DELETE => self.end(principal, &location, request.headers()),
            _ => not_allowed("POST, GET, DELETE"),
        }
    }

    /// The peer that a request counts against: its principal, otherwise its network address.
    fn peer(&self, connection: SocketAddr, headers: &HeaderMap, principal: &Principal) -> Peer {
        match principal.id() {
            // No address has this form.
            Some(id) => self.gateway.peers().of(&format!("principal {id}")),
            None => {
                let client = self.guard.proxies().client(connection, headers);
                self.gateway.peers().of(&proxies::counted(client))
            }
        }
    }

    fn is_offered(&self, principal: &Principal, strategy: &str) -> bool {
        self.gateway.strategies().is_offered_to(principal.permits(), strategy)
    }

    fn offered(&self, principal: &Principal) -> String {
        self.gateway.strategies().offered_to(principal.permits()).join(", ")
    }

    /// Opens the session's general stream, or resumes a stream.
    fn listen(&self, principal: &Principal, location: &Location, headers: &HeaderMap) -> Response {
        let session = match self.session(principal, location, headers) {
            Ok(Some(session)) => session,
            // The stateless era has no such stream.
            Ok(None) => return not_allowed("POST"),
            Err(refused) => return refused,
        };
        let shutdown = self.gateway.shutdown();
        let last = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
        let missed = match last.and_then(|id| session.replay.find(id)) {
            Some((buffer, missed)) if buffer.purpose() == Purpose::Answer => {
                return Stream::new(buffer, shutdown).beginning_with(missed).into_response();
            }
            Some((_, missed)) => missed,
            None => Vec::new(),
        };
        let (outlet, frames) = Outlet::new(session.peer(), self.gateway.limits());
        session.client.outbox().open(outlet);
        let buffer = session.replay.open(Purpose::News, frames);
        let first = session.first_event(&buffer);
        Stream::new(buffer, shutdown).beginning_with(missed).beginning_with(first).into_response()
    }

    /// Ends a session.
    fn end(&self, principal: &Principal, location: &Location, headers: &HeaderMap) -> Response {
        match self.session(principal, location, headers) {
            Ok(Some(session)) => {
                self.gateway.end_session(session.id());
                body::empty(StatusCode::NO_CONTENT)
            }
            Ok(None) => not_allowed("POST"),
            Err(refused) => refused,
        }
    }

    /// Whether the principal may still be served by the session's strategy; else the session is ended, so that the client
    /// opens a new one.
    fn may_continue(&self, session: &Session, principal: &Principal) -> bool {
        let may = self.gateway.strategies().is_permitted(principal.permits(), &session.choice().name);
        if !may {
            self.gateway.end_session(session.id());
        }
        may
    }

    /// The session named in the headers, if any.
    fn session(
        &self,
        principal: &Principal,
        location: &Location,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Session>>, Response> {
        let Some(id) = headers.get(SESSION) else { return Ok(None) };
        let found = id.to_str().ok().and_then(|id| self.gateway.sessions().find(id));
        // Another principal's session is indistinguishable from an unknown one.
        let own = found.filter(|session| session.principal().is_same(principal));
        let refused =
            |status, message: &str| body::error(status, &ErrorText::new(code::INVALID_REQUEST, message));
        // Before anything is judged by the permissions of the address.
        if own.as_ref().is_some_and(|session| session.location() != location) {
            let message = "this session was opened at another address and can be used there only";
            return Err(refused(StatusCode::BAD_REQUEST, message));
        }
        let Some(session) = own.filter(|session| self.may_continue(session, principal)) else {
            let message = "this session is unknown or has ended; initialize a new one";
            return Err(refused(StatusCode::NOT_FOUND, message));
        };
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
