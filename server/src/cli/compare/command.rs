//! The command line that serves a compared source.
//!
//! It stands in a report, which people pass on: what may be a secret is not in it.

use std::path::Path;

use reqwest::Url;

use crate::{
    flags::{Given, SetSource, SettingArguments, table},
    launcher::quoted,
    secrets::{self, HIDDEN},
};

/// The arguments of `serve` for a source.
pub(super) struct Command {
    program: String,
    /// Those that name the source, and the principal that it is served to.
    source: Vec<String>,
    /// Settings of strategies, and choices: flags with their values.
    settings: Vec<[String; 2]>,
    /// Behind `--`.
    upstream: Vec<String>,
}

impl Command {
    /// Of this program, or the beginning of another's command line, with these flags, for a principal alone if there is one.
    pub(super) fn of(program: String, given: &Given<SetSource>, principal: Option<String>) -> Self {
        let (mut source, mut settings) = (Vec::new(), Vec::new());
        for flag in table().get_arguments().filter(|flag| !flag.is_positional()) {
            let (id, values) = (flag.get_id().as_str(), given.all(flag.get_id().as_str()));
            let flag = format!("--{}", flag.get_long().unwrap_or_default());
            match id {
                "set" | "concern" => settings.extend(values.into_iter().map(|value| [flag.clone(), value])),
                "inherit_env" => source.extend(values.iter().map(|_| flag.clone())),
                "upstream_url" => {
                    let urls = values.iter().filter_map(|url| Url::parse(url).ok());
                    source.extend(urls.flat_map(|url| [flag.clone(), secrets::url(&url)]));
                }
                _ => source.extend(values.into_iter().flat_map(|value| [flag.clone(), value])),
            }
        }
        source.extend(principal.into_iter().flat_map(|principal| ["--principal".to_owned(), principal]));
        let upstream = secrets::command(&given.all("command"));
        Self { program, source, settings, upstream }
    }

    /// The command line that serves every client with this strategy, or each with what it requests, with these settings and choices.
    pub(super) fn serving(&self, strategy: Option<&str>, said: &SettingArguments) -> String {
        let mut settings = self.settings.clone();
        let mut replace = |flag: &str, place: String, value: &str| {
            settings.retain(|[other, earlier]| other != flag || !earlier.starts_with(&place));
            settings.push([flag.to_owned(), place + value]);
        };
        for (strategy, key, value) in &said.set {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            replace("--set", format!("{strategy}.{key}="), &text);
        }
        for (name, value) in &said.concern {
            replace("--concern", format!("{name}="), value);
        }
        let mut words = vec!["serve"];
        words.extend(strategy.into_iter().flat_map(|strategy| ["--strategy", strategy]));
        words.extend(settings.iter().flatten().chain(&self.source).map(String::as_str));
        if !self.upstream.is_empty() {
            words.push("--");
            words.extend(self.upstream.iter().map(String::as_str));
        }
        let words: Vec<String> = words.into_iter().map(quoted).collect();
        format!("{} {}", self.program, words.join(" "))
    }
}

/// What readers of a command have to know; `None` if it is complete.
pub(super) fn note(command: &str) -> Option<String> {
    let text =
        format!("In the command, {HIDDEN} stands for what may be a secret; fill it in before you run it.");
    command.contains(HIDDEN).then_some(text)
}

/// The name by which this program was started.
pub(in crate::cli) fn program() -> String {
    let started = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&started).file_name().unwrap_or_default().to_string_lossy();
    match name.strip_suffix(".exe").unwrap_or(&name) {
        "" => env!("CARGO_PKG_NAME").to_owned(),
        name => quoted(name),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        given: Given<SetSource>,
    }

    fn command(line: &[&str]) -> Command {
        let line = Line::parse_from([&["x"], line].concat());
        Command::of("x".to_owned(), &line.given, None)
    }

    #[test]
    fn q3_the_command_serves_the_same_source() {
        let given = [
            "--set=resource.receipts=signed",
            "--concern=precision=exact",
            "--concern=cost=low",
            "--config=my files/d.toml",
            "--mcp-config=a.json",
            "--mcp-config=b.json",
            "--upstream-url=http://localhost:1/mcp",
            "--tool-descriptions=d",
            "--name=n",
            "--connect-timeout=1.5",
            "--request-timeout=7",
            "--limit=message_depth=64",
            "--inherit-env",
            "--",
            "npx",
            "-y",
            "it's",
        ];
        let shown = command(&given).serving(Some("full"), &SettingArguments::default());
        assert!(
            shown.starts_with("x serve --strategy full ") && shown.ends_with(r"-- npx -y 'it'\''s'"),
            "{shown}"
        );
        for flag in given[..13].iter().map(|flag| flag.split('=').next().unwrap()) {
            assert!(shown.contains(&format!(" {flag} ")), "{flag} is missing in {shown}");
        }
        assert_eq!(
            command(&[]).serving(Some("full"), &SettingArguments::default()),
            "x serve --strategy full"
        );
    }

    #[test]
    fn q3_settings_and_choices_of_a_row_are_flags() {
        let of = |strategy: &str, key: &str| (strategy.to_owned(), key.to_owned(), json!("entry-only"));
        let choice = ("cost".to_owned(), "low".to_owned());
        let said = SettingArguments { set: vec![of("info", "tools")], concern: vec![choice] };
        assert_eq!(
            command(&["--concern=cost=high", "--set=info.tools=stubs"]).serving(Some("concerns+info"), &said),
            "x serve --strategy concerns+info --set info.tools=entry-only --concern cost=low"
        );
        let said = SettingArguments { set: vec![of("x", "own")], ..SettingArguments::default() };
        let shown = command(&[]).serving(Some("x"), &said);
        assert_eq!(shown, "x serve --strategy x --set x.own=entry-only");
    }

    #[test]
    fn q3_what_may_be_a_secret_is_not_in_the_command() {
        let given = ["--upstream-url=https://me:stu@host/s/vwx/mcp?key=vwx", "--", "server", "-k", "abc"];
        let shown = command(&given).serving(Some("full"), &SettingArguments::default());
        for secret in ["abc", "stu", "vwx"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        assert!(note(&shown).is_some() && note("x serve").is_none());
    }
}
