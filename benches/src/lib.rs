//! What mcp-disclosure costs, measured against what it stands in front of.
//!
//! Absolute numbers of one machine say little, and of a shared one nothing. Everything in [`measure`] is
//! therefore measured beside a partner without the gateway, in the same run and by turns, so that noise
//! hits both alike; what counts is the difference or the ratio. `docs/BENCHMARKS.md` has the commands.

pub mod catalogue;
pub mod echo;
pub mod http_client;
pub mod line_client;
pub mod listed;
pub mod measure;
pub mod process;
pub mod sample;
pub mod table;
