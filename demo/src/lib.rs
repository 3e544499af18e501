//! The embedded demonstration of mcp-disclosure: a "Math MCP" server with eleven tools that compute.
//!
//! [`MathServer`] is an ordinary `rmcp` handler. Its tools are defined by the files in
//! `tool_descriptions/` alone ([`DESCRIPTION_FILES`]): `tools/list` is made from them, and every example
//! in them is a test. The gateway takes the same files as its description files, and [`about`] for the
//! `info` overview.
//!
//! The symbolic tools answer the examples of these files, polynomials and what comes down to them, and refuse the rest with a
//! sentence that says what they can do.
//!
//! Every call is bounded in the size of its input and in its work. Numbers that are not exact are rounded to 12
//! significant digits, so that results are equal on every machine.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod catalogue;
mod error;
mod expression;
mod json;
mod matrix;
mod numerical;
mod server;
mod symbolic;
mod tools;
mod transforms;

pub use catalogue::{DESCRIPTION_FILES, about};
pub use server::MathServer;
