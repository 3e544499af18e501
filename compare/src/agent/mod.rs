//! A scripted agent, for tests: it simulates a model that follows the workflow, or one that does not.
//!
//! The guide (tool-descriptions-guide) names two anti-patterns of models: they fetch everything in order to choose, or
//! they call without fetching. An [`Agent`] has one of these three habits, and can be given a mistake to
//! [start with](Agent::mistake). Then it follows the errors of the server: the text and the structured content of an
//! answer determine its next move, never knowledge of the strategy. The result is a [`Trace`].

mod advice;
mod browsing;
mod moves;
mod performance;
mod plan;

use mcp_disclosure_client::{Error, Host};
use mcp_disclosure_core::{Finder, Lesson, RawObject};

pub use self::performance::{Outcome, Problem, Purpose, Step, Trace};
pub(crate) use self::{
    moves::{Learned, Move},
    performance::Performance,
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
    /// The host.
    pub host: &'a Host,
    /// How it calls tools.
    pub habit: Habit,
    /// Whether its model can read resources, as in few hosts.
    pub reads_resources: bool,
    /// The call by which it learns a tool, if the strategy declares one.
    pub lesson: Option<Lesson>,
    /// The call by which it finds tools by words, if the strategy declares one.
    pub finder: Option<Finder>,
    /// The call that it begins its first task with, which has a wrong name or wrong arguments. It makes the right call once
    /// an answer, or the list of tools, shows what is right.
    pub mistake: Option<Task>,
}

impl<'a> Agent<'a> {
    /// An agent with this habit, whose model can read resources, under a strategy that declares no calls.
    pub fn new(host: &'a Host, habit: Habit) -> Self {
        Self { host, habit, reads_resources: true, lesson: None, finder: None, mistake: None }
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
