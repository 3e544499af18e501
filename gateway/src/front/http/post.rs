//! POST: receives one message. The response is JSON, or an event stream if other messages precede it.

use std::{pin::pin, sync::Arc, time::Duration};

use axum::{
    extract::Request as HttpRequest,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response as HttpResponse,
};
use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{
    ErrorText, Id, Message, Notification, Request, Response, code, headers::SESSION,
};
use tokio::task::JoinHandle;

use super::{
    Front, Unserved,
    body::{self, Accepts},
    entry,
    lasting::ends_by_itself,
    query,
    refusals::Reason,
    standard_headers,
    stream::{Held, Stream},
};
use crate::{
    dialect::{RequestKind, check, classify},
    dispatch::{Admitted, Arriving, Caller, Gateway, beside},
    session::{
        Address, BeginError, Client, Frame, Frames, Location, Opening, Peer, Place, Purpose, ReplayBuffer,
        Ticket,
    },
};

/// A response that takes longer is sent as a stream, whose comments keep the connection alive.
const QUIET: Duration = Duration::from_secs(10);

/// A received request.
struct Posted {
    admitted: Admitted,
    peer: Peer,
    location: Location,
    /// The query of the address, as received.
    query: String,
    headers: HeaderMap,
    accepts: Accepts,
    /// Its reservation of its peer's memory for requests.
    place: Place,
}

/// A request about to run.
struct Run {
    caller: Caller,
    ticket: Option<Ticket>,
    frames: Frames,
    accepts: Accepts,
    place: Place,
}

