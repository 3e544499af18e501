//! What an agent did, and what came of it.

use mcp_disclosure_core::RawObject;

/// What an agent did, and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every move, in order; the first list is not among them.
    pub steps: Vec<Step>,
    /// What came of each task.
    pub outcomes: Vec<Outcome>,
    /// So many moves the right workflow takes.
    pub(super) needed: usize,
}

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The request's method.
    pub method: String,
    /// What it was about: the tool's name, or the URI.
    pub target: String,
    /// What was wrong with it, if anything.
    pub problem: Option<Problem>,
}

/// An error that an agent met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its code, such as `TOOL_DESCRIPTION_REQUIRED` or `-32602`; empty where there was only a text.
    pub code: String,
    /// What it said.
    pub message: String,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The tool.
    pub tool: String,
    /// The result of its last call, which may say `isError: true`; none where no call came to one.
    pub result: Option<RawObject>,
    /// Whether the tool was called and did not fail.
    pub succeeded: bool,
    /// Whether it came to that after an error, by doing what the error said.
    pub recovered: bool,
}

impl Trace {
    /// The errors met, in order.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.steps.iter().filter_map(|step| step.problem.as_ref())
    }

    /// Whether an error of this code was met.
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

    /// So many moves more than the right workflow takes.
    pub fn extra_trips(&self) -> usize {
        self.steps.len().saturating_sub(self.needed)
    }

    /// Whether every task came to a good end.
    pub fn succeeded(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.succeeded)
    }
}
