//! The answers of `search_tools` (docs/CONTRACT.md S2, S4).

use mcp_disclosure_core::{
    Context, ListedCategory, RawObject, View, VisibleTool, brief::shorten, nearest::suggested,
};
use mcp_disclosure_ranking::{Match, Ranking};
use serde_json::{Map, Value, json};

use crate::{
    SearchConfig,
    arguments::Detail,
    wording::{self, Missing},
};

/// Maximum number of tools in the list of a category; the rest is found by words.
const MOST_LISTED: usize = 100;

/// Maximum number of categories in an answer.
const MOST_CATEGORIES: usize = 120;

/// Maximum length of what a category is for, in characters. Operators may declare it at any length.
const LONGEST_PURPOSE: usize = 160;

/// What categories are for, together, where a model asks for the categories, in bytes.
const OVERVIEW_BYTES: usize = 8 * 1024;

/// The names of categories after a search without strong hits, and what they are for, in bytes each: a miss costs about what
/// a good hit does. Without a query, all categories are listed.
const MISS_BYTES: usize = 1024;

/// Hits up to this share of the best one's score come with their schemas.
const NEAR: f32 = 0.95;

/// The member with parameters that several hits have in common, and with their names in each of these.
const COMMON: &str = "commonParameters";

/// Parameters are taken together where that saves at least this, in bytes: what it takes to say so, twice.
const LEAST_SAVED: usize = 300;

/// Maximum number of suggestions for an unknown category.
const SUGGESTIONS: usize = 5;

/// How much of definitions an answer can have, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of one tool.
    each: usize,
    /// Of all tools.
    together: usize,
    /// Whether no other search could show more.
    is_widest: bool,
}

impl Bounds {
    /// The bounds of an answer: wider for one tool that is asked for in full, since there is no other way to learn it.
    pub fn of(config: &SearchConfig, limit: usize, detail: Detail) -> Self {
        if limit == 1 && detail == Detail::Full {
            let most = config.whole_schema_bytes;
            return Self { each: most, together: most, is_widest: true };
        }
        Self { each: config.schema_bytes, together: config.answer_bytes, is_widest: false }
    }

    /// Whether a text of this length fits; if so, the rest is for others.
    fn admit(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.each.min(self.together);
        if fits {
            self.together -= bytes;
        }
        fits
    }
}

/// The hits of a search.
pub fn found(cx: &Context<'_>, ranking: &Ranking, detail: Detail, mut bounds: Bounds) -> Value {
    let best = ranking.hits.first().map_or(0.0, |hit| hit.score);
    let hits = ranking.hits.iter().enumerate().filter_map(|(at, hit)| {
        let tool = cx.view.tool(&hit.name)?;
        let with_schema = match detail {
            Detail::Full => true,
            Detail::Brief => false,
            Detail::Best => match hit.matched {
                Match::Exact => true,
                Match::Strong => at == 0 || hit.score >= best * NEAR,
                Match::Weak => at == 0,
            },
        };
        // Those that are less likely to be meant are only there to choose from.
        let brief = if with_schema || detail == Detail::Brief { tool.brief() } else { tool.short_brief() };
        let mut shown = json!({"name": hit.name, "brief": brief, "match": hit.matched.to_string()});
        if hit.servers.len() > 1 {
            shown["servers"] = json!(hit.servers);
        }
        if with_schema {
            add_use(&mut shown, cx, tool, detail, &mut bounds);
        }
        Some(shown)
    });
    let is_weak = ranking.hits.iter().all(|hit| hit.matched == Match::Weak);
    let mut answer = Map::new();
    show(&mut answer, hits.collect());
    answer.insert("unmatched".to_owned(), json!(ranking.unmatched));
    if is_weak {
        let is_empty = ranking.hits.is_empty();
        let is_hit = |tool: &VisibleTool<'_>| ranking.hits.iter().any(|hit| hit.name == *tool.name());
        let of_hits = |category: &ListedCategory<'_>| is_empty || category.tools().any(|tool| is_hit(&tool));
        let purposes = if is_empty { MISS_BYTES } else { 0 };
        let shown = categories(cx.view.categories().filter(of_hits), MISS_BYTES, purposes);
        answer.insert("categories".to_owned(), shown);
        answer.insert("note".to_owned(), wording::miss(is_empty).into());
    }
    answer.into()
}

/// Adds tools to an answer, with the parameters that they have in common.
fn show(answer: &mut Map<String, Value>, mut tools: Vec<Value>) {
    let common = take_common_parameters(&mut tools);
    answer.insert("tools".to_owned(), tools.into());
    if !common.is_empty() {
        answer.insert(COMMON.to_owned(), common.into());
    }
}

