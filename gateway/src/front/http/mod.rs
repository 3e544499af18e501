//! The Streamable HTTP front: `/mcp`, and `/mcp/<strategy>` for each offered strategy; a profile precedes it, as in
//! `/mcp/@<profile>/<strategy>`. Query parameters are read with `initialize`, or with each request without a session.

mod accept;
mod body;
mod connections;
mod entry;
mod guard;
mod post;
mod proxies;
mod query;
mod refusals;
mod refused;
mod standard_headers;
mod stream;
mod unread;

use std::{net::IpAddr, sync::Arc};

pub use accept::{serve, serve_app};
use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{Method, StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::any,
};
use entry::{Arrived, lasting};
use futures::FutureExt;
pub use guard::Guard;
use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{
    ErrorText,
    headers::{LAST_EVENT_ID, SESSION},
};
pub use proxies::{Proxies, network};
pub use refusals::Asked;
use refusals::Refusals;
use refused::{Refused, Stage};
use stream::{Source, Stream};

use crate::{
    dispatch::{Admission, Gateway, ServedSession},
    session::{Outlet, Peer, Purpose, store::Following},
};

/// What answers requests.
#[derive(Debug)]
struct Front {
    gateway: Arc<Gateway>,
    refusals: Refusals,
}

/// A router for all paths, to be merged with an application's own. Serve it with
/// `into_make_service_with_connect_info::<SocketAddr>()`, since limits count by address. The limits on connections and on
/// clients that read slowly are those of [`serve`], and do not hold here.
pub fn router(gateway: Arc<Gateway>, guard: Guard) -> Router {
    let front = Arc::new(Front::new(gateway, guard));
    let answer = move |request: Request| Arc::clone(&front).respond(request);
    // An application may put its own fallback in the place of this one.
    let router =
        Router::new().route("/mcp", any(answer.clone())).route("/mcp/{*location}", any(answer.clone()));
    router.fallback(answer)
}

/// Admits each request to a router of other pages, as those to `/mcp` are; they find its [`Principal`] as an extension.
pub fn admitted(router: Router, admission: Arc<dyn Admission>) -> Router {
    router.layer(from_fn_with_state(admission, entry::admit_to_pages))
}

fn nothing_here() -> Response {
    (StatusCode::NOT_FOUND, Body::from("MCP is served at /mcp and /mcp/<strategy>")).into_response()
}

impl Front {
    fn new(gateway: Arc<Gateway>, guard: Guard) -> Self {
        Self { refusals: Refusals::new(Arc::clone(gateway.observer()), guard), gateway }
    }

    async fn respond(self: Arc<Self>, request: Request) -> Response {
        let answer = |request, from| self.serve(request, from).map(IntoResponse::into_response);
        self.refusals.guarded(request, answer).await
    }

    async fn answer(&self, arrived: &mut Arrived, body: Body) -> Result<Response, Refused> {
        let permits = arrived.admitted.principal.permits();
        let strategies = self.gateway.strategies();
        let is_offered = |name: &&str| strategies.is_offered_to(permits, name);
        if let Some(name) = arrived.location.strategy.as_deref().filter(|name| !is_offered(name)) {
            let offered = strategies.offered_to(permits).join(", ");
            let message =
                format_args!("no strategy '{name}' is offered here; leave it out, or name one of: {offered}");
            return Err(Refused::because(StatusCode::NOT_FOUND, message));
        }
        match arrived.head.method {
            Method::POST => self.post(arrived, body).await,
            Method::GET => self.listen(arrived).await,
            Method::DELETE => self.end(arrived).await,
            _ => Ok(not_allowed("POST, GET, DELETE")),
        }
    }

    /// The peer that a request counts against: its principal, otherwise its network address.
    fn peer(&self, from: IpAddr, principal: &Principal) -> Peer {
        // No address has the form of the first.
        let name = principal.id().map(|id| format!("principal {id}"));
        self.gateway.peers.of(&name.unwrap_or_else(|| proxies::counted(from)))
    }

