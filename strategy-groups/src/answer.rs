//! The answers of `get_group`, the bridge for hosts that know no groups.

use mcp_disclosure_core::{
    Context, Definitions, ToolAnswer, ToolName, View, VisibleTool,
    nearest::{misspelt, nearest},
};
use serde_json::{Map, Value, json};

use crate::{Group, Groups, GroupsConfig, wording};

/// Maximum number of suggestions for an unknown name.
const SUGGESTIONS: usize = 5;

/// Maximum number of groups in an answer that lists them.
const MOST_LISTED: usize = 200;

/// The answer to a name: a group's, or a tool's, which is answered with the tool's group; without one, what there is.
pub fn answer(cx: &Context<'_>, groups: &Groups, name: &str, config: &GroupsConfig) -> ToolAnswer {
    let answered = |content| ToolAnswer { content, is_error: false };
    let name = name.trim();
    if name.is_empty() {
        return answered(json!({"groups": listed(groups.top()), "note": wording::CHOOSE}));
    }
    if let Some(group) = groups.meant(name) {
        tracing::info!(session = cx.session, group = group.name, "group shown");
        cx.fetches.delivers();
        return answered(shown(cx, groups, group, None, config.answer_bytes));
    }
    if let Some(tool) = cx.view.tool(name) {
        tracing::info!(session = cx.session, tool = name, "group of a tool shown");
        cx.fetches.delivers();
        return answered(match groups.with_tool(name) {
            Some(group) => shown(cx, groups, group, Some(tool.name()), config.answer_bytes),
            None => json!({"tools": [definition(tool, cx.client.definitions)], "note": wording::LISTED}),
        });
    }
    tracing::info!(session = cx.session, "unknown group requested");
    let names = || groups.all().iter().map(|group| group.name.as_str());
    let wanted = name.to_lowercase();
    let mut meant: Vec<&str> = names().filter(|name| name.contains(&wanted)).take(SUGGESTIONS).collect();
    if meant.is_empty() {
        meant.extend(misspelt(name, names()).or_else(|| nearest(name, names(), 1).pop()));
    }
    let content = json!({
        "error": wording::unknown_group(name, &meant),
        "suggestions": meant,
        "groups": listed(groups.top()),
    });
    ToolAnswer { content, is_error: true }
}

/// A group: its definitions as far as they fit, the one of `first` in any case.
fn shown(
    cx: &Context<'_>,
    groups: &Groups,
    group: &Group,
    first: Option<&ToolName>,
    mut room: usize,
) -> Value {
    let mut answer = Map::from_iter([("group".to_owned(), json!(group.name))]);
    if let Some(instructions) = &group.instructions {
        answer.insert("instructions".to_owned(), json!(instructions));
    }
    let others = group.tools.iter().filter(|name| Some(*name) != first);
    let mut left = 0;
    let tools = first.into_iter().chain(others).filter_map(|name| cx.view.tool(name)).map(|tool| {
        let definition = tool.delivered(cx.client.definitions);
        let bytes = definition.text().len();
        if bytes > room && Some(tool.name()) != first {
            left += 1;
            return json!({"name": tool.name(), "brief": tool.brief()});
        }
        room = room.saturating_sub(bytes);
        parsed(tool, definition.text())
    });
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        answer.insert("tools".to_owned(), tools.into());
    }
    for (member, keys) in [("prompts", &group.prompts), ("resources", &group.resources)] {
        if !keys.is_empty() {
            answer.insert(member.to_owned(), json!(keys));
        }
    }
    if !group.children.is_empty() {
        answer.insert("groups".to_owned(), listed(groups.children(group)));
    }
    if left > 0 {
        answer.insert("note".to_owned(), wording::too_large(left).into());
    }
    answer.into()
}

fn definition(tool: VisibleTool<'_>, definitions: Definitions) -> Value {
    parsed(tool, tool.delivered(definitions).text())
}

fn parsed(tool: VisibleTool<'_>, text: &str) -> Value {
    let unreadable = || json!({"name": tool.name(), "brief": tool.brief(), "note": wording::NESTS_TOO_DEEP});
    serde_json::from_str(text).unwrap_or_else(|_| unreadable())
}

fn listed<'g>(groups: impl Iterator<Item = &'g Group>) -> Value {
    let entry = |group: &Group| json!({"name": group.name, "description": group.description});
    groups.take(MOST_LISTED).map(entry).collect()
}

/// The answer to a call of an unknown tool: what it may have meant.
pub fn unknown_tool(view: &View, name: &str) -> Value {
    json!({"error": wording::unknown_tool(name), "suggestions": view.nearest(name, SUGGESTIONS)})
}
