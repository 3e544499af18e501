//! What the programs beside the suite are made of: each is a module here, and a short program in `bin`.
//!
//! They are a package of their own so that the suite is compiled and run without them.

#![allow(clippy::unwrap_used, reason = "a program of tests, whose failure is its message")]

pub mod accuracy;
pub mod attack;
pub mod faults;

use std::{
    any::Any,
    env,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The program of this name next to this one.
pub fn beside(name: &str) -> PathBuf {
    let here = env::current_exe().unwrap_or_default();
    here.parent().unwrap_or_else(|| Path::new(".")).join(name)
}

/// Writes a line to stdout, whose reader may have closed it.
pub fn print(text: &str) {
    let _gone = writeln!(io::stdout(), "{text}");
}

/// Writes a line to stderr, whose reader may have closed it.
pub fn log(text: &str) {
    let _gone = writeln!(io::stderr(), "{text}");
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}
