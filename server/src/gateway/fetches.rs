//! The bound on description fetches (000 §10.3).

use std::{fmt, num::NonZeroU32, time::Duration};

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use mcp_disclosure_core::FetchLimit;

/// Bounds fetches by caller: a session, else a principal, else a peer.
pub struct FetchLimits(Option<DefaultKeyedRateLimiter<String>>);

impl FetchLimits {
    /// What 000 asks for unless configured otherwise.
    pub const DEFAULT_PER_MINUTE: u32 = 60;

    /// At most so many a minute, all at once or spread; 0 is no bound.
    pub fn per_minute(count: u32) -> Self {
        Self(
            NonZeroU32::new(count)
                .map(|count| RateLimiter::keyed(Quota::per_minute(count).allow_burst(count))),
        )
    }

    /// The bound for one caller.
    pub fn of<'a>(&'a self, caller: &'a str) -> OfCaller<'a> {
        OfCaller { limits: self, caller }
    }

    /// Forgets callers that have not fetched for a while.
    pub fn sweep(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
        }
    }
}

impl fmt::Debug for FetchLimits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FetchLimits(..)")
    }
}

/// The bound for one caller.
#[derive(Clone, Copy, Debug)]
pub struct OfCaller<'a> {
    limits: &'a FetchLimits,
    caller: &'a str,
}

impl FetchLimit for OfCaller<'_> {
    fn admit(&self) -> Result<(), Duration> {
        let Some(limiter) = &self.limits.0 else { return Ok(()) };
        limiter
            .check_key(&self.caller.to_owned())
            .map_err(|not_until| not_until.wait_time_from(DefaultClock::default().now()))
    }
}
