//! A transcript in GitHub Flavored Markdown.

use super::{
    Act, Call, Step, Transcript,
    sentences::{AS_INTENDED, body, heading, sums},
};
use crate::text::{escaped, grouped};

/// Maximum length of a line of quoted text.
const WIDTH: usize = 110;

/// The transcript as Markdown; `full` quotes complete texts.
pub(crate) fn markdown(transcript: &Transcript, full: bool) -> String {
    let mut text = String::new();
    for line in heading(transcript) {
        text.push_str(&format!("- {}\n", escaped(&line)));
    }
    for played in &transcript.strategies {
        text.push_str(&format!("\n## {}\n", escaped(&played.name)));
        for (at, act) in played.acts.iter().enumerate() {
            if played.acts.len() > 1 {
                text.push_str(&format!("\n### {}\n", act.course.title()));
            }
            let shown = match played.is_as_intended(at) {
                true => format!("{AS_INTENDED}\n"),
                false => steps(act, &transcript.task.calls, full),
            };
            text.push_str(&format!("\n{shown}"));
        }
    }
    if !transcript.notes.is_empty() {
        text.push('\n');
    }
    for note in &transcript.notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    text
}

fn steps(act: &Act, calls: &[Call], full: bool) -> String {
    let mut text = String::new();
    for (step, number) in act.steps.iter().zip(1..) {
        text.push_str(&item(step, number, calls, full));
    }
    format!("{text}\n{}.\n", sums(act))
}

fn item(step: &Step, number: usize, calls: &[Call], full: bool) -> String {
    let tokens = match step.tokens {
        0 => String::new(),
        tokens => format!(" *({} tokens; {} so far)*", grouped(tokens), grouped(step.tokens_so_far)),
    };
    let mut text = format!("{number}. **{}** {}{tokens}\n", step.speaker, escaped(&step.says));
    let lines = body(step, calls, WIDTH, full);
    if lines.is_empty() {
        return text;
    }
    // A fence that is longer than any in the text.
    let longest = lines.iter().flat_map(|line| line.split(|letter| letter != '`')).map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let indent = " ".repeat(number.to_string().len() + 2);
    text.push_str(&format!("{indent}{fence}text\n"));
    for line in lines {
        text.push_str(format!("{indent}{line}").trim_end());
        text.push('\n');
    }
    text.push_str(&format!("{indent}{fence}\n"));
    text
}
