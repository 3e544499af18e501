//! Every sentence of `describe` that a model or an operator reads.

use std::borrow::Cow;

use mcp_disclosure_core::Objection;

/// The name of the bridge tool.
pub const BRIDGE: &str = "describe_tools";

/// Stands for a tool's name where no tool is listed.
pub const SOME_TOOL: &str = "TOOL_NAME";

/// The bridge tool's description.
pub const BRIDGE_DESCRIPTION: &str = "Fetch the full descriptions of tools by name: \
     parameters, examples, errors. Do this before the first call of a tool. \
     Choose by the short descriptions; fetch only tools that you are about to call.";

/// The description of the bridge tool's one argument.
pub const BRIDGE_NAMES: &str = "Names of the tools to describe, exactly as listed";

/// The guidance for system prompts.
pub fn guidance(bridge: bool, example: &str) -> String {
    let how = if bridge {
        format!("call {BRIDGE} with {{\"names\": [\"{example}\"]}}")
    } else {
        format!("request tools/describe with {{\"name\": \"{example}\"}}, or {{\"names\": [..]}}")
    };
    format!(
        "Tools of this server are listed by name and a short description, without parameters. Follow this \
         order:\n\
         1. PICK a tool by its short description; that is enough to choose.\n\
         2. DESCRIBE it before its first call: {how}. You can describe several tools at once.\n\
         3. CALL it with the parameters from its description.\n\
         A call without step 2 is not refused, but arguments are checked: if they are invalid, the tool does \
         not run, and the error says what is expected. Do not describe tools in order to choose."
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

/// The error for an unknown name, in Delta-MCP's words.
pub fn unknown_tool(name: &str) -> String {
    format!("Unknown tool: {name}")
}

/// The message of the bridge's `MISSING_TOOL_SELECTION`.
pub const MISSING_SELECTION: &str = "You must specify one or more tool names in 'names'.";

/// The message of the bridge's `TOO_MANY_TOOLS`.
pub fn too_many(given: usize, most: usize) -> String {
    format!("{given} tools were named; at most {most} can be described at once.")
}

/// The value under an unknown name.
pub fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// The value under the name of a tool whose definition nests too deep for a tool result.
pub fn nests_too_deep(name: &str) -> String {
    format!("The definition of '{name}' nests too deep to be shown. The tool can be called without it.")
}

/// The objection to a tool whose brief, or description if it has none, is too long.
pub fn too_long(name: &str, is_brief: bool, length: usize, most: usize) -> Objection {
    let what = if is_brief { "brief" } else { "description" };
    Objection {
        message: format!("tool '{name}': {what} has {length} characters (UTF-16 code units), limit {most}"),
        hint: Cow::Borrowed(if is_brief {
            "write a shorter 'brief', or use --long-briefs shorten to derive one from it"
        } else {
            "leave out --long-briefs reject, or write a 'brief' in the tool's description file"
        }),
    }
}
