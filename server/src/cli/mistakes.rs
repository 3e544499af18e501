//! What was probably meant by a command line that is refused.

use std::ffi::OsString;

use clap::{
    Arg, Command, Error, FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
};

use mcp_disclosure_core::Registry;

use super::Arguments;

/// Parses a command line.
///
/// # Errors
/// What clap refuses, with a tip where a source was given without its flag, a command without `--`, or a value in another form.
pub(crate) fn parse(
    command: &mut Command,
    given: impl IntoIterator<Item = OsString>,
    registry: &Registry,
) -> Result<Arguments, Error> {
    let mut given: Vec<OsString> = given.into_iter().collect();
    if given.get(1).is_some_and(|word| word == "help") {
        // `help serve --help` is `help serve`.
        given.retain(|word| word != "-h" && word != "--help");
    }
    let matches = command.try_get_matches_from_mut(&given);
    matches.and_then(|matches| Arguments::from_arg_matches(&matches)).map_err(|mut error| {
        if let Some(tip) = tip(&error, command, &given, registry) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error
    })
}

/// How values are written, by the ends of the flags that take them.
const FORMS: &[(&str, &str)] = &[
    ("<ADDR:PORT>", "an IP address and a port, such as 127.0.0.1:8848"),
    ("<URL>", "a whole URL, such as https://example.com/mcp"),
    ("<TOKENS>", "a whole number"),
    ("<COUNT>", "a whole number"),
];

fn tip(error: &Error, command: &Command, given: &[OsString], registry: &Registry) -> Option<String> {
    let word = match error.kind() {
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg)?,
        ErrorKind::ValueValidation => {
            let flag = error.get(ContextKind::InvalidArg)?.to_string();
            let (_, form) = FORMS.iter().find(|(end, _)| flag.ends_with(end))?;
            return Some(format!("it is {form}"));
        }
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            error.get(ContextKind::InvalidSubcommand)?
        }
        _ => return None,
    };
    let ContextValue::String(word) = word else { return None };
    if let Some(flag) = word.strip_prefix("--") {
        let setting = setting(registry, &flag.replace('-', "_"))?;
        return Some(format!("a setting of a strategy is given by: --set {setting}=VALUE"));
    }
    if word.starts_with('-') {
        return None;
    }
    let mut words = given.iter().skip(1).filter_map(|word| word.to_str());
    let name = match words.find_map(|word| command.find_subcommand(word)) {
        // Upstreams can be named to it.
        Some(subcommand) if subcommand.get_positionals().any(Arg::is_last_set) => subcommand.get_name(),
        // It edits hosts' files.
        Some(subcommand) if subcommand.get_arguments().any(|flag| flag.get_long() == Some("file")) => {
            let name = subcommand.get_name();
            return Some(format!(
                "the file of an MCP host is given by a flag: mcp-disclosure {name} --file {word}"
            ));
        }
        Some(_) => return None,
        None => "serve",
    };
    let ending = word.rsplit_once('.').map(|(_, ending)| ending);
    Some(match ending {
        _ if word.starts_with("http://") || word.starts_with("https://") => {
            format!("a server at a URL is given by a flag: mcp-disclosure {name} --upstream-url {word}")
        }
        Some("toml") => format!("a configuration is given by a flag: mcp-disclosure {name} --config {word}"),
        Some("json" | "jsonc" | "yaml" | "yml") => {
            format!("the file of an MCP host is given by a flag: mcp-disclosure {name} --mcp-config {word}")
        }
        // Its arguments may be secret, and hosts log what this prints.
        _ => format!("a server's command comes after --: mcp-disclosure {name} -- {word} ..."),
    })
}

/// The setting of a strategy that is meant by its key alone, or by its key with the strategy's name.
fn setting(registry: &Registry, word: &str) -> Option<String> {
    let mut settings = registry
        .profiles()
        .flat_map(|profile| profile.settings.iter().map(|setting| (&*profile.name, setting.key)));
    let meant = |(name, key): &(&str, &str)| *key == word || format!("{name}_{key}") == word;
    settings.find(meant).map(|(name, key)| format!("{name}.{key}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[track_caller]
    fn refused(line: &str) -> String {
        let given = ["mcp-disclosure"].into_iter().chain(line.split_whitespace()).map(OsString::from);
        parse(&mut Arguments::command(), given, &crate::builtin()).unwrap_err().to_string()
    }

    #[test]
    fn w5_a_source_without_its_flag_is_recognized() {
        for (line, tip) in [
            ("serve npx -y server --key secret", "after --: mcp-disclosure serve -- npx ..."),
            ("serve --strategy resource ./server", "after --: mcp-disclosure serve -- ./server ..."),
            ("--log warn check uvx server", "after --: mcp-disclosure check -- uvx ..."),
            ("uvx mcp-server-git", "after --: mcp-disclosure serve -- uvx ..."),
            (
                "export --out a https://example.com/mcp",
                "mcp-disclosure export --upstream-url https://example.com/mcp",
            ),
            ("compare mcp.json", "mcp-disclosure compare --mcp-config mcp.json"),
            ("serve disclosure.toml", "mcp-disclosure serve --config disclosure.toml"),
            ("init mcp.json", "mcp-disclosure init --file mcp.json"),
            ("undo --yes mcp.json", "mcp-disclosure undo --file mcp.json"),
        ] {
            let refused = refused(line);
            assert!(refused.contains("tip: ") && refused.contains(tip), "{line}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }

    #[test]
    fn w5_a_value_in_another_form_is_told_how_it_is_written() {
        for (line, form) in [
            ("serve --listen localhost:8848", "tip: it is an IP address and a port"),
            ("check --upstream-url example.com", "tip: it is a whole URL"),
            ("serve --budget 4k", "tip: it is a whole number"),
            ("compare --fail-over 1e3", "tip: it is a whole number"),
        ] {
            let refused = refused(line);
            assert!(refused.contains(form), "{line}: {refused}");
        }
    }

    #[test]
    fn w5_what_is_no_source_gets_no_such_tip() {
        for line in ["sevre", "demo npx", "strategies npx", "serve --frobnicate", "serve --log debug -x"] {
            let refused = refused(line);
            assert!(!refused.contains("after --:"), "{line}: {refused}");
        }
    }
}
