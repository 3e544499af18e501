//! What a host wants of a server, and how it speaks.

use std::{fmt, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use serde_json::{Map, Value};

use crate::traffic::Observer;

/// Choices of concerns: name to value, a string or a number (seed 002).
pub type Concerns = Map<String, Value>;

/// What a host wants of a server, and how it speaks. The default suits an agent that takes whatever is cheapest.
#[derive(Clone)]
pub struct Preferences {
    /// Strategies, preferred first. Empty: nothing is said about disclosure, as by a client that has never heard
    /// of it. A strategy that this client does not know is plainly listed and called.
    pub strategies: Vec<String>,
    /// Whether tools may be listed without `inputSchema`. Most model APIs want one.
    pub omit_input_schema: bool,
    /// The user's choices of concerns. Servers that declare none ignore them.
    pub concerns: Concerns,
    /// The eras of MCP to try, in this order.
    pub eras: Vec<Era>,
    /// The host's other capabilities, as in `initialize`.
    pub capabilities: RawObject,
    /// The host's name and version.
    pub client: (String, String),
    /// Whether to keep a stream open for what the server tells unasked, where that takes one of its own (HTTP,
    /// and the stateless era). Without it a changed definition is noticed when a call is refused.
    pub listens: bool,
    /// How long the server may take from start to handshake.
    pub connect_patience: Duration,
    /// How long a request may take.
    pub request_patience: Duration,
    /// Sees every message.
    pub observer: Option<Observer>,
}

impl Preferences {
    /// The default, but with these strategies.
    pub fn of<'a>(strategies: impl IntoIterator<Item = &'a str>) -> Self {
        Self { strategies: strategies.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }

    /// The same with a choice of a concern.
    pub fn with_concern(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.concerns.insert(name.to_owned(), value.into());
        self
    }
}

impl Default for Preferences {
    /// `describe`, then `resource`, `info` and `full`; with sessions before without; 30 s to connect, 180 s a
    /// request (a gateway gives its upstreams 120).
    fn default() -> Self {
        Self {
            strategies: ["describe", "resource", "info", "full"].map(str::to_owned).into(),
            omit_input_schema: false,
            concerns: Concerns::new(),
            eras: vec![Era::Session, Era::Stateless],
            capabilities: RawObject::empty(),
            client: ("mcp-disclosure-client".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            listens: true,
            connect_patience: Duration::from_secs(30),
            request_patience: Duration::from_secs(180),
            observer: None,
        }
    }
}

impl fmt::Debug for Preferences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Preferences")
            .field("strategies", &self.strategies)
            .field("concerns", &self.concerns)
            .field("eras", &self.eras)
            .finish_non_exhaustive()
    }
}
