//! What is made of the command line itself: `completions` and `man`.

use std::path::{Path, PathBuf};

use clap::{
    Args, Command,
    builder::{PossibleValue, PossibleValuesParser, Str},
};
use clap_complete::Shell;
use clap_mangen::Man;
use mcp_disclosure_core::adaptive;

use super::print_styled;
use crate::failure::Failure;

/// `man`.
#[derive(Debug, Args)]
pub struct ManArguments {
    /// The command whose page is printed; without it, that of the program
    pub command: Option<String>,

    /// Write all pages into a directory, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

/// Prints completions of a command line for a shell. `strategies` are the names of this program's strategies.
///
/// # Errors
/// If stdout cannot be written.
pub fn completions(command: Command, shell: Shell, strategies: &[String]) -> Result<(), Failure> {
    let mut command = with_values(command, strategies);
    let (name, mut script) = (command.get_name().to_owned(), Vec::new());
    clap_complete::generate(shell, &mut command, &*name, &mut script);
    let script = String::from_utf8_lossy(&script);
    // For bash, clap_complete 4.6 replaces the hyphens of a program's name in two ways, and then finds no command.
    print_styled(&script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__")))
}

/// The command line with the values of its open lists, for completions only: a strategy may also be a stack of several.
fn with_values(command: Command, strategies: &[String]) -> Command {
    let parser = |first: &[&str]| {
        let names = strategies.iter().map(|name| Str::from(name.clone()));
        let first = first.iter().map(|name| Str::from((*name).to_owned()));
        PossibleValuesParser::new(first.chain(names).map(PossibleValue::new))
    };
    command.mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        subcommand.mut_args(|argument| match (&*name, argument.get_id().as_str()) {
            ("demo" | "prompt", "strategy") | (_, "offer" | "over_budget") => {
                argument.value_parser(parser(&[]))
            }
            (_, "strategy") => argument.value_parser(parser(&["auto"])),
            (_, "strategies") => argument.value_parser(parser(&["all"])),
            (_, "fallback") => argument.value_parser(parser(&[adaptive::NAME])),
            _ => argument,
        })
    })
}

/// Prints the manual page of a command, or writes those of all.
///
/// # Errors
/// [`Failure::Write`] if a page cannot be written.
pub fn man(command: Command, arguments: &ManArguments) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    // Names of commands become those of pages.
    command.build();
    if let Some(folder) = &arguments.out {
        return write(&command, folder);
    }
    let shown = match &arguments.command {
        None => &command,
        // Its name was accepted when it was read.
        Some(name) => command.find_subcommand(name).unwrap_or(&command),
    };
    print_styled(&String::from_utf8_lossy(&page(shown)))
}

fn write(command: &Command, folder: &Path) -> Result<(), Failure> {
    let failed = |path: &Path, source| Failure::Write { path: path.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    for shown in command.get_subcommands().chain([command]) {
        let path = folder.join(format!("{}.1", name(shown)));
        std::fs::write(&path, page(shown)).map_err(|source| failed(&path, source))?;
    }
    Ok(())
}

fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// What the pages are part of.
const SOURCE: &str = concat!("mcp-disclosure ", env!("CARGO_PKG_VERSION"));

fn page(command: &Command) -> Vec<u8> {
    let mut page = Vec::new();
    let title = name(command).to_owned();
    // The page would lack the text of flags that `-h` does not show.
    let command = command.clone().mut_args(|argument| argument.hide_short_help(false));
    // Writing to memory does not fail.
    let _written = Man::new(command).title(title).source(SOURCE).render(&mut page);
    page
}
