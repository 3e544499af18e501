//! Cached pages: the prepared responses for each kind of client, per snapshot.

use std::{
    collections::HashSet,
    convert::Infallible,
    hash::Hash,
    sync::{Arc, OnceLock},
};

use mcp_disclosure_core::{
    Advertisement, ClientTraits, Digest, Era, Kind, ListHints, ListSize, Memory, Own, Permits, Principal,
    RawObject, Selected, Shown, Snapshot, ToolName, View, VisibleTool, full::list_with_host_hints,
};
use mcp_disclosure_transport::Json;
use parking_lot::{Mutex, RwLock};
use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, UnitWeighter, Weighter,
    sync::{Cache, DefaultLifecycle},
};

use super::tools::{PreparedManifest, ToolList, leave_out_odd};
use crate::{
    DRAFTS,
    dialect::list_result,
    negotiation::{Choice, EXPLANATIONS, warn_of},
    observe::Costs,
};

/// Maximum size of all pages that are kept, in bytes; those used least are made again.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of pages that are kept, since clients choose what distinguishes them.
const MAX_PAGES: u64 = 4096;
/// The number of entries that a cache is made for; it grows.
const EXPECTED: usize = 8;

/// The current snapshot. Readers of a previous one are not affected by a replacement.
#[derive(Debug)]
pub struct Catalogue(RwLock<Arc<Published>>);

