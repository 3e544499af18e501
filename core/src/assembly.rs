//! How a snapshot is made: upstreams' lists come in, description files are laid over them, rules apply, names that
//! clash are qualified, and what is odd is reported without holding back the rest.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    brought::{Brought, read_entries},
    concern::Concern,
    description::{DescriptionFile, Supplement},
    guard::Guard,
    hints::ListHints,
    idle::{idle_files, idle_renames, idle_resource_rules, idle_rules, idle_switches},
    layout::compact,
    matching::{Item, Matched, Scene},
    name::{ToolName, UpstreamName},
    naming::MAX_CHARACTERS,
    origin::Origin,
    pattern::CLASH_SEPARATOR,
    provider::{OwnGroup, OwnInfo, Provider},
    raw::RawObject,
    rules::Rules,
    snapshot::{Entry, Kind, Snapshot},
    text::RawText,
    tool::Tool,
    uri::Uri,
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
    pub tools: Vec<RawText>,
    /// Its `resources/list`, all pages.
    pub resources: Vec<RawText>,
    /// Its `resources/templates/list`, all pages.
    pub templates: Vec<RawText>,
    /// Its `prompts/list`, all pages.
    pub prompts: Vec<RawText>,
    /// Its `serverInfo`; empty if there is none.
    pub server_info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// What it says of its lists as a whole; without one of a kind that it does not list.
    pub hints: HashMap<Kind, ListHints>,
    /// What it delivers beside the definitions of its tools, by their names: examples and guidance.
    pub supplements: HashMap<String, Supplement>,
    /// The concerns that it declares.
    pub concerns: Vec<Concern>,
    /// Whether it leaves out of its lists by itself what does not fit a client's choices. Otherwise only what the lists say of
    /// concerns, or the operator does, has an effect.
    pub follows_choices: bool,
    /// The groups that it offers.
    pub groups: Vec<OwnGroup>,
    /// What it says by an `info` tool of its own.
    pub info: Option<Arc<OwnInfo>>,
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
            server_info: RawObject::empty(),
            instructions: None,
            hints: HashMap::new(),
            supplements: HashMap::new(),
            concerns: Vec::new(),
            follows_choices: false,
            groups: Vec::new(),
            info: None,
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

/// What snapshots are made of. The lists may be shared: a copy of them would take as much as the snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a, L = UpstreamLists> {
    /// Upstreams' lists, in their order.
    pub upstreams: &'a [L],
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
    /// All description files for tools that no upstream lists.
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
    /// Names that clash are qualified before anything is hidden, so that hiding one tool renames no other.
    pub fn assemble<L: Borrow<UpstreamLists>>(material: Material<'_, L>) -> Self {
        let Material { upstreams, complete, files, rules } = material;
        let upstreams: &[&UpstreamLists] = &upstreams.iter().map(Borrow::borrow).collect::<Vec<_>>();
        let material = Material { upstreams, complete, files, rules };
        let names: HashSet<&str> = upstreams.iter().map(|lists| lists.name.as_str()).collect();
        let scene = Scene { upstreams: &names, alone: complete && upstreams.len() == 1 };
        let mut warnings = Vec::new();
        let tools = assemble_tools(&material, scene, &mut warnings);
        let guard = Guard::new(rules);
        let entries = [
            (Kind::Resources, assemble_resources(upstreams, Kind::Resources, &guard, &mut warnings)),
            (Kind::Templates, assemble_resources(upstreams, Kind::Templates, &guard, &mut warnings)),
            (Kind::Prompts, assemble_prompts(&material, scene, &mut warnings)),
        ];
        warnings.extend(idle_resource_rules(upstreams, rules, &guard));
        let snapshot = Self::new(tools, entries, instructions(upstreams));
        let snapshot = snapshot.provided_by(upstreams.iter().map(|lists| Provider::of(lists)).collect());
        let hints = ListHints::of_all(upstreams, &snapshot);
        snapshot.ruled_by(Arc::clone(rules), guard).warned_of(warnings).hinted(hints).completed(complete)
    }
}

