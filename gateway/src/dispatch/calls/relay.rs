//! Forwards requests to upstreams and translates between eras.
//!
//! If client and upstream speak the same era, parameters and results pass unchanged. For a client with a
//! session in front of a stateless upstream, `input_required` results become requests to the client; for the
//! reverse see `rounds`.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, LoggingLevel};
use scopeguard::ScopeGuard;
use tokio::time::Instant;

use super::{
    Calls,
    links::{self, Unseen},
    rounds::{RESPONSES, STATE, with_own_state},
    skills,
};
use crate::{
    backend::REMOVED,
    dialect::{RequestMeta, asks_for_input},
    dispatch::RequestContext,
    error::upstream_failed,
    observe::Outcome,
    slot::{Late, Lost, Slot},
    upstream::{CallError, Upstream, UpstreamCall, named},
};

/// Maximum `input_required` results for one request.
const MOST_ROUNDS: usize = 32;

impl Calls {
    /// Forwards a request to an upstream and returns the result: of an upstream of its own, where a caller without session gets one.
    pub(super) async fn relay(
        &self,
        cx: &RequestContext<'_>,
        slot: &Slot,
        request: UpstreamCall,
    ) -> Result<Unseen, ErrorText> {
        let unsent = |_: &ErrorText| cx.watch.was_not_sent();
        let backend = cx.reach().await.inspect_err(unsent)?;
        // The slot may be the shared backend's.
        let removed = || upstream_failed(slot.name().map_or("", |name| name.as_str()), REMOVED);
        let own = backend.slot_numbered(slot.number()).ok_or_else(removed).inspect_err(unsent)?;
        let mut lost = None;
        loop {
            let connected = cx.connected(&own, lost.as_ref(), cx.since);
            let upstream = connected.await.inspect_err(unsent)?;
            let sent = Instant::now();
            // A client that gives up has waited as well.
            let waiting = scopeguard::guard((), |()| {
                if sent.elapsed() >= upstream.is_late_after() && !upstream.is_asking() {
                    own.timed_out(&upstream, self.late(cx, cx.session.is_some()));
                }
            });
            let relayed = self.relay_to(cx, &upstream, &request).await;
            ScopeGuard::into_inner(waiting);
            match relayed? {
                // It was not processed, so it can be repeated on a new connection.
                Err(error) if error.is_unprocessed() && error.is_disconnection() && lost.is_none() => {
                    tracing::info!(upstream = %upstream.name(), error = error.in_full(), "request waits for a new connection");
                    upstream.connection().closing().cancel();
                    lost = Some(Lost { upstream, error });
                }
                Ok(result) => {
                    skills::looked_for(backend, &result).await;
                    return Ok(Unseen::new(&upstream, result));
                }
                Err(error) => {
                    if matches!(error, CallError::TimedOut { .. }) {
                        own.timed_out(&upstream, self.late(cx, true));
                    }
                    cx.watch.decides(outcome(&error));
                    if error.is_unprocessed() {
                        cx.watch.was_not_sent();
                    }
                    return Err(upstream.no_result(&request.method, error));
                }
            }
        }
    }

    /// A call that took too long. `is_known` says whether other clients would be known of: those without sessions are not.
    fn late(&self, cx: &RequestContext<'_>, is_known: bool) -> Late {
        let client = cx.session.as_ref().map_or(cx.peer.name(), |session| session.id());
        let own = usize::from(cx.session.is_some());
        let is_alone = cx.reached().client().is_some() || (is_known && self.sessions.count() <= own);
        Late { client: Arc::clone(client), is_alone }
    }

    async fn relay_to(
        &self,
        cx: &RequestContext<'_>,
        upstream: &Upstream,
        request: &UpstreamCall,
    ) -> Relayed {
        match (cx.era(), upstream.introduction().eras.nearest(cx.era())) {
            (Era::Session, Era::Stateless) => Box::pin(relay_with_input(cx, upstream, request)).await,
            (Era::Stateless, Era::Session) => Box::pin(self.relay_in_rounds(cx, upstream, request)).await,
            (Era::Session, Era::Session) => Ok(upstream.request(request.clone()).await),
            (Era::Stateless, Era::Stateless) => {
                let params = RequestMeta::with_log_level(&request.params, log_level(cx, upstream));
                // The client's strategy is a matter between the client and this gateway.
                let params = match upstream.introduction().extension() {
                    Some(_) => RequestMeta::with_our_offer(&params),
                    None => params,
                };
                if cx.guard().is_none() {
                    return Ok(upstream.request(UpstreamCall { params, ..request.clone() }).await);
                }
                let call = UpstreamCall { params: with_own_state(&params), ..request.clone() };
                match upstream.request(call).await {
                    Ok(result) => self.rounds.with_state(cx, result).map(Ok),
                    failed => Ok(failed),
                }
            }
        }
    }
}

