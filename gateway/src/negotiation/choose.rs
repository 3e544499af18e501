//! Which strategy serves a client, how, and why; and which others it can choose as server variants (SEP-2053).

use std::sync::Arc;

use mcp_disclosure_core::{ClientTraits, Era, Permits, RawObject, Stack};
use mcp_disclosure_drafts::variants::{ServerVariant, VariantHints, invalid_variant};
use mcp_disclosure_transport::ErrorText;

use super::{Bridge, NamedStrategy, Strategies};
use crate::dialect::{Offer, TASKS};

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
    is_pinned: bool,
    /// Whether the strategy's extension is offered to the client: not to one that named a variant where it is turned off.
    pub(super) may_be_declared: bool,
    /// The client's offer, without the settings of strategies.
    offer: Arc<Offer>,
}

impl Choice {
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

impl Strategies {
    /// Selects a strategy: by the URL path, then the operator's pin, then the client's first offered preference, then an
    /// extension that it declares, then the fallback. A client that discloses by itself gets complete definitions where that
    /// strategy gives way.
    ///
    /// What `permits` does not permit is passed over, complete definitions as well; in place of the fallback, the first that
    /// it permits serves.
    pub fn choose(&self, address: Option<&str>, permits: &Permits, offer: &Offer, era: Era) -> Choice {
        let is_permitted = |(name, _): &NamedStrategy| self.is_permitted(permits, name);
        let preferred =
            || offer.strategies.iter().filter_map(|name| self.find(name)).find(|named| is_permitted(named));
        let by_address = address.and_then(|name| self.find(name)).map(|named| (named, Reason::Address));
        let by_address = by_address.filter(|(named, _)| is_permitted(named));
        let operators = || self.pinned.clone().filter(|named| is_permitted(named));
        let pinned = by_address.or_else(|| operators().map(|named| (named, Reason::Operator)));
        let is_pinned = pinned.is_some();
        let chosen = pinned.or_else(|| preferred().map(|named| (named, Reason::Preference)));
        let declared = || {
            let is_declared = |(_, strategy): &&NamedStrategy| declares(offer, strategy);
            self.by_extension.iter().filter(is_declared).find(|named| is_permitted(named)).cloned()
        };
        let chosen = chosen.or_else(|| declared().map(|named| (named, Reason::Extension)));
        let chosen = chosen.or_else(|| self.hinted(permits, offer).map(|named| (named, Reason::Hint)));
        let nothing = if offer.strategies.is_empty() { Reason::NoOffer } else { Reason::NothingInCommon };
        let chosen = chosen.unwrap_or_else(|| {
            let instead = self.first_permitted(permits).filter(|_| !is_permitted(&self.fallback));
            instead.map_or_else(|| (self.fallback.clone(), nothing), |named| (named, Reason::Permitted))
        });
        self.choice(chosen, is_pinned, permits, offer, era)
    }

    /// The choice of a client that this strategy serves since another replica opened its session, with what the choice
    /// depended on; `None` if the strategy is not offered here.
    pub(crate) fn chosen_before(
        &self,
        name: &str,
        address: Option<&str>,
        permits: &Permits,
        offer: &Offer,
        era: Era,
    ) -> Option<Choice> {
        let now = self.choose(address, permits, offer, era);
        if *now.name == *name {
            return Some(now);
        }
        Some(self.choice((self.find(name)?, now.reason), now.is_pinned, permits, offer, era))
    }

    /// A client's choice.
    fn choice(
        &self,
        chosen: (NamedStrategy, Reason),
        is_pinned: bool,
        permits: &Permits,
        offer: &Offer,
        era: Era,
    ) -> Choice {
        let gives_way = chosen.0.1.profile().gives_way;
        let complete = self.complete.get(&*chosen.0.1.profile().name).filter(|_| offer.complete);
        let instead = complete.filter(|(name, _)| self.is_permitted(permits, name)).cloned();
        let ((name, strategy), reason) = instead.map_or(chosen, |instead| (instead, Reason::Complete));
        let declared = declares(offer, &strategy);
        let is_listed = |is_needed| match self.bridge {
            Bridge::Auto => is_needed,
            Bridge::Always => true,
            Bridge::Never => false,
        };
        let (&Offer { omit_input_schema, shortest, .. }, definitions) = (offer, self.definitions);
        let traits = ClientTraits {
            era,
            bridge: is_listed(!declared && !self.names(offer, &name)),
            declared,
            filter_bridge: is_listed(offer.is_empty()),
            manifest: self.manifest,
            tasks: era == Era::Session || offer.declares(TASKS),
            omit_input_schema,
            shortest,
            definitions,
        };
        Choice {
            depends_on_client: !is_pinned || gives_way || self.differs_by_client(&strategy),
            name,
            strategy,
            traits,
            reason,
            is_pinned,
            may_be_declared: true,
            offer: Arc::new(Offer { settings: RawObject::empty(), ..offer.clone() }),
        }
    }

    /// The strategy that suits the hints of a client which names none; `None` if that of all such clients does, or it gives no
    /// hints.
    fn hinted(&self, permits: &Permits, offer: &Offer) -> Option<NamedStrategy> {
        let hints = offer.variants.as_ref().filter(|_| offer.strategies.is_empty())?;
        let size = |named: &NamedStrategy| named.1.profile().context_size;
        let permitted = self.offered.iter().filter(|(name, _)| self.is_permitted(permits, name));
        let best = permitted.min_by_key(|named| hints.rank(size(named)))?;
        (hints.rank(size(best)) < hints.rank(size(&self.fallback))).then(|| best.clone())
    }

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

    /// Whether this strategy shows different items to different clients.
    fn differs_by_client(&self, strategy: &Stack) -> bool {
        let profile = strategy.profile();
        profile.omits_schemas
            || profile.extension.is_some()
            || (profile.has_bridge && self.bridge == Bridge::Auto)
    }
}

/// Whether a client declares the extension of a strategy.
fn declares(offer: &Offer, strategy: &Stack) -> bool {
    strategy.profile().extension.is_some_and(|extension| offer.declares(extension.id))
}
