//! What text formats have in common: the heading of a task, the lines of a step, the sums of an act.

use mcp_disclosure_core::RawObject;

use super::{Act, Call, ClientKind, Ending, Kind, Step, Transcript};
use crate::text::{self, first, grouped, of, wrapped};

/// Maximum number of tools of a list.
const MOST_TOOLS: usize = 3;

/// Maximum number of lines of instructions, of a definition, of a refusal.
const MOST_LINES: usize = 6;

/// Maximum length of one line of a refusal, in characters.
const LONGEST: usize = 300;

/// The sentence about an act in which the mistake has no effect.
pub(super) const AS_INTENDED: &str =
    "As intended: what the model needs is in the list, and nothing is refused.";

/// The task and the host, in sentences.
pub(super) fn heading(transcript: &Transcript) -> Vec<String> {
    let task = &transcript.task;
    let calls: Vec<String> = task.calls.iter().map(|call| call.tool.clone()).collect();
    let request = match &task.request {
        Some(request) => format!("Task: {request}"),
        None => format!("Task: call {}", calls.join(", then ")),
    };
    let host = match task.host {
        ClientKind::Ordinary => "an ordinary one, whose model can use tools and nothing else of MCP",
        ClientKind::Negotiating => "one that negotiates the strategy and uses its native channel",
    };
    let source = format!(
        "Source: {}, {}. Tokens by {}.",
        transcript.source,
        of(transcript.tools, "tool"),
        transcript.tokenizer
    );
    vec![request, format!("Host: {host}."), source]
}

/// The lines below a step's sentence, of at most this many characters; tools of the task's calls come first. `full` are
/// complete texts.
pub(super) fn body(step: &Step, calls: &[Call], width: usize, full: bool) -> Vec<String> {
    if full {
        return wrapped(&step.text, width);
    }
    let cut = |line: &String| text::cut(line, width);
    let some = |lines: &[String], most: usize, what: &str| {
        let (shown, left) = first(lines, most);
        let note = (left > 0).then(|| format!("… {} more {what}", grouped(left as u64)));
        shown.iter().map(cut).chain(note).collect::<Vec<_>>()
    };
    match step.kind {
        Kind::Listed => some(&used_first(&step.gist, calls), MOST_TOOLS, "tools"),
        Kind::Introduced => some(&step.gist, MOST_LINES, "lines"),
        // The way out of an error is not to be cut.
        Kind::Refused => {
            let lines = step.gist.iter().flat_map(|line| wrapped(&text::cut(line, LONGEST), width));
            some(&lines.collect::<Vec<_>>(), 2 * MOST_LINES, "lines")
        }
        Kind::Explained => {
            let mut lines = some(&step.gist, MOST_LINES, "definitions");
            lines.push(cut(&step.text));
            lines
        }
        Kind::Asked | Kind::Called => vec![cut(&call_shown(&step.text))],
        Kind::Returned => vec![cut(&step.text)],
        Kind::Chose | Kind::Picked => Vec::new(),
    }
}

/// The lines of the tools that the task uses, then the others.
fn used_first(lines: &[String], calls: &[Call]) -> Vec<String> {
    let is_used = |line: &&String| {
        calls
            .iter()
            .any(|call| line.strip_prefix(&*call.tool).is_some_and(|rest| rest.starts_with([':', '('])))
    };
    let (mut first, others): (Vec<&String>, Vec<&String>) = lines.iter().partition(is_used);
    first.extend(others);
    first.into_iter().cloned().collect()
}

/// A request as a model writes it: the tool, and its arguments.
fn call_shown(text: &str) -> String {
    let request = RawObject::parse(text).unwrap_or_default();
    match (request.string("name"), request.member("arguments")) {
        (Some(name), Some(arguments)) => format!("{name} {arguments}"),
        _ => text.to_owned(),
    }
}

/// How an act ended, and what it cost.
pub(super) fn sums(act: &Act) -> String {
    let [start, learning, calls] = [act.start_tokens, act.learning_tokens, act.call_tokens].map(grouped);
    let ending = ending(act).to_lowercase();
    let tokens = grouped(act.tokens());
    format!("{tokens} tokens: {start} at the start, {learning} to learn, {calls} for calls; {ending}")
}

/// How an act ended.
pub(super) fn ending(act: &Act) -> String {
    let errors = of(act.errors, "error");
    match act.ending {
        Ending::Answered => "Answered".to_owned(),
        Ending::Recovered => format!("Answered after {errors}"),
        Ending::Failed => format!("Not answered, after {errors}"),
    }
}
