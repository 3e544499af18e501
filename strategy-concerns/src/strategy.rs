//! The strategy itself: what it hears, what it remembers, and what it leaves out.

use async_trait::async_trait;
use mcp_disclosure_core::{
    Advertisement, ClientTraits, Concern, Context, DisclosureStrategy, Effect, Era, Fault, Lifecycle,
    Listing, Memory, Notes, Outcome, Profile, RawObject, Role, View,
};
use serde_json::{Value, json, value::RawValue};

use crate::{
    ConcernsConfig, OnInvalidValue, Unset,
    choices::Choices,
    update::{self, LIST, UPDATE},
};

/// The strategy's name, as in flags, addresses, offers and settings.
pub const NAME: &str = "concerns";

/// Leaves out of lists what does not fit the concerns that the host chose.
#[derive(Debug)]
pub struct Concerns {
    profile: Profile,
    config: ConcernsConfig,
}

impl Concerns {
    /// Makes the strategy.
    pub fn new(config: ConcernsConfig) -> Self {
        let profile = Profile {
            name: NAME.into(),
            summary: "Lists what fits the concerns that the host chose".into(),
            needs: "nothing; a host that knows the declared concerns may choose".into(),
            role: Role::Filter,
            withholds_schemas: false,
        };
        Self { profile, config }
    }

    /// The concerns that filter, and the value that each is taken for.
    fn in_force<'a>(&self, declared: &'a [Concern], chosen: &'a Notes) -> Vec<(&'a Concern, &'a Value)> {
        let taken_for = |concern: &'a Concern| {
            // The declaration may have changed since.
            let chosen = chosen.get(concern.name()).filter(|value| concern.values().have(value));
            match self.config.unset {
                Unset::Any => chosen,
                Unset::Default => chosen.or(concern.default()),
            }
        };
        declared.iter().filter_map(|concern| Some((concern, taken_for(concern)?))).collect()
    }

    /// Notes what a client chooses, or says why it cannot.
    fn choose(&self, cx: &Context<'_>, given: &str, on_invalid: OnInvalidValue) -> Result<Choices, Fault> {
        let choices = Choices::read(&cx.view.about().concerns, given, on_invalid)?;
        for warning in &choices.warnings {
            tracing::warn!(session = cx.session, "{warning}");
        }
        tracing::debug!(session = cx.session, changes = ?choices.changes, "concerns chosen");
        Ok(choices)
    }

    fn update(&self, cx: &Context<'_>, params: &str) -> Result<Outcome<Option<RawObject>>, Fault> {
        let choices = self.choose(cx, &update::choices_of(params)?, self.config.on_invalid_value)?;
        let after = cx.memory.with(NAME, choices.changes.clone());
        let chosen = after.of(NAME).cloned().unwrap_or_default();
        let in_force =
            if chosen.is_empty() { vec![] } else { self.in_force(&cx.view.about().concerns, &chosen) };
        let effective =
            in_force.iter().map(|(concern, value)| (concern.name().to_owned(), (*value).clone())).collect();
        let answer = update::updated(&effective, &choices.warnings);
        Ok(Outcome::of(Some(answer)).with([remember(choices.changes)]))
    }
}

#[async_trait]
impl DisclosureStrategy for Concerns {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        Listing::complete(view)
    }

    fn advertise(&self, view: &View, advertisement: &mut Advertisement) {
        let declared = &view.about().concerns;
        if declared.is_empty() {
            return;
        }
        let declaration = update::declaration(declared);
        advertisement.capabilities = advertisement.capabilities.with_value("concerns", &declaration);
        let object = json!({"concerns": declaration});
        advertisement.experimental = advertisement.experimental.with_value("concerns", &object);
        advertisement.settings = advertisement.settings.with_value("concerns", &declaration);
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Outcome<()> {
        let (said, on_invalid) = match (event, self.config.on_invalid_value) {
            // Nobody waits for an answer.
            (Lifecycle::Initialized(params), OnInvalidValue::Error) => (params, OnInvalidValue::Ignore),
            (Lifecycle::Opened(said) | Lifecycle::Initialized(said), on_invalid) => (said, on_invalid),
            _ => return Outcome::of(()),
        };
        let Some(given) = said.member("concerns").filter(|_| !cx.view.about().concerns.is_empty()) else {
            return Outcome::of(());
        };
        match self.choose(cx, given, on_invalid) {
            Ok(choices) => Outcome::of(()).with([remember(choices.changes)]),
            Err(fault) => Outcome::fault(fault),
        }
    }

    fn narrow(&self, view: View, _client: &ClientTraits, memory: &Memory) -> View {
        let view = if self.config.expose { view.showing_concerns() } else { view };
        let Some(chosen) = memory.of(NAME) else { return view };
        let whole = view.clone();
        let in_force = self.in_force(&whole.about().concerns, chosen);
        view.narrow(|primitive| {
            let mapping = primitive.mapping();
            in_force.iter().all(|(concern, value)| mapping.fits(concern, value))
        })
    }

    async fn request(&self, cx: &Context<'_>, method: &str, params: &RawValue) -> Outcome<Option<RawObject>> {
        let declared = &cx.view.about().concerns;
        match method {
            _ if declared.is_empty() => Outcome::of(None),
            LIST => {
                Outcome::of(Some(RawObject::empty().with_value("concerns", &update::declaration(declared))))
            }
            UPDATE if cx.client.era == Era::Session => {
                self.update(cx, params.get()).unwrap_or_else(Outcome::fault)
            }
            _ => Outcome::of(None),
        }
    }
}

fn remember(changes: Notes) -> Effect {
    Effect::Remember { strategy: NAME.into(), changes }
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