    /// Opens the session's general stream, or resumes a stream.
    async fn listen(&self, arrived: &Arrived) -> Result<Response, Refused> {
        let Some(session) = self.session(arrived).await? else {
            // The stateless era has no such stream.
            return Ok(not_allowed("POST"));
        };
        let (sessions, shutdown) = (self.gateway.sessions(), self.gateway.shutdown());
        let last = arrived.head.headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
        let former = match last.and_then(|id| session.replay.find(id)) {
            Some((buffer, event)) if buffer.purpose == Purpose::Answer => {
                let (turn, missed) = buffer.take_turn_after(event);
                let stream = Stream::of(Source::Here(buffer, turn), shutdown);
                return Ok(stream.beginning_with(missed).into_response());
            }
            former => former,
        };
        if let Some(last) = last
            && let Some(following) = Following::find(session.session(), last).await.map_err(of_session)?
        {
            let source = Source::Elsewhere(Box::new(following), session.peer.clone());
            return Ok(Stream::of(source, shutdown).into_response());
        }
        let (outlet, frames) = Outlet::new(&session.peer, self.gateway.limits());
        session.client.outbox().open(outlet);
        let has_missed = last.is_some() && former.is_none();
        // Only now: earlier messages went to the former stream, whose connection may be open but no longer read.
        let missed = former.map(|(former, event)| former.end_after(event)).unwrap_or_default();
        sessions.stream_opened(&session, has_missed);
        let buffer = session.replay.open(Purpose::News, frames);
        let first = session.first_event(&buffer);
        let stream = Stream::new(buffer, shutdown).beginning_with(missed).beginning_with(first);
        Ok(lasting(stream.into_response()))
    }

    /// Ends a session. It needs no copy of it, nor upstreams.
    async fn end(&self, arrived: &Arrived) -> Result<Response, Refused> {
        let Some(id) = arrived.head.headers.get(SESSION) else { return Ok(not_allowed("POST")) };
        let id: Arc<str> = id.to_str().unwrap_or_default().into();
        let principal = &arrived.admitted.principal;
        let sessions = self.gateway.sessions();
        match sessions.opened_at(&id, principal).await.map_err(of_session)? {
            Some(at) if at != arrived.location => return Err(opened_elsewhere()),
            Some(_) if sessions.end_everywhere(&id).await.map_err(of_session)? => {}
            _ => return Err(unknown_session()),
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }

    /// The session named in the headers, if any.
    ///
    /// # Errors
    /// That there is none, or that it cannot be served here. The error names no request: clients take one with a request's
    /// id for the request's own.
    async fn session(&self, arrived: &Arrived) -> Result<Option<Arc<ServedSession>>, Refused> {
        let admitted = &arrived.admitted;
        let Some(id) = arrived.head.headers.get(SESSION) else { return Ok(None) };
        let sessions = self.gateway.sessions();
        let found = match id.to_str() {
            Ok(id) => sessions.of_request(id, admitted, &arrived.peer).await.map_err(of_session)?,
            Err(_) => None,
        };
        // Another principal's session is indistinguishable from an unknown one.
        let own = found.filter(|session| session.principal().is_same(&admitted.principal));
        let session = own.ok_or_else(unknown_session)?;
        // Before anything is judged by the permissions of the address.
        if session.location != arrived.location {
            return Err(opened_elsewhere());
        }
        // Its client opens a new one.
        if !self.gateway.strategies().is_permitted(admitted.principal.permits(), session.strategy()) {
            sessions.end_everywhere(session.id()).await.map_err(of_session)?;
            return Err(unknown_session());
        }
        if !session.client.forwarded.follow(admitted.forwarded.clone()) {
            let message = "headers that upstreams are sent differ from those this session was opened with; initialize a new one";
            return Err(Refused::because(StatusCode::NOT_FOUND, message));
        }
        session.touch();
        Ok(Some(session))
    }
}

/// The session cannot be read or changed, or not be served here.
fn of_session(error: ErrorText) -> Refused {
    Refused::at(Stage::Session, error)
}

/// There is no such session, or it is another principal's.
fn unknown_session() -> Refused {
    let message = "this session is unknown or has ended; initialize a new one";
    Refused::because(StatusCode::NOT_FOUND, message)
}

fn opened_elsewhere() -> Refused {
    let message = "this session was opened at another address and can be used there only";
    Refused::because(StatusCode::BAD_REQUEST, message)
}

fn not_allowed(allow: &'static str) -> Response {
    let text = Body::from("this method is not allowed here");
    (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, allow)], text).into_response()
}
