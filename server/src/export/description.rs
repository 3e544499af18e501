//! The text of a description file.

use mcp_disclosure_core::{RawObject, Tool, ToolName, layout};

/// The members that come from the definition, in order.
const NATIVE: &[&str] = &["name", "title", "description", "inputSchema", "outputSchema"];

/// Those that only operators have.
const LAID_OVER: &[&str] =
    &["examples", "usage_guidance", "error_guidance", "returns", "related", "concerns"];

/// Everything that a description file can say of a tool, spelled as it is now, so that laying it over changes
/// nothing. What was only derived, such as a brief, is not said; the category is said in one place for all tools. `name`
/// is the file's.
pub(super) fn text(name: &ToolName, tool: &Tool) -> String {
    let definition = tool.definition().with_value("name", name);
    let supplement = tool.supplement();
    let said = |text: &Option<String>| text.as_ref().and_then(|text| serde_json::to_string(text).ok());
    let brief = said(&supplement.brief);
    let native = NATIVE.iter().map(|key| (*key, definition.member(key)));
    let own = [("brief", brief.as_deref())];
    let laid_over = LAID_OVER.iter().map(|key| (*key, supplement.part(key)));
    let members = native.chain(own).chain(laid_over).filter_map(|(key, value)| Some((key, value?)));
    format!("{}\n", layout::spread(RawObject::assemble(members).text()))
}
