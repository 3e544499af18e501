//! The briefs of one list, as far as they depend on its other tools: no two are equal, and `[destructive]` is said of
//! some tools only.

use std::collections::{HashMap, HashSet};

use super::{draft::Draft, headline::name_words, prose::capitalized};
use crate::{cap::Cap, tool::Tool};

/// Maximum number of an upstream's tools that are marked even if all are destructive.
const FEW: usize = 3;

/// The briefs that differ from those of the tools alone, by the positions of the tools.
pub(crate) type Briefs = HashMap<usize, String>;

/// The briefs of a list within a length.
pub(crate) fn listed(tools: &[(usize, &Tool)], cap: Cap) -> Briefs {
    let mut briefs = destructive(tools, cap);
    distinguish(tools, cap, &mut briefs);
    briefs
}

/// The tools of an upstream that do not only read, and those of them that it marks as destructive.
#[derive(Default)]
struct Acting<'t> {
    count: usize,
    destructive: Vec<(usize, &'t Tool)>,
}

/// Adds `[destructive]` to the tools whose annotations say so, unless their upstream says it of every tool that it does
/// not mark as reading: then it says no more than MCP's default.
fn destructive(tools: &[(usize, &Tool)], cap: Cap) -> Briefs {
    let mut acting: HashMap<&str, Acting<'_>> = HashMap::new();
    for (at, tool) in tools.iter().filter(|(_, tool)| tool.hint("readOnlyHint") != Some(true)) {
        let Acting { count, destructive } = acting.entry(tool.upstream()).or_default();
        *count += 1;
        if tool.hint("destructiveHint") == Some(true) {
            destructive.push((*at, tool));
        }
    }
    let marked = acting
        .into_values()
        .filter(|acting| acting.destructive.len() <= FEW || acting.destructive.len() < acting.count);
    let marked = marked.flat_map(|acting| acting.destructive);
    let marked = marked.filter(|(_, tool)| !tool.is_as_written(cap)).filter_map(|(at, tool)| {
        let brief = tool.draft()?.marked_destructive().within(cap);
        (brief != tool.brief_within(cap)).then_some((at, brief))
    });
    marked.collect()
}

/// Gives each of the tools that would read like another, as the first of these that no other tool has: a sentence that
/// the others lack, the words of the name that they lack, the name, the upstream, the name in the snapshot. A brief that
/// an operator wrote stays.
fn distinguish(tools: &[(usize, &Tool)], cap: Cap, briefs: &mut Briefs) {
    let mut alike: HashMap<String, Vec<(usize, &Tool)>> = HashMap::new();
    for (at, tool) in tools {
        let brief = briefs.get(at).map_or_else(|| tool.brief_within(cap), String::as_str);
        alike.entry(essence(brief)).or_default().push((*at, tool));
    }
    let mut taken: HashSet<String> = alike.keys().cloned().collect();
    let mut groups: Vec<Vec<(usize, &Tool)>> = alike.into_values().filter(|tools| tools.len() > 1).collect();
    groups.sort_by_key(|tools| tools[0].0);
    for group in groups {
        let drafts: Vec<(usize, &Tool, Draft)> =
            group.iter().filter_map(|(at, tool)| Some((*at, *tool, tool.draft()?))).collect();
        let shared = Shared::of(&group, &drafts);
        // Numbers differ at any length; each is tried once.
        let mut numbers = 2..drafts.len() + 2;
        for (at, tool, draft) in drafts {
            let draft = if briefs.contains_key(&at) { draft.marked_destructive() } else { draft };
            let fronts = shared.fronts(tool, &draft).into_iter().chain([tool.key().to_string()]);
            let numbered = numbers.by_ref().map(|number| format!("{number} {}", tool.key()));
            let mut fitting = fronts.chain(numbered).map(|front| draft.led_by(Some(&front), cap));
            if let Some(brief) = fitting.find(|brief| !taken.contains(&essence(brief))) {
                taken.insert(essence(&brief));
                briefs.insert(at, brief);
            }
        }
    }
}

/// What a reader sees of a text at a glance.
fn essence(brief: &str) -> String {
    brief.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The title of a tool's product, or else the name of its upstream.
fn product(tool: &Tool) -> &str {
    tool.origin().product.as_ref().map_or(tool.upstream().as_str(), |product| product.title())
}

/// What tools of equal briefs have in common: how many of them have a sentence, and a word of the name.
struct Shared {
    sentences: HashMap<String, usize>,
    words: HashMap<String, usize>,
    /// Whether the products of the tools differ; their upstreams differ otherwise.
    products: bool,
    upstreams: usize,
    count: usize,
}

impl Shared {
    fn of(group: &[(usize, &Tool)], drafts: &[(usize, &Tool, Draft)]) -> Self {
        let mut sentences = HashMap::new();
        for (_, _, draft) in drafts {
            let own: HashSet<String> = draft.sentences().map(essence).collect();
            own.into_iter().for_each(|sentence| *sentences.entry(sentence).or_default() += 1);
        }
        let mut words = HashMap::new();
        for (_, tool) in group {
            let own: HashSet<String> = name_words(tool.upstream_name()).into_iter().collect();
            own.into_iter().for_each(|word| *words.entry(word).or_default() += 1);
        }
        let upstreams: HashSet<&str> = group.iter().map(|(_, tool)| tool.upstream().as_str()).collect();
        let products: HashSet<&str> = group.iter().map(|(_, tool)| product(tool)).collect();
        Self {
            sentences,
            words,
            products: products.len() > 1,
            upstreams: upstreams.len(),
            count: group.len(),
        }
    }

    /// What can be put in front of a tool's brief, the best first.
    fn fronts(&self, tool: &Tool, draft: &Draft) -> Vec<String> {
        let is_own = |sentence: &&str| self.sentences.get(&essence(sentence)) == Some(&1);
        let sentence = draft.sentences().skip(1).find(is_own);
        let words = name_words(tool.upstream_name());
        let lacking = |word: &&String| self.words.get(*word).is_some_and(|count| *count < self.count);
        let own: Vec<&str> = words.iter().filter(lacking).map(String::as_str).collect();
        let origin = if self.products { product(tool) } else { tool.upstream().as_str() };
        let fronts = [
            sentence.map(|sentence| sentence.trim_end_matches('.').to_owned()),
            Some(own.join(" ")),
            (self.upstreams > 1).then(|| origin.to_owned()),
            Some(words.join(" ")),
        ];
        let fronts = fronts.into_iter().flatten().filter(|front| !front.is_empty());
        fronts.map(|front| capitalized(&front)).collect()
    }
}
