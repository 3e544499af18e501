//! Stacks: filters with one presenter, which is what clients are served by.
//!
//! **A stack is not a strategy.** The server has stacks and calls nothing else, so a method of the trait that is not
//! passed on here cannot be called at all: what was forgotten does not compile, where a default body would be inherited
//! in silence.
//!
//! ```compile_fail,E0277
//! fn strategy<S: mcp_disclosure_core::DisclosureStrategy>() {}
//! strategy::<mcp_disclosure_core::Stack>();
//! ```

use std::sync::Arc;

use crate::{
    adaptive::{self, Selected},
    catalogue::view::View,
    context::{ClientTraits, Context},
    decision::{Decision, Fault, ToolCall},
    full::Full,
    listing::Listing,
    memory::{Memory, Noted},
    profile::{Profile, Role},
    raw::RawObject,
    receipt::SessionReceipts,
    strategy::{DisclosureStrategy, Lifecycle, Objection, Own},
};

/// Filters, in order, and the presenter of what they leave. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stack {
    profile: Profile,
    filters: Vec<Arc<dyn DisclosureStrategy>>,
    /// How many of them, the first ones, are part of it without being named: they have no tools of their own.
    unnamed: usize,
    presenter: Arc<dyn DisclosureStrategy>,
    /// Complete lists of up to this many tokens are served by `full` instead ([`adaptive`]).
    budget: Option<u64>,
}

impl Stack {
    /// A stack of filters and a presenter.
    ///
    /// `None` if a part has the wrong role for its position.
    pub fn of(
        filters: Vec<Arc<dyn DisclosureStrategy>>,
        presenter: Arc<dyn DisclosureStrategy>,
    ) -> Option<Self> {
        let in_place = presenter.profile().role == Role::Presenter
            && filters.iter().all(|filter| filter.profile().role == Role::Filter);
        let profile = profile(&filters, &*presenter);
        in_place.then_some(Self { profile, filters, unnamed: 0, presenter, budget: None })
    }

    /// With further filters before the others, which are not named. It keeps its profile.
    pub fn under(mut self, filters: Vec<Arc<dyn DisclosureStrategy>>) -> Self {
        self.unnamed += filters.len();
        self.filters.splice(..0, filters);
        self
    }

    /// With all of its filters named.
    pub fn named(self) -> Self {
        Self { unnamed: 0, ..self }
    }

    /// With complete lists of views within this budget, in tokens ([`adaptive`]).
    pub fn over_budget(self, budget: u64) -> Self {
        let profile = adaptive::profile(&self.profile, budget);
        Self { profile, budget: Some(budget), ..self }
    }

    fn filters(&self) -> impl Iterator<Item = &dyn DisclosureStrategy> {
        self.filters.iter().map(|filter| &**filter)
    }

    /// The presenter of a view.
    fn serving(&self, view: &View) -> &dyn DisclosureStrategy {
        if self.budget.is_some_and(|budget| adaptive::fits(view, budget)) { &Full } else { &*self.presenter }
    }

    /// The filters, and the presenter of a view.
    fn parts(&self, view: &View) -> impl Iterator<Item = &dyn DisclosureStrategy> {
        self.filters().chain([self.serving(view)])
    }

    /// The profile of all parts together.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The strategy that serves a view, where the stack only selects one: it is what the handshake names, and `--explain`
    /// says why.
    pub fn selects(&self, view: &View) -> Option<Selected> {
        let name = self.serving(view).profile().name.to_string();
        let reason = adaptive::reason(view, self.budget?);
        Some(Selected { name, reason })
    }

