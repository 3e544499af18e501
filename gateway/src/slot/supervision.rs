//! When an upstream is connected again: a state machine without clock or I/O.
//!
//! ```text
//!             connected                  ended
//!  Starting ─────────────▶ Ready ───────────────────┐
//!   ▲    │                                          ▼
//!   │    └────────────────── failed ──────────▶ Failing
//!   └────────────────────── retrying ───────────────┘
//!
//!          timed_out             unanswered
//!  Ready ─────────────▶ Pinged ─────────────▶ Silent
//!    ▲                    │                     │
//!    └──── answered ──────┴──── answered ───────┘
//! ```
//!
//! `Pinged` and `Silent` end as `Ready` does. A call waits while its upstream is `Pinged`, and fails at once while it is `Silent`:
//! pings look for an answer then, so that no client has to pay for the attempt.
//!
//! `stopped` leads from every state to `Stopped`, which is final; so do `ended` and `failed` with
//! [`Restart::Never`]. The owner keeps the time: it passes in the current time and a random number, and calls
//! `retrying` when the next attempt is due.

use std::time::Duration;

use tokio::time::Instant;

use super::streak::{Late, Streak};
use crate::upstream::Restart;

/// The delay after the first failure, doubled with each further failure in a row.
pub(super) const FIRST_DELAY: Duration = Duration::from_secs(1);

/// The longest delay.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The part of a delay that chance may take away, so that many gateways do not retry at the same time.
const JITTER: f64 = 0.25;

/// Failures in a row are forgotten after a connection lasted this long.
const HEALTHY: Duration = Duration::from_secs(60);

/// After this number of failures in a row, an upstream's tools leave the lists until it is back.
const TOLERATED: u32 = 5;

/// A lost HTTP session that lasted this long is replaced without delay.
const SESSION: Duration = Duration::from_secs(1);

/// The state of one upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// An attempt to connect is in progress.
    Starting,
    /// It is connected.
    Ready {
        /// Since when.
        since: Instant,
    },
    /// It is connected, calls timed out, and it was sent a ping.
    Pinged {
        /// Since when it is connected.
        since: Instant,
    },
    /// It is connected, and answers neither calls nor pings.
    Silent {
        /// Since when it is connected.
        since: Instant,
    },
    /// The last connection or attempt failed.
    Failing {
        /// When the next attempt is due.
        next: Instant,
    },
    /// It is not connected any more.
    Stopped,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process exited, the connection broke, or the server cannot be reached.
    Lost,
    /// The HTTP server no longer knows the session. A new session may be opened at once.
    SessionLost,
}

/// The state machine of one upstream.
#[derive(Clone, Debug)]
pub struct Supervision {
    state: State,
    streak: Option<Streak>,
    restart: Restart,
    failures: u32,
    connections: u64,
}

impl Supervision {
    /// An upstream whose first attempt begins now.
    pub fn new(restart: Restart) -> Self {
        Self { state: State::Starting, streak: None, restart, failures: 0, connections: 0 }
    }

    /// The current state.
    pub fn state(&self) -> State {
        self.state
    }

    /// The number of failures since it was last healthy.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether it was ever connected.
    pub fn was_connected(&self) -> bool {
        self.connections > 0
    }

    /// How often it was connected again after its first connection.
    pub fn restarts(&self) -> u64 {
        self.connections.saturating_sub(1)
    }

    /// Whether what it last listed is offered to clients: always while it is connected, otherwise until it failed
    /// 5 times in a row or stopped.
    pub fn keeps_lists(&self) -> bool {
        match self.state {
            State::Ready { .. } | State::Pinged { .. } | State::Silent { .. } => true,
            State::Starting | State::Failing { .. } => self.failures < TOLERATED,
            State::Stopped => false,
        }
    }

    /// The attempt succeeded.
    pub fn connected(&mut self, now: Instant) {
        self.state = State::Ready { since: now };
        self.streak = None;
        self.connections += 1;
    }

    /// A call timed out, when the connection had answered so many requests. It is to be pinged if that made it [`Pinged`](State::Pinged). Calls of one client alone never do, unless
    /// it has the upstream to itself: they may be slow by what they ask for.
    pub fn timed_out(&mut self, late: Late, answers: u64) {
        let State::Ready { since } = self.state else { return };
        let streak = Streak::with(self.streak.take(), late, answers);
        match streak.is_suspicious() {
            true => self.state = State::Pinged { since },
            false => self.streak = Some(streak),
        }
    }

