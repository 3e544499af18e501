//! The answers of the three levels (docs/CONTRACT.md I2 to I5).

use std::collections::HashMap;

use mcp_disclosure_core::{ListedCategory, View, VisibleTool, brief::shorten};
use mcp_disclosure_ranking::BuiltIn;
use serde_json::{Map, Value, json};

use crate::{
    contents::{self, topic_of_category, topic_of_tool},
    explain::{self, read},
    wording::{self, OVERVIEW},
};

/// Maximum number of categories or tools in one answer; `next` is the topic of the rest.
pub const MOST_AT_ONCE: usize = 200;
/// Length of the names of tools in an overview, in bytes, about. Each category has an equal part of it,
const ROOM_FOR_NAMES: usize = 6_000;
/// and at least this.
const LEAST_ROOM: usize = 60;
/// Maximum length of what the server says of itself, in characters.
const LONGEST_ABOUT: usize = 1_000;
/// Maximum length of a topic in an error, in characters.
const LONGEST_TOPIC: usize = 120;
/// Members of a description file that follow the explanation, in this order.
const GUIDANCE: [&str; 2] = ["usage_guidance", "error_guidance"];

/// Level 1: the server, its categories starting at index `from`, and its facts.
pub fn overview(view: &View, from: usize) -> Value {
    let about = view.about();
    let mut categories = Map::new();
    let room = ROOM_FOR_NAMES / view.categories().len().clamp(1, MOST_AT_ONCE);
    for category in view.categories().skip(from).take(MOST_AT_ONCE) {
        let tools = tools_named(category, room.max(LEAST_ROOM));
        let mut entry = json!({"count": category.tools().len()});
        if !category.description().is_empty() {
            entry["description"] = category.description().into();
        }
        entry["tools"] = tools.into();
        let topic = topic_of_category(category.name());
        if topic != category.name() {
            entry["topic"] = topic.into();
        }
        categories.insert(category.name().to_owned(), entry);
    }
    let mut answer = Map::new();
    for (key, text) in
        [("name", &about.name), ("version", &about.version), ("description", &about.description)]
    {
        if !text.is_empty() {
            answer.insert(key.to_owned(), shorten(text, LONGEST_ABOUT).into());
        }
    }
    answer.insert("categories".to_owned(), categories.into());
    answer.insert("total_tools".to_owned(), contents::count(view).into());
    answer.extend(continued(OVERVIEW, from, view.categories().len()));
    for (fact, value) in about.facts.iter() {
        // The operator's facts do not replace members of the answer.
        answer.entry(fact).or_insert_with(|| read(value));
    }
    answer.into()
}

/// Level 2: a category's tools starting at index `from`, one line each. `parameters` are shown in the line of a tool that
/// needs no third level.
pub fn category(
    view: &View,
    category: ListedCategory<'_>,
    from: usize,
    parameters: impl Fn(VisibleTool<'_>) -> Option<Value>,
) -> Value {
    let mut answer = Map::from_iter([("category".to_owned(), category.name().into())]);
    if !category.description().is_empty() {
        answer.insert("description".to_owned(), category.description().into());
    }
    let page = category.tools().skip(from).take(MOST_AT_ONCE);
    let tools = page.map(|visible| {
        let mut line = line(view, visible);
        if let Some(parameters) = parameters(visible) {
            line["parameters"] = parameters;
        }
        line
    });
    answer.insert("tools".to_owned(), tools.collect());
    let topic = topic_of_category(category.name());
    answer.extend(continued(&topic, from, category.tools().len()));
    if view.tools().any(|tool| **tool.name() == *category.name()) {
        let also = wording::also_a_tool(&topic_of_tool(view, category.name()));
        let note = answer.get("note").and_then(Value::as_str).map(|note| format!("{note} {also}"));
        answer.insert("note".to_owned(), note.unwrap_or(also).into());
    }
    answer.into()
}

/// A tool in one line.
fn line(view: &View, visible: VisibleTool<'_>) -> Value {
    let name = visible.name().as_str();
    let mut line = json!({"name": name, "brief": visible.brief()});
    let topic = topic_of_tool(view, name);
    if topic != name {
        line["topic"] = topic.into();
    }
    line
}

/// Level 3: how a tool is used.
pub fn tool(view: &View, visible: VisibleTool<'_>) -> Map<String, Value> {
    let tool = visible.tool();
    let definition = tool.definition();
    let description = definition.string("description").filter(|text| !text.trim().is_empty());
    let mut answer = Map::new();
    answer.insert("tool".to_owned(), visible.name().as_str().into());
    answer.insert("description".to_owned(), description.unwrap_or_else(|| visible.brief().to_owned()).into());
    answer.extend(explain::parameters(definition.member("inputSchema").unwrap_or("true")));
    let part = |key: &str| tool.supplement().part(key).map(read).filter(|value| !value.is_null());
    let returns = part("returns").or_else(|| explain::returns(definition.member("outputSchema")?));
    let parts = [("returns", returns), ("examples", part("examples")), ("related", related(view, visible))];
    let guidance = GUIDANCE.map(|key| (key, part(key)));
    for (key, value) in parts.into_iter().chain(guidance) {
        answer.extend(value.map(|value| (key.to_owned(), value)));
    }
    answer
}

/// The answer to an unknown topic: the nearest tools with their briefs, and categories that are called alike.
pub fn unknown(view: &View, ranker: &BuiltIn, topic: &str) -> Value {
    let mut answer = json!({"error": wording::unknown_topic(&shorten(topic, LONGEST_TOPIC))});
    let categories = contents::categories_like(view, topic);
    if !categories.is_empty() {
        answer["categories"] = categories.into();
    }
    let tools: Vec<Value> = contents::tools_like(view, ranker, topic).map(|tool| line(view, tool)).collect();
    match (tools.is_empty(), answer.get("categories")) {
        (true, None) => answer["note"] = wording::NOTHING_MATCHES.into(),
        (true, Some(_)) => {}
        (false, _) => answer["suggestions"] = tools.into(),
    }
    answer
}

/// The names of a category's tools as far as there is room for them, and how many more it has.
fn tools_named(category: ListedCategory<'_>, room: usize) -> String {
    let mut length = 0;
    let fits = |tool: &VisibleTool<'_>| {
        length += tool.name().len() + 2;
        length <= room
    };
    let names: Vec<&str> = category.tools().take_while(fits).map(|tool| tool.name().as_str()).collect();
    wording::tools_named(&names, category.tools().len() - names.len())
}

/// What an answer says if it is not complete: the topic of the rest, also in words.
fn continued(topic: &str, from: usize, count: usize) -> Vec<(String, Value)> {
    let after = from + MOST_AT_ONCE;
    if after >= count {
        return Vec::new();
    }
    let next = format!("{topic}#{}", after + 1);
    let note = wording::continued(from + 1, after, count, &next);
    vec![("next".to_owned(), next.into()), ("note".to_owned(), note.into())]
}

/// The listed tools among those that the description file names as related, by their listed names.
fn related(view: &View, visible: VisibleTool<'_>) -> Option<Value> {
    let names: Vec<String> = serde_json::from_str(visible.tool().supplement().part("related")?).ok()?;
    let wanted = |name: &str| names.iter().any(|related| related == name);
    let listed = view.tools().filter(|tool| wanted(tool.tool().key()));
    let listed: HashMap<&str, &str> =
        listed.map(|tool| (tool.tool().key().as_str(), tool.name().as_str())).collect();
    let related: Vec<&str> = names.iter().filter_map(|name| listed.get(name.as_str()).copied()).collect();
    (!related.is_empty()).then(|| json!(related))
}
