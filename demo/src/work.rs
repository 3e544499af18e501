//! The limit of work: every tool runs under it, and fails when it is reached.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Maximum number of steps of a call. Counted rather than timed, so that the same input fails on every machine.
const STEPS: u64 = 500_000;
/// Maximum time of a call, for machines on which the steps take longer.
pub const MAX_CALL_TIME: Duration = Duration::from_secs(5);
/// Number of steps between two reads of the clock.
const CLOCK_INTERVAL: u64 = 1024;

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(STEPS) };
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Thrown through the engine when the limit is reached.
struct OutOfWork;

/// Runs `task` under the limit and turns a panic into an error.
pub(crate) fn bounded<T>(task: impl FnOnce() -> Result<T>) -> Result<T> {
    LEFT.set(STEPS);
    DEADLINE.set(Some(Instant::now() + MAX_CALL_TIME));
    let outcome = catch_unwind(AssertUnwindSafe(task));
    DEADLINE.set(None);
    match outcome {
        Ok(result) => result,
        Err(thrown) if thrown.is::<OutOfWork>() => Err(Error::Exhausted),
        Err(_) => Err(Error::Internal),
    }
}

/// Subtracts `steps` from the rest.
///
/// Unwinds instead of returning an error: the symbolic engine spends in the depth of its smallest
/// constructors, and carrying a `Result` through each of them would bury the mathematics.
/// `resume_unwind` does not run the panic hook, so nothing is printed.
pub(crate) fn spend(steps: u64) {
    if DEADLINE.get().is_none() {
        return;
    }
    let before = LEFT.get();
    let after = before.saturating_sub(steps.max(1));
    LEFT.set(after);
    let reads_clock = before / CLOCK_INTERVAL != after / CLOCK_INTERVAL;
    let late = reads_clock && DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline);
    if after == 0 || late {
        resume_unwind(Box::new(OutOfWork));
    }
}
