//! A transcript as an HTML fragment: the first strategy beside one of the others, which a reader chooses, aligned step by
//! step, with the exact JSON on demand.
//!
//! The fragment has headings from `h3` on and needs no script. Its [`style`] uses the variables of the page around it, which
//! also defines them for dark and print.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use mcp_disclosure_core::{RawObject, given};

use super::{
    Act, Call, Kind, Phase, Played, Step, Transcript,
    sentences::{self, AS_INTENDED},
    step::Place,
};
use crate::{output, text::grouped};

const STYLE: &str = include_str!("style.css");

/// The style of a fragment with this many strategies, for the page's `style` element.
pub(crate) fn style(strategies: usize) -> String {
    // The chosen one is shown beside the first.
    let shown = (1..strategies).map(|at| {
        let column = at + 1;
        format!(".transcript > input:nth-of-type({at}):checked ~ .act .column:nth-child({column}) {{ display: grid; }}\n")
    });
    [STYLE.to_owned()].into_iter().chain(shown).collect()
}

/// The fragment, in which this strategy is chosen, or else the second. With `folds`, mistakes are folded, so that the page
/// around it stays short.
pub(crate) fn fragment(transcript: &Transcript, chosen: &str, folds: bool) -> Markup {
    let courses = transcript.strategies.iter().map(|played| played.acts.len()).max().unwrap_or(0);
    let others = transcript.strategies.get(1..).unwrap_or_default();
    let chosen = others.iter().position(|played| played.name == chosen).unwrap_or(0);
    html! {
        div.transcript {
            (heading(transcript))
            @for (at, played) in others.iter().enumerate() {
                @let id = format!("played-{at}");
                input type="radio" name="played" id=(id) checked[at == chosen];
                label for=(id) { (played.name) }
            }
            @for at in 0..courses { (act(transcript, at, folds && at > 0)) }
            @if !transcript.notes.is_empty() {
                ul { @for note in &transcript.notes { li { (note) } } }
            }
        }
    }
}

/// A page with nothing but a transcript. It loads nothing, and has no script.
pub(crate) fn page(transcript: &Transcript) -> String {
    let title = format!("{}: one task under each strategy", transcript.source);
    let body = html! {
        h1 { (transcript.source) }
        main {
            section {
                h2 { "One task under each strategy" }
                (fragment(transcript, "", false))
            }
        }
    };
    output::html::page(&title, &style(transcript.strategies.len()), &body)
}

/// Length of a line of quoted text; narrower columns wrap it.
const WIDTH: usize = 160;

/// Maximum length of one exact message, in bytes: lists of hundreds of tools are not repeated in a page.
const LONGEST_MESSAGE: usize = 10_000;

/// The task and the host.
fn heading(transcript: &Transcript) -> Markup {
    html! {
        @for line in sentences::heading(transcript) { p.about { (line) } }
        p.about { "Beside each step: its tokens → all tokens so far." }
    }
}

/// The course at this position, under each strategy.
fn act(transcript: &Transcript, at: usize, is_folded: bool) -> Markup {
    let acts: Vec<(&Played, &Act)> =
        transcript.strategies.iter().filter_map(|played| Some((played, played.acts.get(at)?))).collect();
    let Some((_, first)) = acts.first() else { return PreEscaped(String::new()) };
    let calls = &transcript.task.calls;
    // A column that has nothing of its own does not stretch the others.
    let shown = acts.iter().filter(|(played, _)| !played.is_as_intended(at)).flat_map(|(_, act)| &act.steps);
    let places: BTreeSet<Place> = shown.map(Step::place).collect();
    let rows = places.len() + 2;
    let title = first.course.title();
    let columns = html! {
            div.columns role="group" aria-label=(title) style={ "--rows:" (rows) } {
                @for (played, act) in acts {
                    article.column {
                        h4 { (played.name) }
                        @if played.is_as_intended(at) { p.same { (AS_INTENDED) } }
                        @else { (rows_of(act, &played.acts[..at.min(1)], &places, calls)) }
                        p.sum { (sum(act)) }
                    }
                }
            }
    };
    html! {
        @if is_folded { details.act { summary { h3 { (title) } } (columns) } }
        @else { div.act { h3 { (title) } (columns) } }
    }
}

