//! Calls of tools whose upstream demands that their descriptions are fetched (tool-descriptions-resource §5), sent as it demands.

use mcp_disclosure_core::{
    Era, RawObject,
    delivered::{DESCRIPTION_REQUIRED, wants_description},
};
use mcp_disclosure_transport::{CallError, Json, meta::PROTOCOL_VERSION};

use super::{Channel, Disclosing, fetch::again};
use crate::upstream::request::{Line, UpstreamCall};

impl Line {
    /// Sends a request on behalf of a client, as the upstream demands: a call with the receipt that the upstream gave, and once more if the
    /// upstream refuses it until the description is fetched: a refused call did not run.
    pub(in crate::upstream) async fn send_as_demanded(&self, call: UpstreamCall) -> Result<Json, CallError> {
        let is_call = call.method == "tools/call";
        let Some(Channel::Resource { uri }) = is_call.then(|| self.disclosing.channel()).flatten() else {
            return self.send(call).await;
        };
        let tool = call.params.string("name").unwrap_or_default();
        let meta = call.params.object("_meta");
        let is_stateless = meta.is_some_and(|meta| meta.member(PROTOCOL_VERSION).is_some());
        let era = if is_stateless { Era::Stateless } else { Era::Session };
        let outcome = self.send(self.disclosing.with_receipt(&call, era, &tool)).await;
        if !is_refused(&outcome) {
            return outcome;
        }
        tracing::debug!(tool, "its description is fetched, and the call repeated");
        let Some(definition) = again(self, &uri, era, &tool).await else { return outcome };
        self.disclosing.keep_receipt(era, &tool, definition.receipt);
        self.send(self.disclosing.with_receipt(&call, era, &tool)).await
    }
}

impl Disclosing {
    fn with_receipt(&self, call: &UpstreamCall, era: Era, tool: &str) -> UpstreamCall {
        let kept = self.0.lock().receipts.get(&(era, tool.to_owned())).cloned();
        let Some((argument, receipt)) = kept else { return call.clone() };
        let arguments = call.params.object("arguments").unwrap_or_else(RawObject::empty);
        let arguments = arguments.with_value(&argument, &receipt);
        UpstreamCall { params: call.params.with("arguments", arguments.text()), ..call.clone() }
    }
}

/// Whether a call was refused until its description is fetched, as a result or as an error.
fn is_refused(outcome: &Result<Json, CallError>) -> bool {
    match outcome {
        Ok(result) if result.as_str().contains(DESCRIPTION_REQUIRED) => {
            RawObject::of(result).is_ok_and(|result| wants_description(&result))
        }
        Err(CallError::Answered(error)) if error.text().as_str().contains(DESCRIPTION_REQUIRED) => {
            let code =
                |object: &RawObject| object.string("code").is_some_and(|code| code == DESCRIPTION_REQUIRED);
            error
                .data()
                .is_some_and(|data| code(&data) || data.object("error").is_some_and(|error| code(&error)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_transport::ErrorText;
    use serde_json::json;

    use super::*;

    #[test]
    fn u16_only_a_refusal_leads_to_a_second_call() {
        let ok = |value: serde_json::Value| Ok(Json::of(&value));
        let code = json!({"error": {"code": "TOOL_DESCRIPTION_REQUIRED"}});
        assert!(is_refused(&ok(json!({"isError": true, "structuredContent": code}))));
        assert!(is_refused(&ok(json!({"content": [{"type": "text", "text": code.to_string()}]}))));
        let error = ErrorText::new(-32000, "no").with_data(&code);
        assert!(is_refused(&Err(CallError::Answered(error))));
        for other in
            [json!({"content": [{"type": "text", "text": "TOOL_DESCRIPTION_REQUIRED"}]}), json!({"x": code})]
        {
            assert!(!is_refused(&ok(other)));
        }
        let error = ErrorText::new(-32000, "TOOL_DESCRIPTION_REQUIRED").with_data(&json!({"x": code}));
        assert!(!is_refused(&Err(CallError::Answered(error))));
    }
}
