//! Every sentence of `describe` that a model or an operator reads.

use std::borrow::Cow;

use mcp_disclosure_core::{
    Objection,
    given::{MOST_NAMES, shown},
};
use serde_json::json;

/// The name of the bridge tool.
pub const BRIDGE: &str = "describe_tools";

/// The bridge tool's description, before the index. `lists_schemas` is whether some tools are listed with theirs.
pub fn bridge_description(lists_schemas: bool) -> String {
    let when = if lists_schemas {
        SOME_ARE_SHOWN
    } else {
        "Do this before the first call of a tool, and give its parameters as \"arguments\"."
    };
    format!(
        "Fetch the full descriptions of tools by name: what they do in full, and their parameters. {when} Name several \
         tools to fetch them at once: those that you are about to call, or those that all seem to fit."
    )
}

/// Which tools need no description where some are listed with their schemas.
const SOME_ARE_SHOWN: &str = "Tools that are listed with parameters, or with an empty list of them (\"properties\": {}), \
     can be called at once; fetch the others, those with nothing but \"arguments\", before their first call, and give their \
     parameters as \"arguments\".";

/// The description of the bridge tool's one argument.
pub const BRIDGE_NAMES: &str = "Names of the tools to describe, exactly as listed";

/// The instruction to learn a tool over the bridge, or by the method.
pub fn how_to_learn(bridge: bool, tool: &str) -> String {
    if bridge {
        format!("call {BRIDGE} with {}", json!({"names": [tool]}))
    } else {
        format!("request tools/describe with {}", json!({"name": tool}))
    }
}

/// The guidance for system prompts. `lists_schemas` is whether some tools are listed with their schemas.
pub fn guidance(bridge: bool, lists_schemas: bool, example: &str) -> String {
    let how = how_to_learn(bridge, example);
    let (parameters, when) = if lists_schemas {
        ("some with parameters", "unless it is listed with parameters, or with an empty list of them")
    } else {
        ("without parameters", "before its first call")
    };
    format!(
        "Tools of this server are listed by name and a short description, {parameters}.\n\
         1. PICK a tool by its short description. If several seem to fit, describe them together and compare.\n\
         2. DESCRIBE it {when}: {how}. One request can name several tools, and one description of a tool is enough.\n\
         3. CALL it with the parameters from its description, as \"arguments\" if only that is listed.\n\
         If arguments do not fit, the tool does not run, and the error says what is expected."
    )
}

/// Invalid parameters of `tools/describe`.
pub const NOTHING_SELECTED: &str = "params.name must be a string, or params.names a list of strings";
/// Invalid parameters of `tools/describe`.
pub const BOTH_SELECTED: &str = "params must have either 'name' or 'names', not both";
/// Invalid parameters of `tools/describe`.
pub const NAME_NOT_A_STRING: &str = "params.name must be a string";
/// Invalid parameters of `tools/describe`.
pub const NAMES_NOT_STRINGS: &str = "params.names must be a list of strings";

/// Invalid parameters of `tools/describe`.
pub fn too_many_names() -> String {
    format!("params.names has more than {MOST_NAMES} names; at most {MOST_NAMES} are taken by one request")
}

/// The error for an unknown name, in Delta-MCP's words.
pub fn unknown_tool(name: &str) -> String {
    format!("Unknown tool: {}", shown(name))
}

/// The message of the bridge's `MISSING_TOOL_SELECTION`.
pub const MISSING_SELECTION: &str = "You must specify one or more tool names in 'names'.";

/// The objection to a tool whose brief, or description if it has none, is too long.
pub fn too_long(name: &str, is_brief: bool, length: usize, most: usize) -> Objection {
    let what = if is_brief { "brief" } else { "description" };
    Objection {
        message: format!("tool '{name}': {what} has {length} characters (UTF-16 code units), limit {most}"),
        hint: Cow::Borrowed(if is_brief {
            "write a shorter 'brief', or use --set describe.long_briefs=shorten to derive one from it"
        } else {
            "leave out --set describe.long_briefs=reject, or write a 'brief' in the tool's description file"
        }),
    }
}