/// The steps of an act by their places. What an earlier act has shown exactly is not repeated.
fn rows_of(act: &Act, earlier: &[Act], places: &BTreeSet<Place>, calls: &[Call]) -> Markup {
    let is_new = |step: &Step| {
        let mut shown = earlier.iter().flat_map(|act| &act.steps);
        !shown.any(|shown| (shown.kind, &shown.text) == (step.kind, &step.text))
    };
    html! {
        @for (place, row) in places.iter().zip(2..) {
            @let steps: Vec<&Step> = act.steps.iter().filter(|step| step.place() == *place).collect();
            @if !steps.is_empty() {
                div.row style={ "grid-row:" (row) } {
                    h5 { (place.phase) @if place.attempt > 1 && place.phase == Phase::Call { " again" } }
                    ol role="list" { @for step in steps { (item(step, calls, is_new(step))) } }
                }
            }
        }
    }
}

fn item(step: &Step, calls: &[Call], is_new: bool) -> Markup {
    let lines = sentences::body(step, calls, WIDTH, false);
    html! {
        li.refused[step.kind == Kind::Refused] {
            p {
                @if step.tokens > 0 { (figures(step)) }
                b { (step.speaker) } " " (step.says)
            }
            @if !lines.is_empty() { pre { @for line in &lines { (broken(line)) "\n" } } }
            @if is_new && !step.messages.is_empty() {
                details {
                    summary { "JSON" span.unseen { ": " (step.speaker) " " (step.says) } }
                    @for message in &step.messages { pre tabindex="0" { (exact(message)) } }
                }
            }
        }
    }
}

/// A line that can be wrapped behind commas: compact JSON has no spaces.
fn broken(line: &str) -> Markup {
    html! { @for part in line.split_inclusive(',') { (part) wbr; } }
}

/// The tokens of a step, and of all steps so far.
fn figures(step: &Step) -> Markup {
    html! {
        span.tokens {
            (grouped(step.tokens)) span.unseen { " tokens" } " → "
            (grouped(step.tokens_so_far)) span.unseen { " so far. " }
        }
    }
}

/// One message, indented; a long one is cut.
fn exact(message: &RawObject) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(message.text()).ok();
    let text = value.map_or_else(|| message.text().to_owned(), |value| format!("{value:#}"));
    let beginning = given::first(&text, LONGEST_MESSAGE);
    match text.len() - beginning.len() {
        0 => text,
        left => format!("{beginning}\n… {} more bytes", grouped(left as u64)),
    }
}

fn sum(act: &Act) -> Markup {
    html! {
        strong { (grouped(act.tokens())) " tokens" } ": "
        (grouped(act.start_tokens)) " at the start, " (grouped(act.learning_tokens)) " to learn, "
        (grouped(act.call_tokens)) " for calls. " (sentences::ending(act)) "."
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::RawObject;

    use super::*;
    use crate::{
        Tokenizer,
        transcript::{Act, Assignment, Behavior, Ending, Kind, Played, Speaker, Step},
    };

    /// A transcript of one act with one step, whose message is hostile and long.
    fn transcript(hostile: &str) -> Transcript {
        let message = RawObject::empty().with_value("text", &format!("{hostile}{}", "x".repeat(100_000)));
        let step = Step {
            kind: Kind::Refused,
            speaker: Speaker::Gateway,
            call: 1,
            attempt: 1,
            phase: Phase::Result,
            says: hostile.to_owned(),
            gist: vec![hostile.to_owned()],
            text: hostile.to_owned(),
            tokens: 1,
            tokens_so_far: 1,
            messages: vec![message],
        };
        let act = Act {
            course: Behavior::Workflow,
            ending: Ending::Failed,
            errors: 1,
            start_tokens: 0,
            learning_tokens: 1,
            call_tokens: 0,
            steps: vec![step],
        };
        Transcript {
            source: hostile.to_owned(),
            tools: 1,
            tokenizer: Tokenizer::FourCharacters,
            task: Assignment { request: Some(hostile.to_owned()), ..Assignment::of(Vec::new()) },
            strategies: vec![Played { name: hostile.to_owned(), acts: vec![act] }],
            notes: vec![hostile.to_owned()],
        }
    }

    #[test]
    fn q1_texts_stay_text_and_long_messages_are_cut() {
        let page = page(&transcript("<script src=//x></script><img src=//x onerror=y>"));
        for loaded in ["<script", "<img", "<link", "url(", "@import", "src=\"", "href="] {
            assert!(!page.contains(loaded), "{loaded} in {page}");
        }
        assert!(page.contains("&lt;script src=//x&gt;") && page.contains("more bytes"));
        assert!(page.len() < 30_000, "{} bytes", page.len());
    }
}
