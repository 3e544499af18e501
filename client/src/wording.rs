//! Every sentence of this crate that a model reads: the workflow of a strategy whose server does not describe it.

use mcp_disclosure_core::{Era, descriptions_uri};

use crate::Channel;

/// The workflow of a channel, for a system prompt (tool-descriptions-resource §8.2, after tool-descriptions-guide
/// "Agent Implementation"). `example` is the name of a tool.
pub(crate) fn workflow(channel: &Channel, era: Era, example: Option<&str>) -> Option<String> {
    let example = example.unwrap_or("TOOL_NAME");
    let call = match era {
        Era::Session => "with the parameters from its description",
        Era::Stateless => "with the parameters from its description, including every required one",
    };
    match channel {
        // What negotiates these explains them itself.
        Channel::List | Channel::Method | Channel::InfoTool | Channel::SearchTool => None,
        Channel::Resource { uri } => Some(format!(
            "IMPORTANT: this server discloses its tools progressively. Follow this order exactly:\n\
             1. PICK a tool by its short description. It says WHAT the tool does, which is usually enough to choose.\n\
             2. FETCH the full description of that tool by reading a resource with its name: {}\n\
             It says HOW to use the tool, and authorizes it. If several tools seem to fit, fetch them together \
             (?tools=NAME,NAME) and compare.\n\
             3. CALL the tool {call}.\n\
             You CANNOT call a tool before fetching its description. NEVER read {uri} without ?tools=NAME.",
            descriptions_uri(uri, [example]),
        )),
        Channel::Groups => Some(format!(
            "Tools of this server are in groups. Follow this order:\n\
             1. PICK a group by its description, and fetch it. It may have groups in it.\n\
             2. CALL one of its tools {call}."
        )),
    }
}
