//! Every sentence of `groups` that a model reads.

use mcp_disclosure_core::{Executor, Executors, brief::shorten};

/// The tool that shows a group.
pub const GET: &str = "get_group";

/// The tool that calls tools: all of them, or those that can change something.
pub const CALL: &str = "call_tool";

/// The tool that calls read-only tools, where there are two.
pub const CALL_READ_ONLY: &str = "call_read_only_tool";

/// Maximum length of a name in a message, in characters.
const LONGEST_NAME: usize = 120;

/// Maximum length of the names of nested groups in a description, in characters.
const LONGEST_NESTED: usize = 120;

/// What a group is for: its description, or the names of what is nested in it.
pub fn purpose(said: Option<&str>, title: Option<&str>, nested: &[String]) -> String {
    match said {
        Some(said) => said.to_owned(),
        None if !nested.is_empty() => {
            let nested = shorten(&nested.join(", "), LONGEST_NESTED);
            title.map_or_else(|| nested.clone(), |title| format!("{title}: {nested}"))
        }
        None => title.unwrap_or_default().to_owned(),
    }
}

/// The same with the number of its tools, for which the draft has no member.
pub fn with_count(purpose: &str, count: usize) -> String {
    let purpose = purpose.trim().trim_end_matches(':');
    let end = if purpose.is_empty() || purpose.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    let count = match count {
        0 => String::new(),
        1 => " 1 tool.".to_owned(),
        count => format!(" {count} tools."),
    };
    format!("{purpose}{end}{count}").trim_start().to_owned()
}

/// The description of `get_group`, before the index of what is behind.
pub fn get_description(executors: Executors, has_others: bool) -> String {
    let others = if has_others { OTHERS } else { "Tools" };
    format!(
        "{others} are in groups. Shows a group: its tools with their parameters, and the groups in it. Then call a tool with \
         {}.",
        EXECUTOR.names(executors)
    )
}

/// The beginning of the description where some tools are listed.
const OTHERS: &str = "Tools that are listed with their parameters can be called at once. Others";

/// The argument `name`.
pub const NAME: &str = "The name of a group, or of a tool for its group";

/// The tools that call what a group has.
pub const EXECUTOR: Executor = Executor {
    describing: GET,
    acting: CALL,
    reading: CALL_READ_ONLY,
    called: "a tool of a group",
    arguments: "By the tool's inputSchema from get_group",
};

/// The guidance for system prompts of hosts that know no groups.
pub fn guidance(executors: Executors, has_others: bool) -> String {
    let call = EXECUTOR.usage(executors);
    let others = if has_others { "Tools that are listed can be called at once. Others" } else { "Tools" };
    format!(
        "{others} of this server are in groups; the description of {GET} names them.\n\
         1. OPEN: call {GET} with {{\"name\": \"GROUP\"}}. A group may have groups in it.\n\
         2. CALL: {call}, by the inputSchema that {GET} showed.\n\
         A group that was shown once needs not be shown again."
    )
}

/// The note of an answer without a name.
pub const CHOOSE: &str = "Call get_group with the name of one of these.";

/// The note of an answer about a tool that is in no group.
pub const LISTED: &str = "This tool is in no group. It is listed: call it by its name.";

/// What stands for a definition that nests too deep.
pub const NESTS_TOO_DEEP: &str = "Its definition nests too deep to be shown.";

/// The note of a group whose definitions are too large, of this many tools.
pub fn too_large(left: usize) -> Option<String> {
    let of = if left == 1 { "definition of 1 tool" } else { &format!("definitions of {left} tools") };
    (left > 0).then(|| format!("Without the {of}: call {GET} with the name of such a tool."))
}

/// The note of a group with this many more tools than can be named.
pub fn tools_left(left: usize) -> Option<String> {
    let of = if left == 1 { "1 more tool is" } else { &format!("{left} more tools are") };
    let next = format!("call {GET} with the name of the last one here, and it shows those after it.");
    (left > 0).then(|| format!("{of} not named: {next}"))
}

/// The note of a group with this many more prompts or resources than can be named.
pub fn entries_left(left: usize, kind: &str) -> Option<String> {
    (left > 0).then(|| format!("More {kind} are not named ({left}): {kind}/list has them."))
}

/// The note of a list of this many more groups than can be named.
pub fn groups_left(left: usize) -> Option<String> {
    let next = format!("call {GET} with a part of a name for suggestions, or with the name of a tool.");
    (left > 0).then(|| format!("More groups are not named ({left}): {next}"))
}

/// The error of an unknown group.
pub fn unknown_group(name: &str, meant: &[&str]) -> String {
    let name = shorten(name, LONGEST_NAME);
    match meant {
        [] => format!("Unknown group: {name}"),
        meant => format!("Unknown group: {name}. Did you mean: {}?", meant.join(", ")),
    }
}

/// What was expected of `name`.
pub const EXPECTED_NAME: &str = "a string: the name of a group";

/// The error of `groups/get` without a name.
pub const NAME_NOT_A_STRING: &str = "params.name must be a string: the name of a group";

/// The error of an unknown group. It does not depend on the name, so that hidden groups cannot be distinguished.
pub const NOT_FOUND: &str = "Group not found";

/// The error of a cursor of another list.
pub const FOREIGN_CURSOR: &str =
    "params.cursor is not one of this list, which may have changed: start without a cursor";
