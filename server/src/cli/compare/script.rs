//! `--script`: calls to make to the real tools.

use std::path::Path;

use mcp_disclosure_compare::agent::Task;
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::Problem;

use crate::{cli::given_file, failure::Failure, log};

/// Reads a script: a JSON array of `{"tool": NAME, "arguments": {…}}`.
///
/// # Errors
/// [`Failure::Configuration`] with every invalid entry.
pub(super) fn read(path: &Path) -> Result<Vec<Task>, Failure> {
    let problem = |message: String| {
        Problem::new(format!("--script {}: {message}", path.display()))
            .hint(r#"a script is a JSON array of {"tool": "NAME", "arguments": {}}"#)
    };
    let wrong = |message: String| Failure::Configuration(vec![problem(message)]);
    let text = given_file::read(path).map_err(wrong)?;
    let calls: Vec<RawObject> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if calls.is_empty() {
        return Err(wrong("the script is empty".to_owned()));
    }
    let (mut tasks, mut problems) = (Vec::new(), Vec::new());
    for (call, number) in calls.iter().zip(1..) {
        match task(call) {
            Ok(task) => tasks.push(task),
            Err(message) => problems.push(problem(format!("call {number} {message}"))),
        }
    }
    if problems.is_empty() { Ok(tasks) } else { Err(Failure::Configuration(problems)) }
}

fn task(call: &RawObject) -> Result<Task, String> {
    if let Some((key, _)) = call.iter().find(|(key, _)| !["tool", "arguments"].contains(key)) {
        return Err(format!("has an unknown member '{key}'"));
    }
    let tool = call.string("tool").ok_or_else(|| "has no string 'tool'".to_owned())?;
    let arguments = match call.member("arguments") {
        None => RawObject::empty(),
        Some(_) => {
            call.object("arguments").ok_or_else(|| "has 'arguments' that are not an object".to_owned())?
        }
    };
    Ok(Task { tool, arguments })
}

/// Announces the calls on stderr, whatever the log level.
pub(super) fn warn(calls: usize, strategies: usize) {
    let calls = if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
    log::note(&format!("--script runs the real tools: {calls} under each of {strategies} strategies"));
}
