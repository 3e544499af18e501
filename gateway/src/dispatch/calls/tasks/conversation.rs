//! What an upstream with a session asks a stateless client while it runs a task: its questions come while the result is
//! waited for, and the client gets them with the state of the task.

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::Json;

use super::super::{relay::UpstreamRequest, rounds::Work};
use crate::{
    dispatch::Caller,
    session::Client,
    upstream::{CallError, Upstream},
};

/// A request for the result of a task, and what is asked meanwhile.
#[derive(Debug)]
pub(super) struct Conversation {
    work: Work,
    outcome: Option<Result<Json, CallError>>,
}

impl Conversation {
    /// Begins to wait for the result of the task that the upstream calls this.
    pub(super) async fn begin(caller: &Caller, client: &Arc<Client>, upstream: &Upstream, own: &str) -> Self {
        let params = RawObject::empty().with_value("taskId", own);
        let work = Work::begin(caller, client, upstream, &UpstreamRequest::new("tasks/result", params));
        let mut begun = Self { work, outcome: None };
        begun.look().await;
        begun
    }

    /// Takes what has come since.
    pub(super) async fn look(&mut self) {
        if self.outcome.is_none() {
            self.outcome = self.work.dialogue.look().await;
        }
    }

    /// What the client has to answer, if anything.
    pub(super) fn questions(&self) -> Option<RawObject> {
        Some(self.work.dialogue.requests()).filter(|questions| !questions.is_empty())
    }

    /// Passes the client's answers to the upstream.
    pub(super) fn answer(&mut self, answers: &RawObject) {
        self.work.dialogue.deliver(answers);
    }

    /// The result, once it is there.
    pub(super) async fn outcome(&mut self) -> Option<Result<Json, CallError>> {
        if self.outcome.is_none() {
            self.outcome = self.work.dialogue.next().await;
        }
        self.outcome.clone()
    }
}
