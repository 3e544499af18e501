//! A strategy that discloses progressively only where that pays: complete lists within a budget, another strategy over it
//! (docs/CONTRACT.md S11).
//!
//! Which of the two serves is a function of the view alone, as lists are: the same catalogue is served in the same way to
//! every client of equal rights, by every replica, in each request. A session is not bound to what served it first. Where
//! the catalogue crosses the budget, its list changes as lists do, with the notification that says so. The own tools of the
//! other strategy are listed over the budget, callable on both sides of it, and their names reserved on both.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{
    context::{ClientTraits, Context},
    decision::{Decision, Fault, ResourceText, ToolCall},
    estimate,
    listing::Listing,
    memory::Noted,
    name::ResourceUri,
    own_tool::OwnTool,
    raw::RawObject,
    strategy::{Advertisement, DisclosureStrategy, Lifecycle, Objection, Preparation, Profile, Role},
    view::View,
};

/// The strategy's name, as in `--fallback`.
pub const NAME: &str = "adaptive";

/// The budget unless configured otherwise, in tokens: what a host spends on its own tools.
pub const DEFAULT_BUDGET: u64 = 4_000;

/// Complete lists within a budget, another strategy over it.
#[derive(Debug)]
pub struct Adaptive {
    profile: Profile,
    within: Arc<dyn DisclosureStrategy>,
    over: Arc<dyn DisclosureStrategy>,
    budget: u64,
}

/// The strategy that serves a view, where another one selected it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// Why, for operators.
    pub reason: String,
}

/// What a view's complete list of tools costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteList {
    /// How many tools it has.
    pub tools: usize,
    /// Its size as JSON, in bytes.
    pub bytes: usize,
}

impl CompleteList {
    /// Measures a view, once for each. Narrowing a view makes its list no larger: definitions count as they are in the
    /// snapshot, without what a view adds to them.
    pub fn of(view: &View) -> Self {
        *view.derived(|view| {
            let sizes = view.tools().map(|tool| tool.tool().definition().text().len() + SEPARATOR);
            let (tools, bytes) = sizes.fold((0, BRACKETS), |(tools, sum), size| (tools + 1, sum + size));
            Self { tools, bytes }
        })
    }

    /// About how many tokens it is.
    pub fn tokens(&self) -> u64 {
        estimate::tokens(self.bytes)
    }
}

/// The bytes between two items of a list.
const SEPARATOR: usize = 1;
/// The bytes around them.
const BRACKETS: usize = 2;

impl Adaptive {
    /// Serves by `within` what has at most `budget` tokens as a complete list, and by `over` what has more. Both must have
    /// the same filters.
    pub fn new(within: Arc<dyn DisclosureStrategy>, over: Arc<dyn DisclosureStrategy>, budget: u64) -> Self {
        let of_over = over.profile();
        let filters =
            of_over.name.rsplit_once('+').map_or(String::new(), |(filters, _)| format!("{filters}+"));
        let profile = Profile {
            name: format!("{filters}{NAME}").into(),
            summary: format!("Complete definitions up to {budget} tokens, over that: {}", of_over.summary)
                .into(),
            role: Role::Presenter,
            lists_completely: false,
            variants: &[],
            // Within the budget nothing of it is served, so it cannot be promised.
            extension: None,
            ..of_over.clone()
        };
        Self { profile, within, over, budget }
    }

    fn is_within_budget(&self, view: &View) -> bool {
        CompleteList::of(view).tokens() <= self.budget
    }

    // A host that lists once would not find out what comes later; through the other strategy's tools it does.
    fn serving(&self, view: &View) -> &Arc<dyn DisclosureStrategy> {
        if self.is_within_budget(view) && !view.is_starting() { &self.within } else { &self.over }
    }

    /// What decides on a call. Reserved names are those of the own tools over the budget, which are callable within it too.
    fn calling(&self, view: &View, call: &ToolCall) -> &Arc<dyn DisclosureStrategy> {
        if view.reserves(&call.name) { &self.over } else { self.serving(view) }
    }

