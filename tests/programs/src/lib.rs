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
    path::PathBuf,
};

/// The programs that are started, which a build of the workspace puts beside this one.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The gateway.
    pub gateway: PathBuf,
    /// The upstream that misbehaves as its first argument says.
    pub odd: PathBuf,
    /// The upstream that plays a scenario.
    pub kit: PathBuf,
}

impl Programs {
    /// Finds them; where one is missing, that is said, and how to build it.
    pub fn found() -> Option<Self> {
        let here = env::current_exe().ok()?;
        let [gateway, odd, kit] =
            ["mcp-disclosure", "odd-upstream", "kit-upstream"].map(|name| here.with_file_name(name));
        let missing = [&gateway, &odd, &kit].into_iter().find(|program| !program.is_file());
        match missing {
            Some(program) => {
                log(&format!("no {}: cargo build --workspace --bins makes it", program.display()));
                None
            }
            None => Some(Self { gateway, odd, kit }),
        }
    }
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
