//! One conversation: tasks are given to the model, its calls are sent, and what they led to is kept for the score.

use std::collections::BTreeMap;

use mcp_disclosure_compare::Tokenizer;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Failure, Host, Model, Task, Verdict,
    model::{Call, Turn},
    task::Reached,
};

/// Calls for one task; more are answered with an error.
const MOST_STEPS: usize = 15;

/// Unusable lines of a model in a row.
const MOST_MISTAKES: usize = 5;

/// What a model did for one task.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Attempt {
    /// Its calls, with the arguments, and the texts that it read.
    pub steps: Vec<Step>,
    /// The calls that reached upstreams.
    pub reached: Vec<Reached>,
}

/// A call by the model.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// What the model read.
    pub answer: String,
}

impl Step {
    /// Whether the gateway refused it, for its arguments or because its description was not fetched.
    pub fn is_refused(&self) -> bool {
        let answer: Value = serde_json::from_str(&self.answer).unwrap_or_default();
        matches!(answer["error"]["code"].as_str(), Some("INVALID_ARGUMENTS" | "TOOL_DESCRIPTION_REQUIRED"))
    }
}

/// A task with what was done and how it was judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The task's id.
    pub task: String,
    /// Whether no tool can do it.
    pub impossible: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Calls of tools that are not right and that reached upstreams.
    pub needless: usize,
    /// Tokens of its calls and of what they returned.
    pub tokens: u64,
    /// What was done.
    #[serde(flatten)]
    pub attempt: Attempt,
}

/// A host and a model, in one conversation.
pub struct Conversation<'a> {
    host: &'a mut Host,
    model: Model,
    /// What the model has not been shown yet: the list, or the last results of the tasks before.
    unsaid: Value,
}

impl<'a> Conversation<'a> {
    /// A conversation that begins with what the host shows.
    pub fn new(host: &'a mut Host, model: Model) -> Self {
        let unsaid = json!(host.seen());
        Self { host, model, unsaid }
    }

    /// Shows the model the last results.
    ///
    /// # Errors
    /// That it has ended already.
    pub fn end(mut self) -> Result<(), Failure> {
        self.unsaid["end"] = true.into();
        self.model.say(&self.unsaid)
    }

    /// Gives the model these tasks at once, and judges what it did when it has finished all of them.
    ///
    /// # Errors
    /// Why the conversation cannot go on.
    pub fn give(&mut self, tasks: &[Task]) -> Result<Vec<Judged>, Failure> {
        let mut attempts: BTreeMap<&str, Attempt> =
            tasks.iter().map(|task| (&*task.id, Attempt::default())).collect();
        let mut open: Vec<&str> = tasks.iter().map(|task| &*task.id).collect();
        let given: Vec<Value> =
            tasks.iter().map(|task| json!({"id": task.id, "request": task.request})).collect();
        let mut said = self.unsaid.take();
        said["tasks"] = given.into();
        let mut mistakes = 0;
        while !open.is_empty() {
            said["open"] = json!(open);
            let Turn { calls, finished } = match self.model.turn(&said)? {
                Ok(turn) => turn,
                Err(error) if mistakes < MOST_MISTAKES => {
                    mistakes += 1;
                    said = json!({ "error": error });
                    continue;
                }
                Err(error) => return Err(format!("the model's line cannot be used: {error}").into()),
            };
            mistakes = 0;
            let mut results = Vec::new();
            for call in calls {
                let text = match attempts.get_mut(&*call.task).filter(|_| open.contains(&&*call.task)) {
                    Some(attempt) => self.step(attempt, &call)?,
                    None => "Error: no such task is open".to_owned(),
                };
                results.push(json!({"task": call.task, "tool": call.tool, "text": text}));
            }
            open.retain(|id| !finished.iter().any(|done| done == id));
            said = json!({ "results": results });
        }
        self.unsaid = said;
        Ok(tasks.iter().map(|task| judged(task, attempts.remove(&*task.id).unwrap_or_default())).collect())
    }

    fn step(&mut self, attempt: &mut Attempt, call: &Call) -> Result<String, Failure> {
        if attempt.steps.len() >= MOST_STEPS {
            return Ok(format!("Error: at most {MOST_STEPS} calls for one task"));
        }
        let (answer, reached) = self.host.call(&call.tool, call.arguments.clone())?;
        attempt.reached.extend(reached);
        let step =
            Step { tool: call.tool.clone(), arguments: call.arguments.clone(), answer: answer.clone() };
        attempt.steps.push(step);
        Ok(answer)
    }
}

fn judged(task: &Task, attempt: Attempt) -> Judged {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let of_step = |step: &Step| {
        let call = json!({"name": step.tool, "arguments": step.arguments}).to_string();
        count(&call) + count(&step.answer)
    };
    Judged {
        task: task.id.clone(),
        impossible: task.is_impossible(),
        verdict: task.judge(&attempt.reached),
        needless: task.needless(&attempt.reached),
        tokens: attempt.steps.iter().map(of_step).sum(),
        attempt,
    }
}
