//! Which revisions clients are offered.

use mcp_disclosure_core::Era;
use mcp_disclosure_transport::ErrorText;

use super::{Caller, Gateway};
use crate::{
    backend::Backend,
    dialect::{Revision, unsupported},
};

/// Which revisions of MCP clients are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum OfferedRevisions {
    /// All.
    #[default]
    All,
    /// Those with sessions to clients that upstreams may need to reach between requests, otherwise all.
    Auto,
    /// Those with sessions, up to 2025-11-25.
    Sessions,
}

impl Gateway {
    /// Refuses a stateless client that should open a session instead. Official clients then do.
    ///
    /// An upstream with a session may send requests at any time, and between requests a stateless client cannot be
    /// reached. Only `server/discover` is refused for that reason, as by a server that knows sessions only: official
    /// clients then open one, and a client that needs no discovery goes on.
    ///
    /// # Errors
    /// -32601 for `server/discover`, -32022 with the revisions to use for other requests.
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
        Err(match is_discovery {
            true => ErrorText::method_not_found(),
            false => unsupported(&Revision::V2026_07_28.to_string(), |revision| revision.has_sessions()),
        })
    }
}

impl Backend {
    /// Whether an upstream may send requests outside of a client's request: one with a session, or one that has not
    /// said yet whether it needs one.
    fn may_ask_anytime(&self) -> bool {
        !self
            .slots()
            .iter()
            .all(|slot| slot.introduction().is_some_and(|introduction| introduction.eras.stateless))
    }
}
