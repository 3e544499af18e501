//! A transcript for a terminal.

use mcp_disclosure_core::printable::one_line;

use super::{
    Act, Kind, Played, Speaker, Step, Transcript,
    sentences::{AS_INTENDED, Detail, body, heading, sums},
};
use crate::{text::grouped, text::wrapped};

/// How a transcript looks on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width in columns; at least 40 are used.
    pub width: usize,
    /// Whether texts are complete, instead of cut to what matters.
    pub full: bool,
    /// Whether to use colours.
    pub coloured: bool,
}

/// Minimum width: below it there is no room for a text beside the figures.
const NARROWEST: usize = 40;

/// Below this width the speaker and the figures have no columns of their own: sentences need the room.
const NARROW: usize = 60;

/// Width of the speaker's column.
const SPEAKER: usize = 10;

/// Width of the two columns of figures.
const FIGURES: usize = 18;

/// The transcript as text.
pub fn terminal(transcript: &Transcript, look: Look) -> String {
    let look = Look { width: look.width.max(NARROWEST), ..look };
    let used: Vec<String> = transcript.task.calls.iter().map(|call| call.tool.clone()).collect();
    let mut lines: Vec<String> =
        heading(transcript).iter().flat_map(|line| wrapped(&one_line(line), look.width)).collect();
    for played in &transcript.strategies {
        lines.push(String::new());
        look.played(played, &used, &mut lines);
    }
    for note in &transcript.notes {
        lines.push(String::new());
        lines.extend(wrapped(&one_line(note), look.width));
    }
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

impl Look {
    fn played(&self, played: &Played, used: &[String], lines: &mut Vec<String>) {
        let title = format!("── {} ", one_line(&played.name));
        let columns = if self.width < NARROW { "" } else { " tokens ── so far" };
        match self.width.checked_sub(title.chars().count() + columns.chars().count()) {
            Some(rule) => {
                lines.push(self.paint(Ink::Bold, &format!("{title}{}{columns}", "─".repeat(rule))));
            }
            None => lines.extend(wrapped(&title, self.width)),
        }
        for (at, act) in played.acts.iter().enumerate() {
            if at > 0 {
                lines.push(String::new());
            }
            if played.acts.len() > 1 {
                lines.push(self.paint(Ink::Bold, &format!("{}:", act.course.title())));
            }
            match at > 0 && act.is_like(&played.acts[0]) {
                true => lines.extend(wrapped(AS_INTENDED, self.width)),
                false => self.act(act, used, lines),
            }
        }
    }

    fn act(&self, act: &Act, used: &[String], lines: &mut Vec<String>) {
        for step in &act.steps {
            self.step(step, used, lines);
        }
        lines.extend(wrapped(&format!("→ {}.", sums(act)), self.width));
    }

    fn step(&self, step: &Step, used: &[String], lines: &mut Vec<String>) {
        if self.width < NARROW {
            return self.narrow_step(step, used, lines);
        }
        let room = self.width - SPEAKER - FIGURES;
        let figures = match step.tokens {
            0 => String::new(),
            tokens => format!("{:>8}{:>10}", grouped(tokens), grouped(step.tokens_so_far)),
        };
        let mut speaker = format!("{:<SPEAKER$}", step.speaker.to_string());
        let mut figures = Some(figures);
        for line in wrapped(&step.says, room) {
            let speaker = std::mem::replace(&mut speaker, " ".repeat(SPEAKER));
            let figures = figures.take().unwrap_or_default();
            let speaker = self.paint(ink(step), &speaker);
            lines.push(format!("{speaker}{line:<room$}{figures}"));
        }
        let detail = Detail { width: self.width - SPEAKER - 2, full: self.full };
        for line in body(step, used, detail) {
            lines.push(format!("{:SPEAKER$}  {}", "", self.paint(Ink::Faint, &line)));
        }
    }

    fn narrow_step(&self, step: &Step, used: &[String], lines: &mut Vec<String>) {
        let tokens = match step.tokens {
            0 => String::new(),
            tokens => format!(" ({}; {} so far)", grouped(tokens), grouped(step.tokens_so_far)),
        };
        let said = wrapped(&format!("{} {}{tokens}", step.speaker, step.says), self.width);
        lines.extend(said.iter().map(|line| self.paint(ink(step), line)));
        let detail = Detail { width: self.width - 2, full: self.full };
        let body = body(step, used, detail);
        lines.extend(body.iter().map(|line| format!("  {}", self.paint(Ink::Faint, line))));
    }

    fn paint(&self, ink: Ink, text: &str) -> String {
        if self.coloured { format!("\u{1b}[{}m{text}\u{1b}[0m", ink as u8) } else { text.to_owned() }
    }
}

/// Codes of "select graphic rendition".
#[derive(Clone, Copy)]
enum Ink {
    Bold = 1,
    Faint = 2,
    Red = 31,
    Green = 32,
    Blue = 34,
    Cyan = 36,
}

fn ink(step: &Step) -> Ink {
    match (step.kind, step.speaker) {
        (Kind::Refused, _) => Ink::Red,
        (_, Speaker::Upstream) => Ink::Green,
        (_, Speaker::Gateway) => Ink::Blue,
        (_, Speaker::Model | Speaker::Host) => Ink::Cyan,
    }
}