impl Front {
    pub(super) async fn post(
        &self,
        peer: Peer,
        admitted: Admitted,
        location: Location,
        request: HttpRequest,
    ) -> HttpResponse {
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        if !is_json(&headers) {
            let message = ErrorText::new(code::INVALID_REQUEST, "Content-Type must be application/json");
            return body::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message);
        }
        let accepts = Accepts::read(&headers);
        if !accepts.json && !accepts.events {
            let message = "Accept must name application/json, text/event-stream, or both";
            return body::error(StatusCode::NOT_ACCEPTABLE, &ErrorText::new(code::INVALID_REQUEST, message));
        }
        let limits = self.gateway.limits();
        let (text, place) = match body::read(body, &peer, limits).await {
            Ok(read) => read,
            Err(refused) => return refused,
        };
        let profile = location.profile.as_deref();
        let arrived = Arriving { method: &parts.method, target: &parts.uri, headers: &headers, profile };
        let admitted = match self.gateway.admit_again(admitted, &arrived).await {
            Ok(admitted) => admitted,
            Err(denied) => return entry::response(denied),
        };
        let depth = limits.bounds().message_depth;
        let message = beside(text.len(), async { Message::parse(&text, depth) }).await;
        drop(text);
        match message {
            Err(refused) => body::json(StatusCode::BAD_REQUEST, refused.encode()),
            Ok(Message::Request(request)) => {
                let posted = Posted { admitted, peer, location, query, headers, accepts, place };
                self.request(posted, request).await
            }
            Ok(Message::Notification(notification)) => {
                self.handle_notification(&admitted, &peer, &location, &headers, &notification).await
            }
            Ok(Message::Response(response)) => {
                match self.session(&admitted, &peer, &location, &headers).await {
                    // Requests to clients exist only in sessions.
                    Ok(Some(session)) => match self.gateway.settle(&session, response).await {
                        Ok(()) => body::empty(StatusCode::ACCEPTED),
                        Err(error) => body::unavailable(None, error),
                    },
                    Ok(None) => body::empty(StatusCode::ACCEPTED),
                    Err(unserved) => unserved.response(None),
                }
            }
        }
    }

    async fn request(&self, posted: Posted, request: Request) -> HttpResponse {
        let (headers, accepts) = (&posted.headers, posted.accepts);
        let refuse = |status, id: Id, error| body::refused(status, Some(id), error);
        let meta = match check(&request, self.gateway.limits()) {
            Ok(meta) => meta,
            Err(error) => return refuse(StatusCode::BAD_REQUEST, request.id, error),
        };
        let kind = match classify(&request, meta) {
            Ok(RequestKind::Session | RequestKind::Initialize)
                if standard_headers::claims_stateless(headers) =>
            {
                let message = "the MCP-Protocol-Version header names a revision whose required params._meta keys are missing";
                return refuse(StatusCode::BAD_REQUEST, request.id, ErrorText::invalid_params(message));
            }
            Ok(kind) => kind,
            Err(error) => {
                // A header that contradicts the body is reported first, whatever the body names.
                let error = standard_headers::version_mismatch(headers, &request).unwrap_or(error);
                return refuse(StatusCode::BAD_REQUEST, request.id, error);
            }
        };
        match kind {
            RequestKind::Initialize => Box::pin(self.initialize(posted, &request)).await,
            RequestKind::Session => self.in_session(posted, request).await,
            RequestKind::Stateless(meta) => {
                let allowed = standard_headers::check(headers, &request, &meta)
                    .map_err(|error| (StatusCode::BAD_REQUEST, error))
                    .and_then(|()| can_be_told(accepts, &request))
                    .and_then(|()| self.address(&posted));
                let address = match allowed {
                    Ok(address) => address,
                    Err((status, error)) => return refuse(status, request.id, error),
                };
                let admitted = posted.admitted.clone();
                let (outlet, frames) = accepts.outlet(&posted.peer, self.gateway.limits());
                let caller =
                    self.gateway.stateless(&address, &request, &meta, admitted, &posted.peer, outlet).await;
                let caller = match caller {
                    Ok(caller) => caller,
                    Err(error) if error.code() == code::LIMIT_REACHED => {
                        return body::limited(Some(request.id), error);
                    }
                    Err(error) if error.code() == code::INVALID_REQUEST => {
                        return refuse(StatusCode::BAD_REQUEST, request.id, error);
                    }
                    Err(error) => return refuse(StatusCode::OK, request.id, error),
                };
                let (mirrored, shown) = self.gateway.mirrored(&caller, &request);
                if let Err(error) = standard_headers::check_mirrored(headers, &request, &mirrored, shown) {
                    return refuse(StatusCode::BAD_REQUEST, request.id, error);
                }
                self.run(Run { caller, ticket: None, frames, accepts, place: posted.place }, request).await
            }
        }
    }

    /// The address of a request with which a client comes in.
    fn address(&self, posted: &Posted) -> Result<Address, (StatusCode, ErrorText)> {
        let parameters = query::parameters(&posted.query, self.gateway.limits().address_query_bytes)?;
        Ok(Address { location: posted.location.clone(), parameters })
    }

    async fn initialize(&self, posted: Posted, request: &Request) -> HttpResponse {
        let address = match self.address(&posted) {
            Ok(address) => address,
            Err((status, error)) => {
                return body::refused(status, Some(request.id.clone()), error);
            }
        };
        let Posted { admitted: Admitted { principal, forwarded, .. }, peer, .. } = posted;
        let capabilities = request.params.object("capabilities").unwrap_or_default();
        let client = Arc::new(Client::new(Era::Session, &capabilities));
        client.forwarded.follow(forwarded);
        let opening = Opening { principal, address, client, peer };
        match self.gateway.initialize(&request.params, opening).await {
            Ok((session, result)) => {
                let answer = Response::new(request.id.clone(), Ok(result)).encode();
                let mut response = body::json(StatusCode::OK, answer);
                // The id is hexadecimal.
                if let Ok(id) = HeaderValue::from_str(session.id()) {
                    response.headers_mut().insert(SESSION, id);
                }
                response
            }
            Err(error) if error.code() == code::LIMIT_REACHED => {
                body::limited(Some(request.id.clone()), error)
            }
            Err(error) if error.code() == code::STORE_UNAVAILABLE => {
                body::unavailable(Some(request.id.clone()), error)
            }
            Err(error) => {
                let status = match error.code() {
                    code::INVALID_PARAMS | code::INVALID_REQUEST => StatusCode::BAD_REQUEST,
                    _ => StatusCode::SERVICE_UNAVAILABLE,
                };
                body::refused(status, Some(request.id.clone()), error)
            }
        }
    }

    async fn in_session(&self, posted: Posted, request: Request) -> HttpResponse {
        let Posted { admitted, peer, location, headers, accepts, place, .. } = posted;
        let headers = &headers;
        let session = match self.session(&admitted, &peer, &location, headers).await {
            Ok(Some(session)) => session,
            Ok(None) => {
                let message = "no session: send initialize first and then its Mcp-Session-Id, or params._meta as of 2026-07-28";
                return body::refused(
                    StatusCode::BAD_REQUEST,
                    Some(request.id),
                    ErrorText::invalid_params(message),
                );
            }
            Err(unserved) => {
                if unserved.status == StatusCode::SERVICE_UNAVAILABLE {
                    let id = headers.get(SESSION).and_then(|id| id.to_str().ok()).unwrap_or_default();
                    self.gateway.unreached(&admitted.principal, id, &location, &request).await;
                }
                return unserved.response(Some(request.id));
            }
        };
        if let Err(error) = standard_headers::check_version(headers) {
            return body::refused(StatusCode::BAD_REQUEST, Some(request.id), error);
        }
        let ticket = match session.in_flight.begin(&request.id) {
            Ok(ticket) => ticket,
            Err(refused) => {
                let status = match refused {
                    BeginError::Taken => StatusCode::BAD_REQUEST,
                    BeginError::Full => StatusCode::TOO_MANY_REQUESTS,
                    BeginError::Ended => StatusCode::NOT_FOUND,
                };
                let message = ErrorText::new(code::INVALID_REQUEST, refused);
                return body::refused(status, Some(request.id), message);
            }
        };
        session.begin_work();
        let (outlet, frames) = accepts.outlet(session.peer(), self.gateway.limits());
        let caller = self.gateway.in_session(&session, admitted, outlet);
        self.run(Run { caller, ticket: Some(ticket), frames, accepts, place }, request).await
    }

    /// Runs a request. The response is JSON if it is the first message, otherwise an event stream.
    async fn run(&self, run: Run, request: Request) -> HttpResponse {
        let Run { caller, ticket, mut frames, accepts, place } = run;
        let (era, session, id) = (caller.era(), caller.session.clone(), request.id.clone());
        let listens = request.method == LISTEN;
        let working = work(Arc::clone(&self.gateway), caller, ticket, request, place);
        let task = tokio::spawn(working);
        // A stateless request is cancelled when its connection closes; one in a session continues.
        let held: Option<Held> = (era == Era::Stateless).then(|| Box::new(AbortOnDrop(task)) as Held);
        let first = tokio::select! {
            biased;
            frame = frames.recv() => match frame {
                // A status other than 200 must be sent before the stream starts.
                Some((Frame::Answer(message, error), place))
                    if accepts.json || status(era, error) != StatusCode::OK =>
                {
                    let reason = error.and_then(|_| reason(&message.whole()));
                    let mut response = body::json(status(era, error), body::unread(message, place));
                    reason.into_iter().for_each(|reason| drop(response.extensions_mut().insert(reason)));
                    if matches!(error, Some(code::LIMIT_REACHED | code::STORE_UNAVAILABLE)) {
                        body::ask_for_patience(&mut response);
                    }
                    return response;
                }
                // A cancelled request has no response.
                None => return body::empty(StatusCode::ACCEPTED),
                frame => frame,
            },
            () = tokio::time::sleep(QUIET), if accepts.events => None,
        };
        let (buffer, primed) = match session {
            Some(session) => {
                let buffer = session.replay.open(Purpose::Answer, frames);
                buffer.answers(&id);
                let primed = session.first_event(&buffer);
                (buffer, primed)
            }
            None => (ReplayBuffer::without_replay(frames), None),
        };
        let stream = Stream::new(buffer, self.gateway.shutdown()).beginning_with(primed).then(first);
        let response = stream.holding(held).into_response();
        if listens { response } else { ends_by_itself(response) }
    }

    async fn handle_notification(
        &self,
        admitted: &Admitted,
        peer: &Peer,
        location: &Location,
        headers: &HeaderMap,
        notification: &Notification,
    ) -> HttpResponse {
        match self.session(admitted, peer, location, headers).await {
            Ok(Some(session)) => {
                if notification.method == "notifications/cancelled" {
                    let id = notification.params.member("requestId").and_then(Id::parse);
                    if let Some(id) = id {
                        self.gateway.cancel(&session, &id).await;
                    }
                } else {
                    let handled = self.gateway.handle_notification(&session, notification).await;
                    if let Err(error) = handled {
                        return Unserved::of(error).response(None);
                    }
                }
                body::empty(StatusCode::ACCEPTED)
            }
            // No notification has a meaning in the stateless era.
            Ok(None) => body::empty(StatusCode::ACCEPTED),
            Err(unserved) => unserved.response(None),
        }
    }
}

