//! The demonstration: the Math server, wrapped like any `rmcp` handler.

use mcp_disclosure_compare::{
    agent::Task,
    transcript::{Assignment, Call},
};
use mcp_disclosure_core::{About, Category, Concern, DescriptionFile, RawObject, Values};
use mcp_disclosure_demo::{CATEGORIES, CONCERNS, DESCRIPTION, DESCRIPTION_FILES, FACTS, MathServer};
use mcp_disclosure_gateway::{catalogue::Declared, rmcp::model::CallToolResult, upstream::Target};
use serde_json::{Map, Value};

/// The demonstration and its declarations.
pub fn demonstration() -> (Target, Declared) {
    let files = DESCRIPTION_FILES.iter().filter_map(|(name, text)| {
        let stem = name.strip_suffix(".json")?;
        let file = DescriptionFile::parse(name, stem, text);
        debug_assert!(file.is_ok(), "{file:?}");
        file.ok()
    });
    (Target::handler(MathServer), Declared { files: files.collect(), about: about(), ..Declared::default() })
}

/// The demonstration's own task, with the answer that its server gives.
pub(crate) fn task() -> Assignment {
    let mut call = Call::of(Task {
        tool: "symbolic_solve".to_owned(),
        arguments: RawObject::empty().with_value("equations", "x**2 - 4"),
    });
    call.answer = answer(&call.tool, &call.arguments);
    Assignment { request: Some("Solve x² − 4 = 0.".to_owned()), ..Assignment::of(vec![call]) }
}

/// What the server answers a call, if it succeeds.
pub(crate) fn answer(tool: &str, arguments: &RawObject) -> Option<Value> {
    called(tool, arguments)?.structured_content
}

/// The server's result of a call, if it has the tool.
pub(crate) fn called(tool: &str, arguments: &RawObject) -> Option<CallToolResult> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments.text()).unwrap_or_default();
    MathServer.call(tool, &arguments)
}

fn about() -> About {
    let facts = FACTS.iter().map(|(name, fact)| (*name, if *fact { "true" } else { "false" }));
    let categories = CATEGORIES.iter().map(|(name, description)| Category {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
    });
    let concerns = CONCERNS.iter().filter_map(|(name, description, values)| {
        let values = values.iter().map(|value| (*value).into()).collect();
        Concern::new(*name, *description, Values::Listed(values), None).ok()
    });
    About {
        description: DESCRIPTION.to_owned(),
        facts: RawObject::assemble(facts),
        categories: categories.collect(),
        concerns: concerns.collect(),
        ..About::default()
    }
}
