//! The answers of `search_tools` (docs/CONTRACT.md S2, S4).

use mcp_disclosure_core::{Context, ListedCategory, View, VisibleTool};
use mcp_disclosure_ranking::{Hit, Match, Ranking};
use serde_json::{Map, Value, json};

use crate::{SearchConfig, arguments::Detail, wording};

/// Maximum number of tools in the list of a category; the rest is found by words.
const MOST_LISTED: usize = 100;

/// Maximum number of categories in an answer.
const MOST_CATEGORIES: usize = 120;

/// Hits up to this share of the best one's score come with their schemas.
const NEAR: f32 = 0.8;

/// The hits of a search.
pub fn found(cx: &Context<'_>, config: &SearchConfig, ranking: &Ranking, detail: Detail) -> Value {
    let best = ranking.hits.first().map_or(0.0, |hit| hit.score);
    let mut left = config.answer_bytes;
    let hits: Vec<Value> = ranking
        .hits
        .iter()
        .enumerate()
        .filter_map(|(at, hit)| {
            let tool = cx.view.tool(&hit.name)?;
            let wanted = match detail {
                Detail::Full => true,
                Detail::Brief => false,
                Detail::Best => at == 0 || hit.matched == Match::Exact || hit.score >= best * NEAR,
            };
            Some(shown(cx, config, tool, hit, wanted, &mut left))
        })
        .collect();
    let is_weak = ranking.hits.iter().all(|hit| hit.matched == Match::Weak);
    let mut answer = Map::from_iter([("tools".to_owned(), hits.into())]);
    answer.insert("unmatched".to_owned(), json!(ranking.unmatched));
    if is_weak {
        answer.insert("categories".to_owned(), categories(cx.view));
        answer.insert("note".to_owned(), wording::miss(ranking.hits.is_empty()).into());
    }
    answer.into()
}

/// A hit. `left` is what remains of the answer's budget of schemas, in bytes.
fn shown(
    cx: &Context<'_>,
    config: &SearchConfig,
    tool: VisibleTool<'_>,
    hit: &Hit,
    with_schema: bool,
    left: &mut usize,
) -> Value {
    let mut shown = json!({"name": hit.name, "brief": tool.tool().brief(), "match": hit.matched.to_string()});
    if !with_schema {
        return shown;
    }
    let delivered = tool.delivered(cx.client.definitions);
    let fits =
        delivered.member("inputSchema").filter(|schema| schema.len() <= config.schema_bytes.min(*left));
    let schema = fits.and_then(|schema| Some((schema.len(), serde_json::from_str::<Value>(schema).ok()?)));
    match schema {
        Some((bytes, schema)) => {
            *left -= bytes;
            shown["inputSchema"] = schema;
        }
        None => shown["note"] = wording::too_large(tool.name()).into(),
    }
    shown
}

/// The categories, with what they are for.
pub fn overview(view: &View) -> Value {
    json!({"categories": categories(view), "note": wording::BROWSE})
}

fn categories(view: &View) -> Value {
    let entry = |category: ListedCategory<'_>| {
        let mut entry = json!({"count": category.tools().len()});
        if let Some(description) = category.description() {
            entry["description"] = description.into();
        }
        (category.name().to_owned(), entry)
    };
    view.categories().take(MOST_CATEGORIES).map(entry).collect::<Map<_, _>>().into()
}

/// The tools of a category, a line each.
pub fn category(category: ListedCategory<'_>) -> Value {
    let line = |tool: VisibleTool<'_>| json!({"name": tool.name(), "brief": tool.tool().brief()});
    let tools: Vec<Value> = category.tools().take(MOST_LISTED).map(line).collect();
    let mut answer = json!({"category": category.name(), "tools": tools});
    if category.tools().len() > MOST_LISTED {
        answer["note"] = wording::more_tools(category.tools().len() - MOST_LISTED).into();
    }
    answer
}

/// The answer to an unknown category.
pub fn unknown_category(view: &View, name: &str) -> Value {
    json!({"error": wording::unknown_category(name), "categories": categories(view)})
}

/// The answer to a call of an unknown tool: what it may have meant.
pub fn unknown_tool(name: &str, ranking: &Ranking) -> Value {
    let names: Vec<&str> = ranking.hits.iter().map(|hit| hit.name.as_str()).collect();
    json!({"error": wording::unknown_tool(name), "suggestions": names})
}
