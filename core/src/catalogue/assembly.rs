//! How a snapshot is made: upstreams' lists come in, description files are laid over them, rules apply, names that
//! clash are qualified, and what is odd is reported without holding back the rest.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    catalogue::{
        description::{DescriptionFile, Supplement},
        guard::Guard,
        idle::{idle_files, idle_members, idle_renames, idle_resource_rules, idle_rules, idle_switches},
        listed_items::read_entries,
        lists::{ListHints, Material, UpstreamLists},
        matching::{Item, KnownUpstreams, Matched, MatchedRules},
        naming::MAX_CHARACTERS,
        pages::{self, with_pages},
        pattern::CLASH_SEPARATOR,
        provider::{OwnInfo, Provider},
        rules::Rules,
        shared_uris::SharedUris,
        snapshot::{Entry, Snapshot},
        tool::Tool,
        uri::Uri,
        warning::Warning,
    },
    layout::compact,
    name::{Kind, ToolName, UpstreamName},
    raw::RawObject,
};

impl Snapshot {
    /// Makes a snapshot of upstreams' lists, in their order, and the files laid over them, without rules.
    pub fn build(upstreams: &[UpstreamLists], files: &[DescriptionFile]) -> Self {
        Self::assemble(Material { upstreams, complete: true, files, rules: &Arc::default() })
    }

    /// Makes a snapshot. What is declared for things that no upstream lists is left out, with a warning in
    /// [`warnings`](Self::warnings).
    ///
    /// Names that clash are qualified before anything is hidden, so that hiding one tool renames no other.
    pub fn assemble<L: Borrow<UpstreamLists>>(material: Material<'_, L>) -> Self {
        Self::assemble_after(&Self::default(), material, &[])
    }

    /// The same of what changed since another snapshot was made. It shares the tools that did not, with what was found out about
    /// them. Of upstreams that are `gone` for a while nothing is served, and what others serve keeps its name until they are back.
    pub fn assemble_after<L: Borrow<UpstreamLists>>(
        before: &Self,
        material: Material<'_, L>,
        gone: &[L],
    ) -> Self {
        let Material { upstreams, complete, files, rules } = material;
        let all: &[&UpstreamLists] = &upstreams.iter().chain(gone).map(Borrow::borrow).collect::<Vec<_>>();
        let (upstreams, gone) = all.split_at(upstreams.len());
        let material = Material { upstreams: all, complete, files, rules };
        let names: HashSet<&str> = all.iter().map(|lists| lists.name.as_str()).collect();
        let known = KnownUpstreams { upstreams: &names, alone: complete && all.len() == 1 };
        let mut warnings = Vec::new();
        let guard = Guard::new(rules, all);
        let shared = SharedUris::of(all, &guard);
        let mut tools = assemble_tools((before, &material), known, &shared, &mut warnings);
        let ruled = (&guard, &shared);
        let mut entries = [
            (Kind::Resources, assemble_resources(all, Kind::Resources, ruled, &mut warnings)),
            (Kind::Templates, assemble_resources(all, Kind::Templates, ruled, &mut warnings)),
            (Kind::Prompts, assemble_prompts(&material, known, &mut warnings)),
        ];
        let is_there = |upstream: &UpstreamName| gone.iter().all(|lists| lists.name != *upstream);
        tools.retain(|tool| is_there(tool.upstream()));
        entries.iter_mut().for_each(|(_, entries)| entries.retain(|entry| is_there(entry.upstream())));
        warnings.extend(idle_resource_rules(all, rules, &guard));
        // How much exists of each upstream, and whether that is a tool by which it says something of itself.
        let mut existing: HashMap<&UpstreamName, (usize, bool)> = HashMap::new();
        let own = tools.iter().map(|tool| (tool.upstream(), tool.upstream_name().as_str() == OwnInfo::TOOL));
        let others = entries.iter().flat_map(|(_, entries)| entries).map(|entry| (entry.upstream(), false));
        for (upstream, is_info) in own.chain(others) {
            let (count, says) = existing.entry(upstream).or_default();
            (*count, *says) = (*count + 1, *says || is_info);
        }
        let provider = |lists: &&UpstreamLists| {
            let (count, says) = existing.get(&lists.name).copied().unwrap_or_default();
            let provider = Provider::of(lists, count);
            // What it says by a tool that is hidden is hidden, too.
            Provider { info: provider.info.filter(|_| says), ..provider }
        };
        let providers = upstreams.iter().map(provider).collect();
        let mut snapshot = Self::new(tools, entries);
        (snapshot.rules, snapshot.guard, snapshot.shared) = (Arc::clone(rules), guard, shared);
        (snapshot.hints, snapshot.complete) = (hints(upstreams, &snapshot), complete);
        (snapshot.providers, snapshot.warnings) = (providers, warnings);
        snapshot
    }
}

