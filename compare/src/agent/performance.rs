//! One agent at work: the moves of its tasks, what it makes of the answers, and the record of both.

use std::{collections::VecDeque, sync::Arc};

use mcp_disclosure_client::{Error, Host};
use mcp_disclosure_core::Profile;

use super::{
    Agent, Behavior, Task,
    moves::{Move, Seen, advised},
    plan::Plan,
};

/// Maximum number of moves for one task.
const MOST_MOVES: usize = 10;

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// What it was made for.
    pub(crate) purpose: Purpose,
    /// The tool that it calls, if it is a call.
    pub(crate) tool: Option<String>,
    /// Whether it is the agent's mistake.
    pub(crate) is_mistake: bool,
    /// Whether it was answered with an error.
    pub(crate) is_refused: bool,
}

/// What a move is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To find a tool, or to learn how it is used.
    Learn,
    /// To use the tool of the task.
    Call,
}

/// Receives a move that has been made.
type Tell<'t> = &'t mut dyn FnMut(&Step);

impl Agent {
    /// An agent that makes no mistake, under a strategy that declares its calls in this profile. Models in most hosts cannot
    /// read resources.
    pub(crate) fn new(host: &Host, behavior: Behavior, reads_resources: bool, profile: &Profile) -> Self {
        let plan = Plan::new(host.channel().clone(), reads_resources, profile, Arc::default());
        Self { host: host.clone(), behavior, plan, mistake: None, steps: Vec::new(), outcomes: Vec::new() }
    }

    /// tool-descriptions-guide "Anti-Pattern 1": fetches every description. An error is followed as far as it leads to the
    /// wanted tool. Each move is reported when it has been made.
    ///
    /// # Errors
    /// Failures of the connection.
    pub(crate) async fn fetch_everything(&mut self, wanted: &str, tell: Tell<'_>) -> Result<(), Error> {
        let mut queue = VecDeque::from(self.plan.everything());
        let mut made = Vec::new();
        while let Some(step) = queue.pop_front() {
            let seen = self.make(&step, Purpose::Learn, false, tell).await?;
            let next = match seen.is_error {
                true => self.follow(&seen, wanted, &step).into_iter().collect(),
                false => self.plan.onward(&seen),
            };
            made.push(step);
            // Circular suggestions are followed once.
            queue.extend(next.into_iter().filter(|next| !made.contains(next)));
        }
        Ok(())
    }

    /// Performs one task, and records its outcome. Each move is reported when it has been made.
    ///
    /// # Errors
    /// Failures of the connection. Errors that the server answers are part of the steps.
    pub(crate) async fn pursue(&mut self, task: &Task, tell: Tell<'_>) -> Result<(), Error> {
        let right = Move::call(task);
        let first = self.mistake.take().unwrap_or_else(|| task.clone());
        let mut attempt = Move::call(&first);
        let mut queue = VecDeque::new();
        if self.behavior != Behavior::TooEarly {
            queue.extend(self.learning(&first.tool, &task.tool));
        }
        let (mut succeeded, mut refusal) = (false, None);
        for _ in 0..MOST_MOVES {
            let step = self.next(&mut queue, &task.tool).unwrap_or_else(|| attempt.clone());
            let is_the_call = step == attempt;
            let purpose = if is_the_call { Purpose::Call } else { Purpose::Learn };
            let seen = self.make(&step, purpose, is_the_call && attempt != right, tell).await?;
            if self.plan.is_missing(&task.tool, &step, &seen) {
                break;
            }
            if !seen.is_error {
                if is_the_call {
                    succeeded = true;
                    break;
                }
                queue.extend(self.plan.ask_again(&task.tool, &step, &seen.content));
                continue;
            }
            // The right call is not repeated after the same refusal.
            if step == right && refusal.replace(seen.text.clone()).as_ref() == Some(&seen.text) {
                break;
            }
            queue.clear();
            if attempt != right && self.is_shown_by(&seen, &attempt, task) {
                if first.tool != task.tool {
                    queue.extend(self.learning(&task.tool, &task.tool));
                }
                attempt = right.clone();
                continue;
            }
            queue.extend(self.follow(&seen, &task.tool, &step));
            if queue.is_empty() && attempt != right {
                queue.extend(self.learning(&task.tool, &task.tool));
            }
            if queue.is_empty() {
                break;
            }
            // What is learned now shows what is right.
            attempt = right.clone();
        }
        self.outcomes.push(succeeded);
        Ok(())
    }

    /// Learns how to use a tool, and does not call it. Returns whether the last answer, if any was needed, was no error.
    ///
    /// # Errors
    /// Failures of the connection.
    pub(crate) async fn learn(&mut self, tool: &str) -> Result<bool, Error> {
        let mut queue = VecDeque::from(self.learning(tool, tool));
        let mut is_learned = true;
        while let Some(step) = self.next(&mut queue, tool) {
            let seen = self.make(&step, Purpose::Learn, false, &mut |_| {}).await?;
            is_learned = !seen.is_error;
            queue.extend(self.plan.ask_again(tool, &step, &seen.content));
        }
        Ok(is_learned)
    }

    /// Ends a task without a move: nothing shows the model that there is such a tool.
    pub(crate) fn give_up(&mut self) {
        self.outcomes.push(false);
    }

    /// The moves by which a tool is learned that is not known yet; it is looked for under the other name.
    fn learning(&mut self, tool: &str, sought: &str) -> Vec<Move> {
        if self.plan.learned.knows(tool) {
            return Vec::new();
        }
        self.plan.find(sought).into_iter().chain(self.plan.fetch(tool)).collect()
    }

    /// The next move of a queue, without those that teach what a category has just shown.
    fn next(&self, queue: &mut VecDeque<Move>, tool: &str) -> Option<Move> {
        let fetch = self.plan.ask(tool).filter(|_| self.plan.browsing.shows(tool));
        queue.retain(|step| fetch.as_ref() != Some(step));
        queue.pop_front()
    }

    /// Whether a refusal of the mistaken call shows what is right: it names the right tool, or the list in front of the
    /// model does; or it names every argument that is missing or wrong. Otherwise the model has to learn first.
    fn is_shown_by(&self, seen: &Seen, attempt: &Move, task: &Task) -> bool {
        let Move::Call { tool, arguments } = attempt else { return false };
        if *tool != task.tool {
            return seen.text.contains(&task.tool) || self.plan.listed.tool(&task.tool).is_some();
        }
        let is_right = |name: &str, value: &str| arguments.member(name) == Some(value);
        let mut wrong = task.arguments.iter().filter(|(name, value)| !is_right(name, value)).peekable();
        wrong.peek().is_some() && wrong.all(|(name, _)| seen.text.contains(name))
    }

    /// Makes a move, records it, and learns from the answer.
    async fn make(
        &mut self,
        step: &Move,
        purpose: Purpose,
        is_mistake: bool,
        tell: Tell<'_>,
    ) -> Result<Seen, Error> {
        let seen = step.make(&self.host, &self.plan, purpose).await?;
        if purpose == Purpose::Learn && !seen.is_error {
            self.plan.learn(step, &seen);
        }
        let tool = if let Move::Call { tool, .. } = step { Some(tool.clone()) } else { None };
        let made = Step { purpose, tool, is_mistake, is_refused: seen.is_error };
        tell(&made);
        self.steps.push(made);
        Ok(seen)
    }

    /// The next step that the error suggests, unless it is the move that was just made.
    fn follow(&self, seen: &Seen, wanted: &str, made: &Move) -> Option<Move> {
        advised(seen, wanted, self.plan.reads_resources).filter(|next| next != made)
    }
}
