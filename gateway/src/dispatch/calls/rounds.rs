//! Stateless clients in front of upstreams with sessions (2026-07-28, multi round-trip requests). A request
//! from the upstream becomes an `input_required` result for the client; the upstream's work continues when
//! the client repeats its request with the responses. By the `requestState` that it returns it is led back to the same upstreams, too,
//! where they are its own.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use mcp_disclosure_core::{Digest, Principal, RawObject, digest::is_random_id};
use mcp_disclosure_transport::{ErrorText, Json, Request};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{Answer, Calls, relay::Relayed};
use crate::{
    backend::{BackendGuard, Claim},
    dialect::{RequestMeta, asks_for_input},
    dispatch::{RequestContext, common::fresh},
    session::{InputRequest, ReplyRoute},
    upstream::{CallError, Reports, Upstream, UpstreamCall},
};

/// The member with what the client responds.
pub(super) const RESPONSES: &str = "inputResponses";

/// The member of parameters, and of results that ask for input, by which a client continues a request.
pub(super) const STATE: &str = "requestState";

/// How long suspended work, and upstreams, wait for the client to return.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Requests from the upstream within this time after the first go into one result.
pub(super) const BATCH_WINDOW: Duration = Duration::from_millis(10);

/// What clients without sessions come back for, by the `requestState` that they return.
#[derive(Debug, Default)]
pub(in crate::dispatch) struct Rounds(Mutex<HashMap<Arc<str>, Round>>);

/// What one round of a request leaves for the next.
#[derive(Debug)]
struct Round {
    identity: Digest,
    since: Instant,
    /// What is suspended at an upstream that has a session.
    work: Option<Work>,
    /// Upstreams that are its client's alone.
    guard: Option<Arc<BackendGuard>>,
}

/// A request in progress at an upstream: what that asks meanwhile, and in the end its result.
#[derive(Debug)]
pub(super) struct Work {
    /// The number of the upstream.
    upstream: usize,
    /// Which is looked at repeatedly.
    result: Shared<BoxFuture<'static, Result<Json, CallError>>>,
    rounds: mpsc::UnboundedSender<InputRequest>,
    inputs: mpsc::UnboundedReceiver<InputRequest>,
    /// Input requests sent to the client, by key.
    asked: BTreeMap<String, InputRequest>,
    count: usize,
    reports: Arc<Reports>,
    /// Keeps the upstreams of its client, also if that comes back with another claim.
    guard: Option<Arc<BackendGuard>>,
}

impl Rounds {
    /// Keeps what a request leaves for its next round, which returns this state.
    pub(super) fn keep(&self, cx: &RequestContext<'_>, state: &str, work: Option<Work>) {
        let guard = match &work {
            Some(work) => work.guard.clone(),
            None => cx.guard().filter(|guard| !guard.is_shared()).cloned(),
        };
        if work.is_some() || guard.is_some() {
            let identity = identity(&cx.principal, cx.request);
            self.0.lock().insert(state.into(), Round { identity, since: Instant::now(), work, guard });
        }
    }

    /// Prefixes the state in an `input_required` result with a random id, under which the upstreams stay reserved for the next round:
    /// an upstream's own state need not be secret, and could be guessed. Other results are returned unchanged.
    ///
    /// # Errors
    /// -32603 if the operating system provides no randomness.
    pub(super) fn with_state(&self, cx: &RequestContext<'_>, result: Json) -> Answer {
        // A substring search is cheaper than parsing, and few results have a state.
        let may_be = result.as_str().contains(STATE);
        let object = may_be.then(|| RawObject::parse(result.as_str()).ok()).flatten();
        let Some(object) = object.filter(asks_for_input) else { return Ok(result) };
        let Some(state) = object.string(STATE) else { return Ok(result) };
        let ours = format!("{}.{state}", fresh("a state")?);
        self.keep(cx, &ours, None);
        Ok(object.with_value(STATE, &ours).into())
    }

    /// The upstreams that the former round of a request left it.
    pub(in crate::dispatch) fn guard(
        &self,
        claim: &Claim,
        principal: &Principal,
        request: &Request,
    ) -> Option<Arc<BackendGuard>> {
        let state = request.params.string(STATE)?;
        let identity = identity(principal, request);
        let mut waiting = self.0.lock();
        let round = waiting.get(&*state).filter(|round| round.identity == identity)?;
        let guard = round.guard.clone();
        if round.work.is_none() {
            // A state is valid once: a second request with it is treated like one without.
            waiting.remove(&*state);
        }
        drop(waiting);
        guard.filter(|guard| guard.is_for(claim))
    }

    /// Drops what clients did not return for in time, which cancels work at the upstream.
    pub(in crate::dispatch) fn sweep(&self) {
        // Dropped after the lock is released.
        let _late: Vec<_> =
            self.0.lock().extract_if(|_, round| round.since.elapsed() > ANSWER_TIMEOUT).collect();
    }

    /// Drops all work.
    pub(in crate::dispatch) fn forget_all(&self) {
        let _all = std::mem::take(&mut *self.0.lock());
    }

    /// The work of a request that was suspended at this upstream.
    fn take(&self, cx: &RequestContext<'_>, upstream: &Upstream, state: &str) -> Option<Work> {
        let identity = identity(&cx.principal, cx.request);
        let is_here = |work: &Work| work.upstream == upstream.number();
        let is_it = |round: &Round| round.identity == identity && round.work.as_ref().is_some_and(is_here);
        let mut waiting = self.0.lock();
        let round = waiting.get(state).is_some_and(is_it).then(|| waiting.remove(state)).flatten();
        drop(waiting);
        round?.work
    }
}

