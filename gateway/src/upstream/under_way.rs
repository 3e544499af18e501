//! Requests that an upstream works on, and whom for, so that its log messages reach no other client.
//!
//! Over stdio nothing links a log message to a request. The client is certain only if it has been the only
//! one with requests in progress since the upstream was last idle.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use mcp_disclosure_transport::{RequestId, Settled};

use super::Reports;
use crate::session::ReplyRoute;

/// An abandoned request counts as in progress for this long, or until its response arrives: the upstream may
/// not have received the cancellation, or not have stopped.
const STILL_WORKING: Duration = Duration::from_secs(60);

/// Requests that are not worked on any more are removed once there are twice as many as after the last time, and this many more.
const SLACK: usize = 64;

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

/// The requests that an upstream works on, or may.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    requests: BTreeMap<RequestId, (Owner, Stage)>,
    /// Whether several clients had requests in progress since the upstream was last idle.
    mixed: bool,
    /// How many of them there were when those were last removed that are not worked on any more.
    swept: usize,
}

#[derive(Debug)]
enum Stage {
    /// It has no answer yet. Whether it asks for log messages.
    Pending(Option<Arc<Reports>>, bool),
    /// It was answered, perhaps with a task: the upstream works on that for as long as these are kept.
    Lasting(Weak<Reports>),
    /// It was abandoned without an answer.
    GivenUp(Instant),
}

impl Stage {
    fn is_worked_on(&self) -> bool {
        match self {
            Self::Pending(..) => true,
            Self::Lasting(reports) => reports.strong_count() > 0,
            Self::GivenUp(since) => since.elapsed() < STILL_WORKING,
        }
    }
}

impl UnderWay {
    /// A request is about to be sent, which `asks` for log messages or does not.
    pub(super) fn begin(&mut self, id: RequestId, owner: Owner, reports: Option<Arc<Reports>>, asks: bool) {
        if owner != Owner::Ours {
            let differs = |client: &Owner| *client != owner || owner == Owner::Request;
            let mixed = self.client().map(|client| self.mixed || differs(client));
            self.mixed = mixed.unwrap_or_else(|| {
                self.sweep();
                false
            });
        }
        self.requests.insert(id, (owner, Stage::Pending(reports, asks)));
    }

    /// A request is not pending any more, or its late answer arrived.
    pub(super) fn settle(&mut self, id: RequestId, how: Settled) {
        let Some((owner, stage)) = self.requests.remove(&id) else { return };
        let stage = match (how, stage) {
            // Whether it is a task is known to whoever keeps these.
            (Settled::Answered, Stage::Pending(Some(reports), _)) if reports.is_of_task => {
                Stage::Lasting(Arc::downgrade(&reports))
            }
            (Settled::GivenUp, _) if owner != Owner::Ours => Stage::GivenUp(Instant::now()),
            _ => return,
        };
        // Not each time: clients can give up thousands in a second.
        if self.requests.len() > 2 * self.swept + SLACK {
            self.sweep();
        }
        self.requests.insert(id, (owner, stage));
    }

    fn sweep(&mut self) {
        self.requests.retain(|_, (_, stage)| stage.is_worked_on());
        self.swept = self.requests.len();
    }

    /// A client that the upstream works for. The latest requests are the likeliest to be worked on.
    fn client(&self) -> Option<&Owner> {
        let is_of_client = |(owner, stage): &&(Owner, Stage)| *owner != Owner::Ours && stage.is_worked_on();
        self.requests.values().rfind(is_of_client).map(|(owner, _)| owner)
    }

    /// The only client that a message can be about, if that is certain.
    fn only_client(&self) -> Option<&Owner> {
        let is_asked_by_us = || self.requests.values().any(|(owner, _)| *owner == Owner::Ours);
        self.client().filter(|_| !self.mixed && !is_asked_by_us())
    }

    fn pending(&self) -> impl DoubleEndedIterator<Item = (&Owner, &Arc<Reports>, bool)> {
        self.requests.values().filter_map(|(owner, stage)| match stage {
            Stage::Pending(reports, asks) => Some((owner, reports.as_ref()?, *asks)),
            Stage::Lasting(_) | Stage::GivenUp(_) => None,
        })
    }

    /// Whether a request in progress asked for log messages.
    pub(super) fn is_logging(&self) -> bool {
        self.pending().any(|(.., asks)| asks)
    }

    /// The route for a message that nothing links to a request, where all belong to one client: that of the most recent one is the best
    /// guess, of those that can take a question.
    pub(super) fn route(&self) -> Option<ReplyRoute> {
        let routes = self.requests.values().filter_map(|(_, stage)| match stage {
            Stage::Pending(reports, _) => reports.as_ref()?.route(),
            Stage::Lasting(_) | Stage::GivenUp(_) => None,
        });
        // The last of several that are equal.
        routes.max_by_key(ReplyRoute::reach)
    }

