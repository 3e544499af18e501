//! Requests to upstreams, on behalf of clients or of the gateway, and what upstreams send besides results. Calls of tools
//! whose upstream demands that their descriptions are fetched (tool-descriptions-resource §5) are sent as it demands.

use std::{fmt, sync::Arc, time::Duration};

use mcp_disclosure_core::{
    Era, RawObject,
    delivered::{DESCRIPTION_REQUIRED, wants_description},
};
use mcp_disclosure_transport::{
    Call, CallError, Connection, Json, LoggingLevel, Notification, code, meta::PROTOCOL_VERSION,
};

use super::{
    Channel, Owner, Upstream, UpstreamHandler, addresses,
    disclosing::{Disclosing, again},
};
use crate::{dialect::RequestMeta, observe::Trace};

/// How long the result of a task is waited for.
const LONGEST_TASK: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Receives notifications about one request before its result, in order.
pub trait Reports: Send + Sync + fmt::Debug {
    /// A progress notification: its parameters, under the upstream's token.
    fn progress(&self, params: &RawObject);

    /// A log message that belongs to the request.
    fn log(&self, level: LoggingLevel, message: &Notification);

    /// Whether to request progress.
    fn wants_progress(&self) -> bool;

    /// Whether the request asks for log messages.
    fn wants_log(&self) -> bool;

    /// Whether progress may follow the answer, which is a task.
    fn outlasts_answer(&self) -> bool;
}

/// A request to an upstream, on behalf of a client or the gateway.
#[derive(Clone, Debug, Default)]
pub struct UpstreamCall {
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: RawObject,
    /// Whom the request is for.
    pub owner: Owner,
    /// Whose share of the upstream's queue it takes: the name of a peer.
    pub peer: Option<Arc<str>>,
    /// Receives notifications about it.
    pub reports: Option<Arc<dyn Reports>>,
    /// Arguments to repeat in headers, on transports that have them: header name and value.
    pub mirrored: Vec<(String, String)>,
    /// What follows it in a trace.
    pub trace: Option<Arc<dyn Trace>>,
}

impl Upstream {
    /// Sends a request on behalf of a client and waits for its result. Dropping the future cancels the request.
    ///
    /// # Errors
    /// Why there is no result.
    pub fn request(
        &self,
        call: UpstreamCall,
    ) -> impl Future<Output = Result<Json, CallError>> + Send + use<> {
        let (sender, disclosing) = (self.sender(), Arc::clone(&self.disclosing));
        let trace = call.trace.clone();
        async move {
            let answered = addresses::checked(disclosing.send(&sender, call).await);
            if let Some(trace) = trace {
                trace.ends(answered.as_ref().err().map(error_code));
            }
            answered
        }
    }

    /// Sends a request of the gateway's own, in the session era if the upstream supports it.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn query(&self, method: &str, params: RawObject) -> Result<Json, CallError> {
        addresses::checked(
            self.sender().ask(self.introduction.eras.nearest(Era::Session), method, params).await,
        )
    }

    pub(super) fn sender(&self) -> Sender {
        Sender {
            connection: Arc::clone(&self.connection),
            handler: Arc::clone(&self.handler),
            timeout: self.terms.timeouts.request,
        }
    }
}

/// Sends requests to an upstream. Clones share its connection.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) connection: Arc<Connection>,
    pub(super) handler: Arc<UpstreamHandler>,
    pub(super) timeout: Duration,
}

impl Sender {
    /// Sends a request on behalf of a client.
    pub(super) async fn send(&self, call: UpstreamCall) -> Result<Json, CallError> {
        let UpstreamCall { method, params, owner, peer, reports, mirrored, trace: _ } = call;
        let wants_progress = reports.as_ref().is_some_and(|reports| reports.wants_progress());
        let call = Call { mirrored, wants_progress, owner: peer, ..self.connection.call(method, params) };
        self.handler.begin(call.id, owner, reports);
        // It waits for the end of a task.
        let timeout = if call.method == "tasks/result" { LONGEST_TASK } else { self.timeout };
        Arc::clone(&self.connection).request(call, timeout).await
    }

    /// Sends a request of the gateway's own, in this era.
    pub(super) async fn ask(&self, era: Era, method: &str, params: RawObject) -> Result<Json, CallError> {
        let params = match era {
            Era::Session => params,
            // To a client that cannot run tasks, a gateway does not list what runs in no other way.
            Era::Stateless => {
                let params = RequestMeta::ours(&params, &self.handler.capabilities());
                RequestMeta::with_tasks(&params, method != "tools/call")
            }
        };
        let call = self.connection.call(method, params);
        Arc::clone(&self.connection).request(call, self.timeout).await
    }
}

impl Disclosing {
    /// Sends a request on behalf of a client. A call is sent with the receipt that the upstream gave, and once more if the
    /// upstream refuses it until the description is fetched: a refused call did not run.
    async fn send(&self, sender: &Sender, call: UpstreamCall) -> Result<Json, CallError> {
        let is_call = call.method == "tools/call";
        let Some(Channel::Resource { uri }) = is_call.then(|| self.channel()).flatten() else {
            return sender.send(call).await;
        };
        let tool = call.params.string("name").unwrap_or_default();
        let meta = call.params.object("_meta");
        let is_stateless = meta.is_some_and(|meta| meta.member(PROTOCOL_VERSION).is_some());
        let era = if is_stateless { Era::Stateless } else { Era::Session };
        let outcome = sender.send(self.with_receipt(&call, era, &tool)).await;
        if !is_refused(&outcome) {
            return outcome;
        }
        tracing::debug!(tool, "its description is fetched, and the call repeated");
        let Some(definition) = again(sender, &uri, era, &tool).await else { return outcome };
        self.keep_receipt(era, &tool, definition.receipt);
        sender.send(self.with_receipt(&call, era, &tool)).await
    }

    fn with_receipt(&self, call: &UpstreamCall, era: Era, tool: &str) -> UpstreamCall {
        let Some((argument, receipt)) = self.receipt(era, tool) else { return call.clone() };
        let arguments = call.params.object("arguments").unwrap_or_else(RawObject::empty);
        let arguments = arguments.with_value(&argument, &receipt);
        UpstreamCall { params: call.params.with("arguments", arguments.text()), ..call.clone() }
    }
}

/// Whether a call was refused until its description is fetched, as a result or as an error.
fn is_refused(outcome: &Result<Json, CallError>) -> bool {
    match outcome {
        Ok(result) if result.as_str().contains(DESCRIPTION_REQUIRED) => {
            RawObject::parse(result.as_str()).is_ok_and(|result| wants_description(&result))
        }
        Err(CallError::Answered(error)) if error.text().as_str().contains(DESCRIPTION_REQUIRED) => {
            let data = RawObject::parse(error.text().as_str()).ok().and_then(|error| error.object("data"));
            let code =
                |object: &RawObject| object.string("code").is_some_and(|code| code == DESCRIPTION_REQUIRED);
            data.is_some_and(|data| code(&data) || data.object("error").is_some_and(|error| code(&error)))
        }
        _ => false,
    }
}

/// The code of the error that a client gets.
fn error_code(error: &CallError) -> i64 {
    match error {
        CallError::Answered(error) => error.code(),
        _ => code::UPSTREAM_FAILED,
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