impl Calls {
    /// Forwards a stateless request to an upstream that has a session.
    pub(super) async fn relay_in_rounds(
        &self,
        cx: &RequestContext<'_>,
        upstream: &Upstream,
        request: &UpstreamCall,
    ) -> Relayed {
        let (brought, responses) = (request.params.string(STATE), request.params.object(RESPONSES));
        let params = request.params.retain(|key| key != STATE && key != RESPONSES);
        let request = UpstreamCall { params: RequestMeta::strip(&params), ..request.clone() };
        let mut work = match (brought, cx.client()) {
            (Some(state), _) => {
                let work = self.rounds.take(cx, upstream, &state).ok_or_else(unknown_state)?;
                work.redirect(cx.reply_route(), &request.params);
                work
            }
            (None, Some(_)) => {
                cx.log_level.into_iter().for_each(|least| upstream.set_log_level(least));
                Work::begin(cx, upstream, &request)
            }
            (None, None) => return Ok(upstream.request(request).await),
        };
        work.deliver(&responses.unwrap_or_else(RawObject::empty));
        match work.next().await {
            Some(result) => Ok(result),
            None => {
                let state = fresh("a state")?;
                let required = work.required(&state);
                work.suspend(cx);
                self.rounds.keep(cx, &state, Some(work));
                Ok(Ok(required.into()))
            }
        }
    }
}

/// Restores the upstream's own state. A state unknown here is passed on all the same, since the upstream may understand it.
pub(super) fn with_own_state(params: &RawObject) -> RawObject {
    let Some(state) = params.string(STATE) else { return params.clone() };
    match state.split_once('.') {
        Some((id, state)) if is_random_id(id) => params.with_value(STATE, state),
        _ => params.clone(),
    }
}

fn unknown_state() -> ErrorText {
    ErrorText::invalid_params(
        "params.requestState is not of this request, was used already, or has expired; send the request without it",
    )
}

/// Identifies a request across rounds: a `requestState` is valid only for the same request of the same
/// principal.
fn identity(principal: &Principal, request: &Request) -> Digest {
    let kind = if principal.id().is_some() { "principal" } else { "anonymous" };
    let who = [kind, principal.id().unwrap_or_default(), &*request.method];
    // Hashed in place: parameters may be as large as a message.
    let params = request.params.iter().filter(|(key, _)| !["_meta", STATE, RESPONSES].contains(key));
    Digest::of_parts(who.into_iter().chain(params.flat_map(|(key, value)| [key, value])))
}

impl Work {
    pub(super) fn begin(cx: &RequestContext<'_>, upstream: &Upstream, request: &UpstreamCall) -> Self {
        let (rounds, inputs) = mpsc::unbounded_channel();
        let work = Self {
            upstream: upstream.number(),
            result: upstream.request(request.clone()).boxed().shared(),
            rounds,
            inputs,
            asked: BTreeMap::new(),
            count: 0,
            reports: Arc::clone(&request.reports),
            guard: cx.guard().cloned(),
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
        self.reports.redirect(ReplyRoute { rounds: Some(self.rounds.clone()), ..route }, params);
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

    /// The same, waited for no longer than this.
    pub(super) async fn within(&mut self, time: Duration) -> Option<Result<Json, CallError>> {
        tokio::time::timeout(time, self.next()).await.ok().flatten()
    }

    /// The `input_required` result.
    fn required(&self, state: &str) -> RawObject {
        RawObject::empty()
            .with("resultType", "\"input_required\"")
            .with("inputRequests", self.requests().text())
            .with_value(STATE, state)
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
    use mcp_disclosure_core::Era;
    use tokio::sync::oneshot;

    use super::*;
    use crate::{
        limits::Limits,
        session::{Outlet, Peer},
    };

    /// Work with this result, of an upstream that asks nothing.
    fn silent(result: BoxFuture<'static, Result<Json, CallError>>) -> Work {
        let ((rounds, inputs), limits) = (mpsc::unbounded_channel(), Limits::default());
        let (outlet, _gone) = Outlet::new(&Peer::new("test", &limits), &limits);
        let route = ReplyRoute { outlet, era: Era::Stateless, rounds: None, log_level: None };
        Work {
            upstream: 0,
            result: result.shared(),
            rounds,
            inputs,
            asked: BTreeMap::new(),
            count: 0,
            reports: Reports::of("tools/call", route, &RawObject::empty(), false),
            guard: None,
        }
    }

    /// The same of one that asks every millisecond for as long as a client listens.
    fn asking(result: BoxFuture<'static, Result<Json, CallError>>) -> Work {
        let work = silent(result);
        let asks = work.rounds.clone();
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
        work
    }

    /// As of an upstream that says that a task is completed, and does not answer what asks for its result.
    #[tokio::test(start_paused = true)]
    async fn f6_a_result_that_does_not_come_is_not_waited_for() {
        let mut work = silent(std::future::pending().boxed());
        let waited = tokio::time::timeout(Duration::from_secs(60), work.within(BATCH_WINDOW)).await;
        assert!(waited.expect("it has an end").is_none());
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

    #[test]
    fn the_id_in_front_of_a_state_is_ours_alone() {
        let own = |state: &str| with_own_state(&RawObject::empty().with_value(STATE, state)).string(STATE);
        let id = fresh("a state").unwrap();
        assert_eq!(own(&format!("{id}.again")).as_deref(), Some("again"));
        assert_eq!(own(&format!("{id}.{id}.x")), Some(format!("{id}.x")));
        for as_it_is in ["again", "", ".x", "0123.x", &*id] {
            assert_eq!(own(as_it_is).as_deref(), Some(as_it_is));
        }
        assert_eq!(with_own_state(&RawObject::empty()), RawObject::empty());
    }
}
