//! A scripted agent, for tests: it simulates a model that follows the workflow, or one that does not.
//!
//! The guide (tool-descriptions-guide) names two anti-patterns of models: they fetch everything in order to choose, or
//! they call without fetching. An [`Agent`] does one of these, or neither, and can be given a mistake to
//! [start with](Agent::mistake). Then it follows the errors of the server: the text and the structured content of an
//! answer determine its next move, never knowledge of the strategy. The result is a [`Trace`].

mod advice;
mod browsing;
mod moves;
mod performance;
mod plan;

use mcp_disclosure_client::{Error, Host};
use mcp_disclosure_core::{Finder, Lesson, RawObject};
use serde::{Deserialize, Serialize};

pub use self::performance::{Outcome, Problem, Purpose, Step, Trace};
pub(crate) use self::{
    moves::{Learned, Move},
    performance::Performance,
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
pub struct Task {
    /// Its name.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: RawObject,
}

/// A scripted agent of one host.
#[derive(Clone, Debug)]
pub struct Agent<'a> {
    /// The host.
    pub host: &'a Host,
    /// How it goes about its tasks. Wrong arguments and names are those of its mistake.
    pub behavior: Behavior,
    /// Whether its model can read resources, as in few hosts.
    pub reads_resources: bool,
    /// The call by which it learns a tool, if the strategy declares one.
    pub lesson: Option<Lesson>,
    /// The call by which it finds tools by words, if the strategy declares one.
    pub finder: Option<Finder>,
    /// The tool by which it calls tools that are not listed, if the strategy declares one.
    pub executor: Option<&'static str>,
    /// The call that it begins its first task with, which has a wrong name or wrong arguments. It makes the right call once
    /// an answer, or the list of tools, shows what is right.
    pub mistake: Option<Task>,
}

impl<'a> Agent<'a> {
    /// An agent that makes no mistake, whose model can read resources, under a strategy that declares no calls.
    pub fn new(host: &'a Host, behavior: Behavior) -> Self {
        let (lesson, finder, executor) = (None, None, None);
        Self { host, behavior, reads_resources: true, lesson, finder, executor, mistake: None }
    }

    /// Lists the tools, and performs the tasks one after the other. The trace has the agent's mistakes and the results
    /// of tools.
    ///
    /// # Errors
    /// Failures of the connection. Errors that the server answers are part of the trace.
    pub async fn perform(&self, tasks: &[Task]) -> Result<Trace, Error> {
        Performance::new(self, self.host.list().await?).perform(tasks).await
    }
}
