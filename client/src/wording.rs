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
        Channel::List => None,
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
        Channel::Method => Some(format!(
            "Tools are listed with short descriptions only. Follow this order:\n\
             1. PICK a tool by its short description. It says WHAT the tool does, which is usually enough to choose.\n\
             2. Before its first call, request its complete definition: \
             tools/describe with {{\"name\": \"{example}\"}}, or {{\"names\": [..]}} if several tools seem to fit.\n\
             3. CALL the tool {call}."
        )),
        Channel::InfoTool => Some(format!(
            "The tool info describes the tools of this server in three levels. Follow this order:\n\
             1. Call info without a topic to list the categories.\n\
             2. Call info with a category as topic to list its tools, and PICK one.\n\
             3. Call info with that tool as topic to get its parameters, unless they were shown already.\n\
             4. CALL the tool {call}. If it is not listed, call invoke with {{\"tool\": \
             \"{example}\", \"arguments\": {{…}}}}."
        )),
        Channel::Groups => Some(format!(
            "Tools of this server are in groups. Follow this order:\n\
             1. PICK a group by its description, and fetch it. It may have groups in it.\n\
             2. CALL one of its tools {call}."
        )),
        Channel::SearchTool => Some(format!(
            "Tools of this server are found by searching. Follow this order:\n\
             1. SEARCH: call search_tools with {{\"query\": \"what you want to do, in a few words\"}}, and PICK a hit.\n\
             2. If the hit has no inputSchema, call search_tools with its name as query.\n\
             3. CALL it: call_tool with {{\"tool\": \"{example}\", \"arguments\": {{…}}}}."
        )),
    }
}
