//! One client: how notifications reach it, and the requests that upstreams send to it (elicitation, sampling,
//! roots).
//!
//! A request to the client is sent on the stream of the client's own request that caused it, or, in the
//! stateless era, inside an `input_required` result. Without such a request it goes to the client's general
//! stream.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, OnceLock},
    time::Duration,
};

use mcp_disclosure_core::{Concern, Era, Notes, RawObject, UI};
use mcp_disclosure_transport::{
    ErrorText, Id, Json, LoggingLevel, Message, Notification, Request, Response, code, http::Forwarded,
};
use parking_lot::Mutex;
use scopeguard::ScopeGuard;
use tokio::sync::{SetOnce, oneshot, watch};

use super::{
    Outbox, Outlet, Reach, ReplyRoute,
    questions::{InputRequest, OpenQuestion, Questions},
    store::Replicas,
};
use crate::{dialect::Offer, limits::Limits, lineage::Chain};

/// Requests that a client may support, by the capability that declares them.
const CLIENT_FEATURES: &[(&str, &str)] =
    &[("elicitation", "elicitation/create"), ("roots", "roots/list"), ("sampling", "sampling/createMessage")];

/// Extensions that are a matter between clients and servers, which this gateway passes on.
const CLIENT_EXTENSIONS: &[&str] = &[UI];

/// How long a request to the client waits for the client to open its general stream.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(30);

/// One client, for the lifetime of its session or connection.
#[derive(Debug)]
pub struct Client {
    /// Its era, and the capabilities that allow requests to it; set by its first message.
    introduction: SetOnce<(Era, RawObject)>,
    outbox: Outbox,
    state: Mutex<State>,
    /// Cloned for each request to it that is pending.
    pending: Arc<()>,
    /// The gateways it came through.
    chain: OnceLock<Chain>,
    /// Its choices of concerns, which upstreams of its own follow.
    chosen: watch::Sender<Chosen>,
    /// Name requests to it, where any of them may receive the responses.
    replicas: OnceLock<Arc<Replicas>>,
    /// Its headers that upstreams of its own are sent.
    pub forwarded: Arc<Forwarded>,
}

/// A client's choices of concerns, of which each change has a number.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// How many changes there were.
    pub number: u64,
    /// The values by concern: as the client gave them in its handshake, until it is known what is declared.
    pub values: Notes,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    requests: HashMap<Id, oneshot::Sender<Answer>>,
    /// By upstream.
    questions: HashMap<String, Questions>,
}

type Answer = Result<Json, ErrorText>;

impl Client {
    /// A client of this era with these `capabilities`.
    pub fn new(era: Era, capabilities: &RawObject) -> Self {
        let client = Self::unknown();
        client.introduce(era, capabilities);
        client
    }

    /// A client whose first message has not been read yet.
    pub fn unknown() -> Self {
        Self {
            introduction: SetOnce::new(),
            chain: OnceLock::new(),
            chosen: watch::Sender::default(),
            replicas: OnceLock::new(),
            forwarded: Arc::default(),
            outbox: Outbox::default(),
            state: Mutex::default(),
            pending: Arc::default(),
        }
    }

    /// Sets what the client's first message says of it. Later calls have no effect.
    pub fn introduce(&self, era: Era, capabilities: &RawObject) {
        Chain::read(capabilities).into_iter().for_each(|chain| self.came_through(chain));
        // Last, since others wait for it.
        let _was_introduced = self.introduction.set((era, client_features(capabilities)));
    }

    /// The same of `initialize` with these parameters, which says its choices of concerns as well.
    pub fn initializes(&self, params: &RawObject) {
        let capabilities = params.object("capabilities").unwrap_or_default();
        let settings = Offer::read(&capabilities).with_concerns(params).settings;
        settings.member("concerns").into_iter().for_each(|concerns| self.chose(concerns));
        self.introduce(Era::Session, &capabilities);
    }

    /// Whether it said that it has a session.
    pub fn has_session(&self) -> bool {
        self.introduction.get().is_some_and(|(era, _)| *era == Era::Session)
    }

    /// Its era, once its first message has been read.
    pub async fn introduced(&self) -> Era {
        self.introduction.wait().await.0
    }

    /// Records the choices of concerns of its handshake, as JSON text; upstreams that are connected later get them at once.
    fn chose(&self, concerns: &str) {
        if let Ok(values) = serde_json::from_str::<Notes>(concerns) {
            self.chosen.send_if_modified(|chosen| {
                let is_first = chosen.number == 0 && chosen.values.is_empty() && !values.is_empty();
                if is_first {
                    *chosen = Chosen { number: 1, values };
                }
                is_first
            });
        }
    }