/// The request whose answer is a stream of notifications.
const LISTEN: &str = "subscriptions/listen";

/// A listener receives notifications before its response, which requires a stream.
fn can_be_told(accepts: Accepts, request: &Request) -> Result<(), (StatusCode, ErrorText)> {
    if accepts.events || request.method != LISTEN {
        return Ok(());
    }
    let message = ErrorText::new(code::INVALID_REQUEST, "Accept must name text/event-stream");
    Err((StatusCode::NOT_ACCEPTABLE, message))
}

/// Why an answer refuses its request, for the log.
fn reason(answer: &[u8]) -> Option<Reason> {
    let answer = RawObject::parse(std::str::from_utf8(answer).ok()?).ok()?;
    Some(Reason(answer.object("error")?.string("message")?))
}

/// The HTTP status of a response: the stateless era maps some errors to statuses.
fn status(era: Era, error: Option<i64>) -> StatusCode {
    match (era, error) {
        (_, Some(code::LIMIT_REACHED)) => StatusCode::TOO_MANY_REQUESTS,
        (_, Some(code::STORE_UNAVAILABLE)) => StatusCode::SERVICE_UNAVAILABLE,
        (Era::Stateless, Some(code::METHOD_NOT_FOUND)) => StatusCode::NOT_FOUND,
        (Era::Stateless, Some(code::MISSING_CAPABILITY)) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// Handles a request and queues its response. `place` is its reservation, which ends with it.
async fn work(gateway: Arc<Gateway>, caller: Caller, ticket: Option<Ticket>, request: Request, place: Place) {
    // Pinned: moved into the branches, it would take its size once more in each.
    let outcome = {
        let handling = pin!(gateway.handle(&caller, &request));
        match ticket {
            Some(ticket) => ticket.run(handling).await,
            None => Some(handling.await),
        }
    };
    // A cancelled request has no response.
    if let Some(outcome) = outcome {
        caller.outlet.answer(&Response::new(request.id, outcome)).await;
    }
    drop(place);
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
