//! The command line.

mod arguments;
mod prompt;
mod serve;
mod source;
mod strategies;

pub use arguments::{Arguments, Command, PromptArguments, ServeArguments, SourceArguments, Transport};
pub use prompt::prompt;
pub use serve::serve;
pub use source::demonstration;
pub use strategies::strategies;

use crate::failure::Failure;

/// A runtime to act in.
fn runtime(threads: usize) -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|source| Failure::Io { what: "cannot start the runtime", source })
}

/// Writes to stdout; a reader that went away early is no failure.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Failure::Io { what: "cannot write to stdout", source }),
    }
}