    /// Takes the values in force of these declared concerns. Returns the number of the last change.
    pub fn follow(&self, declared: &[Concern], in_force: &Notes) -> u64 {
        self.chosen.send_if_modified(|Chosen { number, values }| {
            let before = values.clone();
            values.retain(|name, _| declared.iter().all(|concern| concern.name() != name));
            values.extend(in_force.clone());
            let is_new = *values != before;
            *number += u64::from(is_new);
            is_new
        });
        self.chosen.borrow().number
    }

    /// Its choices, as they change.
    pub fn chosen(&self) -> watch::Receiver<Chosen> {
        self.chosen.subscribe()
    }

    /// From now on, requests to the client have ids that name this replica.
    pub(crate) fn asked_by(&self, replicas: &Arc<Replicas>) {
        let _same = self.replicas.set(Arc::clone(replicas));
    }

    /// Records the gateways that it came through, once.
    pub fn came_through(&self, chain: Chain) {
        let _only_once = self.chain.set(chain);
    }

    /// The gateways that it came through.
    pub fn chain(&self) -> Chain {
        self.chain.get().cloned().unwrap_or_default()
    }

    /// The capabilities to be declared to upstreams: those that allow requests to the client, and its
    /// [extensions](CLIENT_EXTENSIONS); none before it introduced itself.
    pub fn capabilities(&self) -> &RawObject {
        static NONE: LazyLock<RawObject> = LazyLock::new(RawObject::empty);
        self.introduction.get().map_or(&NONE, |(_, capabilities)| capabilities)
    }

    /// The stream for messages that belong to no request of the client.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Whether the client supports this request.
    pub fn supports(&self, method: &str) -> bool {
        let needed = CLIENT_FEATURES.iter().find(|(_, known)| *known == method);
        needed.is_some_and(|(capability, _)| self.capabilities().member(capability).is_some())
    }

    /// Whether a request to the client is pending. Time-outs of upstreams are extended meanwhile.
    pub fn has_open_requests(&self) -> bool {
        Arc::strong_count(&self.pending) > 1
    }

    /// Forwards a notification about a request to the client. In the stateless era there is no such
    /// notification.
    pub fn notify(&self, route: Option<ReplyRoute>, notification: &Notification) {
        match route {
            Some(ReplyRoute { era: Era::Stateless, .. }) => {}
            route => self.pass_on(route, notification),
        }
    }

    /// Forwards a log message, if the request it belongs to asked for its level.
    pub fn log(&self, route: Option<ReplyRoute>, level: LoggingLevel, notification: &Notification) {
        match route {
            Some(route) if route.log_level.is_none_or(|least| level < least) => {}
            route => self.pass_on(route, notification),
        }
    }

    fn pass_on(&self, route: Option<ReplyRoute>, notification: &Notification) {
        match route.map(|route| route.outlet).filter(Outlet::takes_requests) {
            Some(outlet) => {
                outlet.notify(notification);
            }
            None => self.outbox.notify(notification),
        }
    }

    /// Sends a request to the client, by the route that there is then, and waits for the response. Dropping the future cancels the
    /// request. `upstream` is the name of the one that asks.
    ///
    /// # Errors
    /// The client's error, -32005 if the upstream has too many unanswered requests to it, or -32603 if it
    /// cannot be reached.
    pub async fn request(
        &self,
        upstream: &str,
        limits: &Limits,
        method: &str,
        params: RawObject,
        route: impl Fn() -> Option<ReplyRoute>,
    ) -> Answer {
        let open = Arc::new(self.open(upstream, limits, params.text().len())?);
        let mut is_stateless = false;
        let outlet = loop {
            let found = route();
            is_stateless |= found.as_ref().is_some_and(|route| route.era == Era::Stateless);
            let Some(reaching) = found.filter(|route| route.reach() > Reach::Never) else {
                // Only results ask a client of that era, though upstreams may send requests to it all the same.
                let listening = if is_stateless { None } else { self.listening_outlet().await };
                break listening.ok_or_else(unreachable_client)?;
            };
            let Some(rounds) = reaching.rounds else { break reaching.outlet };
            let (answer, answered) = oneshot::channel();
            let (method, params, open) = (method.to_owned(), params.clone(), Arc::clone(&open));
            // Dropped if it is over already.
            drop(rounds.send(InputRequest { method, params, answer, _open: open }));
            let _pending = Arc::clone(&self.pending);
            if let Ok(answer) = answered.await {
                return answer;
            }
            // That request ended, so that the question is another's.
        };
        let (answer, answered) = oneshot::channel();
        let _waiting = self.send(outlet, method, params, answer).ok_or_else(unreachable_client)?;
        let _pending = Arc::clone(&self.pending);
        answered.await.unwrap_or_else(|_| Err(unreachable_client()))
    }

    /// Counted for each client on its own, so that one that does not answer takes nothing from the others.
    fn open(&self, upstream: &str, limits: &Limits, bytes: usize) -> Result<OpenQuestion, ErrorText> {
        let mut state = self.state.lock();
        let questions = state.questions.entry(upstream.to_owned()).or_insert_with(|| Questions::new(limits));
        questions.open(upstream, bytes)
    }

