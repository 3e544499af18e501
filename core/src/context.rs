//! What a strategy is handed with each question.

use std::time::Duration;

use crate::{memory::Memory, receipt::Receipts, view::View};

/// Which kind of MCP a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Era {
    /// `initialize`-based revisions with sessions, up to 2025-11-25.
    Session,
    /// The stateless revision 2026-07-28.
    Stateless,
}

/// What of a client decides what it is shown. Clients of equal traits see the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientTraits {
    /// Which kind of MCP it speaks.
    pub era: Era,
    /// Whether the strategy shall offer its channel as an ordinary tool as well.
    pub bridge: bool,
    /// Whether the client asked for tool lists without `inputSchema`.
    pub omit_input_schema: bool,
}

impl ClientTraits {
    /// An ordinary client of an era: no bridge, complete schemas.
    pub fn plain(era: Era) -> Self {
        Self { era, bridge: false, omit_input_schema: false }
    }
}

/// What a strategy is handed with a request: all it may know, and nothing the caller may not see.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What exists for this caller.
    pub view: &'a View,
    /// What the client can do.
    pub client: &'a ClientTraits,
    /// What it told strategies so far.
    pub memory: &'a Memory,
    /// Proof of delivery, as this caller's era has it.
    pub receipts: Receipts<'a>,
    /// Who is asking, for logs only: a session's id or a peer.
    pub session: &'a str,
    /// Bounds how often definitions are fetched.
    pub fetches: &'a dyn FetchLimit,
}

/// Bounds how often one caller may fetch definitions (000 §10.3).
pub trait FetchLimit: std::fmt::Debug + Send + Sync {
    /// Counts one fetch; `Err` is how long to wait before the next.
    fn admit(&self) -> Result<(), Duration>;
}

/// No bound at all, for tests and benches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl FetchLimit for Unlimited {
    fn admit(&self) -> Result<(), Duration> {
        Ok(())
    }
}
