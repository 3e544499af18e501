//! Connecting to an upstream.

use std::sync::{Arc, atomic::AtomicBool};

use mcp_disclosure_core::{Era, RawObject, UI};
use mcp_disclosure_transport::{Budget, CallError, Connection, child, http, in_process};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::DropGuard;

use super::{
    Configured, Disclosing, Introduction, Signals, Target, Terms, Upstream, UpstreamError, Why,
    handler::UpstreamHandler,
    handshake::{self, Hello, may_work_in_other_era},
    request::Line,
    subscriptions::SubscriptionStreams,
};
use crate::{lineage, session::Client};

/// The settings by which clients declare [`UI`]: the only form of pages that MCP Apps has.
const PAGES: &str = r#"{"mimeTypes":["text/html;profile=mcp-app"]}"#;

/// How an upstream is connected to, as often as it takes.
#[derive(Debug)]
pub struct Connector {
    /// The upstream.
    pub configured: Arc<Configured>,
    /// Its time-outs and limits.
    pub terms: Terms,
    /// Where messages go that belong to no request.
    pub signals: Arc<Signals>,
    /// The client that it may send requests to, if its connections are dedicated to one.
    pub client: Option<Arc<Client>>,
    /// The era to prefer if they are dedicated to none.
    pub era: Era,
    /// The connections that were opened, but for those that have ended.
    pub connections: Mutex<Vec<Arc<Connection>>>,
    /// The only era to try next: after an attempt in which both eras were tried, and ended.
    pub only: Mutex<Option<Era>>,
}

/// A connection, at first before the handshake.
#[derive(Debug)]
struct Opened {
    connection: Arc<Connection>,
    handler: Arc<UpstreamHandler>,
    /// Closes the connection when this is dropped.
    closing: DropGuard,
}

impl Connector {
    /// Starts the process or reaches the server, waits until the client has introduced itself, and performs the
    /// handshake, preferably in the client's era, and with its choices of concerns if it `tells` them. Returns the upstream, and the
    /// number of the client's choices that it was sent; 0 without a client. What an upstream says of itself that has no name yet is
    /// `introduced`: it is named by that.
    ///
    /// Where both eras failed in one attempt, the next attempts are one process each, in one era and the other by turns.
    ///
    /// # Errors
    /// Why the upstream cannot be used.
    pub async fn connect(
        &self,
        tells: bool,
        introduced: impl Fn(&Introduction),
    ) -> Result<(Upstream, u64), UpstreamError> {
        let opened = self.open()?;
        let preferred = tokio::select! {
            preferred = self.spoken_era() => preferred,
            // It is not waited with.
            () = opened.connection.ended() => self.era,
        };
        let hello = Hello::new(self.client.as_ref(), self.common_capabilities(), tells, &self.terms.lineage);
        let only = *self.only.lock();
        let era = only.unwrap_or(preferred);
        let first = self.shake_hands(opened, era, &hello).await;
        let may_work = matches!(&first, Err(why) if may_work_in_other_era(why, era));
        let (reached, next) = if may_work && only.is_none() {
            let second = self.shake_hands(self.open()?, era.other(), &hello).await;
            let has_ended = matches!(&second, Err(Why::Talk(CallError::Ended { .. })));
            // It is known to more servers.
            (second.or(first), has_ended.then_some(Era::Session))
        } else {
            (first, only.map(Era::other))
        };
        *self.only.lock() = next.filter(|_| reached.is_err());
        let (opened, introduction) = reached.map_err(|why| self.error(why))?;
        if self.configured.name().is_none() {
            introduced(&introduction);
        }
        let name = self.configured.named().await.clone();
        let Opened { connection, handler, closing } = opened;
        self.terms.skills.forget(&name);
        let follows_choices =
            introduction.eras.session && self.client.as_ref().is_some_and(|client| client.has_session());
        let upstream = Upstream {
            configured: Arc::clone(&self.configured),
            name,
            streams: SubscriptionStreams::open(&connection, &introduction),
            told: Mutex::new(introduction.understood(&hello.chosen.values)),
            introduction,
            line: Arc::new(Line {
                connection,
                handler,
                disclosing: Disclosing::default(),
                of_clients: hello.of_clients,
                timeout: self.terms.timeouts.request,
            }),
            terms: self.terms.clone(),
            follows_choices: AtomicBool::new(follows_choices),
            _closing: closing,
        };
        Ok((upstream, hello.chosen.number))
    }

