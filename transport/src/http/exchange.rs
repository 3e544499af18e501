//! HTTP exchanges: one request and its response, over as many connections as needed.

use bytes::BytesMut;
use futures::{FutureExt, StreamExt};
use mcp_disclosure_core::brief::shorten;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use tokio::time::Instant;

use super::{Backoff, HttpError, Link, StreamPosition};
use crate::{Bound, Message, RequestId, connection::Headers, headers};

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";

/// Maximum size of an error response: it is read for an error object and for the log.
const REFUSAL: Bound = Bound { most: 1024 * 1024, setting: "" };

impl Link {
    /// Sends a request and processes the response. In a session, a response stream that the server closes
    /// after an event id is resumed until the request is settled.
    pub(super) async fn converse(
        &self,
        id: RequestId,
        text: Vec<u8>,
        headers: Option<Headers>,
    ) -> Result<(), HttpError> {
        let mut position = StreamPosition::default();
        if let Some(headers) = headers {
            let bare = self.bare(Method::POST);
            let request = headers.iter().fold(bare, |request, (name, value)| request.header(name, value));
            return self.post(request, text, Some(id), false, &mut position).await;
        }
        let request = self.in_session(Method::POST);
        let mut exchanged = self.post(request, text, Some(id), true, &mut position).await;
        let mut backoff = self.backoff();
        while position.can_be_resumed() {
            tokio::select! {
                biased;
                _answered = self.connection.settled(id) => return Ok(()),
                () = tokio::time::sleep(backoff.next(position.retry())) => {}
            }
            exchanged = match self.open_stream(&position).await {
                Ok(response) => {
                    backoff.reset();
                    self.read_events(response, Some(id), &mut position).await
                }
                Err(error) if error.is_transient() && !backoff.is_exhausted() => continue,
                Err(error) => return Err(HttpError::NotResumed(Box::new(error))),
            };
        }
        exchanged
    }

    /// Posts a message and processes the response. `about` is the request in it.
    pub(super) async fn post(
        &self,
        request: RequestBuilder,
        text: Vec<u8>,
        about: Option<RequestId>,
        in_session: bool,
        position: &mut StreamPosition,
    ) -> Result<(), HttpError> {
        let request =
            request.header(CONTENT_TYPE, JSON).header(ACCEPT, "application/json, text/event-stream");
        let response = request.body(text).send().await.map_err(|error| HttpError::from(&error))?;
        let status = response.status();
        // Some servers send a session id with an error, or in response to a stateless request; those are
        // ignored.
        let session = response.headers().get(headers::SESSION).filter(|_| in_session && status.is_success());
        if let Some(session) = session {
            *self.session.lock() = Some(session.clone());
        }
        if !status.is_success() {
            let may_be_lost = in_session && status == StatusCode::NOT_FOUND && self.session().is_some();
            let (error, is_answer) = self.read_refusal(response, about, may_be_lost, position).await;
            if may_be_lost && !is_answer {
                self.connection.lose_session();
            }
            return Err(error);
        }
        match content_type(&response) {
            kind if kind.starts_with(EVENT_STREAM) => self.read_events(response, about, position).await,
            kind if kind.starts_with(JSON) => {
                let body = read_body(response, self.connection.bounds().message_bytes).await?;
                self.connection.receive(&body, about);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Processes a response with an error status, and returns whether it answers the request: some servers
    /// send JSON-RPC errors with status 404, too. If the session `may_be_lost`, an error without the request's
    /// id is about the session, and is left to the caller.
    async fn read_refusal(
        &self,
        response: Response,
        about: Option<RequestId>,
        may_be_lost: bool,
        position: &mut StreamPosition,
    ) -> (HttpError, bool) {
        let status = response.status();
        if content_type(&response).starts_with(EVENT_STREAM) {
            let answered = about.map(|id| self.connection.settled(id));
            let _broken = self.read_events(response, about, position).await;
            let is_answer = answered.is_some_and(|answered| answered.now_or_never() == Some(true));
            return (HttpError::Status { status, body: String::new() }, is_answer);
        }
        let body = read_body(response, REFUSAL).await.unwrap_or_default();
        let message = Message::parse(&body, self.connection.bounds().message_depth).ok();
        let is_answer = message.as_ref().is_some_and(|message| answers(message, about));
        if message.is_some() && (is_answer || !may_be_lost) {
            self.connection.receive(&body, about);
        }
        (HttpError::Status { status, body: shorten(String::from_utf8_lossy(&body).trim(), 200) }, is_answer)
    }

    async fn read_events(
        &self,
        response: Response,
        about: Option<RequestId>,
        position: &mut StreamPosition,
    ) -> Result<(), HttpError> {
        let receive = |data: &str| self.connection.receive(data.as_bytes(), about);
        position.read(response, self.connection.bounds().message_bytes, receive).await
    }

    /// Keeps the general GET stream open, if the server has one.
    pub(super) async fn follow(&self) {
        let (mut position, mut backoff) = (StreamPosition::default(), self.backoff());
        let mut was_down = false;
        while !self.connection.is_ended() {
            match self.open_stream(&position).await {
                Ok(response) => {
                    if was_down {
                        self.connection.handler().lists_may_have_changed();
                    }
                    let opened = Instant::now();
                    let _broken = self.read_events(response, None, &mut position).await;
                    // A stream closed without any event counts as a failed attempt.
                    let resume_wait = self.connection.bounds().resume_wait;
                    if position.has_delivered() || opened.elapsed() > resume_wait {
                        backoff.reset();
                    }
                }
                Err(error) if error.is_transient() => {}
                Err(_) => return,
            }
            was_down = true;
            tokio::time::sleep(backoff.next(position.retry())).await;
        }
    }

    /// Opens an event stream by GET: resumed at this position, or the general one.
    async fn open_stream(&self, position: &StreamPosition) -> Result<Response, HttpError> {
        let request = self.in_session(Method::GET).header(ACCEPT, EVENT_STREAM);
        let response = position.resuming(request).send().await.map_err(|error| HttpError::from(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(HttpError::Status { status, body: String::new() });
        }
        let content_type = content_type(&response);
        match content_type.starts_with(EVENT_STREAM) {
            true => Ok(response),
            false => Err(HttpError::NotAStream { status, content_type }),
        }
    }

    fn backoff(&self) -> Backoff {
        Backoff::up_to(self.connection.bounds().resume_wait)
    }
}

/// Whether a message is the response to this request, by its id.
fn answers(message: &Message, request: Option<RequestId>) -> bool {
    let Message::Response(response) = message else { return false };
    let id = response.id.as_ref().and_then(RequestId::of);
    id.is_some() && id == request
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

async fn read_body(response: Response, bound: Bound) -> Result<BytesMut, HttpError> {
    let mut body = BytesMut::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| HttpError::from(&error))?);
        if body.len() > bound.most {
            return Err(HttpError::TooLong(bound));
        }
    }
    Ok(body)
}
