//! The rate limit on description fetches (000 §10.3).

use std::{
    fmt,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use mcp_disclosure_core::{Digest, FetchLimit};

use super::allowance::Allowance;
use crate::dialect::ClientIdentity;

/// Who shares one fetch limit. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Fetcher {
    /// The session with this id.
    Session(Arc<str>),
    /// A principal without a session.
    Principal(Arc<str>),
    /// Clients at an address with the same client info: nothing else distinguishes them. A second limit
    /// covers all clients of the address, so that varying the client info does not help.
    Peer {
        /// The network address.
        address: Arc<str>,
        /// What the client says about itself.
        client: ClientIdentity,
    },
}

/// A [`Fetcher`] in the table of limits, of fixed size whatever a client says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Session(Arc<str>),
    Principal(Arc<str>),
    Peer(Arc<str>, Digest),
}

impl Fetcher {
    fn key(&self) -> Key {
        match self {
            Self::Session(id) => Key::Session(Arc::clone(id)),
            Self::Principal(id) => Key::Principal(Arc::clone(id)),
            Self::Peer { address, client } => Key::Peer(Arc::clone(address), client.digest()),
        }
    }
}

/// Fetch limits by session, otherwise by principal, otherwise by peer and client info.
pub struct FetchLimits {
    each: Option<DefaultKeyedRateLimiter<Key>>,
    per_minute: u32,
    peers: Option<DefaultKeyedRateLimiter<Arc<str>>>,
}

impl FetchLimits {
    /// The default that 000 recommends.
    pub const DEFAULT_PER_MINUTE: u32 = 60;

    /// At most this many fetches a minute, in bursts or evenly; 0 disables the limit.
    pub fn per_minute(count: u32) -> Self {
        let each = NonZeroU32::new(count).map(|count| RateLimiter::keyed(quota(count)));
        Self { each, per_minute: count, peers: None }
    }

    /// Sets the limit for all clients of an address together; never below that of a single client.
    pub(super) fn of_peers(self, count: usize) -> Self {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(self.per_minute);
        let peers =
            self.each.as_ref().and(NonZeroU32::new(count)).map(|count| RateLimiter::keyed(quota(count)));
        Self { peers, ..self }
    }

    /// The limit that applies to this caller.
    pub(super) fn of<'a>(&'a self, caller: &'a Fetcher, allowances: &'a [Arc<Allowance>]) -> OfCaller<'a> {
        OfCaller { limits: self, caller, allowances, delivered: AtomicBool::new(false) }
    }

    /// Removes callers that have not fetched recently.
    pub fn sweep(&self) {
        self.each.iter().for_each(RateLimiter::retain_recent);
        self.peers.iter().for_each(RateLimiter::retain_recent);
    }
}

fn quota(count: NonZeroU32) -> Quota {
    Quota::per_minute(count).allow_burst(count)
}

impl fmt::Debug for FetchLimits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FetchLimits(..)")
    }
}

/// The limit of one caller, for one request.
#[derive(Debug)]
pub(super) struct OfCaller<'a> {
    limits: &'a FetchLimits,
    caller: &'a Fetcher,
    allowances: &'a [Arc<Allowance>],
    delivered: AtomicBool,
}

impl OfCaller<'_> {
    /// Whether the request delivered descriptions.
    pub(super) fn has_delivered(&self) -> bool {
        self.delivered.load(Ordering::Relaxed)
    }
}

impl FetchLimit for OfCaller<'_> {
    fn admit(&self) -> Result<(), Duration> {
        self.allowances.iter().try_for_each(|allowance| allowance.fetch())?;
        let now = DefaultClock::default().now();
        let Some(each) = &self.limits.each else { return Ok(()) };
        each.check_key(&self.caller.key()).map_err(|not_until| not_until.wait_time_from(now))?;
        match (&self.limits.peers, self.caller) {
            (Some(peers), Fetcher::Peer { address, .. }) => {
                peers.check_key(address).map_err(|not_until| not_until.wait_time_from(now))
            }
            _ => Ok(()),
        }
    }

    fn delivers(&self) {
        self.delivered.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_one_address_have_bounds_of_their_own_and_one_together_r11() {
        let limits = FetchLimits::per_minute(2).of_peers(5);
        let admitted = |address: &str, client: &str| {
            let caller = Fetcher::Peer { address: address.into(), client: ClientIdentity::named(client) };
            (0..4).filter(|_| limits.of(&caller, &[]).admit().is_ok()).count()
        };
        assert_eq!(
            [admitted("a", "1"), admitted("a", "2"), admitted("a", "3"), admitted("a", "4")],
            [2, 2, 1, 0]
        );
        assert_eq!(admitted("b", "1"), 2);
        let principal = Fetcher::Principal("a".into());
        assert_eq!((0..9).filter(|_| limits.of(&principal, &[]).admit().is_ok()).count(), 2);
        let unbounded = FetchLimits::per_minute(0).of_peers(1);
        assert!((0..9).all(|_| unbounded.of(&principal, &[]).admit().is_ok()));
    }
}
