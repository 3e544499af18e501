//! Where messages about one of a client's requests go, while it is answered.

use mcp_disclosure_core::Era;
use mcp_disclosure_transport::LoggingLevel;
use tokio::sync::mpsc;

use super::{InputRequest, Outlet};

/// Where messages about one of a client's requests go.
#[derive(Clone, Debug)]
pub struct ReplyRoute {
    /// The stream of the request's response.
    pub outlet: Outlet,
    /// The era of the request.
    pub era: Era,
    /// Where input requests go in the stateless era; the task that builds the `input_required` result receives
    /// them.
    pub rounds: Option<mpsc::UnboundedSender<InputRequest>>,
    /// The lowest log level to deliver; `None` to deliver none.
    pub log_level: Option<LoggingLevel>,
}

/// When a question reaches the client by a route; the better ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Not any more.
    Never,
    /// Its request was answered: once the client continues it.
    NextRound,
    /// At once.
    Now,
}

impl ReplyRoute {
    /// When a question reaches the client by it.
    pub fn reach(&self) -> Reach {
        match &self.rounds {
            Some(rounds) if rounds.is_closed() => Reach::Never,
            Some(_) if self.outlet.is_over() => Reach::NextRound,
            None if self.era == Era::Stateless || !self.outlet.takes_requests() => Reach::Never,
            _ => Reach::Now,
        }
    }
}
