//! The catalogue: everything that can be disclosed, as an immutable snapshot.
//!
//! A change makes a new snapshot; holders of an old one keep a consistent picture. All work that
//! depends on the catalogue alone is done here, once, and never per request.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use crate::{
    catalogue::{
        derived::DerivedByExtent, guard::Guard, lists::ListHints, lock::DefinitionChange,
        matching::MatchedRules, provider::Provider, rules::Rules, shared_uris::SharedUris, tool::Tool,
        uri::Uri, warning::Warning,
    },
    concern::{Concern, Mapping},
    name::{Kind, ToolName, UpstreamName},
    raw::RawObject,
};

/// A resource, resource template or prompt, as its upstream sent it.
#[derive(Debug)]
pub struct Entry {
    key: Arc<str>,
    upstream_key: Arc<str>,
    upstream: UpstreamName,
    text: RawObject,
    mapping: Mapping,
}

impl Entry {
    pub(crate) fn new(
        key: Arc<str>,
        upstream_key: Arc<str>,
        upstream: UpstreamName,
        text: RawObject,
    ) -> Self {
        let mapping = Mapping::of_meta(&text);
        Self { key, upstream_key, upstream, text, mapping }
    }

    /// The same with what rules say of concerns laid over what its upstream says.
    pub(crate) fn ruled_by(self, said: &MatchedRules<'_>) -> Self {
        let said = said.concerns(None);
        Self { mapping: said.iter().fold(self.mapping, |mapping, said| mapping.with(said.text())), ..self }
    }

    /// Its `uri`, `uriTemplate` or (served) `name`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key its upstream knows it by; differs where names or URIs clash.
    pub fn upstream_key(&self) -> &str {
        &self.upstream_key
    }

    /// Who brings it.
    pub fn upstream(&self) -> &UpstreamName {
        &self.upstream
    }

    /// The object as sent.
    pub fn text(&self) -> &RawObject {
        &self.text
    }

    /// What it means for concerns.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }
}

/// A primitive that a filter keeps or leaves out.
#[derive(Clone, Copy, Debug)]
pub enum Primitive<'a> {
    /// A tool.
    Tool(&'a Tool),
    /// A resource, resource template or prompt.
    Entry(Kind, &'a Entry),
}

impl<'a> Primitive<'a> {
    /// Its values for concerns.
    pub fn mapping(self) -> &'a Mapping {
        match self {
            Self::Tool(tool) => tool.mapping(),
            Self::Entry(_, entry) => entry.mapping(),
        }
    }

    /// Who brings it.
    pub(crate) fn upstream(self) -> &'a UpstreamName {
        match self {
            Self::Tool(tool) => tool.upstream(),
            Self::Entry(_, entry) => entry.upstream(),
        }
    }

    /// The key its upstream knows it by.
    pub(crate) fn own_key(self) -> &'a str {
        match self {
            Self::Tool(tool) => tool.upstream_name(),
            Self::Entry(_, entry) => entry.upstream_key(),
        }
    }
}

/// A catalogue's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The server's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A description of one sentence.
    pub description: String,
    /// Facts about the server, such as `gpu_available`: any JSON, by name.
    pub facts: RawObject,
    /// The declared categories, in the order in which they are shown.
    pub categories: Vec<Category>,
    /// The declared concerns. Names are unique.
    pub concerns: Vec<Concern>,
}

/// A declared category. Tools can name undeclared ones, which have no description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// An immutable catalogue.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: Vec<Arc<Tool>>,
    by_name: HashMap<ToolName, usize>,
    by_qualified: HashMap<ToolName, usize>,
    entries: HashMap<Kind, Entries>,
    pub(super) hints: HashMap<Kind, ListHints>,
    /// What upstreams say of themselves, in their order.
    pub(super) providers: Vec<Provider>,
    about: About,
    pub(super) rules: Arc<Rules>,
    pub(super) guard: Guard,
    pub(super) shared: SharedUris,
    pub(super) warnings: Vec<Warning>,
    /// Names that are taken even in their long form; only the first tool of each is served.
    stuck: Vec<ToolName>,
    mirrors_arguments: OnceLock<bool>,
    /// Whether every upstream has listed what it has.
    pub(super) complete: bool,
    /// What strategies derive from its views.
    pub(super) derived: DerivedByExtent,
    /// Whether an upstream has not been tried yet, and nothing is remembered of it.
    starting: bool,
}

/// Everything of one kind, findable by key.
#[derive(Debug, Default)]
struct Entries {
    items: Vec<Entry>,
    by_key: HashMap<Arc<str>, usize>,
}

impl Entries {
    fn new(items: Vec<Entry>) -> Self {
        let mut by_key = HashMap::with_capacity(items.len());
        for (at, entry) in items.iter().enumerate() {
            by_key.entry(Arc::clone(&entry.key)).or_insert(at);
        }
        Self { items, by_key }
    }
}

impl Snapshot {
    pub(crate) fn new(tools: Vec<Arc<Tool>>, entries: impl IntoIterator<Item = (Kind, Vec<Entry>)>) -> Self {
        let mut by_name = HashMap::with_capacity(tools.len());
        let mut stuck = Vec::new();
        let mut served: Vec<Arc<Tool>> = Vec::with_capacity(tools.len());
        for tool in tools {
            if by_name.contains_key(tool.key()) {
                stuck.push(tool.key().clone());
                continue;
            }
            by_name.insert(tool.key().clone(), served.len());
            served.push(tool);
        }
        let by_qualified =
            served.iter().enumerate().map(|(at, tool)| (tool.qualified().clone(), at)).collect();
        let entries = entries.into_iter().map(|(kind, items)| (kind, Entries::new(items))).collect();
        Self { tools: served, by_name, by_qualified, entries, stuck, ..Self::default() }
    }

