//! A strategy's own tool, such as `info` or `describe_tools`.

use serde_json::{Value, json};

use crate::{full::ALWAYS_LOAD, raw::RawObject};

/// A tool that a strategy adds to the list and whose calls it answers, in
/// [`before_call`](crate::DisclosureStrategy::before_call).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTool {
    name: String,
    definition: RawObject,
}

impl OwnTool {
    /// A tool with this name, description and `inputSchema`. Its `_meta` asks hosts not to defer it: it is the way to the others.
    pub fn new(name: impl Into<String>, description: &str, input_schema: &Value) -> Self {
        let name = name.into();
        let definition = RawObject::empty()
            .with_value("name", &name)
            .with_value("description", description)
            .with_value("inputSchema", input_schema)
            .with_value("_meta", &json!({ALWAYS_LOAD: true}));
        Self { name, definition }
    }

    /// The tool with annotations of a read-only tool without external effects.
    pub fn read_only(self) -> Self {
        self.annotated(&json!({"readOnlyHint": true, "openWorldHint": false}))
    }

    /// The tool with these annotations.
    pub fn annotated(self, annotations: &Value) -> Self {
        Self { definition: self.definition.with_value("annotations", annotations), ..self }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The MCP `Tool` object.
    pub fn definition(&self) -> &RawObject {
        &self.definition
    }
}
