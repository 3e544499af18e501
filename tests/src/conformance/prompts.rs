//! Making prompts.

use rmcp::{
    ErrorData, RoleServer,
    model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult},
    service::RequestContext,
};
use serde_json::json;

use super::{
    Conformance,
    data::{result, said},
    questions::{Asked, Retry, Script},
};

impl Conformance {
    /// Makes a prompt.
    pub(super) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (name, arguments) = (&*request.name, json!(request.arguments));
        let made = match said::<Script>("prompts", "scripts", name, &arguments) {
            None => said("prompts", "results", name, &arguments)
                .ok_or_else(|| ErrorData::invalid_params(format!("Unknown prompt: {name}"), None))?,
            Some(script) => {
                let retry = Retry { responses: request.input_responses, state: request.request_state };
                match script.run(context, self.codec(), retry).await? {
                    Asked::Answered(text) => {
                        json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
                    }
                    Asked::Required(required) => return Ok(required.into()),
                    Asked::Undeclared(lacking) => return Err(ErrorData::invalid_params(lacking, None)),
                }
            }
        };
        Ok(result::<GetPromptResult>(made).into())
    }
}
