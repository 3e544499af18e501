//! HTTP client. Streamable HTTP: one POST per message, responses as JSON or as an event stream. Where a server
//! does not have that, the deprecated HTTP+SSE (`sse`).
//!
//! A session has one general GET stream for messages that belong to no request, and response streams closed
//! by the server are resumed. A stateless request (2026-07-28) has its own headers, ends with its stream, and
//! is cancelled by closing it.

mod authorization;
mod backoff;
mod endpoint;
mod exchange;
mod position;
mod refusal;
mod sse;
mod zone;

use std::{sync::Arc, time::Duration};

pub use authorization::{Authorization, Authorizer, Challenge};
pub(crate) use backoff::Backoff;
pub use endpoint::{Endpoint, EndpointKind, Forwarded, without_secrets};
use parking_lot::Mutex;
use position::StreamPosition;
use reqwest::{
    Client, ClientBuilder, Method, RequestBuilder, Response, Url,
    header::{HeaderMap, HeaderValue},
};
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;
pub use zone::{Zone, is_loopback};

pub use crate::error::{Unauthorized, cause};
use crate::{
    Bounds, CallError, Connection, Handler, HttpError, Reason, RequestId,
    connection::{Carrier, Headers, Kind, Outgoing, Queued, Room, Taken},
    headers,
};

const NO_RESPONSE: &str = "ended its reply without a response to the request";

/// Time-out for a message that has no response.
const NOTIFYING: Duration = Duration::from_secs(30);

/// How long an exchange continues after its response: one that ends by itself returns its connection to the
/// pool.
const LINGER: Duration = Duration::from_secs(1);

/// Time-out for deleting a session.
const LEAVING: Duration = Duration::from_secs(2);

/// How long name, TCP and TLS may take: two SYN are repeated by then. Within five seconds a call of a dead server is an error.
const CONNECTING: Duration = Duration::from_secs(4);

/// How long an unused connection is kept. A server that closes it while a call is on its way loses the call, and those made
/// with Node or uvicorn close after five seconds.
const UNUSED: Duration = Duration::from_secs(4);