/// What an upstream answers to a request, or why it does not; an error of ours, if it is not asked to the end.
pub(super) type Relayed = Result<Result<Json, CallError>, ErrorText>;

/// What becomes of a call of a tool that has no result. Codes do not say whose error it is: upstreams may use any.
fn outcome(error: &CallError) -> Outcome {
    match error {
        CallError::Answered(_) => Outcome::UpstreamError,
        CallError::TooDeep(_) => Outcome::Invalid,
        _ => Outcome::Failed,
    }
}

/// The log level to request. Where the transport does not link log messages to requests, only one request at
/// a time asks for them.
fn log_level(cx: &RequestContext<'_>, upstream: &Upstream) -> Option<LoggingLevel> {
    cx.log_level.filter(|_| upstream.is_remote() || !upstream.is_logging())
}

/// Sends `input_required` requests to the client and repeats the original request with the responses, until
/// the upstream returns a result.
async fn relay_with_input(cx: &RequestContext<'_>, upstream: &Upstream, request: &UpstreamCall) -> Relayed {
    let none = RawObject::empty();
    let client = cx.client();
    let params = RequestMeta::ours(&request.params, client.map_or(&none, |client| client.capabilities()));
    let params = match request.reports.is_of_task {
        // The upstream may answer with a task, if the request says that this is understood.
        true => RequestMeta::with_tasks(&params.retain(|key| key != "task"), true),
        false => params,
    };
    let params = RequestMeta::with_log_level(&params, log_level(cx, upstream));
    let mut again = params.clone();
    for _ in 0..MOST_ROUNDS {
        let call = UpstreamCall { params: again, ..request.clone() };
        let result = upstream.request(call).await;
        let object = result.as_ref().ok().and_then(|result| RawObject::parse(result.as_str()).ok());
        let Some(required) = object.filter(asks_for_input) else { return Ok(result) };
        again = params.clone();
        if let Some(requests) = required.object("inputRequests") {
            let responses = answers(cx, upstream, &requests, None).await;
            let responses = responses.inspect_err(|_| cx.watch.decides(Outcome::Cancelled))?;
            // Its answer may have taken long.
            cx.still_sees(upstream.name(), request)?;
            again = again.with(RESPONSES, responses.text());
        }
        if let Some(state) = required.member(STATE) {
            again = again.with(STATE, state);
        }
    }
    let what = format_args!("returned input_required {MOST_ROUNDS} times in a row");
    Err(upstream_failed(upstream.name(), what))
}

/// Sends all input requests to the client concurrently, as far as it may see them, and collects the responses. They are about the
/// task of this id, or about none.
pub(super) async fn answers(
    cx: &RequestContext<'_>,
    upstream: &Upstream,
    requests: &RawObject,
    task: Option<&str>,
) -> Result<RawObject, ErrorText> {
    let view = cx.view();
    let (client, requests) =
        (cx.client(), links::part(&view, (upstream.name(), Some(upstream)), requests, true)?);
    let asking = requests.iter().map(|(key, request)| async move {
        let request = RawObject::parse(request).unwrap_or_else(|_| RawObject::empty());
        let method = request.string("method").unwrap_or_default();
        let cannot = || {
            let what = format_args!("requires '{method}', which this client does not support");
            upstream_failed(upstream.name(), what)
        };
        let client = client.filter(|client| client.supports(&method)).ok_or_else(cannot)?;
        let params = request.object("params").unwrap_or_default();
        let params = task.map_or(params.clone(), |id| named(&params, Some(id)));
        let route = || Some(cx.reply_route());
        let answer = client.request(upstream.name(), upstream.limits(), &method, params, route).await?;
        Ok::<_, ErrorText>((key, answer))
    });
    let answered = futures::future::try_join_all(asking).await?;
    Ok(RawObject::assemble(answered.iter().map(|(key, answer)| (*key, answer.as_str()))))
}
