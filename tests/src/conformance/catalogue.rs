//! What is listed: tools, prompts, resources and templates.

use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::scripts::SCRIPTS;

/// Tools that need no arguments and nothing of the client.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Returns a text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns an embedded resource"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_tool_with_logging", "Sends log messages while it runs"),
    ("test_logging_tool", "Sends log messages if the request allows them"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_progress", "Reports progress while it runs"),
    ("test_reconnection", "Answers after a while"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_trigger_tool_change", "Adds a tool to the list, or takes it away again"),
    ("test_trigger_prompt_change", "Adds a prompt to the list, or takes it away again"),
];

/// The tools, with one more while the list has grown.
pub(super) fn tools(grown: bool) -> Vec<Tool> {
    let described = PLAIN.iter().map(|(name, description)| tool(name, description, &json!({})));
    let asking = SCRIPTS.iter().map(|script| {
        let properties = script.argument.map_or(json!({}), |name| json!({name: {"type": "string"}}));
        tool(script.tool, script.description, &properties)
    });
    let more = grown.then(|| tool("test_grown", "Listed since the list has grown", &json!({})));
    let special = [schema_tool(), header_tool()];
    described.chain(asking).chain(special).chain(more).collect()
}

/// The prompts, with one more while the list has grown.
pub(super) fn prompts(grown: bool) -> Vec<Prompt> {
    let argument = |name: &str| json!({"name": name, "description": "For the test", "required": true});
    let mut prompts = vec![
        json!({"name": "test_simple_prompt", "description": "Without arguments"}),
        json!({
            "name": "test_prompt_with_arguments",
            "description": "With two arguments",
            "arguments": [argument("arg1"), argument("arg2")],
        }),
        json!({
            "name": "test_prompt_with_embedded_resource",
            "description": "With a resource",
            "arguments": [argument("resourceUri")],
        }),
        json!({"name": "test_prompt_with_image", "description": "With an image"}),
        json!({"name": "test_input_required_result_prompt", "description": "Asks the user for its context"}),
    ];
    if grown {
        prompts.push(json!({"name": "test_grown_prompt", "description": "Listed since the list has grown"}));
    }
    prompts.into_iter().map(typed).collect()
}

/// The resources.
pub(super) fn resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, mime_type: &str| {
        typed(json!({"uri": uri, "name": name, "description": "For the test", "mimeType": mime_type}))
    };
    vec![
        resource("test://static-text", "Static text", "text/plain"),
        resource("test://static-binary", "Static binary", "image/png"),
        resource("test://watched-resource", "Watched resource", "text/plain"),
    ]
}

/// The resource templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![typed(json!({
        "uriTemplate": "test://template/{id}/data",
        "name": "Data of an id",
        "description": "For the test",
        "mimeType": "application/json",
    }))]
}

/// A value as `rmcp` has it.
pub(super) fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A result as `rmcp` has it. It fills the era's `resultType` in for values of its own making only.
pub(super) fn result<T: DeserializeOwned>(mut members: Value) -> T {
    members["resultType"] = "complete".into();
    typed(members)
}

fn tool(name: &str, description: &str, properties: &Value) -> Tool {
    let required: Vec<&String> =
        properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    typed(json!({"name": name, "description": description, "inputSchema": schema}))
}

/// Everything that JSON Schema 2020-12 has and is easily lost (SEP-1613, SEP-2106).
fn schema_tool() -> Tool {
    typed(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    }))
}

/// A tool with an argument that clients repeat in a header (SEP-2243).
fn header_tool() -> Tool {
    typed(json!({
        "name": "test_custom_header",
        "description": "Takes an argument that is a header too",
        "inputSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        },
    }))
}
