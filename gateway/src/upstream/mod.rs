//! Upstreams: MCP servers behind the gateway. A child process, a Streamable HTTP server, or an `rmcp` handler
//! in this process, all behind a [`Connection`] that speaks raw JSON-RPC.
//!
//! This module has the handshake, the lists, and the routing of messages to clients. The rest is in the
//! transport crate.

mod addresses;
mod config;
mod connector;
mod disclosing;
mod error;
mod groups;
mod handler;
mod handshake;
mod lists;
mod reports;
mod request;
mod skills;
mod subscriptions;
mod tasks;
mod under_way;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use axum::http::HeaderName;
pub use config::{Configured, Restart, Scope, UpstreamConfig, UpstreamSettings, Upstreams};
pub use connector::Connector;
pub use disclosing::Channel;
use disclosing::Disclosing;
pub use disclosing::concerns::Told;
pub(crate) use error::subject;
pub use error::{UpstreamError, Why};
use futures::future::join_all;
use handler::UpstreamHandler;
pub use handler::{Event, Signals};
pub use handshake::{Eras, Introduction};
use mcp_disclosure_client::lists::all_pages;
use mcp_disclosure_core::{Era, Notes, RawObject, RawText, Rules, Texts, UpstreamLists, UpstreamName};
use mcp_disclosure_drafts::manifest::is_offered;
pub use mcp_disclosure_transport::{
    CallError,
    child::Program,
    http::{Authorization, Authorizer, Challenge, Endpoint, EndpointKind, Unauthorized, without_secrets},
};
use mcp_disclosure_transport::{Connection, ErrorText, Json, Request};
use parking_lot::{Mutex, RwLock};
pub use reports::Reports;
use request::Line;
pub use request::UpstreamCall;
use rmcp::{RoleServer, service::DynService};
pub use skills::SkillPlaces;
use subscriptions::SubscriptionStreams;
pub use tasks::ClientTask;
pub(crate) use tasks::{LONGEST_ID, is_final, named};
use tokio::sync::watch::Receiver;
use tokio_util::sync::DropGuard;
pub use under_way::Owner;

use crate::{DRAFTS, limits::Limits, lineage::Lineage, observe::Observer, session::Audience};

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

    /// The headers of its caller that it is sent.
    pub(crate) fn forward(&self) -> &[HeaderName] {
        match self {
            Self::Url(endpoint) => &endpoint.forward,
            _ => &[],
        }
    }

    /// Whether it is a URL.
    fn is_remote(&self) -> bool {
        matches!(self, Self::Url(_))
    }
}

