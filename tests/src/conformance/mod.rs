//! An upstream with everything that the official conformance suite asks a server for.
//!
//! One handler for both eras: where a tool needs something of the client, it sends a request in a session
//! and answers `input_required` without one. The names and texts are the suite's
//! (`@modelcontextprotocol/conformance`); what they must do is described in its scenarios.

mod data;
mod handler;
mod news;
mod prompts;
mod questions;
mod tools;

pub use handler::Conformance;
