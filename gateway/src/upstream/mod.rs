//! Upstreams: MCP servers behind the gateway. A child process, a Streamable HTTP server, or an `rmcp` handler
//! in this process, all behind a [`Connection`] that speaks raw JSON-RPC.
//!
//! This module has the handshake, the lists, and the routing of messages to clients. The rest is in the
//! transport crate.

mod call;
mod error;
mod handler;
mod handshake;
mod lists;
mod proposals;
mod subscriptions;
mod under_way;

use std::{fmt, io, sync::Arc, time::Duration};

pub use call::{Event, Reports, UpstreamCall};
pub use error::{UpstreamError, Why};
use handler::UpstreamHandler;
use handshake::HandshakeError;
pub use handshake::{Eras, Introduction};
use mcp_disclosure_core::{Era, RawObject, UpstreamLists, UpstreamName};
use mcp_disclosure_transport::{Bounds, Call, Connection, ErrorText, Json, Request, child, http, in_process};
pub use mcp_disclosure_transport::{
    CallError,
    child::Program,
    http::{Endpoint, EndpointKind, without_secrets},
};
use rmcp::{RoleServer, service::DynService};
use subscriptions::SubscriptionStreams;
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;
pub use under_way::Owner;

use crate::{dialect::RequestMeta, limits::Limits, session::Client};

/// How to start or reach an upstream; can be used any number of times.
#[derive(Clone)]
pub enum Target {
    /// A program that speaks MCP over its standard streams.
    Command(Program),
    /// An HTTP endpoint.
    Url(Endpoint),
    /// A handler in this process; each connection gets its own.
    Handler(Arc<dyn Fn() -> Box<dyn DynService<RoleServer>> + Send + Sync>),
    /// A responder in this process, shared by all connections.
    Responder(Arc<dyn Responder>),
}

/// Answers requests in this process with prepared JSON, for what an `rmcp` handler cannot send because its
/// types re-serialize results.
pub trait Responder: Send + Sync + 'static {
    /// The result of a request, forwarded to clients byte for byte.
    ///
    /// # Errors
    /// The JSON-RPC error to return instead.
    fn respond(&self, request: &Request) -> Result<Json, ErrorText>;
}

impl Target {
    /// A program with these arguments. It inherits this process's environment.
    pub fn command(program: impl Into<String>, arguments: impl Into<Vec<String>>) -> Self {
        let (program, arguments) = (program.into(), arguments.into());
        Self::Command(Program { program, arguments, inherits: true, ..Program::default() })
    }

    /// A URL without further settings.
    pub fn url(url: reqwest::Url) -> Self {
        Self::Url(url.into())
    }

    /// An `rmcp` handler in this process. Each connection gets a clone.
    pub fn handler(handler: impl rmcp::Service<RoleServer> + Clone) -> Self {
        Self::handlers(move || handler.clone())
    }

    /// `rmcp` handlers in this process: `make` is called for each connection.
    pub fn handlers<S: rmcp::Service<RoleServer>>(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self::Handler(Arc::new(move || Box::new(make())))
    }

    /// Whether it is a URL.
    fn is_remote(&self) -> bool {
        matches!(self, Self::Url(_))
    }
}

/// Without secrets: arguments, environment, user info and query are omitted.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => formatter.write_str(&command.program),
            Self::Url(endpoint) => without_secrets(&endpoint.url).fmt(formatter),
            Self::Handler(_) => formatter.write_str("the handler in this process"),
            Self::Responder(_) => formatter.write_str("the responder in this process"),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Time-outs of an upstream.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From start to the end of the handshake.
    pub connect: Duration,
    /// For a request, measured from its start or its last progress notification.
    pub request: Duration,
}

/// The time and resources that an upstream may use.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Time-outs.
    pub timeouts: Timeouts,
    /// Limits.
    pub limits: Limits,
}

/// A connected upstream.
#[derive(Debug)]
pub struct Upstream {
    number: usize,
    remote: bool,
    name: UpstreamName,
    self_named: bool,
    introduction: Introduction,
    connection: Arc<Connection>,
    handler: Arc<UpstreamHandler>,
    terms: Terms,
    streams: SubscriptionStreams,
    /// Closes the connection when this is dropped.
    _closing: DropGuard,
}