    /// The request that a message belongs to: the one named by the transport, otherwise the only candidate.
    pub(super) fn reports_about(
        &self,
        about: Option<RequestId>,
        has_one_client: bool,
    ) -> Option<Arc<Reports>> {
        if let Some(about) = about {
            return match &self.requests.get(&about)?.1 {
                Stage::Pending(reports, _) => reports.clone(),
                Stage::Lasting(reports) => reports.upgrade(),
                Stage::GivenUp(_) => None,
            };
        }
        if !has_one_client {
            let only = self.only_client()?;
            return self
                .pending()
                .rfind(|(owner, ..)| *owner == only)
                .map(|(_, reports, _)| Arc::clone(reports));
        }
        // All belong to one client. If a single request asked for log messages, it is that one.
        let mut wanting = self.pending().filter(|(.., asks)| *asks);
        let (_, first, _) = wanting.next()?;
        wanting.next().is_none().then(|| Arc::clone(first))
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{Era, RawObject};
    use mcp_disclosure_transport::LoggingLevel;

    use super::*;
    use crate::{
        limits::Limits,
        session::{Outlet, Peer},
    };

    /// A request of this number and owner starts.
    fn begin(work: &mut UnderWay, id: u64, owner: &Owner) {
        work.begin(RequestId(id), owner.clone(), None, false);
    }

    fn end(work: &mut UnderWay, id: u64) {
        work.settle(RequestId(id), Settled::Answered);
    }

    fn sessions() -> [Owner; 2] {
        ["a", "b"].map(|id| Owner::Session(id.into()))
    }

    #[test]
    fn only_a_client_that_was_alone_all_the_time_is_certain_p5() {
        let (mut work, [a, b]) = (UnderWay::default(), sessions());
        assert_eq!(work.only_client(), None);
        begin(&mut work, 1, &a);
        begin(&mut work, 2, &Owner::Ours);
        begin(&mut work, 3, &a);
        assert_eq!(work.only_client(), None, "it may be about what the gateway asks");
        end(&mut work, 2);
        assert_eq!(work.only_client(), Some(&a));
        begin(&mut work, 4, &b);
        end(&mut work, 1);
        end(&mut work, 3);
        assert_eq!(work.only_client(), None, "it may be about what a asked a moment ago");
        end(&mut work, 4);
        begin(&mut work, 5, &b);
        assert_eq!(work.only_client(), Some(&b));
    }

    #[test]
    fn f3_a_question_takes_the_route_of_the_latest_request_that_can_take_it() {
        let (mut work, limits) = (UnderWay::default(), Limits::default());
        let open = || Outlet::new(&Peer::new("test", &limits), &limits);
        let ((first, _frames), (second, _kept), (gone, _)) = (open(), open(), open());
        let of_answers = second.clone().for_answers_only();
        let mut begin = |id, method, outlet, level| {
            let route = ReplyRoute { outlet, era: Era::Session, rounds: None, log_level: Some(level) };
            let reports = Reports::of(method, route, &RawObject::empty(), false);
            work.begin(RequestId(id), Owner::Request, Some(reports), false);
        };
        begin(1, "tools/call", first, LoggingLevel::Debug);
        begin(2, "tasks/result", second.clone(), LoggingLevel::Info);
        begin(3, "tools/call", gone, LoggingLevel::Warning);
        begin(4, "tools/call", of_answers, LoggingLevel::Error);
        begin(5, "tasks/get", second, LoggingLevel::Alert);
        let level = |work: &UnderWay| work.route().and_then(|route| route.log_level);
        assert_eq!(level(&work), Some(LoggingLevel::Info));
        end(&mut work, 2);
        assert_eq!(level(&work), Some(LoggingLevel::Debug));
        (1..=4).for_each(|id| end(&mut work, id));
        assert_eq!(level(&work), None);
    }

    #[test]
    fn requests_without_a_session_are_of_one_client_each_p5() {
        let mut work = UnderWay::default();
        begin(&mut work, 1, &Owner::Request);
        assert_eq!(work.only_client(), Some(&Owner::Request));
        begin(&mut work, 2, &Owner::Request);
        assert_eq!(work.only_client(), None);
    }

    #[test]
    fn p8_requests_that_a_client_gives_up_take_no_time_of_others() {
        let (mut work, [a, _], begun) = (UnderWay::default(), sessions(), Instant::now());
        for id in 0..60_000 {
            begin(&mut work, id, &a);
            work.settle(RequestId(id), Settled::GivenUp);
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "one by one, not each for all before it");
    }

    #[test]
    fn what_was_given_up_may_still_be_worked_on_p5() {
        let (mut work, [a, b]) = (UnderWay::default(), sessions());
        begin(&mut work, 1, &a);
        work.settle(RequestId(1), Settled::GivenUp);
        begin(&mut work, 2, &b);
        assert_eq!(work.only_client(), None);
        work.settle(RequestId(1), Settled::Late);
        assert_eq!(work.only_client(), None);
        end(&mut work, 2);
        begin(&mut work, 3, &b);
        assert_eq!(work.only_client(), Some(&b));
        work.settle(RequestId(3), Settled::GivenUp);
        work.requests.insert(RequestId(3), (b, Stage::GivenUp(Instant::now() - STILL_WORKING)));
        begin(&mut work, 4, &a);
        assert_eq!(work.only_client(), Some(&a));
    }
}
