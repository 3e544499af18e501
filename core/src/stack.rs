//! Stacks: filters under one presenter. A stack of strategies is itself a strategy.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{
    context::{ClientTraits, Context},
    listing::Listing,
    memory::Memory,
    name::ResourceUri,
    outcome::{Decision, Outcome, ResourceText, ToolCall},
    raw::RawObject,
    strategy::{Advertisement, DisclosureStrategy, Lifecycle, Objection, Profile, Role},
    view::View,
};

/// Filters, in order, and the presenter above them.
#[derive(Debug)]
pub struct Stack {
    profile: Profile,
    filters: Vec<Arc<dyn DisclosureStrategy>>,
    presenter: Arc<dyn DisclosureStrategy>,
}

impl Stack {
    /// Stacks a presenter upon filters. A single presenter without filters stays what it is.
    ///
    /// `None` if something stands where the other role belongs.
    pub fn of(
        filters: Vec<Arc<dyn DisclosureStrategy>>,
        presenter: Arc<dyn DisclosureStrategy>,
    ) -> Option<Arc<dyn DisclosureStrategy>> {
        let in_place = presenter.profile().role == Role::Presenter
            && filters.iter().all(|filter| filter.profile().role == Role::Filter);
        if !in_place {
            return None;
        }
        if filters.is_empty() {
            return Some(presenter);
        }
        let profile = profile(&filters, &presenter);
        Some(Arc::new(Self { profile, filters, presenter }))
    }

    /// Puts filters under a strategy without saying so: it keeps its profile.
    pub fn under(
        filters: Vec<Arc<dyn DisclosureStrategy>>,
        strategy: Arc<dyn DisclosureStrategy>,
    ) -> Arc<dyn DisclosureStrategy> {
        if filters.is_empty() {
            return strategy;
        }
        Arc::new(Self { profile: strategy.profile().clone(), filters, presenter: strategy })
    }

    fn parts(&self) -> impl Iterator<Item = &Arc<dyn DisclosureStrategy>> {
        self.filters.iter().chain([&self.presenter])
    }
}

fn profile(filters: &[Arc<dyn DisclosureStrategy>], presenter: &Arc<dyn DisclosureStrategy>) -> Profile {
    let parts = || filters.iter().chain([presenter]).map(|part| part.profile());
    let join = |text: fn(&Profile) -> &str, by: &str| parts().map(text).collect::<Vec<_>>().join(by);
    Profile {
        name: join(|profile| &profile.name, "+").into(),
        summary: join(|profile| &profile.summary, "; then: ").into(),
        needs: join(|profile| &profile.needs, "; ").into(),
        role: Role::Presenter,
        withholds_schemas: parts().any(|profile| profile.withholds_schemas),
    }
}

#[async_trait]
impl DisclosureStrategy for Stack {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        self.presenter.list(view, client)
    }

    fn objections(&self, view: &View) -> Vec<Objection> {
        self.parts().flat_map(|part| part.objections(view)).collect()
    }

    fn own_tools(&self, client: &ClientTraits) -> Vec<&'static str> {
        self.parts().flat_map(|part| part.own_tools(client)).collect()
    }

    fn advertise(&self, view: &View, advertisement: &mut Advertisement) {
        self.parts().for_each(|part| part.advertise(view, advertisement));
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Outcome<()> {
        let mut effects = Vec::new();
        for part in self.parts() {
            let outcome = part.lifecycle(cx, event);
            if outcome.answer.is_err() {
                // What the others heard of it is not noted either.
                return outcome;
            }
            effects.extend(outcome.effects);
        }
        Outcome::of(()).with(effects)
    }

    fn narrow(&self, view: View, client: &ClientTraits, memory: &Memory) -> View {
        self.parts().fold(view, |view, part| part.narrow(view, client, memory))
    }

    async fn read_resource(&self, cx: &Context<'_>, uri: &ResourceUri) -> Outcome<Option<ResourceText>> {
        for part in self.parts() {
            let outcome = part.read_resource(cx, uri).await;
            if !matches!(outcome.answer, Ok(None)) {
                return outcome;
            }
        }
        Outcome::of(None)
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Outcome<Decision> {
        let mut call = call;
        let mut effects = Vec::new();
        // The presenter first: clients call in its terms, and filters decide on the call that would run,
        // whatever it was wrapped in.
        for part in [&self.presenter].into_iter().chain(&self.filters) {
            let outcome = part.before_call(cx, call).await;
            effects.extend(outcome.effects);
            match outcome.answer {
                Ok(Decision::Forward(forwarded)) => call = forwarded,
                answer => return Outcome { answer, effects },
            }
        }
        Outcome::of(Decision::Forward(call)).with(effects)
    }

    async fn request(&self, cx: &Context<'_>, method: &str, params: &RawValue) -> Outcome<Option<RawObject>> {
        for part in self.parts() {
            let outcome = part.request(cx, method, params).await;
            if !matches!(outcome.answer, Ok(None)) {
                return outcome;
            }
        }
        Outcome::of(None)
    }
}
