//! A transcript in GitHub Flavored Markdown.

use mcp_disclosure_core::printable::printable;

use super::{
    Act, Step, Transcript,
    sentences::{AS_INTENDED, Detail, body, heading, sums},
};
use crate::number::grouped;

/// Maximum length of a line of quoted text.
const WIDTH: usize = 110;

/// The transcript as Markdown, with headings from `level` on; `full` quotes complete texts.
pub fn markdown(transcript: &Transcript, level: usize, full: bool) -> String {
    let used: Vec<String> = transcript.task.calls.iter().map(|call| call.tool.clone()).collect();
    let marks = "#".repeat(level);
    let mut text = String::new();
    for line in heading(transcript) {
        text.push_str(&format!("- {}\n", escaped(&line)));
    }
    for played in &transcript.strategies {
        text.push_str(&format!("\n{marks} {}\n", escaped(&played.name)));
        for act in &played.acts {
            if played.acts.len() > 1 {
                text.push_str(&format!("\n{marks}# {}\n", act.course.title()));
            }
            let is_new = act.course == played.acts[0].course || !act.is_like(&played.acts[0]);
            let shown = if is_new { steps(act, &used, full) } else { format!("{AS_INTENDED}\n") };
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

fn steps(act: &Act, used: &[String], full: bool) -> String {
    let mut text = String::new();
    for (step, number) in act.steps.iter().zip(1..) {
        text.push_str(&item(step, number, used, full));
    }
    format!("{text}\n{}.\n", sums(act))
}

fn item(step: &Step, number: usize, used: &[String], full: bool) -> String {
    let tokens = match step.tokens {
        0 => String::new(),
        tokens => format!(" *({} tokens; {} so far)*", grouped(tokens), grouped(step.tokens_so_far)),
    };
    let mut text = format!("{number}. **{}** {}{tokens}\n", step.speaker, escaped(&step.says));
    let lines = body(step, used, Detail { width: WIDTH, full });
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

/// Names and texts are untrusted, and must not become markup. An underscore within a word is not markup.
pub(crate) fn escaped(text: &str) -> String {
    let letters: Vec<char> = printable(text).chars().collect();
    let is_word =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphanumeric());
    let mut escaped = String::with_capacity(text.len());
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '\n' => escaped.push(' '),
            '_' if is_word(at.checked_sub(1)) && is_word(Some(at + 1)) => escaped.push('_'),
            '|' | '<' | '`' | '*' | '_' | '[' | '\\' | '#' => escaped.extend(['\\', *letter]),
            _ => escaped.push(*letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("get_data_ _x_ *a* [b](c) `d`\n#e"),
            "get_data\\_ \\_x\\_ \\*a\\* \\[b](c) \\`d\\` \\#e"
        );
    }
}
