//! How a snapshot is made: upstreams' lists come in, description files are laid over them, rules apply, names that
//! clash are told apart, and what is odd is reported without holding back the rest.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::value::RawValue;

use crate::{
    description::DescriptionFile,
    guard::Guard,
    hints::ListHints,
    layout::compact,
    matching::{Item, Matched, Scene},
    name::{ToolName, UpstreamName},
    pattern::{CLASH_SEPARATOR, SEPARATOR},
    raw::RawObject,
    rules::{Rule, Rules, Switches},
    snapshot::{Entry, Kind, Snapshot},
    spellings::Spellings,
    tool::Tool,
    warning::{Unmatched, Warning},
};

/// What one upstream brings: its lists, item by item as they were sent.
#[derive(Clone, Debug)]
pub struct UpstreamLists {
    /// The upstream.
    pub name: UpstreamName,
    /// Whether it chose that name, since the operator gave it none.
    pub self_named: bool,
    /// Its `tools/list`, all pages.
    pub tools: Vec<Box<RawValue>>,
    /// Its `resources/list`, all pages.
    pub resources: Vec<Box<RawValue>>,
    /// Its `resources/templates/list`, all pages.
    pub templates: Vec<Box<RawValue>>,
    /// Its `prompts/list`, all pages.
    pub prompts: Vec<Box<RawValue>>,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// What it says of its lists as a whole; without one of a kind that it does not list.
    pub hints: HashMap<Kind, ListHints>,
}

impl UpstreamLists {
    /// An upstream that brings nothing.
    pub fn empty(name: UpstreamName) -> Self {
        Self {
            name,
            self_named: false,
            tools: vec![],
            resources: vec![],
            templates: vec![],
            prompts: vec![],
            instructions: None,
            hints: HashMap::new(),
        }
    }

    /// How many things of a kind it lists.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Tools => self.tools.len(),
            Kind::Resources => self.resources.len(),
            Kind::Templates => self.templates.len(),
            Kind::Prompts => self.prompts.len(),
        }
    }
}

/// What snapshots are made of.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// Upstreams' lists, in their order.
    pub upstreams: &'a [UpstreamLists],
    /// Whether these are all the upstreams that were configured.
    pub complete: bool,
    /// The files laid over them.
    pub files: &'a [DescriptionFile],
    /// What is said of them.
    pub rules: &'a Arc<Rules>,
}

impl Snapshot {
    /// Builds a snapshot of upstreams' lists, in their order, and the files laid over them.
    ///
    /// # Errors
    /// All description files that name a tool nobody brings.
    pub fn build(
        upstreams: &[UpstreamLists],
        files: &[DescriptionFile],
    ) -> Result<(Self, Vec<Warning>), Vec<Unmatched>> {
        let snapshot = Self::assemble(Material { upstreams, complete: true, files, rules: &Arc::default() });
        let warnings = snapshot.warnings().to_vec();
        let unmatched = warnings.iter().filter_map(|warning| match warning {
            Warning::Unmatched(unmatched) => Some(unmatched.clone()),
            _ => None,
        });
        let unmatched: Vec<Unmatched> = unmatched.collect();
        if unmatched.is_empty() { Ok((snapshot, warnings)) } else { Err(unmatched) }
    }

    /// Makes a snapshot. What is declared for things that no upstream lists is left out, with a warning in
    /// [`warnings`](Self::warnings).
    ///
    /// Names that clash are told apart before anything is hidden, so that hiding one tool renames no other.
    pub fn assemble(material: Material<'_>) -> Self {
        let Material { upstreams, complete, rules, .. } = material;
        let names: HashSet<&str> = upstreams.iter().map(|lists| lists.name.as_str()).collect();
        let scene = Scene { upstreams: &names, alone: complete && upstreams.len() == 1 };
        let mut warnings = Vec::new();
        let tools = assemble_tools(&material, scene, &mut warnings);
        let guard = Guard::new(rules);
        let entries = [
            (Kind::Resources, assemble_resources(upstreams, Kind::Resources, &guard, &mut warnings)),
            (Kind::Templates, assemble_resources(upstreams, Kind::Templates, &guard, &mut warnings)),
            (Kind::Prompts, assemble_prompts(upstreams, rules, scene, &mut warnings)),
        ];
        warnings.extend(idle_resource_rules(upstreams, rules, &guard));
        let snapshot = Self::new(tools, entries, instructions(upstreams));
        let hints = ListHints::of_all(upstreams, &snapshot);
        snapshot.ruled_by(Arc::clone(rules), guard).warned_of(warnings).hinted(hints)
    }
}