/// Connects to an endpoint, for this caller if the connection is one caller's alone. `listens` says whether to open the
/// general GET stream of a session.
pub fn connect(
    endpoint: Endpoint,
    listens: bool,
    caller: Option<Arc<Forwarded>>,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> Arc<Connection> {
    let is_sse = endpoint.kind == EndpointKind::Sse;
    let connection = Connection::carried(handler, bounds, Carrier::Http, |connection, queued| async move {
        let client = match client(endpoint.headers.clone()) {
            Ok(client) => client,
            Err(error) => return Reason::from("no HTTP client could be made").because(&cause(&error)),
        };
        let link = Link {
            client,
            endpoint,
            caller,
            listens,
            session: Mutex::default(),
            messages: OnceCell::new(),
            posting: TaskTracker::new(),
            connection,
        };
        Arc::new(link).run(queued).await;
        "the connection was closed".into()
    });
    if is_sse {
        connection.note_sse();
    }
    connection
}

/// A client that sends these headers, and follows redirects within an origin only (docs/CONTRACT.md P9).
///
/// # Errors
/// If the system's TLS cannot be used.
pub fn client(headers: HeaderMap) -> reqwest::Result<Client> {
    builder()
        .default_headers(headers)
        .redirect(endpoint::redirects())
        .tcp_nodelay(true)
        .connect_timeout(CONNECTING)
        .pool_idle_timeout(UNUSED)
        .build()
}

/// A builder of clients with the TLS of all of them.
pub fn builder() -> ClientBuilder {
    // A provider already installed in this process is fine.
    let _already = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
}

/// The body of a response; `None` if it has more than `most` bytes.
///
/// # Errors
/// If it is not sent to its end.
pub async fn body(mut response: Response, most: usize) -> reqwest::Result<Option<Vec<u8>>> {
    if response.content_length().is_some_and(|announced| announced > most as u64) {
        return Ok(None);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

#[derive(Debug)]
struct Link {
    client: Client,
    endpoint: Endpoint,
    caller: Option<Arc<Forwarded>>,
    listens: bool,
    session: Mutex<Option<HeaderValue>>,
    /// Where messages are posted by HTTP+SSE, once that is what the server serves.
    messages: OnceCell<Url>,
    /// The POSTs that have no response yet.
    posting: TaskTracker,
    connection: Arc<Connection>,
}

impl Link {
    /// Sends queued messages until the connection is closed.
    async fn run(self: Arc<Self>, mut queued: Queued) {
        while let Some(Taken { outgoing, room }) = self.connection.next_queued(&mut queued).await {
            let Outgoing { kind, text, headers, owner: _ } = outgoing;
            match kind {
                // Its bytes count against the request until it is settled (decision 0014).
                Kind::Request(id) => self.ask(id, text, headers),
                Kind::Notification(method) if method == "notifications/initialized" => {
                    self.connection.note_session(self.session().is_some() || self.messages.initialized());
                    // Awaited, so that no later request overtakes it.
                    self.send(text, room).await;
                    self.listen();
                }
                Kind::Notification(_) | Kind::Response => {
                    let link = Arc::clone(&self);
                    tokio::spawn(async move { link.send(text, room).await });
                }
            }
        }
        self.leave().await;
    }

    /// Sends a request, with these headers if it is stateless.
    fn ask(self: &Arc<Self>, id: RequestId, text: Vec<u8>, headers: Option<Headers>) {
        let link = Arc::clone(self);
        tokio::spawn(async move {
            let over = async {
                if link.connection.settled(id).await {
                    tokio::time::sleep(LINGER).await;
                }
            };
            let exchanged = tokio::select! {
                exchanged = link.converse(id, text, headers) => exchanged,
                () = over => return,
                () = link.connection.closing().cancelled() => return,
            };
            // If the response has been received, no request with this id is pending any more.
            let error = exchanged.err().unwrap_or_else(|| HttpError::Other(NO_RESPONSE.into()));
            link.connection.fail(id, CallError::Http(error));
        });
    }

    /// Sends a message that has no response. Its bytes count until the server starts to respond.
    async fn send(self: &Arc<Self>, text: Vec<u8>, room: Room) {
        let mut position = StreamPosition::default();
        let sending = self.post(self.in_session(Method::POST), text, None, true, &mut position);
        let sending = tokio::time::timeout(NOTIFYING, sending);
        let sent = self.connection.closing().run_until_cancelled(sending).await;
        drop(room);
        if let Some(Ok(Err(error))) = sent {
            let (upstream, error) = (self.connection.name(), error.in_full());
            tracing::debug!(upstream, error, "server did not accept a message");
        }
    }

    /// Opens the general GET stream, if a session exists that may have one.
    fn listen(self: &Arc<Self>) {
        if !self.listens || self.messages.initialized() {
            return;
        }
        let (link, closing) = (Arc::clone(self), self.connection.closing().clone());
        tokio::spawn(closing.run_until_cancelled_owned(async move { link.follow().await }));
    }

    /// Deletes the session.
    async fn leave(&self) {
        if self.session().is_none() || self.connection.is_ended() {
            return;
        }
        let deleting = tokio::time::timeout(LEAVING, self.execute(self.in_session(Method::DELETE)));
        if let Ok(Err(error)) = deleting.await {
            let (upstream, error) = (self.connection.name(), error.in_full());
            tracing::debug!(upstream, error, "cannot delete the session");
        }
    }

    /// A request in the session, with the negotiated revision.
    fn in_session(&self, method: Method) -> RequestBuilder {
        let mut request = self.bare(method);
        if let Some(session) = self.session() {
            request = request.header(headers::SESSION, session);
        }
        match self.connection.revision() {
            Some(revision) => request.header(headers::VERSION, revision),
            None => request,
        }
    }

    fn bare(&self, method: Method) -> RequestBuilder {
        let messages = self.messages.get().filter(|_| method == Method::POST);
        let request = self.client.request(method, messages.unwrap_or(&self.endpoint.url).clone());
        // Like all of its headers they go to this origin only: redirects to another one are not followed.
        let Some(headers) = self.caller.as_ref().and_then(|caller| caller.headers()) else { return request };
        let forward = self.endpoint.forward.iter();
        let named = forward.flat_map(|name| headers.get_all(name).iter().map(move |value| (name, value)));
        named.fold(request, |request, (name, value)| request.header(name, value))
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().clone()
    }
}
