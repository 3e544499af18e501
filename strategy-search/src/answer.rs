//! The answers of `search_tools` (docs/CONTRACT.md S2, S4).

use mcp_disclosure_core::{
    Context, ListedCategory, RawObject, View, VisibleTool,
    brief::shorten,
    nearest::{misspelt, nearest},
};
use mcp_disclosure_ranking::{Hit, Match, Ranking};
use serde_json::{Map, Value, json};

use crate::{SearchConfig, arguments::Detail, wording};

/// Maximum number of tools in the list of a category; the rest is found by words.
const MOST_LISTED: usize = 100;

/// Maximum number of categories in an answer.
const MOST_CATEGORIES: usize = 120;

/// Maximum length of what a category is for, in characters. Operators may declare it at any length.
const LONGEST_PURPOSE: usize = 160;

/// Hits up to this share of the best one's score come with their schemas.
const NEAR: f32 = 0.9;

/// Maximum number of suggestions for an unknown category.
const SUGGESTIONS: usize = 5;

/// How much of schemas an answer can have, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of one hit.
    each: usize,
    /// Of all hits.
    together: usize,
}

impl Bounds {
    /// The bounds of an answer: wider for one tool that is asked for in full, since there is no other way to learn it.
    pub fn of(config: &SearchConfig, limit: usize, detail: Detail) -> Self {
        if limit == 1 && detail == Detail::Full {
            let most = config.whole_schema_bytes;
            return Self { each: most, together: most };
        }
        Self { each: config.schema_bytes, together: config.answer_bytes }
    }

    /// Whether a schema of this length fits; if so, the rest is for others.
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
    let is_whole = bounds.each == bounds.together;
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
        if with_schema {
            add_use(&mut shown, cx, tool, detail, is_whole, &mut bounds);
        }
        Some(shown)
    });
    let hits: Vec<Value> = hits.collect();
    let is_weak = ranking.hits.iter().all(|hit| hit.matched == Match::Weak);
    let mut answer = Map::from_iter([("tools".to_owned(), hits.into())]);
    answer.insert("unmatched".to_owned(), json!(ranking.unmatched));
    if is_weak {
        let is_empty = ranking.hits.is_empty();
        answer.insert("categories".to_owned(), categories(cx.view, is_empty));
        answer.insert("note".to_owned(), wording::miss(is_empty).into());
    }
    answer.into()
}

/// Adds how a hit is used. With [`Detail::Full`] that is all that is delivered, else the schema, and the annotations that a
/// model must know.
fn add_use(
    shown: &mut Value,
    cx: &Context<'_>,
    tool: VisibleTool<'_>,
    detail: Detail,
    is_whole: bool,
    bounds: &mut Bounds,
) {
    let delivered = tool.delivered(cx.client.definitions);
    let schema_bytes = delivered.member("inputSchema").map_or(0, str::len);
    if !bounds.admit(schema_bytes) {
        shown["note"] =
            if is_whole { wording::never_fits(schema_bytes) } else { wording::too_large(tool.name()) }.into();
        return;
    }
    let parts = match detail {
        Detail::Full => delivered.retain(|key| key != "name"),
        _ => {
            let annotations = tool.tool().telling_annotations();
            let schema = delivered.retain(|key| key == "inputSchema");
            match annotations {
                Some(annotations) => schema.with("annotations", annotations.text()),
                None => schema,
            }
        }
    };
    add(shown, &parts, tool.brief());
}

/// Adds members, without a description that is the brief.
fn add(shown: &mut Value, parts: &RawObject, brief: &str) {
    for (key, text) in parts.iter() {
        // JSON text that nests too deep to parse stays a string.
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        if key != "description" || value != brief {
            shown[key] = value;
        }
    }
}

/// The categories, with what they are for.
pub fn overview(view: &View) -> Value {
    json!({"categories": categories(view, true), "note": wording::BROWSE})
}

fn categories(view: &View, with_purposes: bool) -> Value {
    let entry = |category: ListedCategory<'_>| {
        let mut entry = json!({"count": category.tools().len()});
        if with_purposes {
            entry["description"] = shorten(category.description(), LONGEST_PURPOSE).into();
        }
        (category.name().to_owned(), entry)
    };
    view.categories().take(MOST_CATEGORIES).map(entry).collect::<Map<_, _>>().into()
}

/// The tools of a category, a line each.
pub fn category(category: ListedCategory<'_>) -> Value {
    let line = |tool: VisibleTool<'_>| json!({"name": tool.name(), "brief": category.brief_of(tool)});
    let tools: Vec<Value> = category.tools().take(MOST_LISTED).map(line).collect();
    let mut answer = json!({"category": category.name(), "tools": tools});
    if category.tools().len() > MOST_LISTED {
        answer["note"] = wording::more_tools(category.tools().len() - MOST_LISTED).into();
    }
    answer
}

/// The answer to an unknown category: those that it may have meant, and all of them.
pub fn unknown_category(view: &View, name: &str) -> Value {
    let wanted = name.to_lowercase();
    let names = || view.categories().map(ListedCategory::name);
    let containing = names().filter(|category| category.to_lowercase().contains(&wanted));
    let mut meant: Vec<&str> = containing.take(SUGGESTIONS).collect();
    if meant.is_empty() {
        meant.extend(misspelt(name, names()).or_else(|| nearest(name, names(), 1).pop()));
    }
    json!({
        "error": wording::unknown_category(name, &meant),
        "suggestions": meant,
        "categories": categories(view, false),
    })
}

/// The answer to a call of an unknown tool: what it may have meant.
pub fn unknown_tool(name: &str, ranking: &Ranking) -> Value {
    let names: Vec<&str> = ranking.hits.iter().map(|hit: &Hit| hit.name.as_str()).collect();
    json!({"error": wording::unknown_tool(name), "suggestions": names})
}
