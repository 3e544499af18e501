//! Transcripts: one task under each strategy, step by step: what is listed, asked, answered, called, refused and
//! recovered, with the tokens of each step.
//!
//! A [`Play`] performs an [`Assignment`] over real connections, with the scripted agent as the model, and
//! results in a [`Transcript`], which is written in each [`Format`](crate::Format), and as a part of a report's page.
//! Nothing here depends on the wording of a strategy: sentences are derived from the kinds of messages, and texts of
//! messages are quoted.

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
pub(crate) use html::{fragment, page, style};
pub(crate) use markdown::markdown;
pub(crate) use play::Course;
pub use play::Play;
pub use step::{Act, Ending, Kind, Phase, Played, Speaker, Step, Transcript};
pub use story::story;
pub(crate) use terminal::terminal;

use crate::ClientKind;
pub use crate::agent::Behavior;
