//! A scripted agent: it simulates a model that follows the workflow, or one that does not.
//!
//! The guide (tool-descriptions-guide) names two anti-patterns of models: they fetch everything in order to choose, or
//! they call without fetching. An [`Agent`] does one of these, or neither, and can be given a mistake to
//! start with. Then it follows the errors of the server: the text and the structured content of an
//! answer determine its next move, never knowledge of the strategy.

mod moves;
mod performance;
mod plan;

use mcp_disclosure_client::Host;
use mcp_disclosure_core::RawObject;
use serde::{Deserialize, Serialize};

pub(crate) use self::{
    moves::Seen,
    performance::{Purpose, Step},
    plan::Plan,
};

/// How a model goes about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behavior {
    /// It follows the workflow of the strategy: it picks a tool, learns how to use it, then calls it.
    Workflow,
    /// It calls before it has learned how (tool-descriptions-guide "Anti-Pattern 2"). Where the list does not show the
    /// parameters it guesses them.
    TooEarly,
    /// It has learned how, and gives wrong arguments all the same.
    WrongArgument,
    /// It misspells the tool's name.
    UnknownName,
    /// It fetches every description in order to choose (tool-descriptions-guide "Anti-Pattern 1").
    EverythingFirst,
}

/// A tool to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// Its name.
    pub(crate) tool: String,
    /// The arguments of the call.
    pub(crate) arguments: RawObject,
}

/// A scripted agent of one host. It remembers what it has learned from task to task.
#[derive(Debug)]
pub(crate) struct Agent {
    host: Host,
    /// How it goes about its tasks. Wrong arguments and names are those of its mistake.
    behavior: Behavior,
    pub(crate) plan: Plan,
    /// The call that it begins its first task with, which has a wrong name or wrong arguments. It makes the right call once
    /// an answer, or the list of tools, shows what is right.
    pub(crate) mistake: Option<Task>,
    /// Every move so far.
    pub(crate) steps: Vec<Step>,
    /// Whether the tool of each task so far was called successfully.
    pub(crate) outcomes: Vec<bool>,
}
