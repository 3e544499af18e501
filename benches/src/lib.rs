//! Benchmarks of mcp-disclosure against the same servers without it.
//!
//! Absolute numbers of one machine mean little, and of a shared one nothing. Everything in [`measure`] is therefore
//! measured together with a baseline without the gateway, in the same run and alternating, so that noise affects both
//! alike; what counts is the difference or the ratio. `docs/BENCHMARKS.md` has the commands.

pub mod catalogue;
pub mod echo;
pub mod http_client;
pub mod line_client;
pub mod measure;
pub mod process;
pub mod sample;
pub mod table;
