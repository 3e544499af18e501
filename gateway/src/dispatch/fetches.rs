//! The rate limit on description fetches (000 §10.3).

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use governor::{
    DefaultKeyedRateLimiter, RateLimiter,
    clock::{Clock, DefaultClock},
};
use mcp_disclosure_core::{Digest, Services};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use super::{RequestContext, allowance::quota};
use crate::session::store::key_of;

/// The fetches of a client in a minute that 000 recommends to allow.
pub const FETCHES_PER_MINUTE: u32 = 60;

/// Who shares one fetch limit. Cheap to clone, and of fixed size whatever a client says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fetcher {
    /// The session with this id.
    Session(Arc<str>),
    /// A principal without a session.
    Principal(Arc<str>),
    /// Clients at an address that say the same about themselves: nothing else distinguishes them.
    Peer(Arc<str>, u64),
}

impl Fetcher {
    /// The name under which replicas count its fetches together; `None` if each counts on its own.
    pub(super) fn shared_name(&self) -> Option<String> {
        match self {
            Self::Session(id) => Some(format!("s{}", key_of(id))),
            // Hashed: a principal's id may be of any length.
            Self::Principal(id) => Some(format!("p{}", Digest::of_parts([&**id]))),
            Self::Peer(..) => None,
        }
    }
}

/// Fetch limits by session, otherwise by principal, otherwise by peer and client info; and one for all clients of a peer, so
/// that neither more sessions nor other client info help.
#[derive(Debug)]
pub(crate) struct FetchLimits {
    callers: DefaultKeyedRateLimiter<Fetcher>,
    peers: DefaultKeyedRateLimiter<Arc<str>>,
    /// Of each caller; 0 for any number.
    per_minute: u32,
    together: Mutex<HashMap<Fetcher, Together>>,
}

/// What all replicas together admitted to a caller.
#[derive(Debug)]
struct Together {
    sum: u64,
    /// The part of the sum that this replica admitted. Its own limit counts that exactly.
    own: u64,
    until: Instant,
}

impl FetchLimits {
    /// At most this many fetches a minute, in bursts or evenly, of each caller, and of all clients of a peer together: never
    /// fewer than of a single one. 0 of each caller disables both limits.
    pub(super) fn per_minute(each: u32, of_peer: usize) -> Self {
        let of_peer = u32::try_from(of_peer).unwrap_or(u32::MAX).max(each);
        let at_most = |most| quota(NonZeroU32::new(most).unwrap_or(NonZeroU32::MAX));
        Self {
            callers: RateLimiter::keyed(at_most(each)),
            peers: RateLimiter::keyed(at_most(of_peer)),
            per_minute: each,
            together: Mutex::default(),
        }
    }

    /// Counts a fetch of a caller that is a client of this peer.
    ///
    /// # Errors
    /// How long to wait.
    fn admit(&self, caller: &Fetcher, peer: &Arc<str>) -> Result<(), Duration> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let now = DefaultClock::default().now();
        self.exceeded(caller).map_or(Ok(()), Err)?;
        self.callers.check_key(caller).map_err(|not_until| not_until.wait_time_from(now))?;
        self.peers.check_key(peer).map_err(|not_until| not_until.wait_time_from(now))
    }

    /// Removes callers that have not fetched recently.
    pub(super) fn sweep(&self) {
        self.callers.retain_recent();
        self.peers.retain_recent();
        let now = Instant::now();
        self.together.lock().retain(|_, together| together.until > now);
    }

    /// Takes note of how many fetches all replicas admitted to a caller, which counts for this long. This replica has just
    /// admitted `fetches`.
    pub(super) fn note(&self, caller: &Fetcher, fetches: u32, sum: u64, left: Duration) {
        let now = Instant::now();
        let mut together = self.together.lock();
        let noted = together.entry(caller.clone()).or_insert(Together { sum, own: 0, until: now + left });
        let own = if noted.until > now { noted.own } else { 0 };
        *noted = Together { sum, own: own + u64::from(fetches), until: now + left };
    }

    /// How long a caller has to wait because of what other replicas admitted.
    fn exceeded(&self, caller: &Fetcher) -> Option<Duration> {
        let noted = self.together.lock();
        let Together { sum, own, until } = noted.get(caller)?;
        let left = until.checked_duration_since(Instant::now())?;
        (*sum > *own && *sum >= u64::from(self.per_minute)).then_some(left)
    }
}

#[async_trait]
impl Services for RequestContext<'_> {
    fn admit_fetch(&self) -> Result<(), Duration> {
        self.common.fetches.admit(&self.fetcher, self.peer.name())?;
        // Last: what these limits refuse is not taken from a grant's quota, which counts all of a caller's sessions.
        self.allowances.iter().try_for_each(|allowance| allowance.fetch())?;
        if self.common.fetches.per_minute > 0 {
            self.made.admitted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn run(&self, work: Box<dyn FnOnce() + Send>) {
        // What panics here is not done.
        let _ = spawn_blocking(work).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_one_address_have_bounds_of_their_own_and_one_together_r11() {
        let limits = FetchLimits::per_minute(2, 5);
        let admitted = |address: &str, client| {
            let caller = Fetcher::Peer(address.into(), client);
            (0..4).filter(|_| limits.admit(&caller, &address.into()).is_ok()).count()
        };
        assert_eq!([admitted("a", 1), admitted("a", 2), admitted("a", 3), admitted("a", 4)], [2, 2, 1, 0]);
        assert_eq!(admitted("b", 1), 2);
        let fetched = |caller: Fetcher, peer: &str| {
            (0..9).filter(|_| limits.admit(&caller, &peer.into()).is_ok()).count()
        };
        assert_eq!(fetched(Fetcher::Principal("a".into()), "c"), 2);
        // More sessions do not help.
        let session = |id: &str| fetched(Fetcher::Session(id.into()), "d");
        assert_eq!([session("1"), session("2"), session("3"), session("4")], [2, 2, 1, 0]);
        let unbounded = FetchLimits::per_minute(0, 1);
        let principal = Fetcher::Principal("a".into());
        assert!((0..9).all(|_| unbounded.admit(&principal, &"a".into()).is_ok()));
    }
}
