//! Stateless clients in front of upstreams with sessions (2026-07-28, multi round-trip requests). A request
//! from the upstream becomes an `input_required` result for the client; the upstream's work continues when
//! the client repeats its request with the responses.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use mcp_disclosure_core::{Digest, RawObject};
use mcp_disclosure_transport::{ErrorText, Json};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{Calls, relay::Failed};
use crate::{
    backend::BackendGuard,
    dialect::RequestMeta,
    dispatch::{RequestContext, common::fresh},
    session::{InputRequest, ReplyRoute},
    upstream::{CallError, Reports, Upstream, UpstreamCall},
};

/// How long suspended work waits for the client to return.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Requests from the upstream within this time after the first go into one result.
const BATCH_WINDOW: Duration = Duration::from_millis(10);

/// Suspended work, by `requestState`.
#[derive(Debug, Default)]
pub(super) struct Rounds(Mutex<HashMap<Arc<str>, Suspended>>);

#[derive(Debug)]
struct Suspended {
    work: Work,
    /// The request that continues it.
    identity: Digest,
    since: Instant,
}

/// A request in progress at an upstream: what that asks meanwhile, and in the end its result.
#[derive(Debug)]
pub(super) struct Work {
    /// Which is looked at repeatedly.
    result: Shared<BoxFuture<'static, Result<Json, CallError>>>,
    rounds: mpsc::UnboundedSender<InputRequest>,
    inputs: mpsc::UnboundedReceiver<InputRequest>,
    /// Input requests sent to the client, by key.
    asked: BTreeMap<String, InputRequest>,
    count: usize,
    reports: Option<Arc<Reports>>,
    _guard: Option<Arc<BackendGuard>>,
}

impl Rounds {
    /// Drops work whose client did not return in time, which cancels it at the upstream.
    pub(super) fn sweep(&self) {
        // Dropped after the lock is released.
        let _late: Vec<_> =
            self.0.lock().extract_if(|_, work| work.since.elapsed() > ANSWER_TIMEOUT).collect();
    }

    /// Drops all work.
    pub(super) fn forget_all(&self) {
        let _all = std::mem::take(&mut *self.0.lock());
    }

    fn take(&self, state: &str, identity: Digest) -> Option<Work> {
        let mut waiting = self.0.lock();
        if waiting.get(state)?.identity != identity {
            return None;
        }
        Some(waiting.remove(state)?.work)
    }
}

impl Calls {
    /// Forwards a stateless request to an upstream that has a session.
    pub(super) async fn relay_in_rounds(
        &self,
        cx: &RequestContext<'_>,
        upstream: &Upstream,
        request: &UpstreamCall,
    ) -> Result<Json, Failed> {
        let (brought, responses) =
            (request.params.string("requestState"), request.params.object("inputResponses"));
        let params = request.params.retain(|key| key != "requestState" && key != "inputResponses");
        let request = UpstreamCall { params: RequestMeta::strip(&params), ..request.clone() };
        let mut work = match (brought, cx.client()) {
            (Some(state), _) => {
                let work =
                    self.rounds.take(&state, identity(cx, upstream, &request)).ok_or_else(unknown_state)?;
                work.redirect(cx.reply_route(), &request.params);
                work
            }
            (None, Some(_)) => Work::begin(cx, upstream, &request),
            (None, None) => return Ok(upstream.request(request).await?),
        };
        work.deliver(&responses.unwrap_or_else(RawObject::empty));
        match work.next().await {
            Some(result) => Ok(result?),
            None => {
                let state = fresh("a state")?;
                let required = work.required(&state);
                work.suspend(cx);
                if let Some(guard) = cx.guard() {
                    guard.pin_state(&state);
                }
                let identity = identity(cx, upstream, &request);
                self.rounds.0.lock().insert(state, Suspended { work, identity, since: Instant::now() });
                Ok(required.into())
            }
        }
    }
}

fn unknown_state() -> ErrorText {
    ErrorText::invalid_params(
        "params.requestState is not of this request, was used already, or has expired; send the request without it",
    )
}

/// Identifies a request across rounds: a `requestState` is valid only for the same request of the same
/// principal.
fn identity(cx: &RequestContext<'_>, upstream: &Upstream, request: &UpstreamCall) -> Digest {
    let number = upstream.number().to_string();
    let principal = cx.principal.id();
    let kind = if principal.is_some() { "principal" } else { "anonymous" };
    let who = [kind, principal.unwrap_or_default(), &*request.method, &number];
    // Hashed in place: parameters may be as large as a message.
    let params = request.params.iter().filter(|(key, _)| *key != "_meta");
    Digest::of_parts(who.into_iter().chain(params.flat_map(|(key, value)| [key, value])))
}

