//! Views: the part of a snapshot that exists for one caller.
//!
//! A view has two layers. **Permitted** is what the principal may use; the rest does not exist, and no method of a view
//! can reach it. **Listed** is what filters leave; the rest is found by its exact name only. A strategy receives a view
//! and nothing else, so it cannot leak a tool.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use serde_json::Value;

use crate::{
    brief,
    cap::Cap,
    catalogue::{
        categories::{Categories, ListedCategory},
        derived::{Extent, Key, Selection},
        lists::ListHints,
        permits::{Named, PermittedResources},
        principal::Principal,
        provider::{OwnInfo, Provider},
        snapshot::{About, Entry, Primitive, Snapshot},
        tool::Tool,
        uri::Uri,
        visible_tool::{Briefs, VisibleTool, listed_briefs},
    },
    concern::{Concern, Mapping},
    memory::Notes,
    name::{Kind, UpstreamName},
    nearest,
    raw::RawObject,
};

/// The part of a snapshot that exists for one caller. Cheap to clone.
#[derive(Clone, Debug)]
pub struct View {
    /// With what the caller may not see.
    pub(crate) snapshot: Arc<Snapshot>,
    pub(super) extent: Extent,
    /// What may be read, where not everything may.
    pub(super) located: Option<Arc<PermittedResources>>,
    /// The values of concerns that it was narrowed to.
    choices: Arc<Notes>,
    /// The view before that.
    unchosen: Option<Arc<View>>,
    of_listed: Arc<OfListed>,
    /// The upstreams of which anything is permitted; found at first use.
    upstreams: Arc<OnceLock<HashSet<UpstreamName>>>,
}

/// What depends on all that is listed, computed at first use.
#[derive(Debug, Default)]
struct OfListed {
    categories: OnceLock<Categories>,
    briefs: OnceLock<Briefs>,
    short_briefs: OnceLock<Briefs>,
}

