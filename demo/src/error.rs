//! Why a tool has no result, in words that a model can act on; and the limit of work, under which every tool runs.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mcp_disclosure_core::ArgumentProblem;

/// Why a tool has no result: the sentence that says it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Error(String);

impl Error {
    /// Arguments are missing, of the wrong type or outside their limits.
    pub(crate) fn of_arguments(problems: Vec<ArgumentProblem>) -> Self {
        let said = problems.iter().take(SHOWN).map(|one| wrong(&one.argument, &one.given, &one.expected).0);
        Self(said.collect::<Vec<_>>().join("; "))
    }

    /// No method of this server applies.
    pub(crate) fn no_method(tool: &str, subject: &str, advice: &str) -> Self {
        Self(format!("{tool} has no method for {subject}; {advice}"))
    }

    /// An iteration did not converge.
    pub(crate) fn no_convergence(tool: &str, reason: impl Display) -> Self {
        Self(format!("{tool} did not converge: {reason}"))
    }
}

/// An argument is missing, of the wrong type or outside its limits.
pub(crate) fn wrong(argument: &str, given: impl Display, expected: impl Display) -> Error {
    Error(format!("argument `{argument}`: given {given}, expected {expected}"))
}

/// Problems of one call that are said.
const SHOWN: usize = 3;

/// The result type of this crate.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Maximum number of steps of a call. Counted rather than timed, so that the same input fails on every machine.
const STEPS: u64 = 250_000;

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(STEPS) };
}

/// Thrown through the computation when the limit is reached.
struct OutOfWork;

/// Runs `task` under the limit and turns a panic into an error.
pub(crate) fn bounded<T>(task: impl FnOnce() -> Result<T>) -> Result<T> {
    LEFT.set(STEPS);
    let outcome = catch_unwind(AssertUnwindSafe(task));
    outcome.unwrap_or_else(|thrown| {
        let said = match thrown.is::<OutOfWork>() {
            true => "the computation reached its limit of work; use a smaller or simpler input",
            // A fault of this server, caught before it could take the request down.
            false => "the computation failed with an internal error; try another form of the input",
        };
        Err(Error(said.to_owned()))
    })
}

/// Subtracts `steps` from the rest.
///
/// Unwinds instead of returning an error: expressions spend in the depth of their smallest constructors, and carrying a
/// `Result` through each of them would bury the mathematics. `resume_unwind` does not run the panic hook, so nothing is
/// printed.
pub(crate) fn spend(steps: u64) {
    match LEFT.get().checked_sub(steps.max(1)) {
        Some(left) => LEFT.set(left),
        None => resume_unwind(Box::new(OutOfWork)),
    }
}
