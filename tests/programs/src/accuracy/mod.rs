//! Whether a model chooses right: a host shows it what a strategy lists, sends its calls, and scores them by what
//! reached the upstreams (docs/accuracy.md).
//!
//! Upstreams are replays of recorded lists, so no tool runs. The model is any program that reads and writes one JSON
//! line a turn.

mod conversation;
mod front;
mod host;
mod model;
mod record;
mod replay;
mod score;
mod task;

pub use conversation::Conversation;
pub use front::Front;
pub use host::Host;
pub use model::Model;
pub use record::record;
pub use replay::{ROLE, replay};
pub use score::{Score, table};
pub use task::{Task, Verdict};

/// Why a run cannot go on.
pub type Failure = Box<dyn std::error::Error>;
