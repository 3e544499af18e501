//! What a client is asked on behalf of its upstreams: elicitation, sampling, roots.
//!
//! Only a client that has its upstreams to itself is asked. Where several share one, nothing says which of
//! them is meant.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mcp_disclosure_core::RawObject;
use tokio::sync::oneshot;

use super::Outlet;
use crate::wire::{ErrorText, Id, Json, Message, Notification, Request, Response, code};

/// What a client may be asked, by the capability it declares.
const ASKABLE: &[(&str, &str)] =
    &[("elicitation", "elicitation/create"), ("roots", "roots/list"), ("sampling", "sampling/createMessage")];

/// One client that can be asked, and the questions it has not answered yet.
#[derive(Debug)]
pub struct Questions {
    capabilities: RawObject,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    outlet: Option<Outlet>,
    asked: u64,
    waiting: HashMap<Id, oneshot::Sender<Result<Json, ErrorText>>>,
}

impl Questions {
    /// A client of these capabilities, reached here.
    pub fn new(outlet: Outlet, capabilities: &RawObject) -> Self {
        let capabilities =
            capabilities.retain(|key| ASKABLE.iter().any(|(capability, _)| *capability == key));
        Self { capabilities, state: Mutex::new(State { outlet: Some(outlet), ..State::default() }) }
    }

    /// Its capabilities that are about being asked, for the handshake with upstreams.
    pub fn capabilities(&self) -> &RawObject {
        &self.capabilities
    }

    /// Whether it can be asked this.
    pub fn understands(&self, method: &str) -> bool {
        let needed = ASKABLE.iter().find(|(_, askable)| *askable == method);
        needed.is_some_and(|(capability, _)| self.capabilities.member(capability).is_some())
    }

    /// Whether it owes an answer, so that nobody should lose patience with its upstream.
    pub fn are_open(&self) -> bool {
        !self.state().waiting.is_empty()
    }

    /// Tells it something that belongs to a question.
    pub fn tell(&self, notification: &Notification) {
        if let Some(outlet) = &self.state().outlet {
            outlet.tell(notification);
        }
    }

    /// Asks it and waits for its answer. Dropping the future tells it that the answer is not wanted any
    /// more.
    ///
    /// # Errors
    /// What it answers with; -32603 where it cannot be reached.
    pub async fn ask(&self, method: &str, params: RawObject) -> Result<Json, ErrorText> {
        let gone = || ErrorText::new(code::INTERNAL_ERROR, "the client cannot be reached");
        let (answer, answered) = oneshot::channel();
        let _waiting = self.begin(method, params, answer).ok_or_else(gone)?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    fn begin(
        &self,
        method: &str,
        params: RawObject,
        answer: oneshot::Sender<Result<Json, ErrorText>>,
    ) -> Option<Waiting<'_>> {
        let mut state = self.state();
        state.asked += 1;
        let id = Id::number(state.asked);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        if !state.outlet.as_ref()?.ask(&Message::Request(request)) {
            return None;
        }
        state.waiting.insert(id.clone(), answer);
        Some(Waiting { questions: self, id })
    }

    /// The client is gone: nothing is answered any more.
    pub fn close(&self) {
        let mut state = self.state();
        state.outlet = None;
        state.waiting.clear();
    }

    /// Takes an answer; one that nobody waits for is dropped.
    pub fn settle(&self, response: Response) {
        let waiting = response.id.as_ref().and_then(|id| self.state().waiting.remove(id));
        match waiting {
            Some(waiting) => {
                let _not_wanted = waiting.send(response.outcome);
            }
            None => tracing::debug!(id = ?response.id, "an answer nobody waits for"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question under way; dropping it before its answer takes it back.
struct Waiting<'a> {
    questions: &'a Questions,
    id: Id,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.questions.state().waiting.remove(&self.id).is_some() {
            let params = RawObject::empty().with("requestId", self.id.as_str());
            self.questions.tell(&Notification::new("notifications/cancelled", params));
        }
    }
}
