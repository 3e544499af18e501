//! How many sessions there may be, and how long they last.

use std::time::Duration;

/// Limits on the number of sessions and on their idle time.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Maximum number of sessions opened here; with a store, at most as many copies of others' are kept besides.
    pub most: usize,
    /// A session unused for this long is ended.
    pub idle: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { most: 10_000, idle: Duration::from_secs(60 * 60) }
    }
}

impl SessionLimits {
    /// The interval between sweeps for idle and unused sessions.
    pub fn sweep_interval(self, unused: Duration) -> Duration {
        (self.idle.min(unused) / 4).clamp(Duration::from_millis(100), Duration::from_secs(60))
    }
}
