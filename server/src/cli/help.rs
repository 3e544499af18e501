//! Help of two lengths: `-h` shows what most people need, on one screen; `--help` has everything, by heading.

use clap::{Arg, Command, builder::PossibleValuesParser};

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
    let names: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
    let of_man =
        |argument: Arg| argument.value_parser(PossibleValuesParser::new(&names)).hide_possible_values(true);
    let command = command.mut_subcommand("man", |man| man.mut_arg("command", of_man));
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