    /// A ping was not answered. Returns whether that is news.
    pub fn unanswered(&mut self) -> bool {
        let State::Pinged { since } = self.state else { return false };
        self.state = State::Silent { since };
        true
    }

    /// A ping was answered. Returns whether that is news.
    pub fn answered(&mut self) -> bool {
        let (State::Pinged { since } | State::Silent { since }) = self.state else { return false };
        self.state = State::Ready { since };
        true
    }

    /// The attempt failed. `chance` is a random number from 0 to 1.
    pub fn failed(&mut self, now: Instant, chance: f64) {
        self.failures = self.failures.saturating_add(1);
        self.state = match self.restart {
            Restart::Always => State::Failing { next: now + delay(self.failures, chance) },
            Restart::Never => State::Stopped,
        };
    }

    /// The connection ended. `chance` is a random number from 0 to 1.
    pub fn ended(&mut self, end: End, now: Instant, chance: f64) {
        let lasted = match self.state {
            State::Ready { since } | State::Pinged { since } | State::Silent { since } => {
                now.saturating_duration_since(since)
            }
            _ => Duration::ZERO,
        };
        if lasted >= HEALTHY {
            self.failures = 0;
        }
        // A server that loses each session at once is like one that ends.
        if end == End::SessionLost && lasted >= SESSION {
            self.state = State::Failing { next: now };
        } else {
            self.failed(now, chance);
        }
    }

    /// The attempt failed for a reason that no further attempt removes.
    pub fn failed_for_good(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.state = State::Stopped;
    }

    /// The next attempt begins.
    pub fn retrying(&mut self) {
        if matches!(self.state, State::Failing { .. }) {
            self.state = State::Starting;
        }
    }

    /// No further attempts are made.
    pub fn stopped(&mut self) {
        self.state = State::Stopped;
    }
}

