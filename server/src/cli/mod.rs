//! The command line.

mod accept;
mod arguments;
mod check;
mod circle;
mod client_config;
mod compare;
mod demo;
mod export;
mod help;
mod init;
mod login;
mod manual;
mod mistakes;
mod places;
mod serve;
mod signals;
mod source;
mod strategies;
mod undo;
mod upstreams;
mod width;

use std::fmt::Display;

use mcp_disclosure_core::Registry;

pub use accept::{AcceptArguments, accept};
pub use arguments::{Arguments, Command};
pub(crate) use check::is_coloured;
pub use check::{CheckArguments, CheckedArguments, Format, check};
pub use client_config::{ClientConfigArguments, client_config};
pub use compare::{CompareArguments, compare};
pub use demo::{DemoArguments, demo};
pub use export::{ExportArguments, export};
pub(crate) use help::of_two_lengths;
pub use init::init;
pub use login::{AccountArguments, LoginArguments, login, logout};
pub(crate) use login::{described, name};
pub use manual::{ManArguments, completions, man};
pub(crate) use mistakes::parse;
pub(crate) use places::{Answer, answered, current_folder, user_folders};
pub use places::{InitArguments, PlaceArguments};
pub(crate) use serve::{door, serve, session_store};
pub(crate) use signals::{Asked, Signals};
pub(crate) use source::{Source, Told};
pub use strategies::{PromptArguments, prompt, strategies};
pub(crate) use strategies::{build, choice_problems};
pub use undo::undo;
pub(crate) use upstreams::parse_name;
pub(crate) use width::{folded, folded_on_stderr, folded_text, width};

use mcp_disclosure_gateway::{Assembly, Gateway, StartedGateway, catalogue::Declared, upstream::Target};
use mcp_disclosure_transport::printable::{one_line, printable};

use crate::failure::Failure;

/// What every command works with.
#[derive(Debug)]
pub struct Program {
    /// The strategies.
    pub registry: Registry,
    /// Served if arguments and files name no upstream, with its declarations.
    pub own: Option<(Target, Declared)>,
}

/// A runtime for one client. On a single thread, passing work between tasks wakes no other thread: a call over stdio
/// took 0.09 ms instead of 0.15.
fn runtime_for_one() -> Result<tokio::runtime::Runtime, Failure> {
    built(&mut tokio::runtime::Builder::new_current_thread())
}

/// A runtime for many clients.
fn runtime_for_many() -> Result<tokio::runtime::Runtime, Failure> {
    built(&mut tokio::runtime::Builder::new_multi_thread())
}

/// Starts what would be served, looks at it, and ends it.
fn visited<T>(assembly: Assembly, look: impl FnOnce(&StartedGateway) -> T) -> Result<T, Failure> {
    runtime_for_one()?.block_on(async {
        let started = Gateway::start(assembly).await?;
        let seen = look(&started);
        started.gateway.close().await;
        Ok(seen)
    })
}

fn built(builder: &mut tokio::runtime::Builder) -> Result<tokio::runtime::Runtime, Failure> {
    builder.enable_all().build().map_err(|source| Failure::Io { what: "cannot start the runtime", source })
}

/// Writes a line to stdout, within the width of the terminal. It is escaped as a whole, line ends included, since upstreams
/// and files choose names in it.
fn print(line: impl Display) -> Result<(), Failure> {
    print_styled(&folded_text(&format!("{}\n", one_line(&line.to_string()))))
}

/// Writes a text of several lines, whose pieces are [on one line](one_line) each.
fn print_text(text: &str) -> Result<(), Failure> {
    print_styled(&printable(text))
}

/// The same within the width of the terminal.
fn print_folded(text: &str) -> Result<(), Failure> {
    print_styled(&folded_text(&printable(text)))
}

/// Writes to stdout unescaped; a closed pipe is not a failure.
fn print_styled(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut stdout = std::io::stdout();
    // A question ends without a line break.
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Failure::Io { what: "cannot write to stdout", source }),
    }
}
