//! Compares strategies of progressive tool disclosure, counted from the messages of real connections.
//!
//! A [`Comparison`] has a [`Play`](transcript::Play), a task before a server of each of its [`Row`]s (strategies). It plays the
//! task as an ordinary host and its model do, and counts what the model has to read for that; once more as a client that
//! supports the strategy. It depends on the client and on no server: all servers that announce the selected strategy can be
//! compared. The result is a [`Report`], which [`output`] writes as a table, Markdown, JSON or an HTML page, and the
//! [`Transcript`](transcript::Transcript) that its figures are counted from.
//!
//! `docs/compare.md` defines what is counted, and how.

mod agent;
mod baseline;
mod break_even;
mod comparison;
mod connection;
mod error;
mod figures;
mod notes;
pub mod output;
mod recommendation;
pub mod report;
pub mod retrieval;
mod sample;
mod seen;
mod subject;
mod text;
mod tokenizer;
pub mod transcript;

pub use comparison::{BASELINE, Comparison, Progress, Row};
pub use connection::{ClientKind, HostKind, LinkFactory, Reached};
pub use error::Error;
pub use output::Format;
pub use recommendation::Recommendation;
pub use report::Report;
pub use retrieval::Query;
pub use subject::{Subject, Tool, Used, is_label_of, unknown_tool};
pub use tokenizer::Tokenizer;