/// Takes parameters out of the schemas of hits that have them in common, where that makes the answer shorter; these hits name
/// them instead. Tools of one server often share a tenant, authentication and retries.
fn take_common_parameters(hits: &mut [Value]) -> Map<String, Value> {
    let has = |schema: &Value, reference: &str| schema.to_string().contains(reference);
    // A reference is to the schema that it stands in, and may be to a parameter.
    let is_referred_to =
        |hit: &Value| hit.get("inputSchema").is_none_or(|schema| has(schema, "\"#/properties"));
    let mut hits: Vec<&mut Value> = hits.iter_mut().filter(|hit| !is_referred_to(hit)).collect();
    let properties = |hit: &&mut Value| hit.pointer("/inputSchema/properties")?.as_object().cloned();
    let all: Vec<Map<String, Value>> = hits.iter().filter_map(properties).collect();
    let mut common = Map::new();
    let mut saved = 0;
    for (name, schema) in all.iter().flatten() {
        let having = all.iter().filter(|properties| properties.get(name) == Some(schema)).count();
        if having > 1 && !common.contains_key(name) && !has(schema, "\"$ref\"") {
            saved += (having - 1) * schema.to_string().len();
            common.insert(name.clone(), schema.clone());
        }
    }
    if saved < LEAST_SAVED {
        return Map::new();
    }
    for hit in &mut hits {
        let mut taken: Vec<Value> = Vec::new();
        if let Some(properties) = hit.pointer_mut("/inputSchema/properties").and_then(Value::as_object_mut) {
            properties.retain(|name, schema| {
                let is_common = common.get(name) == Some(schema);
                taken.extend(is_common.then(|| name.clone().into()));
                !is_common
            });
        }
        if !taken.is_empty() {
            hit[COMMON] = taken.into();
        }
    }
    common
}

/// Adds how a tool is used: with [`Detail::Full`] everything that is delivered, or what a call needs if that does not fit.
fn add_use(shown: &mut Value, cx: &Context<'_>, tool: VisibleTool<'_>, detail: Detail, bounds: &mut Bounds) {
    let delivered = tool.delivered(cx.client.definitions);
    let needed = needed(tool, &delivered);
    if detail == Detail::Full {
        let all = without_repetition(&delivered, tool.brief());
        if bounds.admit(all.text().len()) {
            return add(shown, &all);
        }
    }
    let fits = bounds.admit(needed.text().len());
    if fits {
        add(shown, &needed);
    }
    if !fits || detail == Detail::Full {
        let part = if fits { Missing::Description } else { Missing::Schema };
        let bytes = if fits { delivered.text().len() } else { needed.text().len() };
        let note = if bounds.is_widest { part.never_fits(bytes) } else { part.too_large(tool.name()) };
        shown["note"] = note.into();
    }
}

/// The schema, and the annotations that a model must know.
fn needed(tool: VisibleTool<'_>, delivered: &RawObject) -> RawObject {
    let schema = delivered.retain(|key| key == "inputSchema");
    match tool.tool().telling_annotations() {
        Some(annotations) => schema.with("annotations", annotations.text()),
        None => schema,
    }
}

/// What is delivered, without what a hit has already: the name, and a description that is all in the brief.
fn without_repetition(delivered: &RawObject, brief: &str) -> RawObject {
    let bare = |text: &str| text.trim().trim_end_matches('.').to_owned();
    let description = delivered.string("description");
    let is_repeated = description.is_some_and(|description| brief.contains(&bare(&description)));
    delivered.retain(|key| key != "name" && !(key == "description" && is_repeated))
}

fn add(shown: &mut Value, parts: &RawObject) {
    for (key, text) in parts.iter() {
        // JSON text that nests too deep to parse stays a string.
        shown[key] = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    }
}

/// The categories, with what they are for.
pub fn overview(view: &View) -> Value {
    json!({"categories": categories(view.categories(), usize::MAX, OVERVIEW_BYTES), "note": wording::BROWSE})
}

/// Categories with their numbers of tools, as many as fit in `names` bytes; with what they are for, where that fits in
/// `purposes` bytes.
fn categories<'v>(
    categories: impl Iterator<Item = ListedCategory<'v>>,
    mut names: usize,
    mut purposes: usize,
) -> Value {
    let mut shown = Map::new();
    for category in categories.take(MOST_CATEGORIES) {
        let mut entry = json!({"count": category.tools().len()});
        let Some(left) = names.checked_sub(category.name().len() + entry.to_string().len()) else { break };
        names = left;
        let purpose = shorten(category.description(), LONGEST_PURPOSE);
        if let Some(left) = purposes.checked_sub(purpose.len()).filter(|_| !purpose.is_empty()) {
            purposes = left;
            entry["description"] = purpose.into();
        }
        shown.insert(category.name().to_owned(), entry);
    }
    shown.into()
}

/// The tools of a category, a line each; with [`Detail::Full`] with their definitions, as far as these fit. What several servers
/// define alike is one line with the list of them, as it is one hit.
pub fn category(cx: &Context<'_>, category: ListedCategory<'_>, detail: Detail, mut bounds: Bounds) -> Value {
    let servers = category.servers();
    let line = |tool: VisibleTool<'_>| {
        let mut shown = json!({"name": tool.name(), "brief": tool.brief()});
        if servers.len() > 1 {
            shown["servers"] = json!(servers);
        }
        if detail == Detail::Full {
            add_use(&mut shown, cx, tool, detail, &mut bounds);
        }
        shown
    };
    let tools: Vec<Value> = category.tools_of_one().take(MOST_LISTED).map(line).collect();
    let mut answer = Map::from_iter([("category".to_owned(), category.name().into())]);
    show(&mut answer, tools);
    let count = category.tools_of_one().len();
    if count > MOST_LISTED {
        let note = wording::more_tools(count - MOST_LISTED);
        answer.insert("note".to_owned(), note.into());
    }
    answer.into()
}

/// The answer to an unknown category: those that it may have meant, and all of them.
pub fn unknown_category(view: &View, name: &str) -> Value {
    let names: Vec<&str> = view.categories().map(ListedCategory::name).collect();
    let meant = suggested(name, &names, SUGGESTIONS);
    json!({
        "error": wording::unknown_category(name, &meant),
        "suggestions": meant,
        "categories": categories(view.categories(), usize::MAX, 0),
    })
}