    /// The general stream, once the client has opened it; some clients never do.
    async fn listening_outlet(&self) -> Option<Outlet> {
        tokio::time::timeout(LISTEN_TIMEOUT, self.outbox.opened()).await.ok().flatten()
    }

    /// Sends a request. Dropping what is returned before the response cancels it.
    fn send(
        &self,
        outlet: Outlet,
        method: &str,
        params: RawObject,
        answer: oneshot::Sender<Answer>,
    ) -> Option<ScopeGuard<(), impl FnOnce(())>> {
        let mut state = self.state.lock();
        state.last += 1;
        let named = self.replicas.get().and_then(|replicas| replicas.next_request());
        let id = named.unwrap_or_else(|| Id::number(state.last));
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        if !outlet.request(&Message::Request(request)) {
            return None;
        }
        state.requests.insert(id.clone(), answer);
        drop(state);
        Some(scopeguard::guard((), move |()| {
            if self.state.lock().requests.remove(&id).is_some() {
                let params = RawObject::empty().with("requestId", id.as_str());
                outlet.notify(&Notification::new("notifications/cancelled", params));
            }
        }))
    }

    /// Called when the client is gone. Fails all pending requests.
    pub fn close(&self) {
        self.outbox.close();
        self.state.lock().requests.clear();
    }

    /// Delivers a response to the pending request; a response to an unknown id is dropped.
    pub fn settle(&self, response: Response) {
        let waiting = response.id.as_ref().and_then(|id| self.state.lock().requests.remove(id));
        match waiting {
            Some(waiting) => {
                let _not_wanted = waiting.send(response.outcome);
            }
            None => tracing::debug!(id = ?response.id, "response to an unknown request id"),
        }
    }
}

/// The capabilities that allow requests to the client, and the extensions that it shares with servers.
pub(crate) fn client_features(capabilities: &RawObject) -> RawObject {
    let features =
        capabilities.retain(|key| CLIENT_FEATURES.iter().any(|(capability, _)| *capability == key));
    let extensions = capabilities.object("extensions").unwrap_or_default();
    let extensions = extensions.retain(|id| CLIENT_EXTENSIONS.contains(&id));
    if extensions.is_empty() { features } else { features.with("extensions", extensions.text()) }
}

fn unreachable_client() -> ErrorText {
    ErrorText::new(code::INTERNAL_ERROR, "the client cannot be reached")
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use futures::FutureExt;
    use tokio::sync::mpsc;

    use super::*;
    use crate::session::{Frames, Peer};

    /// What a client of this era answers to a question, for which there is the first of these routes first.
    fn asked(era: Era, routes: Vec<ReplyRoute>) -> impl Future<Output = Answer> + Send + 'static {
        let (client, routes) = (Client::new(era, &RawObject::empty()), Mutex::new(VecDeque::from(routes)));
        async move {
            let route = || routes.lock().pop_front();
            client.request("u", &Limits::default(), "roots/list", RawObject::empty(), route).await
        }
    }

    fn outlet() -> (Outlet, Frames) {
        let limits = Limits::default();
        Outlet::new(&Peer::new("test", &limits), &limits)
    }

    #[tokio::test]
    async fn f3_a_question_goes_on_to_the_next_request_when_the_one_that_took_it_ends() {
        let (outlet, _frames) = outlet();
        let begin = || {
            let (rounds, inputs) = mpsc::unbounded_channel();
            (
                ReplyRoute {
                    outlet: outlet.clone(),
                    era: Era::Stateless,
                    rounds: Some(rounds),
                    log_level: None,
                },
                inputs,
            )
        };
        let ((first, mut of_first), (next, mut of_next)) = (begin(), begin());
        let question = tokio::spawn(asked(Era::Stateless, vec![first, next]));
        drop((of_first.recv().await.unwrap(), of_first));
        let passed_on = of_next.recv().await.unwrap();
        assert_eq!(passed_on.method, "roots/list");
        passed_on.answer.send(Ok(Json::empty_object())).unwrap();
        assert_eq!(question.await.unwrap(), Ok(Json::empty_object()));
        let (only, mut of_only) = begin();
        let question = tokio::spawn(asked(Era::Stateless, vec![only]));
        drop((of_only.recv().await.unwrap(), of_only));
        assert_eq!(question.await.unwrap(), Err(unreachable_client()), "nobody is left");
    }

    #[tokio::test]
    async fn f3_a_client_without_a_session_is_sent_no_request() {
        let (outlet, _frames) = outlet();
        let route = ReplyRoute { outlet, era: Era::Stateless, rounds: None, log_level: None };
        let asked = asked(Era::Stateless, vec![route]).now_or_never();
        assert_eq!(asked, Some(Err(unreachable_client())));
    }
}
