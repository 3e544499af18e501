//! What the programs beside the suite are made of: each is a module here, and a short program in `bin`.
//!
//! They are a package of their own so that the suite is compiled and run without them.

#![allow(clippy::unwrap_used, reason = "a program of tests, whose failure is its message")]

pub mod accuracy;

use std::io::{self, Write};

/// Writes a line to stdout, whose reader may have closed it.
pub fn print(text: &str) {
    let _gone = writeln!(io::stdout(), "{text}");
}

/// Writes a line to stderr, whose reader may have closed it.
pub fn log(text: &str) {
    let _gone = writeln!(io::stderr(), "{text}");
}
