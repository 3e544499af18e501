//! Running tools.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    Conformance,
    catalogue::result,
    news::List,
    questions::{Asked, Retry, Script},
    scripts::SCRIPTS,
};

/// One red pixel.
pub(super) const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// A WAV file without samples.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/// Between two steps of a tool that takes its time.
const STEP: Duration = Duration::from_millis(50);

impl Conformance {
    /// Runs a tool.
    pub(super) async fn run(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(script) = SCRIPTS.iter().find(|script| script.tool == request.name) {
            return self.run_script(script, request, context).await;
        }
        let content = match &*request.name {
            "test_simple_text" => json!([text("This is a simple text response for testing.")]),
            "test_image_content" => json!([image()]),
            "test_audio_content" => json!([{"type": "audio", "data": SOUND, "mimeType": "audio/wav"}]),
            "test_embedded_resource" => json!([embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]),
            "test_multiple_content_types" => json!([
                text("Multiple content types test:"),
                image(),
                embedded(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#
                ),
            ]),
            "test_tool_with_logging" => self.run_with_logging(context, STEP).await,
            // Without pauses: the suite waits half a second for it, in which a gateway may have to start this program.
            "test_logging_tool" => self.run_with_logging(context, Duration::ZERO).await,
            "test_tool_with_progress" => run_with_progress(context).await,
            "test_error_handling" => {
                return Ok(failed("This tool intentionally returns an error for testing"));
            }
            "test_missing_capability" => run_with_sampling(context)?,
            "test_trigger_tool_change" => self.news().change(List::Tools).await,
            "test_trigger_prompt_change" => self.news().change(List::Prompts).await,
            "test_reconnection" => {
                tokio::time::sleep(2 * STEP).await;
                json!([text("Reconnection test completed")])
            }
            "json_schema_2020_12_tool" | "test_custom_header" | "test_grown" => {
                json!([text(&json!(request.arguments).to_string())])
            }
            name => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
        };
        Ok(result::<CallToolResult>(json!({"content": content})).into())
    }

    async fn run_script(
        &self,
        script: &Script,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let argument = script.argument.and_then(|name| arguments[name].as_str()).unwrap_or_default();
        let retry = Retry { responses: request.input_responses, state: request.request_state };
        Ok(match script.run(context, self.codec(), argument, retry).await? {
            Asked::Answered(answers) => {
                let answer = format!("{}{answers}", script.prefix);
                result::<CallToolResult>(json!({"content": [text(&answer)]})).into()
            }
            Asked::Required(required) => required.into(),
            Asked::Undeclared(capability) => failed(&format!("The client has not declared {capability}.")),
        })
    }

    async fn run_with_logging(&self, context: &RequestContext<RoleServer>, pause: Duration) -> Value {
        for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            self.log(context, message).await;
            tokio::time::sleep(pause).await;
        }
        json!([text("Logging test completed")])
    }
}

async fn run_with_progress(context: &RequestContext<RoleServer>) -> Value {
    for progress in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, progress).with_total(100.0);
            let _gone = context.peer.notify_progress(report).await;
        }
        tokio::time::sleep(STEP).await;
    }
    json!([text("Progress test completed")])
}

/// Refuses a client that has not declared sampling (SEP-2575).
fn run_with_sampling(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let declared = context.client_capabilities().is_some_and(|capabilities| capabilities.sampling.is_some());
    if declared {
        return Ok(json!([text("The client can sample.")]));
    }
    let required = json!({"requiredCapabilities": {"sampling": {}}});
    let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
    Err(ErrorData::new(code, "Missing required client capability", Some(required)))
}

fn failed(reason: &str) -> CallToolResponse {
    result::<CallToolResult>(json!({"content": [text(reason)], "isError": true})).into()
}

/// A text as content.
pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The image as content.
pub(super) fn image() -> Value {
    json!({"type": "image", "data": IMAGE, "mimeType": "image/png"})
}

/// A resource as content.
pub(super) fn embedded(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}})
}
