//! Running tools.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::json;

use super::{
    Conformance,
    data::{result, said},
    news::List,
    questions::{Asked, Retry, Script},
};

/// Between two steps of a tool that takes its time.
const STEP: Duration = Duration::from_millis(50);

impl Conformance {
    /// Runs a tool.
    pub(super) async fn run(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (&*request.name, json!(request.arguments));
        if let Some(script) = said::<Script>("tools", "scripts", name, &arguments) {
            let retry = Retry { responses: request.input_responses, state: request.request_state };
            return Ok(match script.run(context, self.codec(), retry).await? {
                Asked::Answered(answer) => told(&answer, false),
                Asked::Required(required) => required.into(),
                Asked::Undeclared(lacking) => told(&lacking, true),
            });
        }
        match name {
            "test_tool_with_logging" => self.log_steps(context, STEP).await,
            // Without pauses: the suite waits half a second for it, in which a gateway may have to start this program.
            "test_logging_tool" => self.log_steps(context, Duration::ZERO).await,
            "test_tool_with_progress" => report_progress(context).await,
            "test_missing_capability" => demand_sampling(context)?,
            "test_trigger_tool_change" => self.news().change(List::Tools).await,
            "test_trigger_prompt_change" => self.news().change(List::Prompts).await,
            "test_reconnection" => tokio::time::sleep(2 * STEP).await,
            "json_schema_2020_12_tool" | "test_custom_header" | "test_grown" => {
                return Ok(told(&arguments.to_string(), false));
            }
            _ => {}
        }
        let unknown = || ErrorData::invalid_params(format!("Unknown tool: {name}"), None);
        let said = said("tools", "results", name, &arguments).ok_or_else(unknown)?;
        Ok(result::<CallToolResult>(said).into())
    }

    async fn log_steps(&self, context: &RequestContext<RoleServer>, pause: Duration) {
        for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            self.log(context, message).await;
            tokio::time::sleep(pause).await;
        }
    }
}

async fn report_progress(context: &RequestContext<RoleServer>) {
    for progress in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, progress).with_total(100.0);
            let _gone = context.peer.notify_progress(report).await;
        }
        tokio::time::sleep(STEP).await;
    }
}

/// Refuses a client that has not declared sampling (SEP-2575).
fn demand_sampling(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if context.client_capabilities().is_some_and(|capabilities| capabilities.sampling.is_some()) {
        return Ok(());
    }
    let required = json!({"requiredCapabilities": {"sampling": {}}});
    let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
    Err(ErrorData::new(code, "Missing required client capability", Some(required)))
}

fn told(text: &str, is_error: bool) -> CallToolResponse {
    let content = json!([{"type": "text", "text": text}]);
    result::<CallToolResult>(json!({"content": content, "isError": is_error})).into()
}
