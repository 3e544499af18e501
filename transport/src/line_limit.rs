//! How many lines of a peer's output are logged: a number of them each minute, then a count.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The window of the limit.
const WINDOW: Duration = Duration::from_secs(60);

/// A limit on the lines of one kind.
#[derive(Debug)]
pub(crate) struct LineLimit {
    /// The kind, for the log.
    what: &'static str,
    most: usize,
    window: Mutex<Window>,
}

#[derive(Debug, Default)]
struct Window {
    since: Option<Instant>,
    count: usize,
    left_out: usize,
}

impl LineLimit {
    /// At most this number of lines of this kind a minute.
    pub(crate) fn new(what: &'static str, most: usize) -> Self {
        Self { what, most, window: Mutex::default() }
    }

    /// Whether a line of this peer is logged. The first one after a minute in which some were not is preceded by their count.
    pub(crate) fn admits(&self, upstream: &str) -> bool {
        let (is_in, left_out) = self.window.lock().admit(Instant::now(), self.most);
        self.report(upstream, left_out);
        is_in
    }

    /// Logs how many lines were not logged, if that was not said yet.
    pub(crate) fn finish(&self, upstream: &str) {
        let left_out = std::mem::take(&mut self.window.lock().left_out);
        self.report(upstream, left_out);
    }

    fn report(&self, upstream: &str, left_out: usize) {
        if left_out > 0 {
            tracing::warn!(upstream, left_out, "{} dropped: more than {} a minute", self.what, self.most);
        }
    }
}

impl Window {
    /// Whether a line is logged, and how many were not in the window that is over.
    fn admit(&mut self, now: Instant, most: usize) -> (bool, usize) {
        let mut left_out_before = 0;
        if self.since.is_none_or(|since| now.duration_since(since) >= WINDOW) {
            (self.since, self.count) = (Some(now), 0);
            left_out_before = std::mem::take(&mut self.left_out);
        }
        let is_in = self.count < most;
        *(if is_in { &mut self.count } else { &mut self.left_out }) += 1;
        (is_in, left_out_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_limit_of_a_minute_are_counted_p11() {
        let (mut window, start) = (Window::default(), Instant::now());
        let mut admit = |seconds| window.admit(start + Duration::from_secs(seconds), 2);
        assert_eq!([0, 1, 2, 59].map(|second| admit(second).0), [true, true, false, false]);
        assert_eq!(admit(60), (true, 2));
        assert!(admit(61).0);
        assert!(!admit(62).0);
    }
}
