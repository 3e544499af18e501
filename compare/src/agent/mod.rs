//! A scripted agent, for tests: it simulates a model that follows the workflow, or one that does not.
//!
//! The guide (tool-descriptions-guide) names two anti-patterns of models: they fetch everything in order to choose, or
//! they call without fetching. An [`Agent`] has one of these three habits, and can be given a mistake to
//! [start with](Agent::mistaking). Then it follows the errors of the server: the text and the structured content of an
//! answer determine its next move, never knowledge of the strategy. The result is a [`Trace`].

mod advice;
mod browsing;
mod moves;
mod performance;
mod plan;

use mcp_disclosure_client::{Error, Host};
use mcp_disclosure_core::{Finder, Lesson, RawObject};

pub use self::performance::{Outcome, Performance, Problem, Purpose, Step, Trace};
pub(crate) use self::{
    moves::{Learned, Move},
    plan::Plan,
};

/// How a model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumIter)]
#[strum(serialize_all = "kebab-case")]
pub enum Habit {
    /// Picks a tool, learns how to use it, then calls it, as the strategy intends.
    Workflow,
    /// tool-descriptions-guide "Anti-Pattern 1": fetches every description before it picks.
    FetchEverything,
    /// tool-descriptions-guide "Anti-Pattern 2": calls without fetching.
    SkipFetching,
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
    host: &'a Host,
    habit: Habit,
    reads_resources: bool,
    lesson: Option<Lesson>,
    finder: Option<Finder>,
    mistake: Option<Task>,
}

impl<'a> Agent<'a> {
    /// An agent with this habit.
    pub fn new(host: &'a Host, habit: Habit) -> Self {
        Self { host, habit, reads_resources: true, lesson: None, finder: None, mistake: None }
    }

    /// The agent in a host whose model cannot read resources, as in most hosts.
    pub fn without_resources(self) -> Self {
        Self { reads_resources: false, ..self }
    }

    /// The agent under a strategy that declares this call as its way of learning a tool.
    pub fn taught_by(self, lesson: Option<Lesson>) -> Self {
        Self { lesson, ..self }
    }

    /// The agent under a strategy that declares this call as its way of finding a tool by words.
    pub fn finding_by(self, finder: Option<Finder>) -> Self {
        Self { finder, ..self }
    }

    /// The agent that begins its first task with this call, which has a wrong name or wrong arguments. It makes the right
    /// call once an answer, or the list of tools, shows what is right.
    pub fn mistaking(self, mistake: Task) -> Self {
        Self { mistake: Some(mistake), ..self }
    }

    /// Lists the tools, and performs the tasks one after the other. The trace has the agent's mistakes and the results
    /// of tools.
    ///
    /// # Errors
    /// Failures of the connection. Errors that the server answers are part of the trace.
    pub async fn perform(&self, tasks: &[Task]) -> Result<Trace, Error> {
        self.begin(self.host.list().await?).perform(tasks).await
    }

    /// Begins with these tools, as the host has listed them; the caller decides what is pursued, and when.
    pub fn begin(&self, tools: Vec<RawObject>) -> Performance<'_> {
        Performance::new(self, tools)
    }
}
