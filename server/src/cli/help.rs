//! What `-h` shows: what most people need, on one screen. `--help` has everything, by heading.

use clap::Command;

/// The flags in `-h` of commands that have many, by their ids.
const SHOWN: [(&str, &str); 5] = [
    (
        "serve",
        "config mcp_config upstream_url name strategy offer fallback budget over_budget explain set transport listen admin \
         audit",
    ),
    (
        "compare",
        "config mcp_config upstream_url strategies used queries format detail out fail_over transcript",
    ),
    ("check", "config mcp_config upstream_url strategy strict queries allow format"),
    ("export", "config mcp_config upstream_url out definitions accept_drift replace"),
    ("prompt", "config mcp_config upstream_url strategy"),
];

/// The command line with help of two lengths.
pub(crate) fn of_two_lengths(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        let shown = SHOWN.iter().find(|(name, _)| *name == subcommand.get_name());
        let Some((_, shown)) = shown else { return subcommand };
        subcommand.mut_args(|argument| {
            let is_shown = shown.split(' ').any(|id| argument.get_id() == id) || argument.is_positional();
            argument.hide_short_help(!is_shown)
        })
    })
}
