//! One after the other, by session: what is read from the store is applied in the order in which it was read.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use mcp_disclosure_transport::ErrorText;
use parking_lot::Mutex;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedMutexGuard},
    time::Instant,
};

use crate::session::Session;

/// Below this number of entries no sweep is needed.
const FEW: usize = 64;

/// The turns of all sessions.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    gates: HashMap<Arc<str>, Weak<Gate>>,
    sweep_at: usize,
}

/// What those share who read or change one session.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// The last failure, and when it happened.
    failed: Arc<AsyncMutex<Option<(Instant, ErrorText)>>>,
    /// Counts what was heard of the session, so that a copy that was read before is not used after it.
    heard: Mutex<u64>,
}

/// The turn to read or change a session. Others wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    gate: Arc<Gate>,
    failed: OwnedMutexGuard<Option<(Instant, ErrorText)>>,
}

/// A time of reading: what is heard after it makes what was read unusable.
#[derive(Debug)]
pub(super) struct ReadAt {
    gate: Arc<Gate>,
    heard: u64,
}

impl Turns {
    /// Waits until nothing else is done with this session.
    ///
    /// # Errors
    /// That of whoever had the turn meanwhile and failed: all who waited would fail after each other.
    pub(super) async fn of(&self, id: &str) -> Result<Turn, ErrorText> {
        let (gate, arrived) = (self.gate(id), Instant::now());
        let failed = Arc::clone(&gate.failed).lock_owned().await;
        match &*failed {
            Some((at, error)) if *at >= arrived => Err(error.clone()),
            _ => Ok(Turn { gate, failed }),
        }
    }

    /// Something was heard of a session: its copy is not used any more, nor what is being read.
    pub(super) fn doubt(&self, id: &str, copy: Option<&Session>) {
        let gate = self.0.lock().gates.get(id).and_then(Weak::upgrade);
        // Without one, nothing is being read.
        let mut heard = gate.as_ref().map(|gate| gate.heard.lock());
        heard.iter_mut().for_each(|heard| **heard += 1);
        copy.into_iter().for_each(|copy| copy.copy_under(0));
    }

    fn gate(&self, id: &str) -> Arc<Gate> {
        let mut table = self.0.lock();
        if let Some(gate) = table.gates.get(id).and_then(Weak::upgrade) {
            return gate;
        }
        if table.gates.len() >= table.sweep_at.max(FEW) {
            table.gates.retain(|_, gate| gate.strong_count() > 0);
            table.sweep_at = 2 * table.gates.len();
        }
        let gate = Arc::default();
        table.gates.insert(id.into(), Arc::downgrade(&gate));
        gate
    }
}

impl Turn {
    /// The time of a reading that begins now.
    pub(super) fn reading(&self) -> ReadAt {
        ReadAt { gate: Arc::clone(&self.gate), heard: *self.gate.heard.lock() }
    }

    /// The same outcome. If it is an error, those who wait for the turn have the same.
    pub(crate) fn sharing<T>(&mut self, outcome: Result<T, ErrorText>) -> Result<T, ErrorText> {
        outcome.inspect_err(|error| *self.failed = Some((Instant::now(), error.clone())))
    }
}

impl ReadAt {
    /// What was read may be used under this tenure, unless something was heard since.
    pub(super) fn trust(&self, copy: &Session, tenure: u64) {
        // Held until it is decided: what is heard meanwhile comes after, and takes the permission back.
        let heard = self.gate.heard.lock();
        if *heard == self.heard {
            copy.copy_under(tenure);
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_transport::code;

    use super::*;

    #[tokio::test]
    async fn k4_a_failure_is_shared_by_those_who_waited_and_by_no_one_later() {
        let turns = Arc::new(Turns::default());
        let mut first = turns.of("a").await.unwrap();
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(turns.of("a"))).collect();
        for turn in &mut waiting {
            assert!(futures::poll!(turn.as_mut()).is_pending());
        }
        let failed: Result<(), _> = first.sharing(Err(ErrorText::new(code::STORE_UNAVAILABLE, "down")));
        assert!(failed.is_err());
        // Others have turns of their own.
        turns.of("b").await.unwrap();
        drop(first);
        for turn in waiting {
            assert_eq!(turn.await.unwrap_err().message(), "down");
        }
        turns.of("a").await.unwrap();
    }
}
