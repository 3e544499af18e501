//! A transcript for a terminal.

use mcp_disclosure_core::printable::one_line;

use super::{
    Act, Call, Kind, Played, Speaker, Step, Transcript,
    sentences::{AS_INTENDED, body, heading, sums},
};
use crate::{
    output::{BOLD, FAINT, Screen},
    text::{grouped, wrapped},
};

/// Minimum width: below it there is no room for a text beside the figures.
const NARROWEST: usize = 40;

/// Below this width the speaker and the figures have no columns of their own: sentences need the room.
const NARROW: usize = 60;

/// Width of the speaker's column.
const SPEAKER: usize = 10;

/// Width of the two columns of figures.
const FIGURES: usize = 18;

/// The transcript as text, of at least 40 columns.
pub(crate) fn terminal(transcript: &Transcript, screen: Screen) -> String {
    let screen = Screen { width: screen.width.max(NARROWEST), ..screen };
    let mut lines: Vec<String> =
        heading(transcript).iter().flat_map(|line| wrapped(&one_line(line), screen.width)).collect();
    for played in &transcript.strategies {
        lines.push(String::new());
        screen.played(played, &transcript.task.calls, &mut lines);
    }
    for note in &transcript.notes {
        lines.push(String::new());
        lines.extend(wrapped(&one_line(note), screen.width));
    }
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

impl Screen {
    fn played(&self, played: &Played, calls: &[Call], lines: &mut Vec<String>) {
        let title = format!("── {} ", one_line(&played.name));
        let columns = if self.width < NARROW { "" } else { " tokens ── so far" };
        match self.width.checked_sub(title.chars().count() + columns.chars().count()) {
            Some(rule) => {
                lines.push(self.paint(BOLD, &format!("{title}{}{columns}", "─".repeat(rule))));
            }
            None => lines.extend(wrapped(&title, self.width)),
        }
        for (at, act) in played.acts.iter().enumerate() {
            if at > 0 {
                lines.push(String::new());
            }
            if played.acts.len() > 1 {
                lines.push(self.paint(BOLD, &format!("{}:", act.course.title())));
            }
            match played.is_as_intended(at) {
                true => lines.extend(wrapped(AS_INTENDED, self.width)),
                false => self.act(act, calls, lines),
            }
        }
    }

    fn act(&self, act: &Act, calls: &[Call], lines: &mut Vec<String>) {
        for step in &act.steps {
            self.step(step, calls, lines);
        }
        lines.extend(wrapped(&format!("→ {}.", sums(act)), self.width));
    }

    fn step(&self, step: &Step, calls: &[Call], lines: &mut Vec<String>) {
        if self.width < NARROW {
            return self.narrow_step(step, calls, lines);
        }
        let room = self.width - SPEAKER - FIGURES;
        let figures = match step.tokens {
            0 => String::new(),
            tokens => format!("{:>8}{:>10}", grouped(tokens), grouped(step.tokens_so_far)),
        };
        for (at, line) in wrapped(&step.says, room).iter().enumerate() {
            let (speaker, figures) =
                if at == 0 { (step.speaker.to_string(), &*figures) } else { Default::default() };
            let speaker = self.paint(colour(step), &format!("{speaker:<SPEAKER$}"));
            lines.push(format!("{speaker}{line:<room$}{figures}"));
        }
        for line in body(step, calls, self.width - SPEAKER - 2, self.whole) {
            lines.push(format!("{:SPEAKER$}  {}", "", self.paint(FAINT, &line)));
        }
    }

    fn narrow_step(&self, step: &Step, calls: &[Call], lines: &mut Vec<String>) {
        let tokens = match step.tokens {
            0 => String::new(),
            tokens => format!(" ({}; {} so far)", grouped(tokens), grouped(step.tokens_so_far)),
        };
        let said = wrapped(&format!("{} {}{tokens}", step.speaker, step.says), self.width);
        lines.extend(said.iter().map(|line| self.paint(colour(step), line)));
        let body = body(step, calls, self.width - 2, self.whole);
        lines.extend(body.iter().map(|line| format!("  {}", self.paint(FAINT, line))));
    }
}

/// The colour of a step: red, green, blue or cyan.
fn colour(step: &Step) -> &'static str {
    match (step.kind, step.speaker) {
        (Kind::Refused, _) => "31",
        (_, Speaker::Upstream) => "32",
        (_, Speaker::Gateway) => "34",
        (_, Speaker::Model | Speaker::Host) => "36",
    }
}