    /// What upstreams say of a list as a whole.
    pub(crate) fn hints(&self, kind: Kind) -> ListHints {
        self.hints.get(&kind).cloned().unwrap_or_default()
    }

    /// Whether anything of an upstream has values for a concern.
    pub fn maps(&self, upstream: &str, concern: &str) -> bool {
        let mut own = self.all().filter(|one| *one.upstream().as_str() == *upstream);
        own.any(|one| one.mapping().iter().any(|(name, _)| name == concern))
    }

    /// Everything, by kind.
    fn all(&self) -> impl Iterator<Item = Primitive<'_>> {
        Kind::ALL.into_iter().flat_map(|kind| self.primitives(kind))
    }

    /// Everything of a kind, in order.
    pub(crate) fn primitives(&self, kind: Kind) -> impl Iterator<Item = Primitive<'_>> {
        let tools: &[Arc<Tool>] = if kind == Kind::Tools { self.tools() } else { &[] };
        let entries = self.entries(kind).iter().map(move |entry| Primitive::Entry(kind, entry));
        tools.iter().map(|tool| Primitive::Tool(tool)).chain(entries)
    }

    /// What is odd about what upstreams and rules say.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether any resource of any upstream may be hidden from clients.
    pub fn guards_resources(&self) -> bool {
        self.guard.is_on()
    }

    /// Whether what an upstream says of one of its resources is for no client.
    pub fn hides_resource(&self, upstream: &str, uri: &str) -> bool {
        self.guard.hides_any() && self.guard.hides(upstream, &Uri::stated(uri))
    }

    /// The same, with what it says of itself as a whole.
    pub fn about_itself(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// Whether every configured upstream has listed what it has: what is missing now may still come otherwise.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The same, made while upstreams are starting of which nothing is known: neither that they list anything nor that they
    /// fail.
    pub fn while_starting(self, starting: bool) -> Self {
        Self { starting, ..self }
    }

    /// Whether it was made while such upstreams were starting.
    pub fn is_starting(&self) -> bool {
        self.starting
    }

    /// What it says of itself as a whole.
    pub fn about(&self) -> &About {
        &self.about
    }

    pub(crate) fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// The tools of each upstream that exist, by its own names.
    pub fn own_names(&self) -> HashMap<&UpstreamName, HashSet<&ToolName>> {
        let mut names: HashMap<&UpstreamName, HashSet<&ToolName>> = HashMap::new();
        for tool in &self.tools {
            names.entry(tool.upstream()).or_default().insert(tool.upstream_name());
        }
        names
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn qualified_position(&self, name: &str) -> Option<usize> {
        self.by_qualified.get(name).copied()
    }

    pub(crate) fn entries(&self, kind: Kind) -> &[Entry] {
        self.entries.get(&kind).map_or(&[], |entries| &entries.items)
    }

    /// The resource, template or prompt of this key, and its position.
    pub(crate) fn entry(&self, kind: Kind, key: &str) -> Option<(usize, &Entry)> {
        let entries = self.entries.get(&kind)?;
        let at = *entries.by_key.get(key)?;
        Some((at, &entries.items[at]))
    }

    /// What each upstream says to models of itself.
    pub fn own_instructions(&self) -> impl Iterator<Item = (&UpstreamName, &str)> {
        self.providers.iter().filter_map(|provider| Some((&provider.name, provider.instructions.as_deref()?)))
    }

    /// How a tool's definition differs from the one that was reviewed; `None` if it does not, or none was.
    pub fn drift(&self, tool: &Tool) -> Option<DefinitionChange> {
        let change = self.rules.review.lock.change(tool.upstream(), tool.upstream_name(), tool.original());
        change.filter(|change| change.before.is_some())
    }

    /// How many tools there are.
    pub fn tool_count(&self) -> usize {
        self.tools.len()
    }

    /// Whether any tool has arguments that are mirrored in HTTP headers. Computed at first use.
    pub fn mirrors_arguments(&self) -> bool {
        let mirrors = || self.tools.iter().any(|tool| !tool.mirrored().is_empty());
        *self.mirrors_arguments.get_or_init(mirrors)
    }

    /// The names that clash even so: `<upstream>__<tool>` is taken, too. `own_tools` are names that a
    /// strategy needs for itself.
    pub fn unresolvable(&self, own_tools: &[&str]) -> Vec<ToolName> {
        let clashes = own_tools.iter().filter_map(|own| self.position(own));
        let stuck = clashes.filter(|at| {
            let qualified = self.tools[*at].qualified();
            self.position(qualified).is_some_and(|other| other != *at)
        });
        self.stuck.iter().cloned().chain(stuck.map(|at| self.tools[at].key().clone())).collect()
    }

    /// Whether two snapshots say the same, and have it from the same upstreams.
    pub fn is_same(&self, other: &Self) -> bool {
        let mut tools = self.tools.iter().zip(&other.tools);
        self.changes(other).is_empty()
            && self.providers == other.providers
            && self.rules == other.rules
            && self.hints == other.hints
            && self.complete == other.complete
            && self.starting == other.starting
            && tools.all(|(one, other)| one.original() == other.original())
            && self.all().zip(other.all()).all(|(a, b)| a.upstream() == b.upstream())
    }
}
