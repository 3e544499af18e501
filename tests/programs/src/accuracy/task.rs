//! Labelled tasks, and the verdict on what reached the upstreams.

use std::{collections::HashSet, fs, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Failure;

/// A task with what is right.
#[derive(Clone, Debug, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What the user says.
    pub request: String,
    /// Every right tool, as `upstream:tool`; empty if none can do it.
    pub tools: Vec<String>,
    /// Arguments that a right call of the first of `tools` contains.
    #[serde(default)]
    pub args: Value,
}

/// A call that reached an upstream.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Reached {
    /// The tool, as `upstream:tool`.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// The right tool ran with the right arguments; or, if no tool can do it, none ran.
    Right,
    /// A right tool ran with wrong arguments.
    Arguments,
    /// Only other tools ran.
    Tool,
    /// No tool ran, where one can do it.
    Nothing,
}

impl Task {
    /// Reads JSON lines.
    ///
    /// # Errors
    /// The first line that is not a task.
    pub fn read(path: &Path) -> Result<Vec<Self>, Failure> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let place = |at: usize| format!("{}:{}", path.display(), at + 1);
        let tasks = lines.map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| format!("{}: {error}", place(at)).into())
        });
        tasks.collect()
    }

    /// Whether no tool can do it.
    pub fn is_impossible(&self) -> bool {
        self.tools.is_empty()
    }

    /// The verdict on the calls that reached upstreams.
    pub fn judge(&self, reached: &[Reached]) -> Verdict {
        let of_right_tools = || reached.iter().filter(|call| self.tools.contains(&call.tool));
        if reached.is_empty() {
            return if self.is_impossible() { Verdict::Right } else { Verdict::Nothing };
        }
        if of_right_tools().any(|call| self.has_right_arguments(call)) {
            return Verdict::Right;
        }
        if of_right_tools().next().is_some() { Verdict::Arguments } else { Verdict::Tool }
    }

    /// How many calls of tools that are not right reached upstreams.
    pub fn needless(&self, reached: &[Reached]) -> usize {
        reached.iter().filter(|call| !self.tools.contains(&call.tool)).count()
    }

    fn has_right_arguments(&self, call: &Reached) -> bool {
        self.tools.first() != Some(&call.tool) || contains(&call.arguments, &self.args)
    }
}

/// Whether a value has everything that is wanted. Arrays of other lengths do not; more members of objects do.
fn contains(given: &Value, wanted: &Value) -> bool {
    match (given, wanted) {
        (Value::Object(given), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| given.get(key).is_some_and(|given| contains(given, wanted)))
        }
        (Value::Array(given), Value::Array(wanted)) => {
            given.len() == wanted.len()
                && wanted.iter().all(|wanted| given.iter().any(|given| contains(given, wanted)))
        }
        (Value::Number(given), Value::Number(wanted)) => given.as_f64() == wanted.as_f64(),
        (_, Value::Null) => true,
        _ => given == wanted,
    }
}

/// The upstreams that tasks name.
pub(super) fn upstreams(tasks: &[Task]) -> HashSet<&str> {
    tasks.iter().flat_map(|task| &task.tools).filter_map(|tool| Some(tool.split_once(':')?.0)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(tools: &[&str], args: Value) -> Task {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        Task { id: "t".to_owned(), request: String::new(), tools, args }
    }

    fn reached(tool: &str, arguments: Value) -> Reached {
        Reached { tool: tool.to_owned(), arguments }
    }

    #[test]
    fn calls_are_judged_by_what_reached_upstreams() {
        let task = task(&["git:add", "git:stage"], json!({"files": ["a", "b"], "n": 1}));
        for (calls, verdict) in [
            (vec![], Verdict::Nothing),
            (vec![reached("git:rm", json!({}))], Verdict::Tool),
            (vec![reached("git:add", json!({"files": ["a"], "n": 1}))], Verdict::Arguments),
            (vec![reached("git:add", json!({"files": ["b", "a"], "n": 1.0, "more": true}))], Verdict::Right),
            // Arguments are labelled for the first tool only.
            (vec![reached("git:stage", json!({}))], Verdict::Right),
        ] {
            assert_eq!(task.judge(&calls), verdict, "{calls:?}");
        }
        assert_eq!(task.needless(&[reached("git:rm", json!({})), reached("git:stage", json!({}))]), 1);
    }

    #[test]
    fn nothing_may_run_for_an_impossible_task() {
        let task = task(&[], Value::Null);
        assert_eq!(task.judge(&[]), Verdict::Right);
        assert_eq!(task.judge(&[reached("git:add", json!({}))]), Verdict::Tool);
    }

    #[test]
    fn the_labelled_tasks_can_be_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tasks.jsonl");
        let tasks = Task::read(&path).unwrap();
        assert_eq!(tasks.len(), 90);
        assert_eq!(tasks.iter().filter(|task| task.is_impossible()).count(), 15);
        assert_eq!(upstreams(&tasks).len(), 8);
    }
}
