//! The limit of work: every tool runs under it, and ends with an error when it is used up.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Steps a call may take. Counted rather than timed, so that the same input fails everywhere alike.
const STEPS: u64 = 1_500_000;
/// The second line: what no call may exceed however slow the machine.
const TIME: Duration = Duration::from_secs(5);
/// How many steps go between two looks at the clock.
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
    DEADLINE.set(Some(Instant::now() + TIME));
    let outcome = catch_unwind(AssertUnwindSafe(task));
    DEADLINE.set(None);
    match outcome {
        Ok(result) => result,
        Err(thrown) if thrown.is::<OutOfWork>() => Err(Error::Exhausted),
        Err(_) => Err(Error::Internal),
    }
}

/// Takes `steps` from what is left.
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
    let look = before / CLOCK_INTERVAL != after / CLOCK_INTERVAL;
    let late = look && DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline);
    if after == 0 || late {
        resume_unwind(Box::new(OutOfWork));
    }
}