impl Upstream {
    /// Connects to the target and performs the handshake, preferably in this era.
    ///
    /// `name` is the operator's name for the upstream; without one it is derived from `serverInfo`. Messages
    /// that belong to no request go to `events`, tagged with `number`; requests from the upstream go to
    /// `client`, if it has a dedicated one.
    ///
    /// # Errors
    /// Why the upstream cannot be used.
    #[allow(clippy::too_many_arguments, reason = "independent inputs")]
    pub async fn connect(
        target: &Target,
        name: Option<UpstreamName>,
        number: usize,
        terms: Terms,
        era: Era,
        events: &mpsc::UnboundedSender<(usize, Event)>,
        client: Option<&Arc<Client>>,
    ) -> Result<Self, UpstreamError> {
        let Terms { timeouts, limits } = terms;
        let capabilities = client.map_or_else(RawObject::empty, |client| client.capabilities().clone());
        let reach = async |era| {
            let handler =
                UpstreamHandler::new(target.to_string(), number, events.clone(), client.cloned(), &limits);
            let connection = open(target, Arc::clone(&handler), limits.bounds()).map_err(|source| {
                let (name, target) = (name.clone(), target.to_string());
                UpstreamError { name, target, remote: false, why: Why::Start(source) }
            })?;
            // If the caller drops the handshake, the connection is closed.
            let closing = connection.closing().clone().drop_guard();
            match handshake::introduce(&connection, &capabilities, era, timeouts.connect).await {
                Ok(introduction) => Ok(Ok((connection, handler, introduction, closing))),
                Err(failure) => {
                    connection.close().await;
                    Ok(Err((failure, connection)))
                }
            }
        };
        let other = if era == Era::Session { Era::Stateless } else { Era::Session };
        let reached = match reach(era).await? {
            Err(first) if first.0.may_work_in_other_era() => reach(other).await?.map_err(|_| first),
            reached => reached,
        };
        let (connection, handler, introduction, closing) = reached.map_err(|(failure, connection)| {
            to_upstream_error(target, name.as_ref(), failure, connection.foreign_output())
        })?;
        let self_named = name.is_none();
        let name = name.unwrap_or_else(|| introduction.slug());
        handler.introduce(&name);
        let streams = SubscriptionStreams::open(&connection, &introduction);
        Ok(Self {
            number,
            remote: target.is_remote(),
            name,
            self_named,
            introduction,
            connection,
            handler,
            terms,
            streams,
            _closing: closing,
        })
    }

    /// The number that tags its events.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its name.
    pub fn name(&self) -> &UpstreamName {
        &self.name
    }

    /// Whether the name is derived from `serverInfo`.
    pub fn is_self_named(&self) -> bool {
        self.self_named
    }

    /// Renames the upstream, to make names unique.
    pub fn renamed(mut self, name: UpstreamName) -> Self {
        self.handler.rename(&name);
        self.name = name;
        self
    }

    /// The result of the handshake.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// The connection to it.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Whether it is reached over HTTP, where each request has its own stream.
    pub fn is_remote(&self) -> bool {
        self.remote
    }

    /// Its limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// Whether a request in progress asked for log messages.
    pub fn is_logging(&self) -> bool {
        self.handler.is_logging()
    }

    /// Sends a request on behalf of a client and waits for its result. Dropping the future cancels the request.
    ///
    /// # Errors
    /// Why there is no result.
    pub fn request(
        &self,
        call: UpstreamCall,
    ) -> impl Future<Output = Result<Json, CallError>> + Send + use<> {
        let (connection, handler) = (Arc::clone(&self.connection), Arc::clone(&self.handler));
        let timeout = self.terms.timeouts.request;
        async move {
            let UpstreamCall { method, params, owner, reports, mirrored } = call;
            let wants_progress = reports.as_ref().is_some_and(|reports| reports.wants_progress());
            let call = Call { mirrored, wants_progress, ..connection.call(method, params) };
            handler.begin(call.id, owner, reports);
            connection.request(call, timeout).await
        }
    }

    /// Sends a request of the gateway's own, in the session era if the upstream supports it.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn query(&self, method: &str, params: RawObject) -> Result<Json, CallError> {
        let params = match self.introduction.eras.nearest(Era::Session) {
            Era::Session => params,
            Era::Stateless => RequestMeta::ours(&params, &self.handler.capabilities()),
        };
        let call = self.connection.call(method, params);
        Arc::clone(&self.connection).request(call, self.terms.timeouts.request).await
    }

    /// Fetches all lists.
    ///
    /// # Errors
    /// The first failure.
    pub async fn lists(&self) -> Result<UpstreamLists, UpstreamError> {
        // An upstream that pages endlessly must not delay the others.
        let Timeouts { connect, request } = self.terms.timeouts;
        let longest = connect.max(request);
        let fetched = tokio::time::timeout(longest, lists::fetch(self)).await;
        fetched.unwrap_or(Err(CallError::TimedOut { waited: longest })).map_err(|error| UpstreamError {
            name: Some(self.name.clone()),
            target: String::new(),
            remote: self.remote,
            why: Why::Talk(error),
        })
    }
}

fn to_upstream_error(
    target: &Target,
    name: Option<&UpstreamName>,
    error: HandshakeError,
    printed: Option<&str>,
) -> UpstreamError {
    let why = match error {
        HandshakeError::Talk(CallError::TimedOut { waited }) => {
            let hint = printed.map_or_else(String::new, |line| format!("; on stdout it printed {line:?}"));
            Why::Silent { waited, hint }
        }
        HandshakeError::Talk(error) => Why::Talk(error),
        HandshakeError::Foreign(reason) => Why::Foreign(reason),
    };
    UpstreamError { name: name.cloned(), target: target.to_string(), remote: target.is_remote(), why }
}

fn open(target: &Target, handler: Arc<UpstreamHandler>, bounds: Bounds) -> io::Result<Arc<Connection>> {
    Ok(match target {
        Target::Command(program) => child::connect(&mut program.command(), handler, bounds)?,
        Target::Url(endpoint) => http::connect(endpoint.clone(), true, handler, bounds),
        Target::Handler(make) => in_process::connect(make(), handler, bounds),
        Target::Responder(responder) => {
            let responder = Arc::clone(responder);
            in_process::connect_function(move |request| responder.respond(request), handler, bounds)
        }
    })
}
