//! Every sentence of this crate that a model reads: what it is told of a strategy whose server does not tell.

use mcp_disclosure_core::{Era, descriptions_uri};

use crate::Channel;

/// The workflow of a channel, for a system prompt (000 §8.2, after 001 "Agent Implementation"). `example` is the
/// name of some tool.
pub(crate) fn workflow(channel: &Channel, era: Era, example: Option<&str>) -> Option<String> {
    let example = example.unwrap_or("TOOL_NAME");
    let call = match era {
        Era::Session => "with the parameters you just learned",
        Era::Stateless => "with the parameters you just learned, every required one among them",
    };
    match channel {
        Channel::List => None,
        Channel::Resource { uri } => Some(format!(
            "IMPORTANT: this server discloses its tools progressively. Follow this order exactly:\n\
             1. PICK a tool by its short description. It says WHAT the tool does, which is enough to choose.\n\
             2. FETCH the full description of that tool by reading a resource with its name: {}\n\
             3. CALL the tool {call}.\n\
             You CANNOT call a tool before its description was fetched. NEVER read {uri} without ?tools=NAME, \
             and do not fetch descriptions in order to choose: they say HOW a tool is used, and authorize it.",
            descriptions_uri(uri, [example]),
        )),
        Channel::Method => Some(format!(
            "Tools are listed with short descriptions only. Follow this order:\n\
             1. PICK a tool by its short description. It says WHAT the tool does, which is enough to choose.\n\
             2. Before you call it for the first time, ask for its complete definition by its name: \
             tools/describe with {{\"name\": \"{example}\"}}. Do not ask in order to choose.\n\
             3. CALL the tool {call}."
        )),
        Channel::InfoTool => Some(format!(
            "The tool info tells what this server can do, level by level. Follow this order:\n\
             1. Call info without a topic for the categories of tools.\n\
             2. Call info with a category as the topic for its tools, and PICK one.\n\
             3. Call info with that tool as the topic to learn its parameters.\n\
             4. CALL the tool {call}. Where it is not listed itself, call invoke with {{\"tool\": \
             \"{example}\", \"arguments\": {{…}}}}."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_workflow_says_what_000_8_2_asks_for() {
        let channel = Channel::Resource { uri: "resource:///tool_descriptions".to_owned() };
        let text = workflow(&channel, Era::Session, Some("a b")).unwrap();
        // Two stages in order; enough to choose; never without names; an example.
        let steps = ["PICK", "enough to choose", "FETCH", "?tools=a%20b", "CALL", "NEVER", "without ?tools="];
        let places: Vec<usize> = steps.iter().map(|step| text.find(step).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
        assert_eq!(workflow(&Channel::List, Era::Session, None), None);
        assert!(workflow(&Channel::Method, Era::Stateless, None).unwrap().contains("TOOL_NAME"));
    }
}
