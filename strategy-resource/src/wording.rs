//! Every sentence of `resource` that a model reads.

use mcp_disclosure_core::{Era, ReceiptProblem};
use serde_json::json;

use crate::selection::{BASE_URI, uri_of};

/// The name of the bridge tool.
pub const BRIDGE: &str = "describe_tools";

/// The resource's name (tool-descriptions-resource §11.2).
pub const RESOURCE_NAME: &str = "Tool Descriptions - Required for tool use";

/// The resource template's name.
pub const TEMPLATE_NAME: &str = "Tool descriptions by tool name";

/// The resource template's description.
pub const TEMPLATE_DESCRIPTION: &str = "Complete descriptions of the named tools. Use names from tools/list, separated by commas. At least one is required.";

/// The resource's description: the numbered workflow, after tool-descriptions-guide "Proven Effective Pattern", with a wrong
/// example beside the right one ("Common Pitfalls" 1).
pub fn resource_description(era: Era, example: &str, has_pins: bool) -> String {
    let description = format!(
        "WORKFLOW:\n\
         Step 1: PICK the tool you need from tools/list. Its short description says WHAT the tool does.\n\
         Step 2: FETCH that tool's full description here.\n\
         RIGHT: {}\n\
         WRONG: {BASE_URI} (names no tool, and fails)\n\
         Step 3: CALL the tool with the parameters from its description.\n\n\
         IMPORTANT: you CANNOT call a tool before fetching its description; such a call fails with \
         TOOL_DESCRIPTION_REQUIRED. The short descriptions are enough for CHOOSING a tool. This resource is \
         for USING it: parameters, examples, errors. Fetching {}. Separate several names by commas.",
        uri_of([example]),
        authorizes(era),
    );
    with_pins(description, has_pins)
}

/// What fetching a description is good for, beside what it says (tool-descriptions-resource §4.2).
fn authorizes(era: Era) -> &'static str {
    match era {
        Era::Session => "authorizes the tool for this session",
        Era::Stateless => "authorizes the tool by the disclosure_receipt that it returns",
    }
}

/// The bridge tool's description, before the index.
pub fn bridge_description(era: Era, has_pins: bool) -> String {
    let description = format!(
        "Fetch the full descriptions of tools by name. REQUIRED once before each tool's first call: it returns the \
         parameters and {}. Name several tools to fetch them at once: those that you are about to call, or those that all \
         seem to fit.",
        authorizes(era)
    );
    with_pins(description, has_pins)
}

/// A text that says that tools have to be fetched, with the exception that pins make of it.
fn with_pins(text: String, has_pins: bool) -> String {
    if has_pins { format!("{text} {PINS}") } else { text }
}

const PINS: &str = "Exception: tools that are listed with their parameters can be called at once.";

/// The description of the bridge tool's one argument.
pub const BRIDGE_NAMES: &str = "Names of the tools to describe, exactly as listed";

/// The instruction to fetch a tool's description over the bridge, or from the resource.
pub fn how_to_learn(bridge: bool, tool: &str) -> String {
    if bridge {
        format!("call {BRIDGE} with {}", json!({"names": [tool]}))
    } else {
        format!("read the resource {}", uri_of([tool]))
    }
}

/// The error of a URI that probably means the resource.
pub fn meant_uri(uri: &str, meant: &str) -> String {
    format!("Resource not found: {uri}. Did you mean {meant}?")
}

/// The guidance for system prompts (tool-descriptions-resource §8.2).
pub fn guidance(era: Era, bridge: bool, has_pins: bool, example: &str) -> String {
    let how = how_to_learn(bridge, example);
    let call = match era {
        Era::Session => "with the parameters from its description",
        Era::Stateless => "with the parameters from its description, including disclosure_receipt",
    };
    let wrong = if bridge { "{}" } else { BASE_URI };
    let guidance = format!(
        "Tools of this server are disclosed in two stages. Follow this order:\n\
         1. PICK a tool by its short description; that is usually enough to choose.\n\
         2. FETCH its full description before its first call: {how} (WRONG, since it names no tool: {wrong}). One request \
         can name several tools; if several seem to fit, fetch them together and compare.\n\
         3. CALL it {call}.\n\
         A call without step 2 fails. Fetching {}.",
        authorizes(era)
    );
    with_pins(guidance, has_pins)
}

/// The message of `MISSING_TOOL_SELECTION` (tool-descriptions-resource §6.1).
pub const MISSING_SELECTION: &str = "You must specify one or more tool names in the 'tools' parameter.";

/// The same over the bridge.
pub const MISSING_NAMES: &str = "You must specify one or more tool names in 'names'.";

/// The message of `RATE_LIMITED`.
pub fn rate_limited(seconds: u64) -> String {
    format!(
        "Too many description fetches. Wait {seconds} seconds, then fetch only what you are about to call."
    )
}

/// The message of `TOOL_DESCRIPTION_REQUIRED` (tool-descriptions-resource §6.2).
pub fn description_required(name: &str) -> String {
    format!("Tool '{name}' requires fetching its description before use.")
}

/// The instructions of `TOOL_DESCRIPTION_REQUIRED`.
pub fn steps(name: &str, receipt: &str, era: Era, bridge: bool, problem: ReceiptProblem) -> Vec<String> {
    let again = match problem {
        ReceiptProblem::Missing | ReceiptProblem::Invalid => "",
        ReceiptProblem::Expired => " again (the receipt has expired)",
        ReceiptProblem::DefinitionChanged => " again (it has changed)",
    };
    let how = if bridge {
        how_to_learn(bridge, name)
    } else {
        format!("resources/read with uri \"{}\"", uri_of([name]))
    };
    let fetch = format!("1. Fetch the description{again}: {how}");
    let call = match era {
        Era::Session => format!("3. Call '{name}' again"),
        Era::Stateless => {
            format!("3. Call '{name}' again with the {receipt} in the description's inputSchema")
        }
    };
    vec![fetch, "2. Learn the parameters from inputSchema and examples".to_owned(), call]
}
