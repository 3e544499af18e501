//! Every sentence of `describe` that a model reads, or the person who starts the program.

use std::borrow::Cow;

use mcp_disclosure_core::Objection;

/// The name of the bridge tool.
pub const BRIDGE: &str = "describe_tools";

/// Stands for a tool's name where there is no tool to take one from.
pub const SOME_TOOL: &str = "TOOL_NAME";

/// The bridge tool's description.
pub const BRIDGE_DESCRIPTION: &str = "Fetch the full descriptions of tools you have picked, by name: \
     their parameters, examples, errors. Do so before the first call of a tool. \
     Pick by the short descriptions first; fetch only what you are about to call.";

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
         2. DESCRIBE it before the first call: {how}. Several tools may be described at once.\n\
         3. CALL the tool with the parameters you learned.\n\
         A call without step 2 is not refused, but arguments are checked: where they do not fit, the tool does \
         not run and you are told what was expected. Do not describe tools in order to choose."
    )
}

/// Wrong parameters of `tools/describe`.
pub const NOTHING_SELECTED: &str = "params.name must be a string, or params.names a list of strings";
/// Wrong parameters of `tools/describe`.
pub const BOTH_SELECTED: &str = "params must have either 'name' or 'names', not both";
/// Wrong parameters of `tools/describe`.
pub const NAME_IS_NO_STRING: &str = "params.name must be a string";
/// Wrong parameters of `tools/describe`.
pub const NAMES_ARE_NO_STRINGS: &str = "params.names must be a list of strings";

/// The error for a name that nobody has, in 003's words.
pub fn unknown_tool(name: &str) -> String {
    format!("Unknown tool: {name}")
}

/// The message of the bridge's `MISSING_TOOL_SELECTION`.
pub const MISSING_SELECTION: &str = "You must specify one or more tool names in 'names'.";

/// The message of the bridge's `TOO_MANY_TOOLS`.
pub fn too_many(given: usize, most: usize) -> String {
    format!("{given} tools were named; at most {most} can be described at once.")
}

/// What stands under a name that nobody has.
pub fn not_found(name: &str) -> String {
    format!("Tool '{name}' not found")
}

/// What stands under the name of a tool whose definition cannot be part of a tool's result.
pub fn nests_too_deep(name: &str) -> String {
    format!("The definition of '{name}' nests too deep to be shown here. It can be called.")
}

/// What is objected to in a tool whose brief, or description where it has none, is too long.
pub fn too_long(name: &str, is_brief: bool, length: usize, most: usize) -> Objection {
    let what = if is_brief { "brief" } else { "description" };
    Objection {
        message: format!(
            "tool '{name}': its {what} has {length} characters (UTF-16 units), at most {most} are listed"
        ),
        hint: Cow::Borrowed(
            "--long-briefs shorten derives shorter ones; or write a 'brief' in the tool's description file",
        ),
    }
}
