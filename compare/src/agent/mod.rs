//! A scripted agent, for tests: it simulates a model that follows the workflow, or one that does not.
//!
//! The guide (tool-descriptions-guide) names two anti-patterns of models: they fetch everything in order to choose, or
//! they call without fetching. An [`Agent`] has one of these three habits, and then follows the errors of the server:
//! the text and the structured content of an answer determine its next move, never knowledge of the strategy. The
//! result is a [`Trace`].

mod advice;
mod moves;
mod trace;

use std::collections::VecDeque;

use mcp_disclosure_client::{Error, Host};
use mcp_disclosure_core::RawObject;

use self::moves::{Lessons, Move, Plan, Seen};
pub use self::trace::{Outcome, Problem, Step, Trace};

/// Maximum number of errors that an agent follows for one task.
const MOST_MOVES: usize = 8;

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
}

impl<'a> Agent<'a> {
    /// An agent with this habit.
    pub fn new(host: &'a Host, habit: Habit) -> Self {
        Self { host, habit, reads_resources: true }
    }

    /// The agent in a host whose model cannot read resources, as in most hosts.
    pub fn without_resources(self) -> Self {
        Self { reads_resources: false, ..self }
    }

    /// Lists the tools, and performs the tasks one after the other. The trace has the agent's mistakes and the results
    /// of tools.
    ///
    /// # Errors
    /// Failures of the connection. Errors that the server answers are part of the trace.
    pub async fn perform(&self, tasks: &[Task]) -> Result<Trace, Error> {
        let tools = self.host.list().await?;
        let plan =
            Plan { channel: self.host.channel(), tools: &tools, reads_resources: self.reads_resources };
        let (mut trace, mut lessons) = (Trace::default(), Lessons::default());
        if self.habit == Habit::FetchEverything {
            let wanted = tasks.first().map_or("", |task| &task.tool);
            self.fetch_everything(wanted, &plan, &mut trace, &mut lessons).await?;
        }
        for task in tasks {
            let outcome = self.pursue(task, &plan, &mut trace, &mut lessons).await?;
            trace.outcomes.push(outcome);
        }
        trace.needed = plan.needed(tasks);
        Ok(trace)
    }

    async fn fetch_everything(
        &self,
        wanted: &str,
        plan: &Plan<'_>,
        trace: &mut Trace,
        lessons: &mut Lessons,
    ) -> Result<(), Error> {
        let mut queue = VecDeque::from(plan.everything());
        let mut made = Vec::new();
        while let Some(step) = queue.pop_front() {
            let seen = self.make(&step, trace, lessons).await?;
            let next = match seen.problem {
                Some(_) => self.follow(&seen, wanted, &step).into_iter().collect(),
                None => plan.onward(&seen),
            };
            made.push(step);
            // Circular suggestions are followed once.
            queue.extend(next.into_iter().filter(|next| !made.contains(next)));
        }
        Ok(())
    }

    async fn pursue(
        &self,
        task: &Task,
        plan: &Plan<'_>,
        trace: &mut Trace,
        lessons: &mut Lessons,
    ) -> Result<Outcome, Error> {
        let before = trace.errors().count();
        let call = Move::Call { tool: task.tool.clone(), arguments: task.arguments.clone() };
        let fetches_first = self.habit != Habit::SkipFetching && !lessons.know(&task.tool);
        let mut next = if fetches_first { plan.fetch(&task.tool) } else { None };
        let mut result = None;
        for _ in 0..MOST_MOVES {
            let step = next.take().unwrap_or_else(|| call.clone());
            let seen = self.make(&step, trace, lessons).await?;
            let is_the_call = step == call;
            match &seen.problem {
                None if is_the_call => {
                    result = seen.result;
                    break;
                }
                None => {}
                Some(_) => {
                    next = self.follow(&seen, &task.tool, &step);
                    if next.is_none() {
                        result = seen.result.filter(|_| is_the_call);
                        break;
                    }
                }
            }
        }
        let met_errors = trace.errors().count() > before;
        let succeeded = trace.steps.last().is_some_and(|step| step.problem.is_none()) && result.is_some();
        Ok(Outcome { tool: task.tool.clone(), result, succeeded, recovered: met_errors && succeeded })
    }

    /// Makes a move, records it, and learns from the answer.
    async fn make(&self, step: &Move, trace: &mut Trace, lessons: &mut Lessons) -> Result<Seen, Error> {
        let seen = step.make(self.host, lessons).await?;
        lessons.learn(&seen);
        let (method, target) = step.shown();
        trace.steps.push(Step { method, target, problem: seen.problem.clone() });
        Ok(seen)
    }

    /// The next step that the error suggests, unless it is the move that was just made.
    fn follow(&self, seen: &Seen, wanted: &str, made: &Move) -> Option<Move> {
        advice::read(seen, wanted, self.reads_resources).filter(|next| next != made)
    }
}
