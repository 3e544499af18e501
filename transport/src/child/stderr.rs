//! A child's stderr: logged within a rate limit, and its last lines kept to explain why the child exited.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::io::AsyncRead;
use tokio_util::sync::CancellationToken;

use crate::{Bound, Connection, Line, Lines, printable};

/// Longer lines are skipped.
const LONGEST_LINE: usize = 64 * 1024;

/// The window of the rate limit.
const WINDOW: Duration = Duration::from_secs(60);

/// The last lines a child wrote to stderr.
#[derive(Clone, Debug, Default)]
pub(super) struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    const KEPT: usize = 5;

    fn keep(&self, line: String) {
        let mut lines = self.0.lock();
        if lines.len() == Self::KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines for the operator; `None` if there are none.
    pub(super) fn shown(&self) -> Option<String> {
        let lines = self.0.lock();
        let shown = || lines.iter().map(String::as_str).collect::<Vec<_>>().join(" | ");
        (!lines.is_empty()).then(|| format!("last stderr lines: {}", shown()))
    }
}

/// Logs lines within the rate limit and keeps the last ones, until the child closes its stderr. After `no_more` it ends as
/// soon as nothing is there to be read.
pub(super) async fn log(
    errors: impl AsyncRead + Unpin,
    connection: Arc<Connection>,
    last: LastLines,
    no_more: CancellationToken,
) {
    let bounds = *connection.bounds();
    let mut lines = Lines::new(errors, LONGEST_LINE);
    let mut window = Window::new(bounds.stderr_lines.most);
    loop {
        let line = tokio::select! {
            biased;
            line = lines.next() => line,
            () = no_more.cancelled() => break,
        };
        let Ok(Some(line)) = line else { break };
        let Line::Text(text) = line else { continue };
        let text = printable::line(String::from_utf8_lossy(&text).trim_end(), bounds.stderr_characters);
        let admitted = window.admit(Instant::now());
        report(&connection, admitted.left_out_before, bounds.stderr_lines);
        if admitted.is_in {
            tracing::info!(target: "upstream", upstream = connection.name(), "{text}");
        }
        last.keep(text);
    }
    report(&connection, window.left_out, bounds.stderr_lines);
}

fn report(connection: &Connection, left_out: usize, bound: Bound) {
    if left_out > 0 {
        let Bound { most, setting } = bound;
        let upstream = connection.name();
        tracing::warn!(upstream, left_out, "stderr lines dropped: {setting} is {most} a minute");
    }
}

/// The rate limit.
#[derive(Debug)]
struct Window {
    most: usize,
    since: Option<Instant>,
    count: usize,
    left_out: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Admitted {
    is_in: bool,
    /// The number of lines dropped in the previous window, reported once.
    left_out_before: usize,
}

impl Window {
    fn new(most: usize) -> Self {
        Self { most, since: None, count: 0, left_out: 0 }
    }

    fn admit(&mut self, now: Instant) -> Admitted {
        let mut left_out_before = 0;
        if self.since.is_none_or(|since| now.duration_since(since) >= WINDOW) {
            (self.since, self.count) = (Some(now), 0);
            left_out_before = std::mem::take(&mut self.left_out);
        }
        let is_in = self.count < self.most;
        if is_in {
            self.count += 1;
        } else {
            self.left_out += 1;
        }
        Admitted { is_in, left_out_before }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;
    use crate::{Bounds, Handler, connection::Carrier};

    #[derive(Debug)]
    struct Owner;

    impl Handler for Owner {
        fn name(&self) -> String {
            "test".to_owned()
        }
    }

    #[tokio::test]
    async fn what_was_written_is_read_although_the_pipe_stays_open_and_no_time_is_left() {
        let (mut child, errors) = tokio::io::duplex(1 << 10);
        child.write_all(b"one\nno licence found\nhalf a li").await.unwrap();
        let bound = Bound { most: 1_000, setting: "test.bound" };
        let bounds = Bounds {
            message_bytes: bound,
            message_depth: bound,
            batch_messages: bound,
            queue_bytes: bound,
            stderr_lines: bound,
            stderr_characters: 100,
            resume_wait: WINDOW,
        };
        let (connection, _queued) = Connection::new(Arc::new(Owner), bounds, Carrier::Streams);
        let (last, no_more) = (LastLines::default(), CancellationToken::new());
        no_more.cancel();
        log(errors, connection, last.clone(), no_more).await;
        assert_eq!(last.shown().as_deref(), Some("last stderr lines: one | no licence found"));
    }

    #[test]
    fn lines_beyond_the_limit_of_a_minute_are_counted_p11() {
        let (mut window, start) = (Window::new(2), Instant::now());
        let mut admit = |seconds| window.admit(start + Duration::from_secs(seconds));
        assert_eq!([0, 1, 2, 59].map(|second| admit(second).is_in), [true, true, false, false]);
        assert_eq!(admit(60), Admitted { is_in: true, left_out_before: 2 });
        assert!(admit(61).is_in);
        assert!(!admit(62).is_in);
    }
}
