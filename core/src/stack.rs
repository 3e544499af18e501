//! Stacks: filters with one presenter. A stack of strategies is itself a strategy.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{
    adaptive::Selected,
    context::{ClientTraits, Context},
    decision::{Decision, Fault, ResourceText, ToolCall},
    digest::Digest,
    listing::Listing,
    memory::Noted,
    name::ResourceUri,
    own_tool::OwnTool,
    raw::RawObject,
    strategy::{Advertisement, DisclosureStrategy, Lifecycle, Objection, Preparation, Profile, Role},
    view::View,
};

/// Filters, in order, and the presenter of what they leave.
#[derive(Debug)]
pub struct Stack {
    profile: Profile,
    filters: Vec<Arc<dyn DisclosureStrategy>>,
    presenter: Arc<dyn DisclosureStrategy>,
}

impl Stack {
    /// A stack of filters and a presenter. A presenter without filters is returned as it is.
    ///
    /// `None` if a part has the wrong role for its position.
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

    /// Adds filters to a strategy that keeps its profile.
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
        has_bridge: parts().any(|profile| profile.has_bridge),
        omits_schemas: parts().any(|profile| profile.omits_schemas),
        lesson: presenter.profile().lesson,
        finder: presenter.profile().finder,
        lists_completely: presenter.profile().lists_completely,
        context_size: presenter.profile().context_size,
        variants: presenter.profile().variants,
        gives_way: presenter.profile().gives_way,
        extension: presenter.profile().extension,
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

    fn signs_receipts(&self) -> bool {
        self.parts().any(|part| part.signs_receipts())
    }

    fn own_tools(&self, view: &View, client: &ClientTraits) -> Vec<OwnTool> {
        self.parts().flat_map(|part| part.own_tools(view, client)).collect()
    }

    fn reserved_names(&self, view: &View, client: &ClientTraits) -> Vec<String> {
        self.parts().flat_map(|part| part.reserved_names(view, client)).collect()
    }

    fn advertise(&self, view: &View, client: &ClientTraits, advertisement: &mut Advertisement) {
        self.parts().for_each(|part| part.advertise(view, client, advertisement));
    }

    fn lists_completely(&self, view: &View, client: &ClientTraits) -> bool {
        self.presenter.lists_completely(view, client)
    }

    fn selects(&self, view: &View) -> Option<Selected> {
        self.presenter.selects(view)
    }

    fn announced(&self, view: &View, client: &ClientTraits) -> Option<Digest> {
        self.presenter.announced(view, client)
    }

    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        self.parts().try_for_each(|part| part.lifecycle(&cx.of_part(&part.profile().name), event))
    }

    fn narrow(&self, view: View, client: &ClientTraits, noted: Noted<'_>) -> View {
        self.parts().fold(view, |view, part| part.narrow(view, client, noted.of_part(&part.profile().name)))
    }

    fn how_to_learn(&self, cx: &Context<'_>, tool: &str) -> Option<String> {
        self.presenter.how_to_learn(&cx.of_part(&self.presenter.profile().name), tool)
    }

    fn meant_resource(&self, cx: &Context<'_>, uri: &ResourceUri) -> Option<String> {
        self.parts().find_map(|part| part.meant_resource(&cx.of_part(&part.profile().name), uri))
    }

    async fn read_resource(
        &self,
        cx: &Context<'_>,
        uri: &ResourceUri,
    ) -> Result<Option<ResourceText>, Fault> {
        for part in self.parts() {
            if let Some(text) = part.read_resource(&cx.of_part(&part.profile().name), uri).await? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn preparation(&self, view: &View, call: &ToolCall) -> Option<Preparation> {
        self.parts().find_map(|part| part.preparation(view, call))
    }

    fn request_preparation(&self, cx: &Context<'_>, method: &str) -> Option<Preparation> {
        self.parts().find_map(|part| part.request_preparation(&cx.of_part(&part.profile().name), method))
    }

    async fn before_call(&self, cx: &Context<'_>, mut call: ToolCall) -> Result<Decision, Fault> {
        // The presenter first: it may unwrap the call of its own tool, and filters decide on the call that would run.
        for part in [&self.presenter].into_iter().chain(&self.filters) {
            match part.before_call(&cx.of_part(&part.profile().name), call).await? {
                Decision::Forward(forwarded) => call = forwarded,
                decided => return Ok(decided),
            }
        }
        Ok(Decision::Forward(call))
    }

    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawValue,
    ) -> Result<Option<RawObject>, Fault> {
        for part in self.parts() {
            if let Some(answer) = part.request(&cx.of_part(&part.profile().name), method, params).await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}
