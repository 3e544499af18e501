//! The lines that a program writes.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Instant,
};

use serde_json::Value;

use crate::PATIENCE;

/// The lines read from a stream so far, and whether it is at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Arc<(Mutex<Collected>, Condvar)>);

#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) lines: Vec<String>,
    pub(crate) ended: bool,
}

impl Lines {
    pub(crate) fn of(stream: impl Read + Send + 'static) -> Self {
        let lines = Self::default();
        let collected = lines.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                collected.update(|read| read.lines.push(line));
            }
            collected.update(|read| read.ended = true);
        });
        lines
    }

    fn update(&self, change: impl FnOnce(&mut Collected)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    /// Waits for what `find` finds; `None` if the stream ends or time runs out without it.
    pub(crate) fn wait<T>(&self, mut find: impl FnMut(&Collected) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + PATIENCE;
        let mut read = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = find(&read) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if read.ended || left.is_zero() {
                return None;
            }
            read = self.0.1.wait_timeout(read, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).lines.clone()
    }
}

/// How many of these lines are messages of this method.
pub(crate) fn count_of(lines: impl IntoIterator<Item = impl AsRef<str>>, method: &str) -> usize {
    let messages = lines.into_iter().filter_map(|line| serde_json::from_str::<Value>(line.as_ref()).ok());
    messages.filter(|message| message["method"] == method).count()
}
