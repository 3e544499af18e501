//! Explanations for the operator of how each client is served.

use std::{collections::HashSet, fmt};

use mcp_disclosure_core::{Memory, Selected};
use parking_lot::Mutex;

use crate::{
    catalogue::Page,
    dialect::{Offer, Revision},
    negotiation::Choice,
};
use mcp_disclosure_transport::printable::printable;

/// The log target of explanations, also enabled by the filter `mcp_disclosure_gateway::explain=debug`.
pub const TARGET: &str = "mcp_disclosure_gateway::explain";

/// A negotiation and its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explanation<'a> {
    /// The client's name or address.
    pub client: &'a str,
    /// The negotiated revision.
    pub revision: Revision,
    /// The client's offer.
    pub offer: &'a Offer,
    /// The selected strategy.
    pub choice: &'a Choice,
    /// What it is shown.
    pub page: &'a Page,
    /// What strategies recorded from the offer.
    pub memory: &'a Memory,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, revision, offer, choice, page, memory } = self;
        write!(formatter, "client '{}' ({revision}) ", printable(client))?;
        match (&*offer.strategies, offer.settings.is_empty() && !offer.omit_input_schema) {
            ([], true) if choice.traits.declared => {
                write!(formatter, "declared the extension of a strategy")?
            }
            ([], true) => write!(formatter, "declared no disclosure support")?,
            ([], false) => write!(formatter, "offered no strategy")?,
            (strategies, _) => write!(formatter, "offered {}", printable(&strategies.join(", ")))?,
        }
        write!(formatter, "; served by {}: {}", choice.name, choice.reason)?;
        if let Some(Selected { name, reason }) = &page.selected {
            write!(formatter, "; {} selects {name}: {reason}", choice.name)?;
        }
        if !page.own_tools.is_empty() {
            write!(formatter, "; own tools listed: {}", page.own_tools.join(", "))?;
        }
        if offer.omit_input_schema {
            write!(formatter, "; lists without inputSchema, as requested")?;
        }
        if offer.shortest {
            write!(formatter, "; the shortest lists, as requested")?;
        }
        for (strategy, notes) in memory.iter() {
            for (name, value) in notes {
                let note = format!("{strategy}: {name} = {value}");
                write!(formatter, "; {}", printable(&note))?;
            }
        }
        Ok(())
    }
}

/// Maximum explanations remembered; beyond it, all may be logged again.
const MOST_KEPT: usize = 1024;

/// Explanations logged so far. A stateless client is negotiated with in every request, but explained once.
#[derive(Debug, Default)]
pub(crate) struct Explained(Mutex<HashSet<String>>);

impl Explained {
    /// Logs an explanation once. It is built only if its log level is enabled.
    pub(crate) fn explain(&self, explanation: impl FnOnce() -> String) {
        if !tracing::enabled!(target: TARGET, tracing::Level::DEBUG) {
            return;
        }
        let text = explanation();
        let mut given = self.0.lock();
        if given.len() >= MOST_KEPT {
            given.clear();
        }
        if given.insert(text.clone()) {
            tracing::debug!(target: TARGET, "{text}");
        }
    }
}
