//! The files of `--queries` and `--task`.

use std::path::Path;

use mcp_disclosure_compare::{Query, transcript::Assignment};
use mcp_disclosure_gateway::Problem;

use crate::{config::unreadable_file, failure::Failure};

/// Reads JSON lines of `{"query": WORDS, "tools": [NAMES]}`. Blank lines are skipped.
///
/// # Errors
/// [`Failure::Configuration`] with every invalid line.
pub(in crate::cli) fn queries(path: &Path) -> Result<Vec<Query>, Failure> {
    let file = path.display().to_string();
    let problem = |place: &str, message: &str| {
        Problem::new(format!("--queries {place}: {message}"))
            .hint(r#"each line is {"query": "WORDS", "tools": ["NAME"]}; no tools: nothing should be found"#)
    };
    let text = text_of(path)?;
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let place = format!("{file}:{number}");
        match serde_json::from_str::<Query>(line) {
            Ok(query) if query.text.trim().is_empty() => {
                problems.push(problem(&place, "the query is empty"));
            }
            Ok(query) => queries.push(Query { place, ..query }),
            Err(error) => {
                let (said, place) = (error.to_string(), format!("{place}:{}", error.column()));
                problems.push(problem(&place, said.split(" at line ").next().unwrap_or_default()));
            }
        }
    }
    if queries.is_empty() && problems.is_empty() {
        problems.push(problem(&file, "there are no queries"));
    }
    if problems.is_empty() { Ok(queries) } else { Err(Failure::Configuration(problems)) }
}

/// Reads a task.
///
/// # Errors
/// [`Failure::Configuration`] with what is wrong with it.
pub(super) fn task(path: &Path) -> Result<Assignment, Failure> {
    let problem = |message: String| {
        let hint = r#"a task is {"calls": [{"tool": "NAME", "arguments": {}, "answer": "TEXT"}]}; docs/compare.md has the rest"#;
        Failure::Configuration(vec![Problem::new(format!("--task {}: {message}", path.display())).hint(hint)])
    };
    let text = text_of(path)?;
    Assignment::parse(&text).map_err(problem)
}

/// The text of a file. Some editors begin it with a mark of its encoding.
fn text_of(path: &Path) -> Result<String, Failure> {
    let unreadable = |error| Failure::Configuration(vec![unreadable_file(path, &error)]);
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