    /// The era in which the upstream is spoken to: that of its client, if it has one.
    pub async fn spoken_era(&self) -> Era {
        match &self.client {
            Some(client) => client.introduced().await,
            None => self.era,
        }
    }

    /// What is said of clients that share the connection: pages, where the operator says so, or what all of them declare.
    fn common_capabilities(&self) -> RawObject {
        let settings = &self.configured.config.settings;
        if settings.pass.iter().any(|passed| passed == UI) {
            let pages = RawObject::assemble([(UI, PAGES)]);
            return RawObject::assemble([("extensions", pages.text())]);
        }
        self.terms.audience.common_capabilities()
    }

    fn open(&self) -> Result<Opened, UpstreamError> {
        let (config, limits) = (&self.configured.config, &self.terms.limits);
        let handler = Arc::new(UpstreamHandler {
            configured: Arc::clone(&self.configured),
            signals: Arc::clone(&self.signals),
            client: self.client.clone(),
            work: Arc::default(),
            tasks: Arc::default(),
            updates: Budget::new(limits.upstream_queue_bytes),
            limits: *limits,
            has_refused: AtomicBool::new(false),
            signs: watch::Sender::default(),
        });
        let (taken, bounds) = (Arc::clone(&handler), limits.bounds());
        let connection = match &config.target {
            Target::Command(program) => {
                // It learns which gateways lead to it.
                let chain = self.terms.lineage.variable(config.name.as_ref());
                child::connect(program.command().env(lineage::VARIABLE, chain), taken, bounds)
                    .map_err(|source| UpstreamError { remote: false, ..self.error(Why::Start(source)) })?
            }
            Target::Url(endpoint) => {
                let caller = self.client.as_ref().map(|client| Arc::clone(&client.forwarded));
                http::connect(endpoint.clone(), true, caller, taken, bounds)
            }
            Target::Handler(make) => in_process::connect(make(), taken, bounds),
            Target::Responder(responder) => {
                let responder = Arc::clone(responder);
                in_process::connect_function(move |request| responder.respond(request), taken, bounds)
            }
        };
        let mut connections = self.connections.lock();
        connections.retain(|connection| !connection.is_ended());
        connections.push(Arc::clone(&connection));
        let closing = connection.closing().clone().drop_guard();
        Ok(Opened { connection, handler, closing })
    }

    async fn shake_hands(
        &self,
        opened: Opened,
        era: Era,
        hello: &Hello,
    ) -> Result<(Opened, Introduction), Why> {
        let timeout = self.terms.timeouts.connect;
        match handshake::introduce(&opened.connection, hello, era, timeout).await {
            Ok(introduction) => Ok((opened, introduction)),
            Err(why) => {
                opened.connection.close().await;
                let printed = opened.connection.foreign_output();
                Err(match why {
                    Why::Talk(CallError::TimedOut { waited }) => {
                        let hint = printed.map(|line| format!("; on stdout it printed {line:?}"));
                        Why::Silent { waited, hint: hint.unwrap_or_default() }
                    }
                    why => why,
                })
            }
        }
    }

    fn error(&self, why: Why) -> UpstreamError {
        let config = &self.configured.config;
        let (target, remote) = (config.target.to_string(), config.target.is_remote());
        UpstreamError { name: self.configured.name().cloned(), target, remote, why }
    }
}
