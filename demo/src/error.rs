//! Why a tool has no result, in words that a model can act on; and the limit of work, under which every tool runs.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Why a tool has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// An argument is missing, of the wrong type or outside its limits.
    #[error("argument `{argument}`: given {given}, expected {expected}")]
    Argument { argument: String, given: String, expected: String },
    /// A mathematical expression could not be parsed.
    #[error(
        "argument `{argument}`: {reason} at character {position} of {text:?}, expected an \
         expression such as \"x**2 - 4\" or \"sin(x)/x\""
    )]
    Expression { argument: String, text: String, position: usize, reason: String },
    /// An expression has no value, as `1/0` has none.
    #[error("argument `{argument}`: {text:?} is undefined (it divides by zero or takes ln(0))")]
    Undefined { argument: String, text: String },
    /// The equations hold for every value of the variables.
    #[error("the equations are true for every value of {variables}; there is nothing to solve")]
    AlwaysTrue { variables: String },
    /// No method of this server applies.
    #[error("{tool} has no method for {subject}; {advice}")]
    NoMethod { tool: &'static str, subject: String, advice: &'static str },
    /// A matrix has no inverse.
    #[error("argument `matrix`: the matrix is singular or nearly singular, expected an invertible one")]
    Singular,
    /// An iteration did not converge.
    #[error("{tool} did not converge: {reason}")]
    NoConvergence { tool: &'static str, reason: String },
    /// The computation reached its limit of steps or time.
    #[error("the computation reached its limit of work; use a smaller or simpler input")]
    Exhausted,
    /// A fault of this server, caught before it could take the request down.
    #[error("the computation failed with an internal error; try another form of the input")]
    Internal,
}

/// The result type of this crate.
pub(crate) type Result<T> = std::result::Result<T, Error>;

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

/// Thrown through the computation when the limit is reached.
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
/// Unwinds instead of returning an error: expressions spend in the depth of their smallest constructors, and carrying a
/// `Result` through each of them would bury the mathematics. `resume_unwind` does not run the panic hook, so nothing is
/// printed.
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
