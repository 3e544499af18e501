//! The answers of `get_group`, the bridge for hosts that know no groups.

use mcp_disclosure_core::{
    Context, Definitions, Note, ToolAnswer, ToolName, VisibleTool, given::shown as shortened,
    nearest::suggested,
};
use serde_json::{Map, Value, json};

use crate::{Group, Groups, GroupsConfig, wording};

/// Maximum number of suggestions for an unknown name.
pub(crate) const SUGGESTIONS: usize = 5;

/// How many definitions in a row may not fit before no other is tried: each is made only to be measured.
const MOST_MISSES: usize = 10;

/// The answer to a name: a group's, or a tool's, which is answered with the tool's group; without one, what there is.
pub fn answer(cx: &Context<'_>, groups: &Groups, name: &str, config: &GroupsConfig) -> ToolAnswer {
    let answered = |content| ToolAnswer { content, is_error: false };
    let top = || Room(config.answer_bytes).of(groups.top().map(entry));
    let name = name.trim();
    if name.is_empty() {
        let (listed, left) = top();
        let notes = [Some(wording::CHOOSE.to_owned()), wording::groups_left(left)];
        return answered(json!({"groups": listed, "note": joined(notes)}));
    }
    if let Some(group) = groups.meant(name) {
        tracing::info!(session = cx.session, group = group.name, "group shown");
        cx.note(Note::Delivered);
        return answered(shown(cx, groups, group, None, config.answer_bytes));
    }
    if let Some(tool) = cx.view.tool(name) {
        tracing::info!(session = cx.session, tool = name, "group of a tool shown");
        cx.note(Note::Delivered);
        return answered(match groups.with_tool(name) {
            Some(group) => shown(cx, groups, group, Some(tool.name()), config.answer_bytes),
            None => json!({"tools": [definition(tool, cx.client.definitions)], "note": wording::LISTED}),
        });
    }
    tracing::info!(session = cx.session, "unknown group requested");
    let names: Vec<&str> = groups.all().iter().map(|group| group.name.as_str()).collect();
    let name = &*shortened(name);
    let meant = suggested(name, &names, SUGGESTIONS);
    let (listed, left) = top();
    let mut content = json!({
        "error": wording::unknown_group(name, &meant),
        "suggestions": meant,
        "groups": listed,
    });
    if let Some(note) = wording::groups_left(left) {
        content["note"] = note.into();
    }
    ToolAnswer { content, is_error: true }
}

/// The bytes that a part of an answer has left.
struct Room(usize);

impl Room {
    /// Whether something fits, which then is in.
    fn takes(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// The first of these, as many as fit, and how many are left.
    fn of(&mut self, items: impl ExactSizeIterator<Item = Value>) -> (Vec<Value>, usize) {
        let all = items.len();
        let fitting: Vec<Value> = items.take_while(|item| self.takes(item.to_string().len())).collect();
        let left = all - fitting.len();
        (fitting, left)
    }
}

/// A group: its definitions as far as they fit, the one of `first` in any case, and the names of what else there is, as far as
/// those fit. The tools after `first` follow it, so that all are shown by asking for the last one.
fn shown(cx: &Context<'_>, groups: &Groups, group: &Group, first: Option<&ToolName>, room: usize) -> Value {
    let mut answer = Map::from_iter([("group".to_owned(), json!(group.name))]);
    if let Some(instructions) = &group.instructions {
        answer.insert("instructions".to_owned(), json!(instructions));
    }
    let mut names = Room(room);
    let (nested, groups_left) = names.of(groups.children(group).map(entry));
    let (tools, undefined, unnamed) = tools(cx, group, first, Room(room), &mut names);
    let (prompts, prompts_left) = names.of(group.prompts.iter().map(|name| json!(name)));
    let (resources, resources_left) = names.of(group.resources.iter().map(|uri| json!(uri)));
    for (member, items) in
        [("tools", tools), ("prompts", prompts), ("resources", resources), ("groups", nested)]
    {
        if !items.is_empty() {
            answer.insert(member.to_owned(), items.into());
        }
    }
    let notes = joined([
        wording::too_large(undefined),
        wording::tools_left(unnamed),
        wording::entries_left(prompts_left, "prompts"),
        wording::entries_left(resources_left, "resources"),
        wording::groups_left(groups_left),
    ]);
    if !notes.is_empty() {
        answer.insert("note".to_owned(), notes.into());
    }
    answer.into()
}

/// A group's tools as far as they fit, how many of them have a name and a brief only, and how many are not even named.
fn tools(
    cx: &Context<'_>,
    group: &Group,
    first: Option<&ToolName>,
    mut definitions: Room,
    names: &mut Room,
) -> (Vec<Value>, usize, usize) {
    let start = group.tools.iter().position(|name| Some(name) == first).unwrap_or(0);
    let (before, from) = group.tools.split_at(start);
    let mut all = from.iter().chain(before).filter_map(|name| cx.view.tool(name));
    let (mut shown, mut undefined, mut unnamed, mut misses) = (Vec::new(), 0, 0, 0);
    for tool in all.by_ref() {
        if misses < MOST_MISSES {
            let definition = tool.delivered(cx.client.definitions);
            if definitions.takes(definition.text().len()) || Some(tool.name()) == first {
                shown.push(parsed(tool, definition.text()));
                misses = 0;
                continue;
            }
            misses += 1;
        }
        let brief = json!({"name": tool.name(), "brief": tool.brief()});
        // One is named in any case, so that asking for the last one leads on.
        if !(names.takes(brief.to_string().len()) || undefined == 0) {
            unnamed = 1;
            break;
        }
        undefined += 1;
        shown.push(brief);
    }
    unnamed += all.count();
    (shown, undefined, unnamed)
}

fn entry(group: &Group) -> Value {
    json!({"name": group.name, "description": group.description})
}

fn joined<const N: usize>(notes: [Option<String>; N]) -> String {
    notes.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn definition(tool: VisibleTool<'_>, definitions: Definitions) -> Value {
    parsed(tool, tool.delivered(definitions).text())
}

fn parsed(tool: VisibleTool<'_>, text: &str) -> Value {
    let unreadable = || json!({"name": tool.name(), "brief": tool.brief(), "note": wording::NESTS_TOO_DEEP});
    serde_json::from_str(text).unwrap_or_else(|_| unreadable())
}