/// A tool or prompt as an upstream brings it.
struct Brought {
    upstream: Arc<UpstreamName>,
    self_named: bool,
    /// Its own name.
    own: String,
    /// The name it is served by: its own, or `<upstream>__<own>` where another upstream brings that, too.
    served: String,
    object: RawObject,
}

impl Brought {
    /// Everything of a kind that goes by a name.
    fn all(upstreams: &[UpstreamLists], kind: Kind, warnings: &mut Vec<Warning>) -> Vec<Self> {
        let found: Vec<_> = upstreams.iter().map(|lists| read_entries(lists, kind, warnings)).collect();
        let clashing = clashing(found.iter().map(|own| own.iter().map(|(name, _)| &**name)));
        let mut all = Vec::with_capacity(found.iter().map(Vec::len).sum());
        for (lists, found) in upstreams.iter().zip(found) {
            let (upstream, self_named) = (Arc::new(lists.name.clone()), lists.self_named);
            all.extend(found.into_iter().map(|(own, object)| {
                let clashes = clashing.contains(&own);
                let served = if clashes { format!("{upstream}{CLASH_SEPARATOR}{own}") } else { own.clone() };
                Self { upstream: Arc::clone(&upstream), self_named, own, served, object }
            }));
        }
        all
    }

    fn item(&self) -> Item<'_> {
        let Self { upstream, self_named, own, served, .. } = self;
        Item { upstream, own, served, self_named: *self_named }
    }
}

fn assemble_tools(material: &Material<'_>, scene: Scene<'_>, warnings: &mut Vec<Warning>) -> Vec<Tool> {
    let brought = Brought::all(material.upstreams, Kind::Tools, warnings);
    let items: Vec<Item<'_>> = brought.iter().map(Brought::item).collect();
    let matched = Matched::of(&material.rules.tools, &items, scene);
    let mut files = Files::new(material.files, &items);
    let mut tools = Vec::with_capacity(items.len());
    for (tool, said) in brought.iter().zip(&matched.said) {
        let file = files.take(&tool.item());
        let (Ok(own), Ok(served)) = (ToolName::parse(&tool.own), ToolName::parse(&tool.served)) else {
            continue;
        };
        if said.is_hidden() || material.rules.is_switched_off(&tool.upstream, &tool.own) {
            continue;
        }
        let definition = complete(&served, lay_over(tool.object.clone(), file), warnings);
        let supplement = file.map(|file| file.supplement.clone()).unwrap_or_default().ruled_by(said);
        let (upstream, original) = (Arc::clone(&tool.upstream), tool.object.clone());
        tools.push(Tool::new(served, own, upstream, original, definition, supplement));
    }
    warnings.extend(files.left().map(|file| {
        Warning::unmatched(file.path.clone(), Kind::Tools, &file.name, &candidates(&items, &file.name))
    }));
    report(Kind::Tools, &matched, &items, warnings);
    warnings.extend(idle_switches(&material.rules.switches, &items));
    tools
}

/// Description files by the tools that they are about. A file that is called `upstream__tool` is about that
/// upstream's tool whether or not it is served by that name.
struct Files<'f> {
    by_name: HashMap<&'f str, &'f DescriptionFile>,
    all: &'f [DescriptionFile],
    /// Names that tools are served by; what has one is about that tool.
    served: HashSet<&'f str>,
}