    /// What serves a request, and the context of it.
    fn serve<'s, 'c>(&'s self, cx: &Context<'c>) -> (&'s Arc<dyn DisclosureStrategy>, Context<'c>)
    where
        's: 'c,
    {
        let serving = self.serving(cx.view);
        (serving, cx.of_part(&serving.profile().name))
    }
}

#[async_trait]
impl DisclosureStrategy for Adaptive {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn selects(&self, view: &View) -> Option<Selected> {
        let is_within = self.is_within_budget(view);
        let reason = if is_within && view.is_starting() {
            format!("upstreams are still starting, and their lists may be over the budget of {}", self.budget)
        } else {
            let list = CompleteList::of(view);
            let side = if is_within { "within" } else { "over" };
            let so_far = if view.is_complete() { "" } else { " so far" };
            let (tools, tokens, bytes, method) = (list.tools, list.tokens(), list.bytes, estimate::METHOD);
            let budget = self.budget;
            format!(
                "the complete list of {tools} tools{so_far} is about {tokens} tokens ({bytes} bytes, {method}), {side} \
                 the budget of {budget}"
            )
        };
        Some(Selected { name: self.serving(view).profile().name.to_string(), reason })
    }

    fn lists_completely(&self, view: &View, client: &ClientTraits) -> bool {
        self.serving(view).lists_completely(view, client)
    }

    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        self.serving(view).list(view, client)
    }

    fn own_tools(&self, view: &View, client: &ClientTraits) -> Vec<OwnTool> {
        self.serving(view).own_tools(view, client)
    }

    // Clients hold lists for longer than a catalogue stays on one side of the budget, and a name that a user allowed must not
    // become another tool's.
    fn reserved_names(&self, view: &View, client: &ClientTraits) -> Vec<String> {
        self.over.reserved_names(view, client)
    }

    fn objections(&self, view: &View) -> Vec<Objection> {
        self.serving(view).objections(view)
    }

    // Asked without a view, and of no consequence where no receipts are asked for.
    fn signs_receipts(&self) -> bool {
        self.over.signs_receipts()
    }

    fn advertise(&self, view: &View, client: &ClientTraits, advertisement: &mut Advertisement) {
        self.serving(view).advertise(view, client, advertisement);
    }

    // The view is not narrowed yet, so it is not known what will serve. Both have the same filters.
    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        self.over.lifecycle(&cx.of_part(&self.over.profile().name), event)
    }

    fn narrow(&self, view: View, client: &ClientTraits, noted: Noted<'_>) -> View {
        self.over.narrow(view, client, noted.of_part(&self.over.profile().name))
    }

    fn how_to_learn(&self, cx: &Context<'_>, tool: &str) -> Option<String> {
        let (serving, cx) = self.serve(cx);
        serving.how_to_learn(&cx, tool)
    }

    fn meant_resource(&self, cx: &Context<'_>, uri: &ResourceUri) -> Option<String> {
        let (serving, cx) = self.serve(cx);
        serving.meant_resource(&cx, uri)
    }

    async fn read_resource(
        &self,
        cx: &Context<'_>,
        uri: &ResourceUri,
    ) -> Result<Option<ResourceText>, Fault> {
        let (serving, cx) = self.serve(cx);
        serving.read_resource(&cx, uri).await
    }

    fn preparation(&self, view: &View, call: &ToolCall) -> Option<Preparation> {
        self.calling(view, call).preparation(view, call)
    }

    fn request_preparation(&self, cx: &Context<'_>, method: &str) -> Option<Preparation> {
        let (serving, cx) = self.serve(cx);
        serving.request_preparation(&cx, method)
    }

    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        let serving = self.calling(cx.view, &call);
        serving.before_call(&cx.of_part(&serving.profile().name), call).await
    }

    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawValue,
    ) -> Result<Option<RawObject>, Fault> {
        let (serving, cx) = self.serve(cx);
        serving.request(&cx, method, params).await
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{json, value::to_raw_value};

    use super::*;
    use crate::{
        assembly::UpstreamLists, context::Era, full::Full, name::UpstreamName, principal::Principal,
        snapshot::Snapshot,
    };

    static NAMES: Profile = Profile::presenter("names", "Names", "nothing");

    /// Lists names, and has a tool of its own.
    #[derive(Debug)]
    struct Names;

    impl DisclosureStrategy for Names {
        fn profile(&self) -> &Profile {
            &NAMES
        }

        fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
            let tools = view.tools().map(|tool| tool.minimal().with_value("description", "")).collect();
            Listing { tools, ..Listing::without_tools(view) }
        }

        fn own_tools(&self, _view: &View, _client: &ClientTraits) -> Vec<OwnTool> {
            vec![OwnTool::new("find", "", &json!({}))]
        }
    }

    fn view(descriptions: &[String]) -> View {
        View::of(Arc::new(snapshot(descriptions)), &Principal::anonymous())
    }

    fn snapshot(descriptions: &[String]) -> Snapshot {
        let tool = |(at, description): (usize, &String)| {
            to_raw_value(&json!({"name": format!("t{at}"), "description": description, "inputSchema": {}}))
                .unwrap()
                .into()
        };
        let tools = descriptions.iter().enumerate().map(tool).collect();
        let lists = UpstreamLists { tools, ..UpstreamLists::empty(UpstreamName::parse("u").unwrap()) };
        Snapshot::build(&[lists], &[]).unwrap().0
    }

    proptest! {
        #[test]
        fn s11_a_view_is_served_completely_exactly_within_the_budget(
            descriptions in proptest::collection::vec("\\PC{0,80}", 0..12),
            budget in 0u64..400,
            kept in 0usize..12,
        ) {
            let adaptive = Adaptive::new(Arc::new(Full), Arc::new(Names), budget);
            let client = ClientTraits::plain(Era::Session);
            let whole = view(&descriptions);
            let narrowed = whole.clone().narrow(|primitive| match primitive {
                crate::view::Primitive::Tool(tool) => tool.key()[1..].parse::<usize>().unwrap() < kept,
                crate::view::Primitive::Entry(..) => true,
            });
            for view in [&whole, &narrowed] {
                let listed = Full.list(view, &client);
                let bytes = serde_json::to_string(&listed.tools).unwrap().len();
                let list = CompleteList::of(view);
                // The comma that the last one has not.
                prop_assert_eq!((list.tools, list.bytes), (listed.tools.len(), bytes + usize::from(!listed.tools.is_empty())));
                let is_within = list.tokens() <= budget;
                let expected = if is_within { listed } else { Names.list(view, &client) };
                prop_assert_eq!(adaptive.list(view, &client), expected);
                prop_assert_eq!(adaptive.own_tools(view, &client).is_empty(), is_within);
                let selected = adaptive.selects(view).unwrap();
                prop_assert_eq!(&*selected.name, if is_within { "full" } else { "names" });
                let side = if is_within { "within the budget" } else { "over the budget" };
                prop_assert!(selected.reason.contains(side));
            }
            let starting = snapshot(&descriptions).while_starting(true);
            let starting = View::of(Arc::new(starting), &Principal::anonymous());
            prop_assert_eq!(adaptive.list(&starting, &client), Names.list(&starting, &client));
            prop_assert_eq!(&*adaptive.selects(&starting).unwrap().name, "names");
            prop_assert_eq!(adaptive.reserved_names(&whole, &client), ["find"]);
            // Names are reserved with the whole view, so a part of it must not need new ones.
            let own = |view| adaptive.own_tools(view, &client).len();
            prop_assert!(own(&narrowed) <= own(&whole));
        }
    }
}
