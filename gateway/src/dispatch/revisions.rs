//! Which revisions clients are offered.

use mcp_disclosure_core::Era;
use mcp_disclosure_transport::ErrorText;

use super::{Caller, Gateway};
use crate::{
    backend::Backend,
    dialect::{Revision, unsupported},
};

/// Which revisions of MCP clients are offered.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumMessage,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum OfferedRevisions {
    /// Those in which the client can be asked everything that its upstreams may ask.
    #[default]
    Auto,
    /// All.
    All,
    /// Those with sessions, up to 2025-11-25.
    Sessions,
}

impl Gateway {
    /// Refuses a stateless client that should open a session instead. Official clients then do.
    ///
    /// An upstream with a session may send requests at any time, and between requests a stateless client cannot be
    /// reached. Only `server/discover` is refused for that reason: a client that knows no sessions goes on without it.
    ///
    /// # Errors
    /// -32022 with the revisions to use.
    pub(super) fn offer_sessions(&self, caller: &Caller, is_discovery: bool) -> Result<(), ErrorText> {
        let is_refused = match self.revisions {
            OfferedRevisions::All => false,
            OfferedRevisions::Sessions => true,
            OfferedRevisions::Auto => {
                is_discovery && caller.can_be_asked() && caller.backend.may_ask_anytime()
            }
        };
        if caller.era() == Era::Session || !is_refused {
            return Ok(());
        }
        Err(unsupported(Revision::V2026_07_28, |revision| revision.has_sessions()))
    }
}

impl Backend {
    /// Whether an upstream may send requests outside of a client's request: one with a session, or one that has not
    /// said yet whether it needs one.
    fn may_ask_anytime(&self) -> bool {
        let is_stateless = |slot: &std::sync::Arc<crate::slot::Slot>| {
            slot.status().introduction.is_some_and(|introduction| introduction.eras.stateless)
        };
        !self.slots().iter().all(is_stateless)
    }
}
