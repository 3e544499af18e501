//! Strategies as server variants (SEP-2053).

use std::sync::Arc;

use mcp_disclosure_core::{ClientTraits, Permits, Stack};
use mcp_disclosure_drafts::variants::{ServerVariant, VariantHints, invalid_variant};
use mcp_disclosure_transport::ErrorText;

use super::{Choice, Reason, Strategies};
use crate::dialect::Offer;

impl Strategies {
    /// The server variants that a client can choose, by its hints; first the one that serves it.
    pub(crate) fn variants(
        &self,
        choice: &Choice,
        permits: &Permits,
        hints: &VariantHints,
    ) -> Vec<ServerVariant> {
        let variant = |name: &Arc<str>, strategy: &Arc<Stack>| ServerVariant {
            id: name.to_string(),
            description: strategy.profile().summary.to_string(),
            context_size: strategy.profile().context_size,
        };
        let mut variants = vec![variant(&choice.name, &choice.strategy)];
        let is_other = |name: &Arc<str>| !choice.is_pinned && *name != choice.name;
        let others =
            self.offered.iter().filter(|(name, _)| is_other(name) && self.is_permitted(permits, name));
        let mut others: Vec<_> = others.map(|(name, strategy)| variant(name, strategy)).collect();
        others.sort_by_key(|variant| hints.rank(variant.context_size));
        variants.extend(others);
        variants
    }

    /// The choice of a client for a request that names a server variant, as JSON text.
    ///
    /// # Errors
    /// -32602 if the client cannot choose it.
    pub(crate) fn vary(
        &self,
        choice: &Choice,
        permits: &Permits,
        requested: &str,
    ) -> Result<Choice, ErrorText> {
        let id = serde_json::from_str::<String>(requested).unwrap_or_default();
        if *id == *choice.name {
            return Ok(choice.clone());
        }
        let named = self.offered.iter().find(|(name, _)| **name == *id && !choice.is_pinned);
        let named = named.filter(|(name, _)| self.is_permitted(permits, name));
        let Some(named) = named else {
            let hints = choice.hints().cloned().unwrap_or_default();
            return Err(invalid_variant(requested, &self.variants(choice, permits, &hints)).into());
        };
        // What serves a client that discloses by itself is not exchanged for what it named.
        let mut offer = Offer { complete: false, ..(*choice.offer).clone() };
        let advertised = self.extensions(choice, permits);
        let own = named.1.profile().extension;
        let may_be_declared = own.is_none_or(|own| advertised.iter().any(|(id, _)| *id == own.id));
        // A client that declares an extension at every server does not use it at one that does not offer it, and needs the
        // bridge.
        if !may_be_declared {
            offer.extensions.retain(|declared| own.is_none_or(|own| declared != own.id));
        }
        let varied = self.choice((named.clone(), Reason::Variant), false, permits, &offer, choice.traits.era);
        let ClientTraits { filter_bridge, tasks, .. } = choice.traits;
        let traits = ClientTraits { filter_bridge, tasks, ..varied.traits };
        Ok(Choice { traits, may_be_declared, ..varied })
    }
}
