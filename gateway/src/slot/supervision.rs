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

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::upstream::Restart;

/// The delay after the first failure, doubled with each further one.
pub(super) const FIRST_DELAY: Duration = Duration::from_secs(1);

/// The longest delay.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The part of a delay that chance may take away, so that many gateways do not retry at the same time.
const JITTER: f64 = 0.25;

/// Failures are forgotten after a connection lasted this long, and not before.
const HEALTHY: Duration = Duration::from_secs(60);

/// After this number of failures, an upstream's tools leave the lists until it is back.
const TOLERATED: u32 = 5;

/// A lost HTTP session that lasted this long is replaced without delay.
const SESSION: Duration = Duration::from_secs(1);

/// The state of one upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// An attempt to connect is in progress.
    Starting,
    /// It is connected.
    Ready,
    /// It is connected, calls timed out, and it was sent a ping.
    Pinged,
    /// It is connected, and answers neither calls nor pings.
    Silent,
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
    /// When the last connection began.
    since: Option<Instant>,
}

impl Supervision {
    /// An upstream whose first attempt begins now.
    pub fn new(restart: Restart) -> Self {
        Self { state: State::Starting, streak: None, restart, failures: 0, connections: 0, since: None }
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
    /// 5 times without being healthy in between, or stopped.
    pub fn keeps_lists(&self) -> bool {
        match self.state {
            State::Ready | State::Pinged | State::Silent => true,
            State::Starting | State::Failing { .. } => self.failures < TOLERATED,
            State::Stopped => false,
        }
    }

    /// The attempt succeeded.
    pub fn connected(&mut self, now: Instant) {
        (self.state, self.since, self.streak) = (State::Ready, Some(now), None);
        self.connections += 1;
    }

    /// A call timed out or was given up, when the connection had given this number of signs of life. It is to be pinged if that made
    /// it [`Pinged`](State::Pinged). Calls of one client alone never do, unless it has the upstream to itself: they may be slow
    /// by what they ask for.
    pub fn timed_out(&mut self, late: Late, signs: u64) {
        if self.state != State::Ready {
            return;
        }
        let before = self.streak.take().filter(|before| before.signs == signs);
        let count = before.as_ref().map_or(1, |before| before.count.saturating_add(1));
        let is_of_several = before.is_some_and(|one| one.is_of_several || one.client != late.client);
        // Calls of one client of several are no reason: they may be slow by what they ask for.
        match count >= TIMEOUTS && (is_of_several || late.is_alone) {
            true => self.state = State::Pinged,
            false => self.streak = Some(Streak { client: late.client, signs, count, is_of_several }),
        }
    }

    /// A ping was not answered. Returns whether that is news.
    pub fn unanswered(&mut self) -> bool {
        let is_news = self.state == State::Pinged;
        if is_news {
            self.state = State::Silent;
        }
        is_news
    }

    /// A ping was answered. Returns whether that is news.
    pub fn answered(&mut self) -> bool {
        let is_news = matches!(self.state, State::Pinged | State::Silent);
        if is_news {
            self.state = State::Ready;
        }
        is_news
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
        let lasted = self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
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

/// After this number of such calls in a row, a connected upstream is pinged.
const TIMEOUTS: u32 = 3;

/// A call that timed out, or that its client gave up after a while.
#[derive(Clone, Debug)]
pub struct Late {
    /// Whose it was.
    pub client: Arc<str>,
    /// Whether no other client uses the upstream, so that no call of another shows how it is.
    pub is_alone: bool,
}

/// Such calls, without a sign of life in between.
#[derive(Clone, Debug)]
struct Streak {
    /// Whose the last one was.
    client: Arc<str>,
    /// How many signs of life the connection had given by then.
    signs: u64,
    count: u32,
    /// Whether they are of more than one client.
    is_of_several: bool,
}
