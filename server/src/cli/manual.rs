//! What is made of the command line itself: `completions` and `man`, and what `-h` shows (what most people need, on one screen;
//! `--help` has everything, by heading).

use std::path::{Path, PathBuf};

use clap::{
    Args, Command,
    builder::{PossibleValue, PossibleValuesParser, Str},
};
use clap_complete::Shell;
use clap_mangen::Man;
use mcp_disclosure_core::{adaptive, nearest::did_you_mean};
use mcp_disclosure_gateway::Problem;

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
    let commands: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
    command.mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        subcommand.mut_args(|argument| match (&*name, argument.get_id().as_str()) {
            ("man", "command") => argument.value_parser(PossibleValuesParser::new(&commands)),
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
/// [`Failure::Usage`] for an unknown command, [`Failure::Write`] if a page cannot be written.
pub fn man(command: Command, arguments: &ManArguments) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    // Names of commands become those of pages.
    command.build();
    if let Some(folder) = &arguments.out {
        return write(&command, folder);
    }
    let shown = match &arguments.command {
        None => &command,
        Some(name) => command.find_subcommand(name).ok_or_else(|| unknown(&command, name))?,
    };
    print_styled(&String::from_utf8_lossy(&page(shown)))
}

fn write(command: &Command, folder: &Path) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Write { path, source }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for shown in command.get_subcommands().chain([command]) {
        let path = folder.join(format!("{}.1", name(shown)));
        std::fs::write(&path, page(shown)).map_err(failed(&path))?;
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

fn unknown(command: &Command, name: &str) -> Failure {
    let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let hint = did_you_mean(name, known.iter().copied(), || format!("known are {}", known.join(", ")));
    Failure::usage(Problem::new(format!("there is no command '{name}'")).hint(hint))
}

/// The flags in `-h` of commands that have many, by their ids.
#[rustfmt::skip]
const SHOWN: [(&str, &str); 6] = [
    ("serve", "config mcp_config upstream_url name strategy offer fallback budget over_budget explain set transport listen admin audit"),
    ("compare", "config mcp_config upstream_url strategies used queries format wide detail out fail_over transcript"),
    ("check", "config mcp_config upstream_url strategy strict queries allow format"),
    ("export", "config mcp_config upstream_url out definitions replace"),
    ("accept", "config mcp_config upstream_url"),
    ("prompt", "config mcp_config upstream_url strategy"),
];

/// The heading of `accept`'s sources.
const ACCEPTED: &str = "Source (none: the disclosure.toml of the current folder)";

/// Most examples in `-h`, which is to fit on a screen.
const MOST_EXAMPLES: usize = 2;

/// The template of the help: as clap's own, with what `before_help` says in place of the summary.
const TEMPLATE: &str = "{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The command line with help of two lengths.
pub(crate) fn of_two_lengths(command: Command) -> Command {
    flowing(command).mut_subcommands(|subcommand| {
        let subcommand = flowing(subcommand);
        let shown = SHOWN.iter().find(|(name, _)| *name == subcommand.get_name());
        let Some((_, shown)) = shown else { return subcommand };
        let accepts = subcommand.get_name() == "accept";
        subcommand.mut_args(|argument| {
            let is_shown = shown.split(' ').any(|id| argument.get_id() == id) || argument.is_positional();
            let names_source =
                argument.get_help_heading().is_some_and(|heading| heading.starts_with("Source"));
            let argument = argument.hide_short_help(!is_shown);
            if accepts && names_source { argument.help_heading(ACCEPTED) } else { argument }
        })
    })
}

/// The command with examples first in `-h`, and in `--help` with paragraphs of one line each, which are broken where the
/// terminal ends. Indented lines stay lines: they are the examples.
fn flowing(command: Command) -> Command {
    let Some(about) = command.get_long_about().map(ToString::to_string) else { return command };
    let mut flowing = String::new();
    for line in about.lines() {
        let goes_on = !line.is_empty() && !line.starts_with(' ') && flowing.ends_with(|end| end != '\n');
        flowing.push(if goes_on { ' ' } else { '\n' });
        flowing.push_str(line);
    }
    let mut short = command.get_about().map(ToString::to_string).unwrap_or_default();
    let examples: Vec<&str> =
        flowing.lines().filter(|line| line.starts_with(' ')).take(MOST_EXAMPLES).collect();
    if !examples.is_empty() {
        short = format!("{short}\n\n{}", examples.join("\n"));
    }
    let long = flowing.trim_start().to_owned();
    command.before_help(short).before_long_help(long.clone()).long_about(long).help_template(TEMPLATE)
}