impl View {
    /// The view of a principal, without filters.
    pub fn of(snapshot: Arc<Snapshot>, principal: &Principal) -> Self {
        let permits = principal.permits();
        let located = permits.resources().map(Arc::new);
        let permitted = Kind::ALL.map(|kind| {
            let by =
                |keep: &dyn Fn(Primitive<'_>) -> bool| Selection::by(snapshot.primitives(kind).map(keep));
            let named = |named: Named| by(&|one| named.allow(one.upstream(), one.own_key()));
            let selected = match kind {
                Kind::Tools => permits.tools().map(named),
                Kind::Prompts => permits.prompts().map(named),
                Kind::Resources | Kind::Templates => located
                    .as_ref()
                    .map(|located| by(&|one| located.allow(one.upstream(), &Uri::stated(one.own_key())))),
            };
            selected.unwrap_or_default()
        });
        Self {
            snapshot,
            extent: Extent { permitted, ..Extent::default() },
            located,
            choices: Arc::default(),
            unchosen: None,
            of_listed: Arc::default(),
            upstreams: Arc::default(),
        }
    }

    /// Whether it is of this very snapshot.
    pub fn is_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.snapshot, snapshot)
    }

    /// The view with fewer primitives listed. The others can still be found by their exact names.
    pub fn narrow(mut self, keep: impl Fn(Primitive<'_>) -> bool) -> Self {
        let listed = Kind::ALL.map(|kind| {
            let before = &self.extent.listed[kind as usize];
            let all = self.snapshot.primitives(kind).enumerate();
            Selection::by(all.map(|(at, one)| before.contains(at) && keep(one)))
        });
        self.extent.listed = listed;
        self.of_listed = Arc::default();
        self
    }

    /// Whether what is listed depends on whether the client can run tasks.
    pub fn depends_on_tasks(&self) -> bool {
        let needs_task = |one: Primitive<'_>| matches!(one, Primitive::Tool(tool) if tool.needs_task());
        self.all_of(Kind::Tools).any(|(one, is_permitted)| is_permitted && needs_task(one))
    }

    /// The view of a client that cannot run tasks: tools that run as tasks only are not listed.
    pub fn without_tasks(self) -> Self {
        if !self.depends_on_tasks() {
            return self;
        }
        self.narrow(|one| !matches!(one, Primitive::Tool(tool) if tool.needs_task()))
    }

    /// The view narrowed to what fits these values of declared concerns (docs/CONTRACT.md C4).
    pub fn choosing(self, choices: Notes) -> Self {
        let unchosen = Arc::new(self.before_choices().clone());
        let declared = unchosen.about().concerns.iter();
        let in_force: Vec<(&Concern, &Value)> =
            declared.filter_map(|concern| Some((concern, choices.get(concern.name())?))).collect();
        let fits = |mapping: &Mapping| in_force.iter().all(|(concern, value)| mapping.fits(concern, value));
        let narrowed = self.narrow(|primitive| fits(primitive.mapping()));
        drop(in_force);
        Self { choices: Arc::new(choices), unchosen: Some(unchosen), ..narrowed }
    }

    /// The values of concerns that it was narrowed to by [`choosing`](Self::choosing).
    pub fn choices(&self) -> &Notes {
        &self.choices
    }

    /// The view as it was before that.
    pub fn before_choices(&self) -> &Self {
        self.unchosen.as_deref().unwrap_or(self)
    }

    /// Whether another view of the same snapshot lists and permits the same.
    pub fn lists_like(&self, other: &Self) -> bool {
        self.extent == other.extent
    }

    /// Whether it is of all configured upstreams: what is missing otherwise may still come.
    pub fn is_complete(&self) -> bool {
        self.snapshot.is_complete()
    }

    /// Whether upstreams are starting of which nothing is known yet. Those that failed do not count, nor those whose lists are
    /// remembered.
    pub fn is_starting(&self) -> bool {
        self.snapshot.is_starting()
    }

    /// The view in which these names are reserved for a strategy's own tools: an upstream's tool of such a name is
    /// served as `<upstream>__<tool>`.
    pub fn reserving(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.extent.reserved = names.into_iter().collect();
        self
    }

    /// Whether a name is reserved for a strategy's own tools.
    pub fn reserves(&self, name: &str) -> bool {
        self.extent.reserved.iter().any(|reserved| reserved == name)
    }

    /// The view in which definitions have their mapping in `_meta.concerns` (concern-based-filtering "Optional Field in
    /// `_meta`").
    pub fn showing_concerns(self) -> Self {
        Self { extent: Extent { shows_concerns: true, ..self.extent }, ..self }
    }

    /// The listed tools that models may call, in the order of their upstreams.
    pub fn tools(&self) -> impl Iterator<Item = VisibleTool<'_>> {
        self.listed().map(|(at, _)| self.at(at))
    }

    /// The same with their positions in the snapshot.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (usize, &Tool)> {
        let tools = self.snapshot.tools().iter().map(|tool| &**tool).enumerate();
        tools.filter(|(at, tool)| tool.is_for_models() && self.extent.shows(Kind::Tools, *at))
    }

    /// All listed tools, with those that are for pages alone.
    pub fn all_tools(&self) -> impl Iterator<Item = VisibleTool<'_>> {
        let all = 0..self.snapshot.tools().len();
        all.filter(|at| self.extent.shows(Kind::Tools, *at)).map(|at| self.at(at))
    }

    /// The tool at a position in the snapshot.
    pub(crate) fn at(&self, position: usize) -> VisibleTool<'_> {
        let tool = &self.snapshot.tools()[position];
        let renamed = self.reserves(tool.key());
        let name = if renamed { tool.qualified() } else { tool.key() };
        VisibleTool { view: self, position, tool, name }
    }

    /// The brief of a tool within a length, where it depends on what else is listed.
    pub(super) fn listed_brief(&self, position: usize, cap: Cap) -> Option<&str> {
        let OfListed { briefs, short_briefs, .. } = &*self.of_listed;
        let briefs = if cap == brief::SHORT { short_briefs } else { briefs };
        let briefs = briefs.get_or_init(|| listed_briefs(&self.listed().collect::<Vec<_>>(), cap));
        briefs.get(&position).map(String::as_str)
    }

    /// The permitted tool of exactly this name, listed or not.
    pub fn tool(&self, name: &str) -> Option<VisibleTool<'_>> {
        self.position(name).map(|at| self.at(at))
    }

    /// The same, if models may call it: of what is looked up by a name that a model wrote.
    pub fn tool_for_models(&self, name: &str) -> Option<VisibleTool<'_>> {
        self.tool(name).filter(|tool| tool.tool().is_for_models())
    }

    /// Whether a tool of this name exists, but not for this caller. For the operator's records; the caller's answer must not
    /// depend on it.
    pub fn withholds(&self, name: &str) -> bool {
        let exists =
            self.snapshot.position(name).or_else(|| self.snapshot.qualified_position(name)).is_some();
        exists && self.tool(name).is_none()
    }

    /// Its position in the snapshot.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let own = self.snapshot.position(name).filter(|_| !self.reserves(name));
        let moved = || {
            let at = self.snapshot.qualified_position(name)?;
            Some(at).filter(|at| self.reserves(self.snapshot.tools()[*at].key()))
        };
        own.or_else(moved).filter(|at| self.extent.permitted[0].contains(*at))
    }

    /// The listed resources, templates or prompts. For tools use [`View::tools`].
    pub fn entries(&self, kind: Kind) -> impl Iterator<Item = &Entry> {
        let entries = self.snapshot.entries(kind).iter().enumerate();
        entries.filter(move |(at, _)| self.extent.shows(kind, *at)).map(|(_, entry)| entry)
    }

    /// Everything of a kind that is listed.
    pub(super) fn primitives(&self, kind: Kind) -> impl Iterator<Item = Primitive<'_>> {
        let all = self.snapshot.primitives(kind).enumerate();
        all.filter(move |(at, _)| self.extent.shows(kind, *at)).map(|(_, one)| one)
    }

    /// The definition of a resource, template or prompt as this view lists it.
    pub fn text(&self, entry: &Entry) -> RawObject {
        if self.extent.shows_concerns { entry.mapping().shown_in(entry.text()) } else { entry.text().clone() }
    }

    /// The upstreams' hints on a list as a whole. Their `_meta` is included if this view lists everything that they
    /// list.
    pub fn hints(&self, kind: Kind) -> ListHints {
        let is_whole = |selection: &Selection| matches!(selection, Selection::All);
        let hints = self.snapshot.hints(kind);
        let all =
            is_whole(&self.extent.listed[kind as usize]) && is_whole(&self.extent.permitted[kind as usize]);
        if all { hints } else { ListHints { meta: None, ..hints } }
    }

    /// The permitted resource, template or prompt of exactly this key, listed or not.
    pub fn entry(&self, kind: Kind, key: &str) -> Option<&Entry> {
        let (at, entry) = self.snapshot.entry(kind, key)?;
        self.extent.permitted[kind as usize].contains(at).then_some(entry)
    }

    /// The catalogue's metadata. Its categories can be empty in this view; see [`View::categories`].
    pub fn about(&self) -> &About {
        self.snapshot.about()
    }

    /// The upstream of this name as a whole. `None` if there is none, or if nothing of it is permitted.
    pub fn provider(&self, upstream: &str) -> Option<&Provider> {
        let named = self.snapshot.providers.iter().find(|provider| *provider.name == *upstream);
        named.filter(|provider| self.permits_any_of(&provider.name))
    }

    /// What an upstream says by an `info` tool of its own, where nothing of the upstream is withheld from the caller.
    pub fn own_info(&self, upstream: &str) -> Option<&OwnInfo> {
        let provider = self.provider(upstream)?;
        provider.info.as_deref().filter(|_| provider.is_whole && self.permits_all_of(upstream))
    }

    /// The upstreams of which anything is permitted, in their order, whether it is listed or not.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.snapshot.providers.iter().filter(|provider| self.permits_any_of(&provider.name))
    }

    /// The categories with listed tools: declared ones first, then others in the order of their tools. Computed at
    /// first use.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = ListedCategory<'_>> {
        ListedCategory::all(self, self.sorted())
    }

    /// The category of this name, if it has listed tools.
    pub fn category(&self, name: &str) -> Option<ListedCategory<'_>> {
        ListedCategory::named(self, self.sorted(), name)
    }

    fn sorted(&self) -> &Categories {
        self.of_listed.categories.get_or_init(|| Categories::of(self))
    }

    /// A value that depends on what this view lists and permits alone, such as an index of its tools. It is computed at first
    /// use, and shared with views that have the same of the same snapshot. It is kept until the snapshot is replaced, or many
    /// other views were used since. `T` must be a type of the strategy's crate that is made in one way; a value must not
    /// depend on [`choices`](Self::choices), nor contain the view, which would keep the snapshot forever. What takes long is
    /// made by [`Context::derive`](crate::Context::derive).
    ///
    /// ```
    /// # use mcp_disclosure_core::View;
    /// struct Longest(usize);
    ///
    /// fn longest(view: &View) -> usize {
    ///     let made = |view: &View| Longest(view.tools().map(|tool| tool.name().len()).max().unwrap_or(0));
    ///     view.derived(made).0
    /// }
    /// ```
    pub fn derived<T: Send + Sync + 'static>(&self, make: fn(&Self) -> T) -> Arc<T> {
        self.snapshot.derived.of(&self.extent).get(&(), || make(self))
    }

    /// A value that depends on this view and a key alone, such as the settings of a strategy: as [`derived`](Self::derived),
    /// one for each key.
    pub fn derived_with<K: Key, T: Send + Sync + 'static>(
        &self,
        key: &K,
        make: fn(&Self, &K) -> T,
    ) -> Arc<T> {
        self.snapshot.derived.of(&self.extent).get(key, || make(self, key))
    }

    /// The value for a key, if it is made.
    pub(crate) fn made<K: Key, T: Send + Sync + 'static>(&self, key: &K) -> Option<Arc<T>> {
        self.snapshot.derived.of(&self.extent).made(key)
    }

    /// The instructions for the model that upstreams of this kind have themselves, as far as anything of an upstream is permitted.
    /// Its author knows nothing of callers: who may not use all of it may read a name of the rest.
    pub fn instructions(&self, is_meant: impl Fn(&Provider) -> bool) -> Option<String> {
        let meant = self.providers().filter(|provider| is_meant(provider));
        let mut given =
            meant.filter_map(|provider| Some((&provider.name, provider.instructions.as_deref()?)));
        if self.snapshot.providers.len() == 1 {
            return given.next().map(|(_, text)| text.to_owned());
        }
        let parts: Vec<String> = given.map(|(name, text)| format!("## {name}\n\n{text}")).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    /// Whether everything that an upstream lists is permitted.
    fn permits_all_of(&self, upstream: &str) -> bool {
        self.permits_everything()
            || self.all().all(|(one, is_permitted)| is_permitted || *one.upstream().as_str() != *upstream)
    }

    /// Everything in the snapshot, and whether it is permitted.
    fn all(&self) -> impl Iterator<Item = (Primitive<'_>, bool)> {
        Kind::ALL.into_iter().flat_map(|kind| self.all_of(kind))
    }

    /// Everything of a kind in the snapshot, and whether it is permitted.
    pub(super) fn all_of(&self, kind: Kind) -> impl Iterator<Item = (Primitive<'_>, bool)> {
        let permitted = &self.extent.permitted[kind as usize];
        self.snapshot.primitives(kind).enumerate().map(|(at, one)| (one, permitted.contains(at)))
    }

    pub(crate) fn permits_any_of(&self, upstream: &UpstreamName) -> bool {
        self.permits_everything()
            || self.upstreams.get_or_init(|| self.permitted_upstreams()).contains(upstream)
    }

    pub(crate) fn permits_everything(&self) -> bool {
        self.extent.permitted.iter().all(|selection| matches!(selection, Selection::All))
    }

    fn permitted_upstreams(&self) -> HashSet<UpstreamName> {
        let permitted = self.all().filter(|(_, is_permitted)| *is_permitted);
        permitted.map(|(one, _)| one.upstream().clone()).collect()
    }

    /// The view of someone who may use everything, before filters, under the same reserved names. It is for what must not depend
    /// on who asks, such as which group an operator's text is for: nothing else of it may reach the caller.
    pub fn unrestricted(&self) -> Self {
        let Extent { reserved, shows_concerns, .. } = self.extent.clone();
        let extent = Extent { reserved, shows_concerns, ..Extent::default() };
        Self { extent, ..Self::of(Arc::clone(&self.snapshot), &Principal::anonymous()) }
    }

    /// Up to `count` names of listed tools most similar to an unknown name.
    pub fn nearest(&self, name: &str, count: usize) -> Vec<&str> {
        let names: Vec<&str> = self.tools().map(|tool| tool.name().as_str()).collect();
        nearest::ranked(name, names, count, 0.0)
    }
}
