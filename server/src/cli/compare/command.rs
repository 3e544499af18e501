//! The command line that serves a compared source.
//!
//! It stands in a report, which people pass on: what may be a secret is not in it.

use std::path::Path;

use super::{
    secrets::{self, HIDDEN},
    spec::Overrides,
};
use crate::{
    cli::{
        SettingArguments, SourceArguments,
        source_arguments::{CONNECT_TIMEOUT, REQUEST_TIMEOUT},
    },
    shell::quoted,
};

/// The arguments of `serve` for a source.
pub(in crate::cli) struct Command {
    program: String,
    /// Those that name the source, and the principal that it is served to.
    source: Vec<String>,
    settings: SettingArguments,
    /// Behind `--`.
    upstream: Vec<String>,
}

impl Command {
    /// Of this program, with these arguments.
    pub(in crate::cli) fn of(source: &SourceArguments, settings: &SettingArguments) -> Self {
        Self {
            program: program(),
            source: flags(source),
            settings: settings.clone(),
            upstream: secrets::command(&source.command),
        }
    }

    /// The same for this principal alone.
    pub(super) fn to(mut self, principal: String) -> Self {
        self.source.extend(["--principal".to_owned(), principal]);
        self
    }

    /// The same by another program: the beginning of a command line.
    #[cfg(feature = "demo")]
    pub(in crate::cli) fn by(self, program: String) -> Self {
        Self { program, ..self }
    }

    /// The command line that serves every client with this strategy, these settings and these choices; `None` if there are
    /// some without a flag.
    pub(super) fn serving(&self, strategy: &str, overrides: &Overrides) -> Option<String> {
        let mut settings = self.settings.clone();
        for (strategy, key, value) in &overrides.settings {
            settings.set(strategy, key, value.as_str()?).then_some(())?;
        }
        for (filter, name, value) in &overrides.choices {
            settings.choose(filter, name, value).then_some(())?;
        }
        Some(self.line(&["--strategy", strategy], &settings))
    }

    /// The command line that serves each client with what it requests.
    pub(super) fn by_default(&self) -> String {
        self.line(&[], &self.settings)
    }

    fn line(&self, strategy: &[&str], settings: &SettingArguments) -> String {
        let mut words: Vec<String> = [&["serve"], strategy].concat().into_iter().map(str::to_owned).collect();
        words.extend(settings.given().into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]));
        words.extend(self.source.iter().cloned());
        if !self.upstream.is_empty() {
            words.push("--".to_owned());
            words.extend(self.upstream.iter().cloned());
        }
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
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

/// The flags that name a source, but not its command.
fn flags(source: &SourceArguments) -> Vec<String> {
    let SourceArguments {
        config,
        mcp_config,
        inherit_env,
        upstream_url,
        upstream_header,
        hide_tool,
        only_tool,
        tool_descriptions,
        name,
        command: _,
        connect_timeout,
        request_timeout,
        limits,
    } = source;
    let mut flags = Vec::new();
    let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    if let Some(path) = config {
        flag("--config", path.display().to_string());
    }
    for path in mcp_config {
        flag("--mcp-config", path.display().to_string());
    }
    for url in upstream_url {
        flag("--upstream-url", secrets::url(url));
    }
    for (name, values) in
        [("--upstream-header", upstream_header), ("--hide-tool", hide_tool), ("--only-tool", only_tool)]
    {
        values.iter().for_each(|value| flag(name, value.clone()));
    }
    if let Some(path) = tool_descriptions {
        flag("--tool-descriptions", path.display().to_string());
    }
    if let Some(name) = name {
        flag("--name", name.clone());
    }
    for (name, span, usual) in [
        ("--connect-timeout", connect_timeout, CONNECT_TIMEOUT),
        ("--request-timeout", request_timeout, REQUEST_TIMEOUT),
    ] {
        let seconds = span.as_secs_f64().to_string();
        if seconds != usual {
            flag(name, seconds);
        }
    }
    for (name, value) in limits {
        flag("--limit", format!("{name}={value}"));
    }
    if *inherit_env {
        flags.push("--inherit-env".to_owned());
    }
    flags
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        source: SourceArguments,
        #[command(flatten)]
        settings: SettingArguments,
    }

    fn command(line: &[&str]) -> Command {
        let line = Line::parse_from([&["x"], line].concat());
        Command { program: "x".to_owned(), ..Command::of(&line.source, &line.settings) }
    }

    #[test]
    fn q3_the_command_serves_the_same_source() {
        let given = [
            "--receipts=signed",
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
        let shown = command(&given).serving("full", &Overrides::default()).unwrap();
        assert!(
            shown.starts_with("x serve --strategy full ") && shown.ends_with(r"-- npx -y 'it'\''s'"),
            "{shown}"
        );
        for flag in given[..13].iter().map(|flag| flag.split('=').next().unwrap()) {
            assert!(shown.contains(&format!(" {flag} ")), "{flag} is missing in {shown}");
        }
        assert_eq!(command(&[]).serving("full", &Overrides::default()).unwrap(), "x serve --strategy full");
    }

    #[test]
    fn q3_settings_and_choices_of_a_row_are_flags() {
        let of = |strategy: &str, key: &str| (strategy.to_owned(), key.to_owned(), json!("entry-only"));
        let choice = ("concerns".to_owned(), "cost".to_owned(), "low".to_owned());
        let overrides = Overrides { settings: vec![of("info", "tools")], choices: vec![choice] };
        assert_eq!(
            command(&["--concern=cost=high", "--info-tools=stubs"])
                .serving("concerns+info", &overrides)
                .unwrap(),
            "x serve --strategy concerns+info --info-tools entry-only --concern cost=low"
        );
        let overrides = Overrides { settings: vec![of("x", "own")], ..Overrides::default() };
        assert_eq!(command(&[]).serving("x", &overrides), None);
        let choice = ("another".to_owned(), "cost".to_owned(), "low".to_owned());
        assert_eq!(
            command(&[]).serving("x", &Overrides { choices: vec![choice], ..Overrides::default() }),
            None
        );
    }

    #[test]
    fn q3_what_may_be_a_secret_is_not_in_the_command() {
        let given = ["--upstream-url=https://me:stu@host/s/vwx/mcp?key=vwx", "--", "server", "-k", "abc"];
        let shown = command(&given).serving("full", &Overrides::default()).unwrap();
        for secret in ["abc", "stu", "vwx"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        assert!(note(&shown).is_some() && note("x serve").is_none());
    }
}