impl<'f> Files<'f> {
    fn new(files: &'f [DescriptionFile], items: &[Item<'f>]) -> Self {
        let by_name = files.iter().map(|file| (&*file.name, file)).collect();
        Self { by_name, all: files, served: items.iter().map(|item| item.served).collect() }
    }

    fn take(&mut self, item: &Item<'_>) -> Option<&'f DescriptionFile> {
        let qualified = format!("{}{CLASH_SEPARATOR}{}", item.upstream, item.own);
        let is_free = !self.served.contains(&*qualified);
        let named = self.by_name.remove(item.served);
        named.or_else(|| is_free.then(|| self.by_name.remove(&*qualified)).flatten())
    }

    fn left(&self) -> impl Iterator<Item = &'f DescriptionFile> {
        self.all.iter().filter(|file| self.by_name.contains_key(&*file.name))
    }
}

/// What is said of things that are not there.
fn report(kind: Kind, matched: &Matched<'_>, items: &[Item<'_>], warnings: &mut Vec<Warning>) {
    let (wild, exact): (Vec<&Rule>, Vec<&Rule>) =
        matched.unused.iter().partition(|rule| rule.pattern.is_wild());
    warnings.extend(exact.into_iter().map(|rule| {
        let name = rule.pattern.text();
        Warning::unmatched(rule.place.clone(), kind, name, &candidates(items, name))
    }));
    warnings.extend(wild.into_iter().map(|rule| Warning::nothing_matches(kind, &rule.place, &rule.pattern)));
}

/// The patterns of switches that match no tool of their upstream; an upstream that lists nothing may not be there.
fn idle_switches(switches: &[Switches], items: &[Item<'_>]) -> Vec<Warning> {
    let mut idle = Vec::new();
    for switches in switches {
        let own = items.iter().filter(|item| **item.upstream == *switches.upstream);
        let own: Vec<String> = own.map(|item| item.own.to_owned()).collect();
        let unused = switches.patterns().filter(|pattern| own.iter().all(|name| !pattern.matches(name)));
        idle.extend(unused.filter(|_| !own.is_empty()).map(|pattern| match pattern.is_wild() {
            true => Warning::nothing_matches(Kind::Tools, &switches.place, pattern),
            false => Warning::unmatched(switches.place.clone(), Kind::Tools, pattern.text(), &own),
        }));
    }
    idle
}

/// The names that may have been meant, in the form in which one was written.
fn candidates(items: &[Item<'_>], written: &str) -> Vec<String> {
    let qualified = written.contains(SEPARATOR);
    let name = |item: &Item<'_>| match qualified {
        true => format!("{}{SEPARATOR}{}", item.upstream, item.own),
        false => item.served.to_owned(),
    };
    items.iter().map(name).collect()
}

/// The items of a kind that one upstream lists, by key.
fn read_entries(lists: &UpstreamLists, kind: Kind, warnings: &mut Vec<Warning>) -> Vec<(String, RawObject)> {
    let items = match kind {
        Kind::Tools => &lists.tools,
        Kind::Resources => &lists.resources,
        Kind::Templates => &lists.templates,
        Kind::Prompts => &lists.prompts,
    };
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    for item in items {
        let Some((key, object)) = keyed(lists, kind, item, warnings) else { continue };
        // A URI listed twice is harmless; the second tool or prompt of a name could not be reached.
        let by_uri = matches!(kind, Kind::Resources | Kind::Templates);
        if seen.insert(key.clone()) || by_uri {
            entries.push((key, object));
        } else {
            warnings.push(Warning::Twice { upstream: lists.name.clone(), kind, key });
        }
    }
    entries
}

fn assemble_resources(
    upstreams: &[UpstreamLists],
    kind: Kind,
    guard: &Guard,
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for lists in upstreams {
        let upstream = Arc::new(lists.name.clone());
        for (key, text) in read_entries(lists, kind, warnings) {
            let uri = Spellings::of(&key);
            if !guard.hides(&lists.name, &uri) {
                let key: Arc<str> = key.into();
                let entry = Entry::new(Arc::clone(&key), key, Arc::clone(&upstream), text);
                entries.push(entry.ruled_by(&guard.said_of(&lists.name, &uri)));
            }
        }
    }
    entries
}

/// A resource need not be listed to be read, so that a rule may be about something all the same.
fn idle_resource_rules(upstreams: &[UpstreamLists], rules: &Rules, guard: &Guard) -> Vec<Warning> {
    let mut used = vec![false; rules.resources.len()];
    if !used.is_empty() {
        for lists in upstreams {
            for kind in [Kind::Resources, Kind::Templates] {
                let keys = read_entries(lists, kind, &mut Vec::new()).into_iter().map(|(key, _)| key);
                keys.for_each(|key| guard.mark_used(&lists.name, &Spellings::of(&key), &mut used));
            }
        }
    }
    let idle = rules.resources.iter().zip(used).filter(|(_, used)| !used);
    idle.map(|(rule, _)| Warning::nothing_matches(Kind::Resources, &rule.place, &rule.pattern)).collect()
}

fn assemble_prompts(
    upstreams: &[UpstreamLists],
    rules: &Rules,
    scene: Scene<'_>,
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let brought = Brought::all(upstreams, Kind::Prompts, warnings);
    let items: Vec<Item<'_>> = brought.iter().map(Brought::item).collect();
    let matched = Matched::of(&rules.prompts, &items, scene);
    report(Kind::Prompts, &matched, &items, warnings);
    let shown = brought.iter().zip(&matched.said).filter(|(_, said)| !said.is_hidden());
    let entry = |prompt: &Brought| {
        let Brought { upstream, own, served, object, .. } = prompt;
        let text = if own == served { object.clone() } else { object.with_value("name", served) };
        Entry::new(served.as_str().into(), own.as_str().into(), Arc::clone(upstream), text)
    };
    shown.map(|(prompt, said)| entry(prompt).ruled_by(said)).collect()
}

/// The item as an object and the name it goes by, or a warning.
fn keyed(
    lists: &UpstreamLists,
    kind: Kind,
    item: &RawValue,
    warnings: &mut Vec<Warning>,
) -> Option<(String, RawObject)> {
    let key = match kind {
        Kind::Tools | Kind::Prompts => "name",
        Kind::Resources => "uri",
        Kind::Templates => "uriTemplate",
    };
    let object = RawObject::parse(item.get()).ok();
    let named = object.and_then(|object| Some((object.string(key)?, object)));
    let named = named.filter(|(name, _)| !name.is_empty());
    if named.is_none() {
        let shown = crate::brief::shorten(item.get(), 80);
        warnings.push(Warning::Unnamed { upstream: lists.name.clone(), kind, key, shown });
    }
    named
}

/// The names that more than one upstream brings.
fn clashing<'a>(found: impl Iterator<Item = impl Iterator<Item = &'a str>>) -> HashSet<String> {
    let mut seen = HashSet::new();
    let mut clashing = HashSet::new();
    for names in found {
        let own: HashSet<&str> = names.collect();
        for name in own {
            if !seen.insert(name) {
                clashing.insert(name.to_owned());
            }
        }
    }
    clashing
}

