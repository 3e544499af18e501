//! Why a tool has no result, in words that a model can act on; and the limit of work, under which every tool runs.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mcp_disclosure_core::ArgumentProblem;

/// Why a tool has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Arguments are missing, of the wrong type or outside their limits.
    #[error("{}", said(.0))]
    Arguments(Vec<ArgumentProblem>),
    /// No method of this server applies.
    #[error("{tool} has no method for {subject}; {advice}")]
    NoMethod { tool: &'static str, subject: String, advice: &'static str },
    /// An iteration did not converge.
    #[error("{tool} did not converge: {reason}")]
    NoConvergence { tool: &'static str, reason: String },
    /// The computation reached its limit of steps.
    #[error("the computation reached its limit of work; use a smaller or simpler input")]
    Exhausted,
    /// A fault of this server, caught before it could take the request down.
    #[error("the computation failed with an internal error; try another form of the input")]
    Internal,
}

impl Error {
    pub(crate) fn no_convergence(tool: &'static str, reason: impl Into<String>) -> Self {
        Self::NoConvergence { tool, reason: reason.into() }
    }
}

pub(crate) fn wrong(argument: &str, given: impl Into<String>, expected: impl Into<String>) -> Error {
    let (argument, given, expected) = (argument.to_owned(), given.into(), expected.into());
    Error::Arguments(vec![ArgumentProblem { argument, given, expected }])
}

fn said(problems: &[ArgumentProblem]) -> String {
    let say = |one: &ArgumentProblem| {
        format!("argument `{}`: given {}, expected {}", one.argument, one.given, one.expected)
    };
    problems.iter().take(SHOWN).map(say).collect::<Vec<_>>().join("; ")
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
        Err(if thrown.is::<OutOfWork>() { Error::Exhausted } else { Error::Internal })
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