impl Work {
    pub(super) fn begin(cx: &RequestContext<'_>, upstream: &Upstream, request: &UpstreamCall) -> Self {
        let (rounds, inputs) = mpsc::unbounded_channel();
        if let Some(least) = cx.log_level {
            upstream.set_log_level(least);
        }
        let work = Self {
            result: upstream.request(request.clone()).boxed().shared(),
            rounds,
            inputs,
            asked: BTreeMap::new(),
            count: 0,
            reports: request.reports.clone(),
            _guard: cx.guard().cloned(),
        };
        work.redirect(cx.reply_route(), &request.params);
        work
    }

    /// Nothing follows the answer: until the client's next request, the work's route is one that is over.
    pub(super) fn suspend(&self, cx: &RequestContext<'_>) {
        self.redirect(cx.ended_route(), &RawObject::empty());
    }

    /// Reports and questions take this route from now on; progress is reported as these parameters ask.
    fn redirect(&self, route: ReplyRoute, params: &RawObject) {
        if let Some(reports) = &self.reports {
            reports.redirect(ReplyRoute { rounds: Some(self.rounds.clone()), ..route }, params);
        }
    }

    /// Passes the client's responses to the upstream. Values that are not objects are ignored.
    pub(super) fn deliver(&mut self, responses: &RawObject) {
        for (key, response) in responses.iter().filter(|(_, response)| response.starts_with('{')) {
            let Some(input) = self.asked.remove(key) else { continue };
            if let Ok(response) = RawValue::from_string(response.to_owned()) {
                let _not_wanted = input.answer.send(Ok(response.into()));
            }
        }
    }

    /// Waits for the result; `None` if the client has to respond first.
    pub(super) async fn next(&mut self) -> Option<Result<Json, CallError>> {
        // Cancelled requests need no response.
        self.asked.retain(|_, input| !input.answer.is_closed());
        if !self.asked.is_empty() {
            return None;
        }
        let (mut result, mut until) = (self.result.clone(), tokio::time::Instant::now());
        loop {
            tokio::select! {
                // An upstream that never stops asking does not delay the round.
                biased;
                result = &mut result => return Some(result),
                () = tokio::time::sleep_until(until), if !self.asked.is_empty() => return None,
                Some(input) = self.inputs.recv() => {
                    if self.asked.is_empty() {
                        until = tokio::time::Instant::now() + BATCH_WINDOW;
                    }
                    self.count += 1;
                    self.asked.insert(format!("question-{}", self.count), input);
                }
            }
        }
    }

    /// Takes what has come since, and what comes within the time in which requests go together.
    pub(super) async fn look(&mut self) {
        drop(tokio::time::timeout(BATCH_WINDOW, self.next()).await);
    }

    /// The `input_required` result.
    fn required(&self, state: &str) -> RawObject {
        RawObject::empty()
            .with("resultType", "\"input_required\"")
            .with("inputRequests", self.requests().text())
            .with_value("requestState", state)
    }

    /// What the client has to respond to; empty if there is nothing.
    pub(super) fn requests(&self) -> RawObject {
        let requests = self.asked.iter().map(|(key, input)| {
            let request =
                RawObject::empty().with_value("method", &input.method).with("params", input.params.text());
            (key, request)
        });
        let requests: Vec<_> = requests.collect();
        RawObject::assemble(requests.iter().map(|(key, request)| (key.as_str(), request.text())))
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    /// Work with this result, of an upstream that asks every millisecond for as long as a client listens.
    fn asking(result: BoxFuture<'static, Result<Json, CallError>>) -> Work {
        let (rounds, inputs) = mpsc::unbounded_channel();
        let asks = rounds.clone();
        tokio::spawn(async move {
            let mut unanswered = Vec::new();
            loop {
                let (answer, answered) = oneshot::channel();
                unanswered.push(answered);
                let method = "roots/list".to_owned();
                if asks.send(InputRequest::uncounted(&method, answer)).is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        let (asked, result) = (BTreeMap::new(), result.shared());
        Work { result, rounds, inputs, asked, count: 0, reports: None, _guard: None }
    }

    #[tokio::test(start_paused = true)]
    async fn one_round_ends_though_the_upstream_goes_on_asking() {
        let mut work = asking(std::future::pending().boxed());
        let begun = tokio::time::Instant::now();
        let round = tokio::time::timeout(Duration::from_secs(60), work.next()).await;
        assert!(round.expect("one round has an end").is_none());
        assert!(begun.elapsed() < 2 * BATCH_WINDOW && work.asked.len() > 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_that_comes_while_questions_are_gathered_is_the_result() {
        let result = async {
            tokio::time::sleep(BATCH_WINDOW / 2).await;
            Ok(Json::empty_object())
        };
        assert!(matches!(asking(result.boxed()).next().await, Some(Ok(_))));
    }
}
