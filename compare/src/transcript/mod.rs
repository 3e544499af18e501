//! Transcripts: one task under each strategy, step by step: what is listed, asked, answered, called, refused and
//! recovered, with the tokens of each step.
//!
//! A [`Play`] performs an [`Assignment`] over real connections, with the scripted [agent](crate::agent) as the model, and
//! results in a [`Transcript`], which is written as text for a terminal ([`terminal`]), Markdown ([`markdown`]), JSON
//! ([`json`]), HTML ([`page`]), or a part of a report's page ([`Format`](crate::Format)). Nothing here depends on the
//! wording of a strategy: sentences are derived from the kinds of messages, and texts of messages are quoted.

mod assignment;
mod gist;
mod html;
mod markdown;
mod play;
mod recorder;
mod sentences;
mod step;
mod story;
mod terminal;
mod wording;

pub use assignment::{Assignment, Call};
pub use html::page;
pub(crate) use html::{fragment, style};
pub use markdown::markdown;
pub use play::Play;
pub use step::{Act, Ending, Kind, Phase, Played, Speaker, Step, Transcript};
pub use story::story;
pub use terminal::terminal;

use crate::ClientKind;
pub use crate::agent::Behavior;

/// A transcript as JSON, with the members that `docs/compare.md` documents.
pub fn json(transcript: &Transcript) -> String {
    // All maps of a transcript have string keys, and all numbers are whole.
    let mut text = serde_json::to_string_pretty(transcript).unwrap_or_default();
    text.push('\n');
    text
}
