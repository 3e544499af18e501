//! Requests to upstreams, on behalf of clients or of the gateway, and what upstreams send besides results.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{Call, CallError, Connection, ErrorText, Json, code};

use super::{Disclosing, Owner, Reports, Upstream, UpstreamHandler, addresses};
use crate::{dialect::RequestMeta, error::upstream_failed, observe::Trace};

/// How long the result of a task is waited for.
const LONGEST_TASK: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A request to an upstream, on behalf of a client or the gateway.
#[derive(Clone, Debug)]
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
    pub reports: Arc<Reports>,
    /// Arguments to repeat in headers, on transports that have them: header name and value.
    pub mirrored: Vec<(String, String)>,
    /// What follows the client's request in a trace.
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
        let line = Arc::clone(&self.line);
        let trace = call.trace.as_ref().map(|trace| trace.upstream(self.name.as_str(), &call.method));
        let params = trace.as_ref().map(|trace| trace.context().put_into(&call.params));
        let call = UpstreamCall { params: params.unwrap_or(call.params), ..call };
        async move {
            let answered = addresses::checked(line.send_as_demanded(call).await);
            if let Some(trace) = trace {
                trace.ends(answered.as_ref().err().map(error_code));
            }
            answered
        }
    }

    /// Sends a request of the gateway's own, in the session era if the upstream supports it. What the upstream logs meanwhile may be
    /// about the owner, whose resource or task it is about.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn query(&self, owner: Owner, method: &str, params: RawObject) -> Result<Json, CallError> {
        let era = self.introduction.eras.nearest(Era::Session);
        addresses::checked(self.line.ask(owner, era, method, params, self.line.timeout).await)
    }

    /// The error that a client gets whose request has no result: the upstream's own, or one that says why there is none.
    pub(crate) fn no_result(&self, method: &str, error: CallError) -> ErrorText {
        match error {
            CallError::Answered(error) => error,
            failed => {
                tracing::warn!(upstream = %self.name, method, error = failed.in_full(), "upstream request failed");
                upstream_failed(&self.name, failed)
            }
        }
    }
}

/// What requests to an upstream are sent by. It lasts as long as any of them, and does not keep the connection open.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) connection: Arc<Connection>,
    pub(super) handler: Arc<UpstreamHandler>,
    pub(super) disclosing: Disclosing,
    /// What the handshake said of clients, for requests of the gateway's own: by it the upstream may decide what it lists.
    pub(super) of_clients: RawObject,
    /// How long a result is waited for.
    pub(super) timeout: Duration,
}

impl Line {
    /// Sends a request on behalf of a client.
    pub(super) async fn send(&self, call: UpstreamCall) -> Result<Json, CallError> {
        let UpstreamCall { method, params, owner, peer, reports, mirrored, trace: _ } = call;
        let asks_for_log = RequestMeta::asks_for_log(&params);
        let wants_progress = reports.wants_progress();
        let call = Call { mirrored, wants_progress, owner: peer, ..self.connection.call(method, params) };
        self.handler.work.lock().begin(call.id, owner, Some(reports), asks_for_log);
        // It waits for the end of a task.
        let timeout = if call.method == "tasks/result" { LONGEST_TASK } else { self.timeout };
        Arc::clone(&self.connection).request(call, timeout).await
    }

    /// Sends a request of the gateway's own, in this era.
    pub(super) async fn ask(
        &self,
        owner: Owner,
        era: Era,
        method: &str,
        params: RawObject,
        timeout: Duration,
    ) -> Result<Json, CallError> {
        let params = match era {
            Era::Session => params,
            // To a client that cannot run tasks, a gateway does not list what runs in no other way.
            Era::Stateless => {
                let params = RequestMeta::ours(&params, &self.of_clients);
                RequestMeta::with_tasks(&params, method != "tools/call")
            }
        };
        let call = self.connection.call(method, params);
        self.handler.work.lock().begin(call.id, owner, None, false);
        Arc::clone(&self.connection).request(call, timeout).await
    }
}

/// The code of the error that a client gets.
fn error_code(error: &CallError) -> i64 {
    match error {
        CallError::Answered(error) => error.code(),
        _ => code::UPSTREAM_FAILED,
    }
}