/// A snapshot and the pages made of it so far.
#[derive(Debug)]
pub struct Published {
    snapshot: Arc<Snapshot>,
    /// Each page is made once, however many clients of its kind ask at the same time.
    pages: Cache<PageKey, Arc<Page>, PageWeight>,
    /// Views before filters, in the same way.
    views: Cache<ViewKey, View>,
    /// The strategies whose objections to the snapshot were logged.
    warned: Mutex<HashSet<Arc<str>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ViewKey {
    permits: Permits,
    strategy: Arc<str>,
    traits: ClientTraits,
}

impl ViewKey {
    fn of(principal: &Principal, choice: &Choice) -> Self {
        let (permits, strategy) = (principal.permits().clone(), Arc::clone(&choice.name));
        Self { permits, strategy, traits: choice.traits }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PageKey {
    view: ViewKey,
    /// Whether shared caches may not keep it, whatever is in it.
    is_private: bool,
    memory: Memory,
}

#[derive(Clone, Debug)]
struct PageWeight;

impl Weighter<PageKey, Arc<Page>> for PageWeight {
    fn weight(&self, _key: &PageKey, page: &Arc<Page>) -> u64 {
        // Both bounds in one.
        (page.bytes() as u64).max(MAX_BYTES / MAX_PAGES)
    }
}

/// A cache in one piece: several would divide the bound, and a large page would exceed its share.
fn cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(weight: u64, weighter: W) -> Cache<K, V, W> {
    let mut options = OptionsBuilder::new();
    options.shards(1).estimated_items_capacity(EXPECTED).weight_capacity(weight);
    // The two values that are required are set.
    let options = options.build().expect("the options are complete");
    Cache::with_options(options, weighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

/// What one kind of client sees of a snapshot, ready to send.
#[derive(Debug)]
pub struct Page {
    /// The items visible to the client.
    pub view: View,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// The digest of the list whose changes its strategy announces by a notification of its own.
    pub announced: Option<Digest>,
    /// Whether its list of tools is complete.
    pub is_complete: bool,
    /// What the strategy adds to the handshake.
    pub advertisement: Advertisement,
    /// The names of its strategy's own tools.
    pub own_tools: Vec<String>,
    /// The strategy that was selected for the view, if the client's only selects one.
    pub selected: Option<Selected>,
    /// Whether any of this depends on who the client is, or on what it declares, so that shared caches may not keep it.
    pub is_private: bool,
    /// What its list of tools costs, once an observer counted it.
    pub costs: OnceLock<Costs>,
    /// Whether the client asks for what is not listed by methods of an extension.
    is_partial: bool,
    shown: Shown,
    /// The tools whose definitions count as delivered to a session by its `tools/list`, and their digests.
    pub delivers: Vec<(ToolName, Digest)>,
    /// Its list of tools.
    pub(crate) tools: ToolList,
    resources: Json,
    templates: Json,
    prompts: Json,
    /// Whether any resource or template is listed.
    pub has_resources: bool,
    /// Whether any prompt is listed.
    pub has_prompts: bool,
}

impl Catalogue {
    /// A catalogue of this snapshot.
    pub fn new(snapshot: Snapshot) -> Self {
        Self(RwLock::new(Published::new(snapshot)))
    }

    /// The current snapshot and its pages.
    pub fn current(&self) -> Arc<Published> {
        Arc::clone(&self.0.read())
    }

    /// Replaces the snapshot by another catalogue's, and shares its pages.
    pub fn share(&self, other: Arc<Published>) {
        *self.0.write() = other;
    }

    /// Replaces the snapshot; by that of `like`, if that is the same, to share its pages.
    pub fn replace(&self, snapshot: Snapshot, like: Option<Arc<Published>>) {
        // What is not listed may differ, for example which resources are hidden.
        if !self.current().snapshot.is_same(&snapshot) {
            let shared = like.filter(|like| like.snapshot.is_same(&snapshot));
            self.share(shared.unwrap_or_else(|| Published::new(snapshot)));
        }
    }
}

impl Published {
    fn new(snapshot: Snapshot) -> Arc<Self> {
        let (pages, views) = (cache(MAX_BYTES, PageWeight), cache(MAX_PAGES, UnitWeighter));
        Arc::new(Self { snapshot: Arc::new(snapshot), pages, views, warned: Mutex::default() })
    }

    /// The snapshot itself.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The items visible to a client, before filters. Built on first use, then cached.
    pub fn view(&self, principal: &Principal, choice: &Choice) -> View {
        cached(&self.views, &ViewKey::of(principal, choice), || {
            let view = View::of(Arc::clone(&self.snapshot), principal);
            let view = if choice.traits.tasks { view } else { view.without_tasks() };
            let names = choice.strategy.reserved_names(&view, &choice.traits);
            view.reserving(names)
        })
    }

    /// The page of a client. Built on first use, then cached.
    pub fn page(&self, principal: &Principal, choice: &Choice, memory: &Memory) -> Arc<Page> {
        let is_private = choice.depends_on_client || principal.id().is_some();
        let key = PageKey { view: ViewKey::of(principal, choice), is_private, memory: memory.clone() };
        cached(&self.pages, &key, || {
            // Objections prevent a strategy from serving at startup only; to later snapshots they are warnings, once each.
            if self.warned.lock().insert(Arc::clone(&choice.name)) {
                let everything = View::of(Arc::clone(&self.snapshot), &Principal::anonymous());
                warn_of(&choice.name, "served nevertheless", &choice.strategy.objections(&everything));
            }
            let view = self.view(principal, choice);
            Arc::new(Page::make(view, is_private, choice, memory))
        })
    }
}

/// What a cache has under a key, made if it has nothing.
fn cached<K: Clone + Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(
    cache: &Cache<K, V, W>,
    key: &K,
    make: impl FnOnce() -> V,
) -> V {
    let Ok(made) = cache.get_or_insert_with(key, || Ok::<V, Infallible>(make()));
    made
}

impl Page {
    fn make(view: View, is_private: bool, choice: &Choice, memory: &Memory) -> Self {
        let Choice { strategy, traits, .. } = choice;
        let view = strategy.narrow(view, memory);
        let selected = strategy.selects(&view);
        // Clients are explained when they come, and the catalogue may grow after that.
        if let Some(Selected { name, reason }) = selected.as_ref().filter(|_| !view.is_starting()) {
            tracing::debug!(target: EXPLANATIONS, "{} selects {name}: {reason}", choice.name);
        }
        let mut listing = strategy.list(&view, traits).with_pins(&view);
        let Own { tools: mut own, advertisement } = strategy.own(&view, traits);
        leave_out_odd(&choice.name, (&mut listing.tools, &mut own), &view);
        let shown = Shown::of(&view, &listing);
        // Elsewhere whether a call needs a delivery does not change with the catalogue.
        let complete = selected.iter().flat_map(|_| listing.complete_tools(&view));
        let delivers =
            complete.map(|tool| (tool.tool().key().clone(), tool.tool().entry().digest())).collect();
        listing.tools.extend(own.iter().map(|tool| tool.definition().clone()));
        // Without sessions each request declares whether its client can run tasks.
        let by_tasks = traits.era == Era::Stateless && view.depends_on_tasks();
        let is_private = is_private || !advertisement.is_empty() || by_tasks;
        let hinted = |kind, items: &[RawObject]| {
            let hints = hints(&view, kind, items.len());
            ListHints { private: is_private || hints.private, ..hints }
        };
        let list =
            |kind, items: &[RawObject]| list_result(traits.era, member(kind), items, &hinted(kind, items));
        let with_hints = listing.is_complete.then(|| list_with_host_hints(&view, &listing.tools)).flatten();
        let tools = ToolList {
            hinted: with_hints.map(Into::into),
            era: traits.era,
            hints: hinted(Kind::Tools, &listing.tools),
            own: own.len(),
            manifest: (DRAFTS && traits.manifest && listing.is_complete).then(OnceLock::new),
            tools: listing.tools.into(),
        };
        Self {
            tools,
            resources: list(Kind::Resources, &listing.resources),
            templates: list(Kind::Templates, &listing.templates),
            prompts: list(Kind::Prompts, &listing.prompts),
            has_resources: !listing.resources.is_empty() || !listing.templates.is_empty(),
            has_prompts: !listing.prompts.is_empty(),
            is_complete: listing.is_complete,
            instructions: listing.instructions,
            announced: listing.announced,
            own_tools: own.iter().map(|tool| tool.name().to_owned()).collect(),
            advertisement,
            selected,
            is_private,
            costs: OnceLock::new(),
            is_partial: traits.declared,
            shown,
            delivers,
            view,
        }
    }

    /// Whether `tools/list` shows the schema of this tool of the view.
    pub fn shows_schema(&self, tool: VisibleTool<'_>) -> bool {
        self.shown.contains(tool)
    }

    /// The result of a list method.
    pub fn list(&self, kind: Kind) -> Json {
        match kind {
            Kind::Tools => self.tools.result(false),
            Kind::Resources => self.resources.clone(),
            Kind::Templates => self.templates.clone(),
            Kind::Prompts => self.prompts.clone(),
        }
    }

    /// What of `delivers` the tools of these names are.
    pub fn delivers_of(&self, names: &[String]) -> Vec<(ToolName, Digest)> {
        if self.delivers.is_empty() {
            return Vec::new();
        }
        let tools = names.iter().filter_map(|name| self.view.tool(name));
        let keys: HashSet<&ToolName> = tools.map(|tool| tool.tool().key()).collect();
        self.delivers.iter().filter(|(tool, _)| keys.contains(tool)).cloned().collect()
    }

    /// What the list of tools costs a model.
    pub(crate) fn size(&self) -> ListSize {
        ListSize::of(&self.tools.tools.tools)
    }

    /// How many tools are listed.
    pub fn tool_count(&self) -> usize {
        self.tools.tools.tools.len()
    }

    /// Whether the list of tools is complete, and its manifest is offered.
    pub fn has_manifest(&self) -> bool {
        self.tools.manifest.is_some()
    }

    /// The manifest of the list of tools, if that is complete. Made when it is first needed.
    pub fn manifest(&self) -> Option<&PreparedManifest> {
        self.tools.manifest(&self.view)
    }

    /// The kinds whose lists differ between two pages of a snapshot. Of tools that are not listed, but found otherwise,
    /// nothing else says that there are others.
    pub fn changes(&self, other: &Self) -> Vec<Kind> {
        let are_others = |kind| kind == Kind::Tools && self.is_partial && !self.view.lists_like(&other.view);
        let is_same = |kind| match kind {
            Kind::Tools => self.tools.is_same(&other.tools),
            kind => self.list(kind) == other.list(kind),
        };
        Kind::ALL.into_iter().filter(|kind| !is_same(*kind) || are_others(*kind)).collect()
    }

    /// Whether a resource is unlisted while some are hidden. An upstream's error for an unknown resource
    /// would then distinguish it from a hidden one.
    pub fn is_unlisted_and_guarded(&self, uri: &str) -> bool {
        self.view.guards_resources() && self.view.entry(Kind::Resources, uri).is_none()
    }

    fn bytes(&self) -> usize {
        let lists = [&self.resources, &self.templates, &self.prompts];
        self.tools.bytes() + lists.iter().map(|list| list.as_bytes().len()).sum::<usize>()
    }
}

/// The member of a list's result that has its items.
fn member(kind: Kind) -> &'static str {
    match kind {
        Kind::Tools => "tools",
        Kind::Resources => "resources",
        Kind::Templates => "resourceTemplates",
        Kind::Prompts => "prompts",
    }
}

/// The cache hints for a list of this length. Items that a strategy adds to an upstream's resources,
/// templates and prompts are derived from tools.
fn hints(view: &View, kind: Kind, listed: usize) -> ListHints {
    let hints = view.hints(kind);
    if kind == Kind::Tools || listed == view.entries(kind).count() {
        return hints;
    }
    let meta = hints.meta.clone();
    ListHints { meta, ..hints.and(&view.hints(Kind::Tools)) }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Era, Permits};

    use super::*;
    use crate::{
        builtin,
        dialect::Offer,
        negotiation::{Strategies, StrategyOptions},
    };

    #[test]
    fn a3_views_and_pages_are_made_for_each_set_of_permissions() {
        let published = Published::new(Snapshot::build(&[], &[]));
        let strategies = Strategies::build(&builtin(), &StrategyOptions::default()).unwrap();
        let choice = strategies.choose(None, &Permits::all(), &Offer::default(), Era::Session);
        for number in 0..10_000 {
            let permits = Permits::of_tools([format!("upstream/{}*", number % 20)]);
            let principal = Principal::new(format!("principal {number}"), permits);
            drop(published.page(&principal, &choice, &Memory::default()));
        }
        assert_eq!((published.views.len(), published.pages.len()), (20, 20));
    }
}