fn lay_over(definition: RawObject, file: Option<&DescriptionFile>) -> RawObject {
    let Some(file) = file else { return definition };
    file.overlay.iter().fold(definition, |definition, (key, value)| {
        // How a file is indented is no change, and a model would pay for it.
        let (value, own) = (compact(value), definition.member(key).map(compact));
        if own.as_deref() == Some(&*value) { definition } else { definition.with(key, &value) }
    })
}

fn complete(name: &ToolName, definition: RawObject, warnings: &mut Vec<Warning>) -> RawObject {
    if definition.member("inputSchema").is_some() {
        return definition;
    }
    warnings.push(Warning::NoSchema { tool: name.clone() });
    definition.with("inputSchema", r#"{"type":"object"}"#)
}

fn instructions(upstreams: &[UpstreamLists]) -> Option<String> {
    let told = upstreams.iter().filter_map(|lists| Some((&lists.name, lists.instructions.as_deref()?)));
    let told: Vec<_> = told.filter(|(_, text)| !text.trim().is_empty()).collect();
    match told.as_slice() {
        [] => None,
        [(_, text)] if upstreams.len() == 1 => Some((*text).to_owned()),
        several => {
            let parts: Vec<_> = several.iter().map(|(name, text)| format!("## {name}\n\n{text}")).collect();
            Some(parts.join("\n\n"))
        }
    }
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;
