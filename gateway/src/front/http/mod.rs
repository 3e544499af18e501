//! The Streamable HTTP front: `/mcp`, and `/mcp/<strategy>` for each offered strategy; a profile precedes it, as in
//! `/mcp/@<profile>/<strategy>`. Query parameters are read with `initialize`, or with each request without a session.

mod accept;
mod body;
mod connections;
mod cors;
mod entry;
mod guard;
mod lasting;
mod post;
mod proxies;
mod query;
mod refusals;
mod standard_headers;
mod stream;
mod unread;

use std::{net::SocketAddr, sync::Arc};

pub use accept::{serve, serve_app};
use axum::{
    Extension, Router,
    body::Body,
    extract::{Request, State},
    http::{self, HeaderMap, Method, StatusCode},
    middleware::from_fn_with_state,
    response::Response,
    routing::any,
};
use cors::guarded;
pub use guard::{Guard, Refused};
use lasting::ends_by_itself;
use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{
    ErrorText, Id, code,
    headers::{LAST_EVENT_ID, SESSION},
};
pub use proxies::{Proxies, network};
pub use refusals::Asked;
use refusals::Refusals;
use stream::Stream;

use crate::{
    dispatch::{Admission, Admitted, Gateway},
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
    let refusals = Refusals::new(Arc::clone(gateway.observer()), Arc::clone(&guard));
    refusals.noting(guarded(routes(gateway, Arc::clone(&guard)), guard))
}

/// The same routes, unguarded.
fn routes(gateway: Arc<Gateway>, guard: Arc<Guard>) -> Router {
    let front = Front { gateway, guard };
    Router::new()
        .route("/mcp", any(at))
        .route("/mcp/{*location}", any(at))
        .fallback(|| async { nothing_here() })
        .layer(from_fn_with_state(front.clone(), entry::admit))
        .with_state(front)
}

/// Admits each request to a router of other pages, as those to `/mcp` are; they find its [`Principal`] as an extension.
pub fn admitted(router: Router, admission: Arc<dyn Admission>) -> Router {
    router.layer(from_fn_with_state(admission, entry::admit_to_pages))
}

