//! The combinations that each rule is tried in.

pub use mcp_disclosure_core::Era;

/// How a client comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Standard streams, over a pipe in this process.
    Stdio,
    /// Streamable HTTP on a port of this machine.
    Http,
}

/// One combination.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The strategy that serves the client.
    pub strategy: &'static str,
    /// How it comes in.
    pub transport: Transport,
    /// Which kind of MCP it speaks.
    pub era: Era,
}

impl Setup {
    /// The setup of a name such as `concerns_search_http_stateless`.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn named(name: &'static str) -> Self {
        let mut parts = name.rsplitn(3, '_');
        let era = match parts.next() {
            Some("session") => Era::Session,
            Some("stateless") => Era::Stateless,
            era => panic!("no era {era:?} in {name}"),
        };
        let transport = match parts.next() {
            Some("stdio") => Transport::Stdio,
            Some("http") => Transport::Http,
            transport => panic!("no transport {transport:?} in {name}"),
        };
        let strategy = match parts.next() {
            Some("concerns_full") => "concerns+full",
            Some("concerns_resource") => "concerns+resource",
            Some("concerns_search") => "concerns+search",
            Some(strategy) => strategy,
            None => panic!("no strategy in {name}"),
        };
        Self { strategy, transport, era }
    }

    /// Whether the client speaks with sessions.
    pub fn has_sessions(&self) -> bool {
        self.era == Era::Session
    }

    /// Whether the strategy's list has the upstreams' tools; elsewhere they are found by `search_tools`, or in groups.
    pub fn lists_tools(&self) -> bool {
        !self.strategy.ends_with("search") && !self.strategy.ends_with("groups")
    }

    /// Whether the client comes in over HTTP.
    pub fn is_http(&self) -> bool {
        self.transport == Transport::Http
    }
}
