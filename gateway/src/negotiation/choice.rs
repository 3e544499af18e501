//! The strategy selected for a client, and why.

use std::sync::Arc;

use mcp_disclosure_core::{ClientTraits, Stack};
use mcp_disclosure_drafts::variants::VariantHints;

use crate::dialect::{Offer, Revision};

/// The strategy selected for a client.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its name.
    pub name: Arc<str>,
    /// The strategy.
    pub strategy: Arc<Stack>,
    /// The client's traits that determine what it is shown.
    pub traits: ClientTraits,
    /// Whether what it is shown depends on the client's capabilities.
    pub depends_on_client: bool,
    /// Why it was selected, for logs.
    pub reason: Reason,
    /// Whether an address or the operator named it, so that requests cannot choose another.
    pub(super) is_pinned: bool,
    /// Whether the strategy's extension is offered to the client: not to one that named a variant where it is turned off.
    pub(super) may_be_declared: bool,
    /// The client's offer, without the settings of strategies.
    pub(super) offer: Arc<Offer>,
}

impl Choice {
    /// The choice of a client of this revision.
    pub(crate) fn in_revision(mut self, revision: Revision) -> Self {
        self.traits.tasks &= revision.has_tasks();
        self
    }

    /// What the client says of server variants, if it supports them.
    pub(crate) fn hints(&self) -> Option<&VariantHints> {
        self.offer.variants.as_ref()
    }
}

/// Why a strategy was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[non_exhaustive]
pub enum Reason {
    /// The URL path names it.
    #[strum(to_string = "the address names it")]
    Address,
    /// The operator pinned it.
    #[strum(to_string = "the operator pinned it")]
    Operator,
    /// It is the first offered strategy among the client's preferences.
    #[strum(to_string = "the client prefers it")]
    Preference,
    /// The client discloses by itself, and asks for complete definitions.
    #[strum(to_string = "the client discloses by itself")]
    Complete,
    /// It is the first that the caller may be served by.
    #[strum(to_string = "it is the first that the caller may use")]
    Permitted,
    /// The client declares its extension.
    #[strum(to_string = "the client declares its extension")]
    Extension,
    /// None of the client's preferences is offered.
    #[strum(to_string = "nothing the client named is offered")]
    NothingInCommon,
    /// The client has no preferences, but its hints for server variants fit it.
    #[strum(to_string = "the client's variant hints fit it")]
    Hint,
    /// The request names it as a server variant.
    #[strum(to_string = "the request names the variant")]
    Variant,
    /// The client has no preferences.
    #[strum(to_string = "the client named nothing")]
    NoOffer,
}