fn assemble_tools(
    material: &Material<'_, &UpstreamLists>,
    scene: Scene<'_>,
    warnings: &mut Vec<Warning>,
) -> Vec<Tool> {
    let brought = Brought::all(material, Kind::Tools, warnings);
    let items: Vec<Item<'_>> = brought.iter().map(Brought::item).collect();
    let rules = material.rules;
    let matched = Matched::of(&rules.tools, &items, scene);
    let mut files = Files::new(material.files, &items);
    let supplements: HashMap<&str, &HashMap<String, Supplement>> =
        material.upstreams.iter().map(|lists| (lists.name.as_str(), &lists.supplements)).collect();
    let origins: HashMap<&str, Arc<Origin>> =
        material.upstreams.iter().map(|lists| (lists.name.as_str(), Arc::new(Origin::of(lists)))).collect();
    let mut tools = Vec::with_capacity(items.len());
    for (tool, said) in brought.iter().zip(&matched.said) {
        let item = tool.item();
        let file = files.take(&item);
        let (Ok(own), Ok(served)) = (ToolName::parse(&tool.own), ToolName::parse(&tool.served)) else {
            continue;
        };
        if said.is_hidden() || rules.is_switched_off(&item) {
            continue;
        }
        warnings.extend(too_long(rules, &item));
        let definition = complete(&served, lay_over(tool.object.clone(), file), warnings);
        let delivered = supplements.get(tool.upstream.as_str()).and_then(|all| all.get(&tool.own));
        let supplement = file.map(|file| file.supplement.clone()).unwrap_or_default();
        let supplement = supplement.over(delivered).ruled_by(said).grouped_by(rules, &tool.upstream);
        let (upstream, original) = (Arc::clone(&tool.upstream), tool.object.clone());
        let origin = origins.get(upstream.as_str()).cloned().unwrap_or_default();
        tools.push(Tool::new(served, own, upstream, origin, original, definition, supplement));
    }
    warnings.extend(idle_files(files.left(), &items));
    warnings.extend(idle_rules(Kind::Tools, &matched, &items));
    warnings.extend(idle_switches(&rules.switches, &items));
    warnings.extend(idle_renames(&rules.naming, &items));
    tools
}

/// A name that its prefix makes too long. One that is too long by itself is the upstream's own choice.
fn too_long(rules: &Rules, item: &Item<'_>) -> Option<Warning> {
    let length = |name: &str| name.chars().count();
    let is_ours = item.is_named() && length(item.own) <= MAX_CHARACTERS;
    let length = length(item.served);
    let naming = rules.naming_of(item.upstream).filter(|_| is_ours && length > MAX_CHARACTERS)?;
    let (place, name) = (naming.place().to_owned(), item.own.to_owned());
    Some(Warning::TooLong { place, name, served: item.served.to_owned(), length })
}

/// Description files by the tools that they are about. A file goes by a tool's own name, or by `upstream__tool`, which
/// is that upstream's tool by whatever name it is served.
struct Files<'f> {
    by_name: HashMap<&'f str, &'f DescriptionFile>,
    all: &'f [DescriptionFile],
    /// How many upstreams bring a tool of a name.
    owners: HashMap<&'f str, usize>,
}

impl<'f> Files<'f> {
    fn new(files: &'f [DescriptionFile], items: &[Item<'f>]) -> Self {
        let by_name = files.iter().map(|file| (&*file.name, file)).collect();
        let mut owners = HashMap::new();
        items.iter().for_each(|item| *owners.entry(item.own).or_default() += 1);
        Self { by_name, all: files, owners }
    }

    fn take(&mut self, item: &Item<'_>) -> Option<&'f DescriptionFile> {
        let qualified = format!("{}{CLASH_SEPARATOR}{}", item.upstream, item.own);
        let owners = |name: &str| self.owners.get(name).copied().unwrap_or_default();
        // Where several upstreams bring a tool of this name, the name means the one that is served by it.
        let is_plain = item.served == item.own || owners(item.own) == 1;
        let is_free = owners(&qualified) == 0;
        let plain = is_plain.then(|| self.by_name.remove(item.own)).flatten();
        plain.or_else(|| is_free.then(|| self.by_name.remove(&*qualified)).flatten())
    }

    fn left(&self) -> impl Iterator<Item = &'f DescriptionFile> {
        self.all.iter().filter(|file| self.by_name.contains_key(&*file.name))
    }
}

fn assemble_resources(
    upstreams: &[&UpstreamLists],
    kind: Kind,
    guard: &Guard,
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for lists in upstreams {
        let upstream = Arc::new(lists.name.clone());
        for (key, text) in read_entries(lists, kind, warnings) {
            let uri = Uri::stated(&key);
            if !guard.hides(&lists.name, &uri) {
                let key: Arc<str> = key.into();
                let entry = Entry::new(Arc::clone(&key), key, Arc::clone(&upstream), text);
                entries.push(entry.ruled_by(&guard.said_of(&lists.name, &uri)));
            }
        }
    }
    entries
}

fn assemble_prompts(
    material: &Material<'_, &UpstreamLists>,
    scene: Scene<'_>,
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let brought = Brought::all(material, Kind::Prompts, warnings);
    let items: Vec<Item<'_>> = brought.iter().map(Brought::item).collect();
    let matched = Matched::of(&material.rules.prompts, &items, scene);
    warnings.extend(idle_rules(Kind::Prompts, &matched, &items));
    let shown = brought.iter().zip(&matched.said).filter(|(_, said)| !said.is_hidden());
    let entry = |prompt: &Brought| {
        let Brought { upstream, own, served, object, .. } = prompt;
        let text = if own == served { object.clone() } else { object.with_value("name", served) };
        Entry::new(served.as_str().into(), own.as_str().into(), Arc::clone(upstream), text)
    };
    shown.map(|(prompt, said)| entry(prompt).ruled_by(said)).collect()
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

fn instructions(upstreams: &[&UpstreamLists]) -> Vec<(UpstreamName, String)> {
    let given = upstreams.iter().filter_map(|lists| Some((lists.name.clone(), lists.instructions.clone()?)));
    given.filter(|(_, text)| !text.trim().is_empty()).collect()
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;