fn assemble_tools(
    (before, material): (&Snapshot, &Material<'_, &UpstreamLists>),
    known: KnownUpstreams<'_>,
    shared: &SharedUris,
    warnings: &mut Vec<Warning>,
) -> Vec<Arc<Tool>> {
    let items = Item::all(material, Kind::Tools, warnings);
    let rules = material.rules;
    let matched = Matched::of(&rules.tools, &items, known);
    let exists =
        |(tool, said): &(&Item, &MatchedRules<'_>)| !said.is_hidden() && !rules.is_switched_off(tool);
    let (shown, hidden): (Vec<_>, Vec<_>) = items.iter().zip(&matched.said).partition(exists);
    let mut files = Files::new(material.files, shown.iter().map(|(tool, _)| *tool));
    let supplements: HashMap<&str, &HashMap<String, Supplement>> =
        material.upstreams.iter().map(|lists| (lists.name.as_str(), &lists.supplements)).collect();
    let mut tools = Vec::with_capacity(items.len());
    for (tool, said) in shown {
        // A file by a bare name is that of a tool that exists.
        let file = if tool.is_held_as_new() { None } else { files.take(tool) };
        let (Ok(own), Ok(served)) = (ToolName::parse(&tool.own), ToolName::parse(&tool.served)) else {
            continue;
        };
        if let Some(change) = &tool.held {
            let (upstream, change) = (tool.upstream.clone(), change.clone());
            warnings.push(Warning::Held { upstream, change });
            continue;
        }
        warnings.extend(too_long(rules, tool));
        let paged = with_pages(&tool.object, |uri| shared.served(&tool.upstream, uri));
        let definition = lay_over(paged.unwrap_or_else(|| tool.object.clone()), file);
        let definition = complete(&served, definition, warnings);
        let delivered = supplements.get(tool.upstream.as_str()).and_then(|all| all.get(&tool.own));
        let supplement = file.map(|file| file.supplement.clone()).unwrap_or_default();
        let mut supplement = supplement.over(delivered).ruled_by(said).grouped_by(rules, &tool.upstream);
        supplement.paged = !rules.unpinned_pages && pages::has_use_for(&tool.object);
        let known = before.position(&served).map(|at| &before.tools()[at]);
        let known = known.filter(|known| known.is_of(&tool.upstream, &own, &tool.object));
        tools.push(match known.filter(|known| known.is_with(&definition, &supplement)) {
            Some(known) => Arc::clone(known),
            None => {
                let (upstream, original) = (tool.upstream.clone(), tool.object.clone());
                Arc::new(Tool::new(served, own, upstream, original, definition, supplement))
            }
        });
    }
    // A file of a hidden tool is not idle.
    for (tool, _) in hidden {
        files.take(tool);
    }
    warnings.extend(idle_files(files.left(), &items));
    warnings.extend(idle_members(material.files));
    warnings.extend(idle_rules(Kind::Tools, &matched, &items));
    warnings.extend(idle_switches(&rules.switches, &items));
    warnings.extend(idle_renames(&rules.naming, &items));
    tools
}

/// A name that its prefix makes too long. One that is too long by itself is the upstream's own choice.
fn too_long(rules: &Rules, item: &Item) -> Option<Warning> {
    let length = |name: &str| name.chars().count();
    let is_ours = item.is_named() && length(&item.own) <= MAX_CHARACTERS;
    let length = length(&item.served);
    let naming = rules.naming_of(&item.upstream).filter(|_| is_ours && length > MAX_CHARACTERS)?;
    let (place, name, served) = (&naming.place, &item.own, &item.served);
    Some(Warning::TooLong(format!(
        "{place}: with its prefix, tool '{name}' is served as '{served}', which has {length} characters; \
         hosts refuse more than {MAX_CHARACTERS}, so give it a shorter name with rename"
    )))
}

/// Description files by the tools that they are about. A file goes by a tool's own name, or by `upstream__tool`, which
/// is that upstream's tool by whatever name it is served.
struct Files<'f> {
    by_name: HashMap<&'f str, &'f DescriptionFile>,
    all: &'f [DescriptionFile],
    /// How many upstreams bring a tool of a name that exists.
    owners: HashMap<&'f str, usize>,
}

impl<'f> Files<'f> {
    fn new(files: &'f [DescriptionFile], shown: impl Iterator<Item = &'f Item>) -> Self {
        let by_name = files.iter().map(|file| (&*file.name, file)).collect();
        let mut owners = HashMap::new();
        shown
            .filter(|item| !item.is_held_as_new())
            .for_each(|item| *owners.entry(&*item.own).or_default() += 1);
        Self { by_name, all: files, owners }
    }

    fn take(&mut self, item: &Item) -> Option<&'f DescriptionFile> {
        let qualified = format!("{}{CLASH_SEPARATOR}{}", item.upstream, item.own);
        let owners = |name: &str| self.owners.get(name).copied().unwrap_or_default();
        // Where several upstreams bring a tool of this name, the name means the one that is served by it.
        let is_plain = item.served == item.own || owners(&item.own) <= 1;
        let is_free = owners(&qualified) == 0;
        let of_upstream = is_free.then(|| self.by_name.remove(&*qualified)).flatten();
        of_upstream.or_else(|| is_plain.then(|| self.by_name.remove(&*item.own)).flatten())
    }

    fn left(&self) -> impl Iterator<Item = &'f DescriptionFile> {
        self.all.iter().filter(|file| self.by_name.contains_key(&*file.name))
    }
}