/// Handlers and responders are equal only to themselves.
impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command(own), Self::Command(other)) => own == other,
            (Self::Url(own), Self::Url(other)) => own == other,
            (Self::Handler(own), Self::Handler(other)) => Arc::ptr_eq(own, other),
            (Self::Responder(own), Self::Responder(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
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
#[derive(Clone, Debug)]
pub struct Terms {
    /// Time-outs.
    pub timeouts: Timeouts,
    /// Limits.
    pub limits: Limits,
    /// The gateways that lead to it.
    pub lineage: Arc<Lineage>,
    /// How it is asked what it says by an `info` tool of its own; `None` if it is not asked.
    pub asks: Option<Asks>,
    /// The clients that it serves, where it is dedicated to none.
    pub audience: Arc<Audience>,
    /// Where the texts of its lists are kept.
    pub texts: Arc<Texts>,
    /// Where it is kept what skills it has listed.
    pub skills: Arc<SkillPlaces>,
}

/// How upstreams are asked what they say by `info` tools of their own.
#[derive(Clone, Debug)]
pub struct Asks {
    /// Observes the calls.
    pub observer: Arc<dyn Observer>,
    /// The rules in force: a tool that they hide is not called.
    pub rules: Arc<RwLock<Arc<Rules>>>,
}

/// How long a ping is waited for until the next one, unless the time-out of requests is shorter.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the answer to a ping counts.
const PING: Duration = Duration::from_secs(60);

/// Hosts give up calls after a minute or more, and people earlier. An upstream that does one thing after the other may be busy
/// for as long as this.
const LATE: Duration = Duration::from_secs(30);

/// A connected upstream.
#[derive(Debug)]
pub struct Upstream {
    configured: Arc<Configured>,
    name: UpstreamName,
    introduction: Introduction,
    line: Arc<Line>,
    terms: Terms,
    streams: SubscriptionStreams,
    /// The choices of concerns that it follows.
    told: Mutex<Notes>,
    /// Whether it is sent any: it serves one client only, and has not refused them.
    follows_choices: AtomicBool,
    /// Closes the connection when this is dropped.
    _closing: DropGuard,
}

impl Upstream {
    /// The number of its configuration.
    pub fn number(&self) -> usize {
        self.configured.number
    }

    /// Its name.
    pub fn name(&self) -> &UpstreamName {
        &self.name
    }

    /// The result of the handshake.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// The connection to it.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.line.connection
    }

    /// Whether it is reached over HTTP, where each request has its own stream.
    pub fn is_remote(&self) -> bool {
        self.configured.config.target.is_remote()
    }

    /// Its limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// Whether a request in progress asked for log messages.
    pub fn is_logging(&self) -> bool {
        self.line.handler.work.lock().is_logging()
    }

    /// From now on, messages about the task of this id of the upstream's reach its client under the client's id.
    pub(crate) fn begin_task(&self, own: &str, task: &Arc<ClientTask>) {
        self.line.handler.tasks.add(own, task);
    }

    /// Cancels a task that no one can ask for any more.
    pub(crate) async fn cancel_task(&self, own: &str) {
        let params = RawObject::empty().with_value("taskId", own);
        drop(self.query(Owner::Request, "tasks/cancel", params).await);
    }

    /// Cancels all that are not known to be over. Answers are not waited for longer than that to a ping.
    pub(crate) async fn cancel_tasks(&self) {
        let open = self.line.handler.tasks.open();
        let cancelling = join_all(open.iter().map(|own| self.cancel_task(own)));
        let _no_answer = tokio::time::timeout(self.patience(), cancelling).await;
    }

    /// How many signs of life it has given on this connection, now and later: answers, late ones included, and progress.
    pub(crate) fn signs_of_life(&self) -> Receiver<u64> {
        self.line.handler.signs.subscribe()
    }

    /// How long a ping is waited for until the next one.
    pub(crate) fn patience(&self) -> Duration {
        PATIENCE.min(self.terms.timeouts.request)
    }

    /// After how long a call that its client gives up is as late as one that timed out.
    pub(crate) fn is_late_after(&self) -> Duration {
        LATE.min(self.terms.timeouts.request / 2)
    }

    /// Pings it. Returns whether it answers, in whatever way.
    pub(crate) async fn ping(&self) -> bool {
        let era = self.introduction.eras.nearest(Era::Session);
        // The stateless era has no ping.
        let method = if era == Era::Session { "ping" } else { "server/discover" };
        let answered = self.line.ask(Owner::Ours, era, method, RawObject::empty(), PING).await;
        !matches!(answered, Err(CallError::TimedOut { .. }))
    }

    /// Whether it may be waiting for its client, whom it asked something.
    pub(crate) fn is_asking(&self) -> bool {
        self.line.handler.is_asking()
    }

    /// How it delivers the definitions that it does not list; `None` if its lists are complete.
    pub fn channel(&self) -> Option<Channel> {
        self.line.disclosing.channel()
    }

    /// Whether it says by digests which of its definitions changed (SEP-2636).
    pub fn offers_manifest(&self) -> bool {
        DRAFTS && is_offered(&self.introduction.capabilities)
    }

    /// Fetches all lists, with complete definitions if the upstream discloses progressively itself. `held` is what it listed
    /// earlier: where it [offers a manifest](Self::offers_manifest), only what changed since is fetched. If `is_again`, there are
    /// lists already, which stay if any of the upstream's groups is not answered.
    ///
    /// # Errors
    /// The first failure.
    pub async fn lists(
        &self,
        held: Option<&UpstreamLists>,
        is_again: bool,
    ) -> Result<UpstreamLists, UpstreamError> {
        // An upstream that pages endlessly must not delay the others.
        let Timeouts { connect, request } = self.terms.timeouts;
        let longest = connect.max(request);
        let fetched = tokio::time::timeout(longest, lists::fetch(self, held, is_again)).await;
        let lists = match fetched.unwrap_or(Err(CallError::TimedOut { waited: longest })) {
            Ok(lists) => groups::read_through(self, lists, is_again).await,
            failed => failed,
        };
        let lists = lists.map_err(|error| self.failed(Why::Talk(error)))?;
        let lists = self.line.disclosing.complete(self, self.choosable(lists)).await;
        let lists = disclosing::own_info::joined(self, lists).await;
        Ok(lists::offerable(self, lists.kept_in(&self.terms.texts)))
    }

    /// Its list of skills (SEP-2640), all pages of it.
    ///
    /// # Errors
    /// Why there is no list.
    pub(crate) async fn skills(&self) -> Result<Vec<RawText>, CallError> {
        let listing = all_pages(self, "skills/list", "skills", RawObject::empty());
        let waited = self.terms.timeouts.connect;
        let listed = tokio::time::timeout(waited, listing).await;
        let listed = listed.unwrap_or(Err(CallError::TimedOut { waited }));
        let listed = listed.inspect_err(|_| self.terms.skills.ask_in_vain(&self.name))?.items;
        self.terms.skills.list(&self.name, &listed);
        Ok(listed)
    }

    /// Asks for its skills, if it may have any and was not asked before.
    pub(crate) async fn looks_for_skills(&self) {
        if self.introduction.may_have_skills().is_some() && !self.terms.skills.has_listed(&self.name) {
            drop(self.skills().await);
        }
    }

    /// How much of a URI is that of a skill which it last listed, in bytes: all of it if it is that of a file, else that of the folder
    /// that it is in. Such files need not be listed as resources.
    pub(crate) fn has_of_skill(&self, uri: &str) -> usize {
        self.terms.skills.share(&self.name, uri)
    }

    /// What is known of the skills of all upstreams.
    pub(crate) fn known_skills(&self) -> &SkillPlaces {
        &self.terms.skills
    }

    /// Why its connection ended.
    pub fn end(&self) -> UpstreamError {
        self.failed(Why::Talk(CallError::Ended { reason: self.line.connection.reason(), unprocessed: false }))
    }

    /// That it cannot be used for this reason.
    pub(crate) fn failed(&self, why: Why) -> UpstreamError {
        UpstreamError { name: Some(self.name.clone()), target: String::new(), remote: self.is_remote(), why }
    }
}