async fn at(
    State(front): State<Front>,
    Extension(peer): Extension<Peer>,
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
    async fn answer(&self, peer: Peer, admitted: Admitted, location: Location, request: Request) -> Response {
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
            Method::GET => self.listen(&admitted, &peer, &location, request.headers()).await,
            Method::DELETE => self.end(&admitted, &location, request.headers()).await,
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
    async fn listen(
        &self,
        admitted: &Admitted,
        peer: &Peer,
        location: &Location,
        headers: &HeaderMap,
    ) -> Response {
        let session = match self.session(admitted, peer, location, headers).await {
            Ok(Some(session)) => session,
            // The stateless era has no such stream.
            Ok(None) => return not_allowed("POST"),
            Err(unserved) => return unserved.response(None),
        };
        let shutdown = self.gateway.shutdown();
        let last = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
        let former = match last.and_then(|id| session.replay.find(id)) {
            Some((buffer, event)) if buffer.purpose() == Purpose::Answer => {
                return ends_by_itself(Stream::after(event, buffer, shutdown).into_response());
            }
            former => former,
        };
        if let Some(last) = last {
            match self.gateway.follow(&session, last).await {
                Ok(Some(following)) => {
                    let stream = Stream::elsewhere(following, session.peer(), shutdown);
                    return ends_by_itself(stream.into_response());
                }
                Ok(None) => {}
                Err(error) => return body::unavailable(None, error),
            }
        }
        let (outlet, frames) = Outlet::new(session.peer(), self.gateway.limits());
        session.client.outbox().open(outlet);
        let has_missed = last.is_some() && former.is_none();
        // Only now: earlier messages went to the former stream, whose connection may be open but no longer read.
        let missed = former.map(|(former, event)| former.end_after(event)).unwrap_or_default();
        self.gateway.stream_opened(&session, has_missed);
        let buffer = session.replay.open(Purpose::News, frames);
        let first = session.first_event(&buffer);
        Stream::new(buffer, shutdown).beginning_with(missed).beginning_with(first).into_response()
    }

    /// Ends a session. It needs no copy of it, nor upstreams.
    async fn end(&self, admitted: &Admitted, location: &Location, headers: &HeaderMap) -> Response {
        let Some(id) = headers.get(SESSION) else { return not_allowed("POST") };
        let id: Arc<str> = id.to_str().unwrap_or_default().into();
        let ended = match self.gateway.opened_at(&id, &admitted.principal).await {
            Ok(Some(at)) if at == *location => self.gateway.end_everywhere(&id).await,
            Ok(Some(_)) => return Unserved::elsewhere().response(None),
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        match ended {
            Ok(true) => body::empty(StatusCode::NO_CONTENT),
            Ok(false) => Unserved::unknown().response(None),
            Err(error) => Unserved::of(error).response(None),
        }
    }

    /// Whether the principal may still be served by the session's strategy; else the session is ended, so that the client
    /// opens a new one.
    async fn may_continue(&self, session: &Session, principal: &Principal) -> Result<bool, ErrorText> {
        let may = self.gateway.strategies().is_permitted(principal.permits(), session.strategy());
        if !may {
            self.gateway.end_everywhere(session.id()).await?;
        }
        Ok(may)
    }

    /// The session named in the headers, if any.
    async fn session(
        &self,
        admitted: &Admitted,
        peer: &Peer,
        location: &Location,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Session>>, Unserved> {
        let Some(id) = headers.get(SESSION) else { return Ok(None) };
        let found = match id.to_str() {
            Ok(id) => self.gateway.session(id, admitted, peer).await.map_err(Unserved::of)?,
            Err(_) => None,
        };
        let principal = &admitted.principal;
        // Another principal's session is indistinguishable from an unknown one.
        let own = found.filter(|session| session.principal().is_same(principal));
        // Before anything is judged by the permissions of the address.
        if own.as_ref().is_some_and(|session| session.location() != location) {
            return Err(Unserved::elsewhere());
        }
        let own = match own {
            Some(own) if self.may_continue(&own, principal).await.map_err(Unserved::of)? => Some(own),
            _ => None,
        };
        let session = own.ok_or_else(Unserved::unknown)?;
        if !session.client.forwarded.follow(admitted.forwarded.clone()) {
            return Err(Unserved::of_other_headers());
        }
        session.touch();
        Ok(Some(session))
    }
}

/// Why a message in a session is not served.
struct Unserved {
    status: StatusCode,
    error: ErrorText,
}

impl Unserved {
    /// There is no such session, or it is another principal's.
    fn unknown() -> Self {
        let message = "this session is unknown or has ended; initialize a new one";
        Self { status: StatusCode::NOT_FOUND, error: ErrorText::new(code::INVALID_REQUEST, message) }
    }

    /// Upstreams are sent other headers in it.
    fn of_other_headers() -> Self {
        let message = "headers that upstreams are sent differ from those this session was opened with; initialize a new one";
        Self { status: StatusCode::NOT_FOUND, error: ErrorText::new(code::INVALID_REQUEST, message) }
    }

    /// It has another address.
    fn elsewhere() -> Self {
        let message = "this session was opened at another address and can be used there only";
        Self { status: StatusCode::BAD_REQUEST, error: ErrorText::new(code::INVALID_REQUEST, message) }
    }

    /// It cannot be read, or not be served here.
    fn of(error: ErrorText) -> Self {
        let is_limited = error.code() == code::LIMIT_REACHED;
        let status = if is_limited { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::SERVICE_UNAVAILABLE };
        Self { status, error }
    }

    /// The response to the request of this id, or to another message.
    fn response(self, id: Option<Id>) -> Response {
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => body::limited(id, self.error),
            StatusCode::SERVICE_UNAVAILABLE => body::unavailable(id, self.error),
            // It is about the session; clients take an error with the request's id for the request's own.
            status => body::error(status, &self.error),
        }
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