fn assemble_resources(
    upstreams: &[&UpstreamLists],
    kind: Kind,
    (guard, shared): (&Guard, &SharedUris),
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for lists in upstreams {
        for (key, text) in read_entries(lists, kind, warnings) {
            let uri = Uri::stated(&key);
            if !guard.hides(&lists.name, &uri) {
                let (member, served) = match kind {
                    Kind::Templates => ("uriTemplate", shared.served_template(&lists.name, &key)),
                    _ => ("uri", shared.served(&lists.name, &key)),
                };
                let text = if *served == *key { text } else { text.with_value(member, &served) };
                let entry = Entry::new((*served).into(), (*key).into(), lists.name.clone(), text);
                entries.push(entry.ruled_by(&guard.said_of(&lists.name, &uri)));
            }
        }
    }
    entries
}

fn assemble_prompts(
    material: &Material<'_, &UpstreamLists>,
    known: KnownUpstreams<'_>,
    warnings: &mut Vec<Warning>,
) -> Vec<Entry> {
    let items = Item::all(material, Kind::Prompts, warnings);
    let matched = Matched::of(&material.rules.prompts, &items, known);
    warnings.extend(idle_rules(Kind::Prompts, &matched, &items));
    let shown = items.iter().zip(&matched.said).filter(|(_, said)| !said.is_hidden());
    let entry = |prompt: &Item| {
        let Item { upstream, own, served, object, .. } = prompt;
        let text = if own == served { object.clone() } else { object.with_value("name", served) };
        Entry::new(served.as_str().into(), own.as_str().into(), upstream.clone(), text)
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
    if definition.member("inputSchema").is_some_and(|schema| schema.starts_with('{')) {
        return definition;
    }
    warnings.push(Warning::OddList(format!(
        "tool '{name}' has no inputSchema that is an object, for which most clients refuse the whole list; \
         it is served with one that accepts any object"
    )));
    definition.with("inputSchema", r#"{"type":"object"}"#)
}

/// What holds for the lists of all upstreams. The `_meta` of a single upstream is kept where all that it lists is
/// served: it could speak of what is left out.
fn hints(upstreams: &[&UpstreamLists], snapshot: &Snapshot) -> HashMap<Kind, ListHints> {
    let of = |kind: Kind| {
        let all = upstreams.iter().filter_map(|lists| lists.hints.get(&kind));
        let merged = all.cloned().reduce(|merged, hints| merged.and(&hints))?;
        let is_whole =
            matches!(upstreams, [only] if only.of(kind).len() == snapshot.primitives(kind).count());
        Some((kind, if is_whole { merged } else { ListHints { meta: None, ..merged } }))
    };
    Kind::ALL.into_iter().filter_map(of).collect()
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;
