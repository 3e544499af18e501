//! The record of an agent's moves and results.

use mcp_disclosure_core::RawObject;

/// The record of an agent's moves and results.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every move after the first list, in order.
    pub steps: Vec<Step>,
    /// The outcome of each task.
    pub outcomes: Vec<Outcome>,
    /// The number of moves that the workflow needs.
    pub(super) needed: usize,
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

    /// Whether an error with this code was received.
    pub fn contains_error(&self, code: &str) -> bool {
        self.errors().any(|problem| problem.code == code)
    }

    /// Whether this tool was called.
    pub fn contains_call(&self, tool: &str) -> bool {
        self.steps.iter().any(|step| step.method == "tools/call" && step.target == tool)
    }

    /// The last resource that was read.
    pub fn last_resource_uri(&self) -> Option<&str> {
        let last = self.steps.iter().rev().find(|step| step.method == "resources/read");
        last.map(|step| step.target.as_str())
    }

    /// The number of moves beyond those that the workflow needs.
    pub fn extra_trips(&self) -> usize {
        self.steps.len().saturating_sub(self.needed)
    }

    /// Whether every task succeeded.
    pub fn succeeded(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.succeeded)
    }
}
