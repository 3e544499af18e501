//! The demonstration: the Math server, wrapped like any `rmcp` handler.

use mcp_disclosure_compare::transcript::{Assignment, Call};
use mcp_disclosure_core::{DescriptionFile, RawObject};
use mcp_disclosure_demo::{DESCRIPTION_FILES, MathServer, about};
use mcp_disclosure_gateway::{catalogue::Declared, upstream::Target};
use serde_json::{Map, Value};

/// The demonstration and its declarations, if it was built in.
pub fn demonstration() -> Option<(Target, Declared)> {
    let files = DESCRIPTION_FILES.iter().filter_map(|(name, text)| {
        let stem = name.strip_suffix(".json")?;
        let file = DescriptionFile::parse(name, stem, text);
        debug_assert!(file.is_ok(), "{file:?}");
        file.ok()
    });
    let declared = Declared { files: files.collect(), about: about(), ..Declared::default() };
    Some((Target::handler(MathServer), declared))
}

/// The demonstration's own task.
pub(crate) fn own_task() -> Option<Assignment> {
    let (tool, arguments) = ("symbolic_solve", RawObject::empty().with_value("equations", "x**2 - 4"));
    let answer = own_answer(tool, &arguments);
    let call = Call { tool: tool.to_owned(), arguments, answer, ..Call::default() };
    Some(Assignment { request: Some("Solve x² − 4 = 0.".to_owned()), ..Assignment::of(vec![call]) })
}

/// What the server answers a call, if it succeeds.
pub(crate) fn own_answer(tool: &str, arguments: &RawObject) -> Option<Value> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments.text()).unwrap_or_default();
    MathServer.call(tool, &arguments)?.structured_content
}
