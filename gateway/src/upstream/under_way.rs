//! Tracks which client an upstream works for, so that its log messages reach no other client.
//!
//! Over stdio nothing links a log message to a request. The client is certain only if it has been the only
//! one with requests in progress since the upstream was last idle.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_disclosure_transport::RequestId;

/// An abandoned request counts as in progress for this long, or until its response arrives: the upstream may
/// not have received the cancellation, or not have stopped.
const STILL_WORKING: Duration = Duration::from_secs(60);

/// Whom a request to an upstream is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// The gateway itself.
    #[default]
    Ours,
    /// The client of the session with this id.
    Session(Arc<str>),
    /// A client without a session; it cannot be assumed to be that of any other request.
    Request,
}

/// The clients that an upstream works for.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    client: Option<Owner>,
    /// Whether several clients had requests in progress since the upstream was last idle.
    mixed: bool,
    count: usize,
    /// How many requests of the gateway's own are in progress.
    ours: usize,
    given_up: HashMap<RequestId, Instant>,
}

impl UnderWay {
    /// A request starts.
    pub(super) fn begin(&mut self, owner: &Owner) {
        if *owner == Owner::Ours {
            self.ours += 1;
            return;
        }
        if !self.given_up.is_empty() {
            self.forget_late(Instant::now());
        }
        match &self.client {
            None => self.client = Some(owner.clone()),
            Some(client) if client != owner || *owner == Owner::Request => self.mixed = true,
            Some(_) => {}
        }
        self.count += 1;
    }

    /// A request is answered.
    pub(super) fn end(&mut self, owner: &Owner) {
        if *owner == Owner::Ours {
            self.ours -= 1;
            return;
        }
        self.count = self.count.saturating_sub(1);
        self.become_idle();
    }

    /// A request is abandoned without a response.
    pub(super) fn give_up(&mut self, id: RequestId, owner: &Owner) {
        if *owner == Owner::Ours {
            self.ours -= 1;
            return;
        }
        self.count = self.count.saturating_sub(1);
        self.given_up.insert(id, Instant::now());
    }

    /// The response to an abandoned request arrived.
    pub(super) fn answered_late(&mut self, id: RequestId) {
        if self.given_up.remove(&id).is_some() {
            self.become_idle();
        }
    }

    /// The only client that a message can be about, if that is certain.
    pub(super) fn only_client(&self) -> Option<&Owner> {
        self.client.as_ref().filter(|_| !self.mixed && self.ours == 0)
    }

    fn forget_late(&mut self, now: Instant) {
        self.given_up.retain(|_, since| now.duration_since(*since) < STILL_WORKING);
        self.become_idle();
    }

    fn become_idle(&mut self) {
        if self.count == 0 && self.given_up.is_empty() {
            (self.client, self.mixed) = (None, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> Owner {
        Owner::Session(id.into())
    }

    #[test]
    fn only_a_client_that_was_alone_all_the_time_is_certain_p5() {
        let mut work = UnderWay::default();
        assert_eq!(work.only_client(), None);
        work.begin(&session("a"));
        work.begin(&Owner::Ours);
        work.begin(&session("a"));
        assert_eq!(work.only_client(), None, "it may be about what the gateway asks");
        work.end(&Owner::Ours);
        assert_eq!(work.only_client(), Some(&session("a")));
        work.begin(&session("b"));
        work.end(&session("a"));
        work.end(&session("a"));
        assert_eq!(work.only_client(), None, "it may be about what a asked a moment ago");
        work.end(&session("b"));
        work.begin(&session("b"));
        assert_eq!(work.only_client(), Some(&session("b")));
    }

    #[test]
    fn requests_without_a_session_are_of_one_client_each_p5() {
        let mut work = UnderWay::default();
        work.begin(&Owner::Request);
        assert_eq!(work.only_client(), Some(&Owner::Request));
        work.begin(&Owner::Request);
        assert_eq!(work.only_client(), None);
    }

    #[test]
    fn what_was_given_up_may_still_be_worked_on_p5() {
        let (mut work, id) = (UnderWay::default(), RequestId(1));
        work.begin(&session("a"));
        work.give_up(id, &session("a"));
        work.begin(&session("b"));
        assert_eq!(work.only_client(), None);
        work.answered_late(id);
        assert_eq!(work.only_client(), None);
        work.end(&session("b"));
        work.begin(&session("b"));
        assert_eq!(work.only_client(), Some(&session("b")));
        work.give_up(RequestId(2), &session("b"));
        work.forget_late(Instant::now() + STILL_WORKING);
        work.begin(&session("a"));
        assert_eq!(work.only_client(), Some(&session("a")));
    }
}
