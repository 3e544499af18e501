//! The columns of one course: the first strategy and, beside or below it, the chosen one.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use mcp_disclosure_core::RawObject;

use crate::{
    fold::wrapped,
    number::grouped,
    transcript::{
        Act, Kind, Phase, Played, Step, Transcript,
        sentences::{self, AS_INTENDED, Detail},
        step::Place,
    },
};

/// Length of a line of quoted text; narrower columns wrap it.
const WIDTH: usize = 160;

/// Maximum length of one exact message, in bytes: lists of hundreds of tools are not repeated in a page.
const LONGEST_MESSAGE: usize = 10_000;

/// Maximum length of a line of an exact message.
const LINE: usize = 400;

/// The task and the host.
pub(super) fn heading(transcript: &Transcript) -> Markup {
    html! {
        @for line in sentences::heading(transcript) { p.about { (line) } }
        p.about { "Beside each step: its tokens → all tokens so far." }
    }
}

/// The course at this position, under each strategy.
pub(super) fn act(transcript: &Transcript, at: usize, is_folded: bool) -> Markup {
    let acts: Vec<(&Played, &Act)> =
        transcript.strategies.iter().filter_map(|played| Some((played, played.acts.get(at)?))).collect();
    let Some((_, first)) = acts.first() else { return PreEscaped(String::new()) };
    let used: Vec<String> = transcript.task.calls.iter().map(|call| call.tool.clone()).collect();
    // A column that has nothing of its own does not stretch the others.
    let is_shown = |played: &Played, act: &Act| at == 0 || !act.is_like(&played.acts[0]);
    let places: BTreeSet<Place> =
        acts.iter().filter(|(played, act)| is_shown(played, act)).flat_map(|(_, act)| act.places()).collect();
    let rows = places.len() + 2;
    let title = first.course.title();
    let columns = html! {
            div.columns role="group" aria-label=(title) style={ "--rows:" (rows) } {
                @for (played, act) in acts {
                    article.column {
                        h4 { (played.name) }
                        @if is_shown(played, act) { (rows_of(act, &played.acts[..at.min(1)], &places, &used)) }
                        @else { p.same { (AS_INTENDED) } }
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
fn rows_of(act: &Act, earlier: &[Act], places: &BTreeSet<Place>, used: &[String]) -> Markup {
    let own = act.places();
    let is_new = |step: &Step| {
        let mut shown = earlier.iter().flat_map(|act| &act.steps);
        !shown.any(|shown| (shown.kind, &shown.text) == (step.kind, &step.text))
    };
    html! {
        @for (place, row) in places.iter().zip(2..) {
            @let steps: Vec<&Step> =
                act.steps.iter().zip(&own).filter(|(_, own)| *own == place).map(|(step, _)| step).collect();
            @if !steps.is_empty() {
                div.row style={ "grid-row:" (row) } {
                    h5 { (place.phase) @if place.attempt > 1 && place.phase == Phase::Call { " again" } }
                    ol role="list" { @for step in steps { (item(step, used, is_new(step))) } }
                }
            }
        }
    }
}

fn item(step: &Step, used: &[String], is_new: bool) -> Markup {
    let lines = sentences::body(step, used, Detail { width: WIDTH, full: false });
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
    let is_end = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=text.len().min(LONGEST_MESSAGE)).rev().find(is_end).unwrap_or(0);
    let lines = text[..end].lines().flat_map(|line| {
        // Only texts within are longer, and indentation is kept.
        if line.chars().count() <= LINE { vec![line.to_owned()] } else { wrapped(line, LINE) }
    });
    let shown = lines.collect::<Vec<_>>().join("\n");
    let left = text.len() - end;
    if left == 0 { shown } else { format!("{shown}\n… {} more bytes", grouped(left as u64)) }
}

fn sum(act: &Act) -> Markup {
    html! {
        strong { (grouped(act.tokens())) " tokens" } ": "
        (grouped(act.start_tokens)) " at the start, " (grouped(act.learning_tokens)) " to learn, "
        (grouped(act.call_tokens)) " for calls. " (sentences::ending(act)) "."
    }
}
