//! POST: receives one message. The response is JSON, or an event stream if other messages precede it.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response as HttpResponse},
};
use futures::{FutureExt, future::FusedFuture};
use mcp_disclosure_core::Era;
use mcp_disclosure_transport::{
    ErrorText, Message, Request, Response,
    beside::{LONG, aside},
    headers::SESSION,
};
use scopeguard::ScopeGuard;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::{
    Front,
    body::{self, Accepts},
    entry::{Arrived, lasting},
    of_session, query,
    refused::{Refused, Stage, may_pass, refusing},
    standard_headers,
    stream::Stream,
};
use crate::{
    dialect::{RequestKind, RequestMeta, classify},
    dispatch::Caller,
    session::{
        Address, BeginError, Client, Frame, Frames, Opening, Place, Purpose, Queued, ReplayBuffer, Ticket,
    },
};

/// A response that takes longer is sent as a stream, whose comments keep the connection alive.
const QUIET: Duration = Duration::from_secs(10);

/// Who sent a request that is about to run, and what it is answered on.
type Sent = (Caller, Option<Ticket>, Frames);

impl Front {
    pub(super) async fn post(&self, arrived: &mut Arrived, body: Body) -> Result<HttpResponse, Refused> {
        let headers = &arrived.head.headers;
        if !is_json(headers) {
            let message = "Content-Type must be application/json";
            return Err(Refused::because(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let accepts = Accepts::read(headers);
        if !accepts.json && !accepts.events {
            let message = "Accept must name application/json, text/event-stream, or both";
            return Err(Refused::because(StatusCode::NOT_ACCEPTABLE, message));
        }
        let limits = self.gateway.limits();
        let (text, place) = body::read(body, &arrived.peer, limits).await?;
        if self.gateway.is_outdated(&arrived.admitted) {
            arrived.admitted = self.gateway.admit_request(&arrived.arriving()).await?;
        }
        let arrived = &*arrived;
        let depth = limits.bounds().message_depth;
        let message = aside(text.len(), || Message::from_client(&text, depth));
        drop(text);
        match message {
            Err(refused) => return Ok(body::json(StatusCode::BAD_REQUEST, refused.encode())),
            Ok(Message::Request(request)) => {
                return self.request(arrived, accepts, request, place).await;
            }
            // Requests to clients exist only in sessions, and in the stateless era no notification has a meaning.
            Ok(Message::Notification(notification)) => {
                if let Some(session) = self.session(arrived).await? {
                    let sessions = self.gateway.sessions();
                    sessions.handle_notification(&session, &notification).await.map_err(of_session)?;
                }
            }
            Ok(Message::Response(response)) => {
                if let Some(session) = self.session(arrived).await? {
                    self.gateway.sessions().settle(&session, response).await.map_err(of_session)?;
                }
            }
        }
        Ok(StatusCode::ACCEPTED.into_response())
    }

    /// Answers a request; `place` is its reservation of its peer's memory for requests.
    async fn request(
        &self,
        arrived: &Arrived,
        accepts: Accepts,
        request: Request,
        place: Place,
    ) -> Result<HttpResponse, Refused> {
        let headers = &arrived.head.headers;
        let invalid = |error| Refused::invalid(error).answering(&request.id);
        let kind = classify(&request, self.gateway.limits()).map_err(|error| {
            // A header that contradicts the body is reported first, whatever the body names.
            invalid(standard_headers::version_mismatch(headers, &request).unwrap_or(error))
        })?;
        let is_stateless = matches!(kind, RequestKind::Stateless(_));
        if !is_stateless && standard_headers::claims_stateless(headers) {
            let message = "the MCP-Protocol-Version header names a revision whose required params._meta keys are missing";
            return Err(invalid(ErrorText::invalid_params(message)));
        }
        let answering = |refused: Refused| refused.answering(&request.id);
        let mut sent = match kind {
            RequestKind::Initialize => {
                return Box::pin(self.initialize(arrived, &request)).await.map_err(answering);
            }
            RequestKind::Session => self.in_session(arrived, accepts, &request).await?,
            RequestKind::Stateless(meta) => {
                let served = self.without_session(arrived, accepts, &request, &meta).await;
                served.map_err(answering)?
            }
        };
        sent.0.head = Some(Arc::clone(&arrived.head));
        Ok(self.run(sent, accepts, request, place).await)
    }

    /// The address of a request with which a client comes in.
    fn address(&self, arrived: &Arrived) -> Result<Address, Refused> {
        let query = arrived.head.uri.query().unwrap_or_default();
        let parameters = query::parameters(query, self.gateway.limits().address_query_bytes)?;
        Ok(Address { location: arrived.location.clone(), parameters })
    }

    async fn initialize(&self, arrived: &Arrived, request: &Request) -> Result<HttpResponse, Refused> {
        let address = self.address(arrived)?;
        let client = Arc::new(Client::unknown());
        client.forwarded.follow(arrived.admitted.forwarded.clone());
        let principal = arrived.admitted.principal.clone();
        let opening = Opening { principal, address, client, peer: arrived.peer.clone() };
        let opened = self.gateway.sessions().open(&request.params, opening).await;
        let (session, result) = opened.map_err(|error| Refused::at(Stage::Opening, error))?;
        let answer = Response::new(request.id.clone(), Ok(result)).encode();
        let mut response = body::json(StatusCode::OK, answer);
        // The id is hexadecimal.
        if let Ok(id) = HeaderValue::from_str(session.id()) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    async fn without_session(
        &self,
        arrived: &Arrived,
        accepts: Accepts,
        request: &Request,
        meta: &RequestMeta,
    ) -> Result<Sent, Refused> {
        let (headers, peer) = (&arrived.head.headers, &arrived.peer);
        standard_headers::check(headers, request, meta).map_err(Refused::invalid)?;
        if !accepts.events && request.method == LISTEN {
            // A listener receives notifications before its response, which requires a stream.
            return Err(Refused::because(StatusCode::NOT_ACCEPTABLE, "Accept must name text/event-stream"));
        }
        let address = self.address(arrived)?;
        let (outlet, frames) = accepts.outlet(peer, self.gateway.limits());
        let caller =
            self.gateway.stateless(&address, request, meta, arrived.admitted.clone(), peer, outlet).await;
        let caller = caller.map_err(|error| Refused::at(Stage::Serving, error))?;
        let (mirrored, shown) = self.gateway.calls.mirrored(&caller, request);
        let checked = standard_headers::check_mirrored(headers, request, &mirrored, shown);
        checked.map_err(Refused::invalid)?;
        Ok((caller, None, frames))
    }

    async fn in_session(
        &self,
        arrived: &Arrived,
        accepts: Accepts,
        request: &Request,
    ) -> Result<Sent, Refused> {
        let headers = &arrived.head.headers;
        let session = match self.session(arrived).await {
            Ok(Some(session)) => session,
            Ok(None) => {
                let message = "no session: send initialize first and then its Mcp-Session-Id, or params._meta as of 2026-07-28";
                return Err(Refused::invalid(ErrorText::invalid_params(message)).answering(&request.id));
            }
            // It is the request that may succeed later; any other refusal is about the session.
            Err(refused) if may_pass(refused.status) => {
                if refused.status == StatusCode::SERVICE_UNAVAILABLE {
                    let id = headers.get(SESSION).and_then(|id| id.to_str().ok()).unwrap_or_default();
                    self.gateway.unreached(&arrived.admitted.principal, id, &arrived.location, request);
                }
                return Err(refused.answering(&request.id));
            }
            Err(refused) => return Err(refused),
        };
        standard_headers::check_version(headers)
            .map_err(|error| Refused::invalid(error).answering(&request.id))?;
        let ticket = session.in_flight.begin(&request.id).map_err(|refused| {
            let status = match refused {
                BeginError::Taken => StatusCode::BAD_REQUEST,
                BeginError::Full => StatusCode::TOO_MANY_REQUESTS,
                BeginError::Ended => StatusCode::NOT_FOUND,
            };
            Refused::because(status, refused).answering(&request.id)
        })?;
        session.begin_work();
        let (outlet, frames) = accepts.outlet(&session.peer, self.gateway.limits());
        let caller = self.gateway.in_session(&session, arrived.admitted.clone(), outlet);
        Ok((caller, Some(ticket), frames))
    }

    /// Runs a request. The response is JSON if it is the first message, otherwise an event stream.
    async fn run(
        &self,
        (caller, ticket, mut frames): Sent,
        accepts: Accepts,
        request: Request,
        place: Place,
    ) -> HttpResponse {
        let (era, session, id) = (caller.era(), caller.session.clone(), request.id.clone());
        let status = |error: &Option<ErrorText>| {
            error.as_ref().map_or(StatusCode::OK, |error| Stage::Answering(era).status(error.code()))
        };
        let listens = request.method == LISTEN;
        // Done here, beside its frames: a task of its own costs as much as a short call. A stateless request is cancelled when its
        // connection closes; one in a session continues.
        let is_long = request.params.text().len() > LONG;
        let serving = Arc::clone(&self.gateway).serve(caller, ticket, request, place);
        let serving = AssertUnwindSafe(serving).catch_unwind().map(drop);
        let work = match is_long {
            // It may hold its thread.
            true => AbortOnDropHandle::new(tokio::spawn(serving)).map(drop).boxed(),
            false => serving.boxed(),
        };
        let work = work.fuse();
        let mut work = scopeguard::guard(work, |work| {
            if let (Ok(runtime), Era::Session, false) = (Handle::try_current(), era, work.is_terminated()) {
                runtime.spawn(work);
            }
        });
        let mut quiet = pin!(tokio::time::sleep(QUIET));
        let first = loop {
            tokio::select! {
                biased;
                frame = frames.recv() => match frame {
                    // A status other than 200 must be sent before the stream starts.
                    Some(Queued { frame: Frame::Answer(message, error), place, .. })
                        if accepts.json || status(&error) != StatusCode::OK =>
                    {
                        let response = body::unread(status(&error), message, place);
                        return match error {
                            Some(error) => refusing(response, &error),
                            None => response,
                        };
                    }
                    // A cancelled request has no response.
                    None => return StatusCode::ACCEPTED.into_response(),
                    frame => break frame,
                },
                () = &mut *work => {}
                () = &mut quiet, if accepts.events => break None,
            }
        };
        // Now it goes on beside the stream.
        let work = Some(ScopeGuard::into_inner(work)).filter(|work| !work.is_terminated()).map(tokio::spawn);
        let work = work.filter(|_| era == Era::Stateless).map(AbortOnDropHandle::new);
        let (buffer, primed) = match session {
            Some(session) => {
                let buffer = session.replay.open(Purpose::Answer, frames);
                buffer.answers(&id);
                let primed = session.first_event(&buffer);
                (buffer, primed)
            }
            None => (ReplayBuffer::without_replay(frames), None),
        };
        let mut stream = Stream::new(buffer, self.gateway.shutdown()).beginning_with(primed).then(first);
        stream.work = work;
        let response = stream.into_response();
        if listens { lasting(response) } else { response }
    }
}

/// The request whose answer is a stream of notifications.
const LISTEN: &str = "subscriptions/listen";

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
