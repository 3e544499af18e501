//! A scripted agent, for tests: it stands in for a model that understood the workflow, or for one that did not.
//!
//! 001 names the two ways in which models go wrong: they fetch everything in order to choose, or they call
//! without fetching. An [`Agent`] does one of the three on purpose, and then follows whatever the server says
//! in its errors: the text and the structured content of the answer decide what it does next, never what it
//! might know of the strategy. What came of it is a [`Trace`].

mod advice;
mod moves;
mod trace;

use std::collections::VecDeque;

use mcp_disclosure_core::RawObject;
use serde::Serialize;

use self::moves::{Lessons, Move, Plan, Seen};
pub use self::trace::{Outcome, Problem, Step, Trace};
use crate::{Error, Host, host::object_of};

/// A model that was told so often what to do, and still has no result, gives up.
const MOST_MOVES: usize = 8;

/// How a model goes about calling tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumIter)]
#[strum(serialize_all = "kebab-case")]
pub enum Habit {
    /// Learns how to use a tool it has picked, then calls it, as the strategy has it.
    Workflow,
    /// 001 "Anti-Pattern 1": fetches whatever can be fetched before it picks.
    FetchEverything,
    /// 001 "Anti-Pattern 2": calls at once.
    SkipFetching,
}

/// A tool to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub tool: String,
    /// What to call it with.
    pub arguments: RawObject,
}

impl Task {
    /// A tool to use with these arguments.
    ///
    /// # Errors
    /// [`Error::NoObject`] for arguments that are none.
    pub fn new(tool: &str, arguments: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        Ok(Self { tool: tool.to_owned(), arguments: object_of(arguments)? })
    }
}

/// A scripted agent at work on one host.
#[derive(Clone, Debug)]
pub struct Agent<'a> {
    host: &'a Host,
    habit: Habit,
    reads_resources: bool,
}

impl<'a> Agent<'a> {
    /// An agent of this habit.
    pub fn new(host: &'a Host, habit: Habit) -> Self {
        Self { host, habit, reads_resources: true }
    }

    /// The same, but in a host whose model cannot read resources, as in most.
    pub fn without_resources(self) -> Self {
        Self { reads_resources: false, ..self }
    }

    /// Lists, and does the tasks one after the other. What the agent does wrong, and what tools say, stands in
    /// the trace.
    ///
    /// # Errors
    /// Why the server could not be asked. An error that it answers is part of the trace.
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
            // Advice that goes in a circle is followed once.
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

    /// Makes a move, takes it down, and learns from what comes back.
    async fn make(&self, step: &Move, trace: &mut Trace, lessons: &mut Lessons) -> Result<Seen, Error> {
        let seen = step.make(self.host, lessons).await?;
        lessons.learn(&seen);
        let (method, target) = step.shown();
        trace.steps.push(Step { method, target, problem: seen.problem.clone() });
        Ok(seen)
    }

    /// What the error says to do next, unless that was just done.
    fn follow(&self, seen: &Seen, wanted: &str, made: &Move) -> Option<Move> {
        advice::read(seen, wanted, self.reads_resources).filter(|next| next != made)
    }
}
