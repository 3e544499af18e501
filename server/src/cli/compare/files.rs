//! The files of `--queries` and `--task`.

use std::{fs::File, io::Read, path::Path};

use mcp_disclosure_compare::{Query, transcript::Assignment};
use mcp_disclosure_gateway::Problem;

use crate::failure::Failure;

/// Reads JSON lines of `{"query": WORDS, "tools": [NAMES]}`. Blank lines are skipped.
///
/// # Errors
/// [`Failure::Configuration`] with every invalid line.
pub(in crate::cli) fn queries(path: &Path) -> Result<Vec<Query>, Failure> {
    let problem = |message: String| {
        Problem::new(format!("--queries {}: {message}", path.display()))
            .hint(r#"each line is {"query": "WORDS", "tools": ["NAME"]}; no tools: nothing should be found"#)
    };
    let text = text_of(path).map_err(|why| Failure::Configuration(vec![problem(why)]))?;
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        match serde_json::from_str::<Query>(line) {
            Ok(query) if query.text.trim().is_empty() => {
                problems.push(problem(format!("line {number}: the query is empty")));
            }
            Ok(query) => queries.push(Query { line: number, ..query }),
            Err(error) => {
                let (said, column) = (error.to_string(), error.column());
                let said = said.split(" at line ").next().unwrap_or_default();
                problems.push(problem(format!("line {number}, column {column}: {said}")));
            }
        }
    }
    if queries.is_empty() && problems.is_empty() {
        problems.push(problem("there are no queries".to_owned()));
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
    let text = text_of(path).map_err(problem)?;
    Assignment::parse(&text).map_err(problem)
}

/// Maximum size of such a file, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file.
///
/// # Errors
/// Why it cannot be read, or that it is larger than [`MOST_BYTES`].
fn text_of(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    match text.len() as u64 > MOST_BYTES {
        true => Err(format!("the file is larger than {} MiB", MOST_BYTES >> 20)),
        // Some editors begin a file with a mark of its encoding.
        false => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
    }
}
