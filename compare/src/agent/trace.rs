//! The record of an agent's moves and results.

use mcp_disclosure_core::RawObject;

/// The record of an agent's moves and results.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every move after the first list, in order.
    pub steps: Vec<Step>,
    /// The outcome of each task.
    pub outcomes: Vec<Outcome>,
}

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it was made for.
    pub purpose: Purpose,
    /// The request's method.
    pub method: String,
    /// Its subject: the tool's name, or the URI.
    pub target: String,
    /// Whether it is the agent's [mistake](super::Agent::mistaking).
    pub is_mistake: bool,
    /// The error, if it failed.
    pub problem: Option<Problem>,
}

/// What a move is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To find a tool, or to learn how it is used.
    Learn,
    /// To use the tool of the task.
    Call,
}

/// An error that an agent received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its code, such as `TOOL_DESCRIPTION_REQUIRED` or `-32602`; empty if the error is a text only.
    pub code: String,
    /// Its message.
    pub message: String,
}

/// The outcome of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The tool.
    pub tool: String,
    /// The result of its last call, possibly with `isError: true`; none if no call had a result.
    pub result: Option<RawObject>,
    /// Whether the tool was called successfully.
    pub succeeded: bool,
    /// Whether it succeeded after an error, by following the error's suggestion.
    pub recovered: bool,
}

impl Trace {
    /// The received errors, in order.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.steps.iter().filter_map(|step| step.problem.as_ref())
    }

    /// Whether every task succeeded.
    pub fn succeeded(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.succeeded)
    }
}
