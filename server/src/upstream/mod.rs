//! Upstreams: whatever executes tools. A child process, a Streamable HTTP server, or an `rmcp` handler
//! in this process, all behind one [`Connection`] that speaks raw JSON-RPC.

mod child;
mod connection;
mod handshake;
mod http;
mod in_process;
mod lists;

use std::{fmt, sync::Arc, time::Duration};

pub use connection::{CallError, Connection, Event, Progress};
pub use handshake::Introduction;
use mcp_disclosure_core::{RawObject, UpstreamLists, UpstreamName};
use rmcp::{RoleServer, service::DynService};
use tokio::sync::mpsc;

use crate::session::Questions;

/// Where an upstream is to be found.
pub enum Target {
    /// A program that speaks MCP over its standard streams.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// A Streamable HTTP endpoint.
    Url(reqwest::Url),
    /// A handler in this process.
    Handler(Box<dyn DynService<RoleServer>>),
}

impl Target {
    /// A handler in this process: the way to give one's own `rmcp` server progressive disclosure.
    pub fn handler(handler: impl rmcp::Service<RoleServer>) -> Self {
        Self::Handler(Box::new(handler))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { program, arguments } => {
                formatter.write_str(program)?;
                arguments.iter().try_for_each(|argument| write!(formatter, " {argument}"))
            }
            Self::Url(url) => url.fmt(formatter),
            Self::Handler(_) => formatter.write_str("the handler in this process"),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// How long things with an upstream may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From start to the end of the handshake.
    pub connect: Duration,
    /// For a request, from its start or its last progress notification.
    pub request: Duration,
}

/// Why an upstream cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// The program could not be started.
    #[error("cannot start '{program}': {source}")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The handshake or the first listing failed.
    #[error("upstream '{target}' {source}")]
    Talk {
        /// The upstream.
        target: String,
        /// Whether it is reached by URL.
        remote: bool,
        /// What happened.
        source: CallError,
    },
    /// It did not finish the handshake in time.
    #[error("upstream '{target}' did not answer within {} seconds{hint}", waited.as_secs_f64())]
    Silent {
        /// The upstream.
        target: String,
        /// How long was waited.
        waited: Duration,
        /// What it printed instead, if anything.
        hint: String,
    },
    /// It speaks another protocol version, or something else.
    #[error("upstream '{target}' cannot be understood: {reason}")]
    Foreign {
        /// The upstream.
        target: String,
        /// What was wrong.
        reason: String,
    },
}

/// A connected upstream.
#[derive(Debug)]
pub struct Upstream {
    number: usize,
    remote: bool,
    name: UpstreamName,
    introduction: Introduction,
    connection: Arc<Connection>,
    patience: Patience,
}

impl Upstream {
    /// Starts or reaches the target and shakes hands.
    ///
    /// `name` is the operator's name for it; without one it is a slug of what the upstream calls itself.
    /// What the upstream sends unasked goes to `events`, under `number`; what it asks goes to `client`, where
    /// it has one to itself.
    pub async fn connect(
        target: Target,
        name: Option<UpstreamName>,
        number: usize,
        patience: Patience,
        events: mpsc::UnboundedSender<(usize, Event)>,
        client: Option<Arc<Questions>>,
    ) -> Result<Self, UpstreamError> {
        let label = target.to_string();
        let remote = matches!(target, Target::Url(_));
        let capabilities =
            client.as_ref().map_or_else(RawObject::empty, |client| client.capabilities().clone());
        let connection = open(target, number, events, client)?;
        let introduction = match handshake::introduce(&connection, &capabilities, patience.connect).await {
            Ok(introduction) => introduction,
            Err(failure) => {
                let hint = connection.hint();
                connection.close().await;
                return Err(match failure {
                    handshake::Failure::Talk(CallError::TimedOut { waited }) => {
                        UpstreamError::Silent { target: label, waited, hint }
                    }
                    handshake::Failure::Talk(source) => UpstreamError::Talk { target: label, remote, source },
                    handshake::Failure::Foreign(reason) => UpstreamError::Foreign { target: label, reason },
                });
            }
        };
        let name = name.unwrap_or_else(|| introduction.slug());
        connection.rename(&name);
        Ok(Self { number, remote, name, introduction, connection, patience })
    }

    /// The number its events come under.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The name it is known by.
    pub fn name(&self) -> &UpstreamName {
        &self.name
    }

    /// The same upstream under another name, where two would have the same.
    pub fn renamed(mut self, name: UpstreamName) -> Self {
        self.connection.rename(&name);
        self.name = name;
        self
    }

    /// What it said of itself.
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// The connection to it.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// How long a request may take.
    pub fn patience(&self) -> Duration {
        self.patience.request
    }

    /// Everything it lists, page by page.
    ///
    /// # Errors
    /// The first list that failed.
    pub async fn lists(&self) -> Result<UpstreamLists, UpstreamError> {
        lists::fetch(self).await.map_err(|source| UpstreamError::Talk {
            target: self.name.to_string(),
            remote: self.remote,
            source,
        })
    }
}

fn open(
    target: Target,
    number: usize,
    events: mpsc::UnboundedSender<(usize, Event)>,
    client: Option<Arc<Questions>>,
) -> Result<Arc<Connection>, UpstreamError> {
    let (connection, outgoing) = Connection::new(&target.to_string(), number, events, client);
    match target {
        Target::Command { program, arguments } => {
            child::open(&program, &arguments, &connection, outgoing)
                .map_err(|source| UpstreamError::Start { program, source })?;
        }
        Target::Url(url) => http::open(url, &connection, outgoing),
        Target::Handler(handler) => in_process::open(handler, &connection, outgoing),
    }
    Ok(connection)
}
