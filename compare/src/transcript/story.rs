//! A transcript as a story for readers who have never seen MCP: one task without disclosure and with it, on one screen of
//! a terminal.

use super::{Act, Behavior, Call, Kind, Played, Speaker, Step, Transcript, sentences::body};
use crate::{
    output::{BOLD, FAINT, Screen},
    text::{grouped, hung, percent, wrapped},
};

/// Maximum width: longer lines are hard to read.
const WIDEST: usize = 92;

/// Maximum number of lines of a refusal.
const MOST_REFUSED: usize = 3;

/// Width of the column of figures.
const FIGURES: usize = 9;

/// Before a sentence without a number.
const UNNUMBERED: &str = "   ";

/// Indentation of what is quoted.
const QUOTED: usize = 5;

/// Maximum number of lines.
const MOST_LINES: usize = 60;

/// Maximum number of quoted lines of a step: the first that fits.
const QUOTES: [usize; 5] = [usize::MAX, 4, 2, 1, 0];

/// The story of the first strategy of a transcript against the second, after the paragraphs of the opening and before
/// commands to try, each with what it does. Both strategies have the same task, and the second may have the course
/// [`Behavior::TooEarly`] too. Empty if there are not two.
pub fn story(
    transcript: &Transcript,
    opening: &[String],
    (heading, commands): (&str, &[(String, &str)]),
    screen: Screen,
) -> String {
    let [without, with] = transcript.strategies.as_slice() else { return String::new() };
    let (Some(plain), Some(saving)) = (without.acts.first(), with.acts.first()) else { return String::new() };
    let calls = &transcript.task.calls;
    let lines = |quotes: usize| {
        let screen = Screen { width: screen.width.clamp(40, WIDEST), ..screen };
        let mut teller = Teller { screen, quotes, lines: Vec::new() };
        opening.iter().for_each(|text| teller.paragraph(text));
        teller.play(&format!("Without disclosure (strategy {})", without.name), plain, calls);
        teller.play(&format!("With disclosure (strategy {})", with.name), saving, calls);
        teller.early(with, calls);
        teller.moral(transcript, plain, saving);
        teller.lines.extend(wrapped(heading, screen.width));
        commands.iter().for_each(|(command, does)| teller.command(command, does));
        teller.lines
    };
    let mut quoted = Vec::new();
    for quotes in QUOTES {
        quoted = lines(quotes);
        if quoted.len() <= MOST_LINES {
            break;
        }
    }
    quoted.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

struct Teller {
    screen: Screen,
    /// Maximum number of quoted lines of a step.
    quotes: usize,
    lines: Vec<String>,
}

impl Teller {
    /// One act.
    fn play(&mut self, title: &str, act: &Act, calls: &[Call]) {
        let room = self.screen.width - FIGURES;
        let mut title = wrapped(title, room);
        if let Some(last) = title.last_mut() {
            *last = format!("{last:<room$}{:>FIGURES$}", "tokens");
        }
        self.lines.extend(title.iter().map(|line| self.screen.paint(BOLD, line)));
        let mut number = 0;
        // What servers say of themselves is part of what a model reads, and of no interest here.
        let mut unsaid = 0;
        for step in &act.steps {
            if matches!(step.kind, Kind::Introduced | Kind::Chose) {
                unsaid += step.tokens;
                continue;
            }
            number += 1;
            let says = format!("The {} {}", speaker(step.speaker), step.says);
            self.figure(&format!("{number:>2} "), &says, step.tokens + std::mem::take(&mut unsaid));
            self.quote(step, calls, self.quotes);
        }
        self.figure(UNNUMBERED, "in all", act.tokens());
        self.lines.push(String::new());
    }

    /// What happens when the model calls without having learned how.
    fn early(&mut self, with: &Played, calls: &[Call]) {
        let early = with.acts.iter().find(|act| act.course == Behavior::TooEarly);
        let Some(early) = early.filter(|act| act.errors > 0) else { return };
        self.lines.push(self.screen.paint(BOLD, "And if the model calls without asking?"));
        if let Some(refusal) = early.steps.iter().find(|step| step.kind == Kind::Refused) {
            self.figure(UNNUMBERED, &format!("The {} {}", speaker(refusal.speaker), refusal.says), 0);
            self.quote(refusal, calls, MOST_REFUSED);
        }
        let end = match early.ending {
            super::Ending::Failed => "The model finds no way out",
            _ => "The model does as it says, and gets its answer; in all",
        };
        self.figure(UNNUMBERED, end, early.tokens());
        self.lines.push(String::new());
    }

    fn moral(&mut self, transcript: &Transcript, plain: &Act, saving: &Act) {
        let tool = transcript.task.calls.first().map_or("", |call| &call.tool);
        let (plain_all, all) = (plain.tokens(), saving.tokens());
        let start = grouped(plain.start_tokens);
        let withheld = match plain.start_tokens.saturating_sub(saving.start_tokens) {
            0 => "nothing.".to_owned(),
            tokens => {
                format!("{} of {start} tokens at the start, not needed for choosing a tool.", grouped(tokens))
            }
        };
        let learned = match saving.learning_tokens {
            0 => "nothing; the list had what the task needed.".to_owned(),
            tokens => {
                format!(
                    "how to use {tool}, and no other tool, once it was picked: {} tokens.",
                    grouped(tokens)
                )
            }
        };
        let saved = match plain_all.checked_sub(all) {
            Some(saved) if saved > 0 => format!(
                "{} of {} tokens ({}), for the same answer. Most clients send the whole conversation with every \
                 message, so this is saved each time.",
                grouped(saved),
                grouped(plain_all),
                percent(saved as f64 / plain_all as f64)
            ),
            _ => format!("nothing here: {} tokens against {}.", grouped(all), grouped(plain_all)),
        };
        for (name, text) in [("Withheld", withheld), ("Learned", learned), ("Saved", saved)] {
            let name = self.screen.paint(BOLD, &format!("{name:<10}"));
            self.lines.extend(hung(&name, 10, &text, self.screen.width));
        }
        self.lines.push(String::new());
    }

    /// A command, and what it does. A long one is continued as shells read it.
    fn command(&mut self, command: &str, does: &str) {
        let mut lines = hung("  ", 6, command, self.screen.width - 2);
        lines.iter_mut().rev().skip(1).for_each(|line| line.push_str(" \\"));
        self.lines.extend(lines);
        self.lines.extend(hung(&" ".repeat(QUOTED), QUOTED, does, self.screen.width));
    }

    fn paragraph(&mut self, text: &str) {
        self.lines.extend(wrapped(text, self.screen.width));
        self.lines.push(String::new());
    }

    /// A sentence behind its number, and its tokens if it has some.
    fn figure(&mut self, number: &str, text: &str, tokens: u64) {
        let room = if tokens > 0 { self.screen.width - FIGURES } else { self.screen.width };
        let mut lines = hung(number, UNNUMBERED.len(), text, room);
        if let Some(first) = lines.first_mut().filter(|_| tokens > 0) {
            *first = format!("{first:<room$}{:>FIGURES$}", grouped(tokens));
        }
        self.lines.extend(lines);
    }

    /// The first lines of what a step is about.
    fn quote(&mut self, step: &Step, calls: &[Call], most: usize) {
        for line in body(step, calls, self.screen.width - QUOTED, false).iter().take(most) {
            self.lines.push(format!("{:QUOTED$}{}", "", self.screen.paint(FAINT, line)));
        }
    }
}

/// The speaker, as a newcomer knows it.
fn speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Host => "program of the model",
        Speaker::Model => "model",
        Speaker::Gateway => "gateway",
        Speaker::Upstream => "server",
    }
}