fn delay(failures: u32, chance: f64) -> Duration {
    let doubled = 2u32.saturating_pow(failures.saturating_sub(1));
    FIRST_DELAY.saturating_mul(doubled).min(LONGEST_DELAY).mul_f64(1.0 - JITTER * chance.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A supervision and the clock of its test.
    struct Scene {
        supervision: Supervision,
        now: Instant,
    }

    impl Scene {
        fn new(restart: Restart) -> Self {
            Self { supervision: Supervision::new(restart), now: Instant::now() }
        }

        fn wait(&mut self, seconds: f64) -> &mut Self {
            self.now += Duration::from_secs_f64(seconds);
            self
        }

        fn connected(&mut self) -> &mut Self {
            self.supervision.connected(self.now);
            self
        }

        /// The delay until the next attempt, in seconds.
        fn failed(&mut self, chance: f64) -> Option<f64> {
            self.supervision.failed(self.now, chance);
            self.delay()
        }

        fn ended(&mut self, end: End) -> Option<f64> {
            self.supervision.ended(end, self.now, 0.0);
            self.delay()
        }

        fn delay(&mut self) -> Option<f64> {
            let State::Failing { next } = self.supervision.state() else { return None };
            let delay = next - self.now;
            self.now = next;
            self.supervision.retrying();
            assert_eq!(self.supervision.state(), State::Starting);
            Some(delay.as_secs_f64())
        }
    }

    #[test]
    fn u3_delays_double_from_one_second_to_sixty() {
        let mut scene = Scene::new(Restart::Always);
        let delays: Vec<f64> = (0..9).filter_map(|_| scene.failed(0.0)).collect();
        assert_eq!(delays, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        scene.supervision.failures = u32::MAX;
        assert_eq!(scene.failed(0.0), Some(60.0));
    }

    #[test]
    fn u3_jitter_only_shortens_a_delay() {
        for chance in [0.0, 0.3, 1.0, 7.0, -1.0] {
            let delay = Scene::new(Restart::Always).failed(chance).unwrap();
            assert!((0.75..=1.0).contains(&delay), "{chance}: {delay}");
        }
    }

    #[test]
    fn u3_sixty_seconds_of_health_reset_the_delay() {
        let mut scene = Scene::new(Restart::Always);
        scene.failed(0.0);
        scene.failed(0.0);
        assert_eq!(scene.connected().wait(59.0).ended(End::Lost), Some(4.0));
        assert_eq!(scene.connected().wait(60.0).ended(End::Lost), Some(1.0));
    }

    #[test]
    fn u3_lists_are_kept_until_the_fifth_failure_in_a_row_and_return_with_the_connection() {
        let mut scene = Scene::new(Restart::Always);
        scene.connected().wait(1.0);
        scene.ended(End::Lost);
        for failures in 1..9 {
            assert_eq!(scene.supervision.failures(), failures);
            assert_eq!(scene.supervision.keeps_lists(), failures < 5, "{failures}");
            scene.failed(0.0);
        }
        assert!(scene.connected().supervision.keeps_lists());
        assert_eq!(scene.supervision.restarts(), 1);
    }

    #[test]
    fn u4_a_lost_session_is_replaced_at_once_unless_it_was_just_opened() {
        let mut scene = Scene::new(Restart::Always);
        assert_eq!(scene.connected().wait(2.0).ended(End::SessionLost), Some(0.0));
        assert_eq!(scene.supervision.failures(), 0);
        assert_eq!(scene.connected().wait(0.1).ended(End::SessionLost), Some(1.0));
        assert_eq!(scene.connected().wait(0.1).ended(End::SessionLost), Some(2.0));
    }

    #[test]
    fn u14_without_restarts_the_first_end_is_final() {
        let mut scene = Scene::new(Restart::Never);
        assert_eq!(scene.connected().wait(100.0).ended(End::Lost), None);
        assert_eq!(scene.supervision.state(), State::Stopped);
        assert!(!scene.supervision.keeps_lists());
        scene.supervision.retrying();
        assert_eq!(scene.supervision.state(), State::Stopped);
        assert_eq!(Scene::new(Restart::Never).failed(0.0), None);
    }

    /// A call of this client that timed out.
    fn late(client: &str, is_alone: bool) -> Late {
        Late { client: client.into(), is_alone }
    }

    fn is_pinged(supervision: &Supervision) -> bool {
        matches!(supervision.state(), State::Pinged { .. })
    }

    #[test]
    fn u20_three_calls_in_a_row_that_time_out_lead_to_a_ping_and_an_answer_in_between_does_not_count() {
        let mut scene = Scene::new(Restart::Always);
        scene.supervision.timed_out(late("a", false), 0);
        assert_eq!(scene.supervision.state(), State::Starting);
        let supervision = &mut scene.connected().supervision;
        for (client, answers) in [("a", 7), ("b", 7), ("a", 8), ("b", 8)] {
            supervision.timed_out(late(client, false), answers);
            assert!(!is_pinged(supervision), "{client} {answers}");
        }
        supervision.timed_out(late("a", false), 8);
        assert!(is_pinged(supervision));
        assert!(supervision.answered() && !supervision.answered());
        supervision.timed_out(late("b", false), 9);
        assert!(matches!(supervision.state(), State::Ready { .. }), "the streak is over");
    }

    #[test]
    fn u20_slow_calls_of_one_client_alone_lead_to_no_ping_unless_the_upstream_is_its_own() {
        let mut scene = Scene::new(Restart::Always);
        let supervision = &mut scene.connected().supervision;
        (0..100).for_each(|_| supervision.timed_out(late("a", false), 0));
        assert!(!is_pinged(supervision));
        supervision.timed_out(late("a", true), 0);
        assert!(is_pinged(supervision));
    }

    #[test]
    fn u20_what_answers_no_ping_is_silent_until_it_answers_one_or_is_connected_again() {
        let mut scene = Scene::new(Restart::Always);
        let silence = |scene: &mut Scene| {
            (0..3).for_each(|_| scene.supervision.timed_out(late("a", true), 0));
            assert!(scene.supervision.unanswered() && !scene.supervision.unanswered());
            assert!(scene.supervision.keeps_lists());
        };
        silence(scene.connected());
        assert!(scene.supervision.answered());
        assert!(!scene.supervision.unanswered(), "no ping is sent");
        silence(&mut scene);
        assert_eq!(scene.wait(60.0).ended(End::Lost), Some(1.0), "it was connected for a minute");
        assert!(matches!(scene.connected().supervision.state(), State::Ready { .. }));
    }

    #[test]
    fn what_is_stopped_stays_stopped() {
        let mut scene = Scene::new(Restart::Always);
        scene.connected().supervision.stopped();
        scene.supervision.retrying();
        assert_eq!(scene.supervision.state(), State::Stopped);
        assert!(!scene.supervision.keeps_lists());
    }
}