    /// The lists of a view.
    pub fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        self.serving(view).list(view, client)
    }

    /// What all parts have of their own.
    pub fn own(&self, view: &View, client: &ClientTraits) -> Own {
        self.own_of(self.serving(view), view, client).fold(Own::default(), Own::and)
    }

    /// The names that an upstream's tool may not have for this client: those of own tools, also of ones that are not listed for
    /// this view. Clients hold lists for longer than a catalogue stays on one side of a budget, and a name that a user allowed
    /// must not become another tool's. They are asked for before what is listed is read, which is what takes long.
    pub fn reserved_names(&self, view: &View, client: &ClientTraits) -> Vec<String> {
        let unlisted = view.clone().narrow(|_| false);
        let own = self.own_of(&*self.presenter, &unlisted, client).flat_map(|own| own.tools);
        own.map(|tool| tool.name().to_owned()).collect()
    }

    /// What the filters and a presenter have of their own: filters that are not named are not offered as tools (C11).
    fn own_of(
        &self,
        presenter: &dyn DisclosureStrategy,
        view: &View,
        client: &ClientTraits,
    ) -> impl Iterator<Item = Own> {
        let without = ClientTraits { filter_bridge: false, ..*client };
        let (unnamed, named) = self.filters.split_at(self.unnamed);
        let unnamed = unnamed.iter().map(move |part| part.own(view, &without));
        let named = named.iter().map(move |part| part.own(view, client));
        unnamed.chain(named).chain([presenter.own(view, client)])
    }

    /// The objections of all parts.
    pub fn objections(&self, view: &View) -> Vec<Objection> {
        self.parts(view).flat_map(|part| part.objections(view)).collect()
    }

    /// Passes a client's settings and notifications on. The view is not narrowed yet, so of two presenters it is not known
    /// which will serve: the presenter over the budget receives it.
    ///
    /// # Errors
    /// The first fault.
    pub fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        let mut parts = self.filters().chain([&*self.presenter]);
        parts.try_for_each(|part| part.lifecycle(&cx.of_part(&part.profile().name), event))
    }

    /// The view that filters leave.
    pub fn narrow(&self, view: View, memory: &Memory) -> View {
        self.filters().fold(view, |view, part| part.narrow(view, Noted::new(memory, &part.profile().name)))
    }

    /// How this client learns to use a tool.
    pub fn how_to_learn(&self, view: &View, client: &ClientTraits, tool: &str) -> Option<String> {
        self.serving(view).how_to_learn(view, client, tool)
    }

    /// Decides on a call: the presenter first, since it may unwrap the call of its own tool, and filters decide on the call
    /// that would run. Own tools over a budget can be called within it.
    ///
    /// # Errors
    /// The first fault.
    pub async fn before_call(&self, cx: &Context<'_>, mut call: ToolCall) -> Result<Decision, Fault> {
        let is_own = cx.view.reserves(&call.name);
        let presenter = if is_own { &*self.presenter } else { self.serving(cx.view) };
        let without = ClientTraits { filter_bridge: false, ..*cx.client };
        let filters = self.filters().enumerate().map(|(at, part)| (part, at < self.unnamed));
        for (part, is_unnamed) in [(presenter, false)].into_iter().chain(filters) {
            let client = if is_unnamed { &without } else { cx.client };
            match part.before_call(&Context { client, ..cx.of_part(&part.profile().name) }, call).await? {
                Decision::Forward(forwarded) => call = forwarded,
                decided => return Ok(decided),
            }
        }
        Ok(Decision::Forward(call))
    }

    /// The first answer to a request.
    ///
    /// # Errors
    /// The first fault.
    pub async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        for part in self.parts(cx.view) {
            if let Some(answer) = part.request(&cx.of_part(&part.profile().name), method, params).await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}

fn profile(filters: &[Arc<dyn DisclosureStrategy>], presenter: &dyn DisclosureStrategy) -> Profile {
    let parts = || filters.iter().map(|filter| &**filter).chain([presenter]).map(|part| part.profile());
    let join = |text: fn(&Profile) -> &str, by: &str| parts().map(text).collect::<Vec<_>>().join(by);
    Profile {
        name: join(|profile| &profile.name, "+").into(),
        summary: join(|profile| &profile.summary, "; then: ").into(),
        needs: join(|profile| &profile.needs, "; ").into(),
        has_bridge: parts().any(|profile| profile.has_bridge),
        omits_schemas: parts().any(|profile| profile.omits_schemas),
        receipts: parts().map(|profile| profile.receipts).max().unwrap_or(SessionReceipts::Session),
        ..presenter.profile().clone()
    }
}
