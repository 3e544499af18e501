//! The command line that serves a compared source.
//!
//! It stands in a report, which people pass on: what may be a secret is not in it.

use super::spec::Said;
use crate::cli::{SettingArguments, SourceArguments};

/// Stands for an argument that is not shown.
const HIDDEN: &str = "…";

/// Longer arguments are not shown: keys and tokens are, names and paths seldom.
const LONGEST: usize = 100;

/// Parts of flags and variables whose values are not shown.
const SECRET: [&str; 8] = ["token", "key", "secret", "password", "passwd", "auth", "header", "credential"];

/// The arguments of `serve` for a source.
pub(in crate::cli) struct Command {
    flags: Vec<String>,
    settings: Vec<(&'static str, String)>,
    /// Behind `--`.
    upstream: Vec<String>,
}

impl Command {
    /// Takes over what names the source, and settings of strategies.
    pub(in crate::cli) fn of(source: &SourceArguments, settings: &SettingArguments) -> Self {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: String| flags.extend([name.to_owned(), value]);
        if let Some(path) = &source.config {
            flag("--config", path.display().to_string());
        }
        for path in &source.mcp_config {
            flag("--mcp-config", path.display().to_string());
        }
        for url in &source.upstream_url {
            let mut shown = url.clone();
            // URLs with a host have these parts.
            let _ = shown.set_username("");
            let _ = shown.set_password(None);
            if shown.query().is_some() {
                shown.set_query(Some(HIDDEN));
            }
            flag("--upstream-url", shown.to_string());
        }
        if let Some(path) = &source.tool_descriptions {
            flag("--tool-descriptions", path.display().to_string());
        }
        if let Some(name) = &source.name {
            flag("--name", name.clone());
        }
        if source.inherit_env {
            flags.push("--inherit-env".to_owned());
        }
        Self { flags, settings: settings.given(), upstream: shown(&source.command) }
    }

    /// The command line that serves every client with this strategy and these settings; `None` if there are settings
    /// or choices without a flag.
    pub(super) fn serving(&self, strategy: &str, said: &Said) -> Option<String> {
        if !said.choices.is_empty() {
            return None;
        }
        let mut settings = self.settings.clone();
        for (strategy, key, value) in &said.settings {
            let flag = SettingArguments::flag(strategy, key)?;
            settings.retain(|(given, _)| *given != flag);
            settings.push((flag, value.as_str()?.to_owned()));
        }
        let mut words = vec!["mcp-disclosure", "serve", "--strategy", strategy];
        words.extend(settings.iter().flat_map(|(flag, value)| [*flag, value]));
        words.extend(self.flags.iter().map(String::as_str));
        if !self.upstream.is_empty() {
            words.push("--");
            words.extend(self.upstream.iter().map(String::as_str));
        }
        Some(words.into_iter().map(quoted).collect::<Vec<_>>().join(" "))
    }
}

/// The arguments of a command, without those that may be secrets.
fn shown(command: &[String]) -> Vec<String> {
    let is_secret = |name: &str| SECRET.iter().any(|secret| name.to_ascii_lowercase().contains(secret));
    let mut follows_secret = false;
    let shown = command.iter().map(|argument| {
        let hides = follows_secret || argument.chars().count() > LONGEST;
        follows_secret = argument.starts_with('-') && !argument.contains('=') && is_secret(argument);
        match argument.split_once(['=', ':']) {
            _ if hides => HIDDEN.to_owned(),
            Some((name, _)) if is_secret(name) => format!("{name}={HIDDEN}"),
            _ if argument.contains("://") && argument.contains(['@', '?']) => HIDDEN.to_owned(),
            _ => argument.clone(),
        }
    });
    shown.collect()
}

/// A word of a command line, quoted for a shell if it has to be.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "@%+=:,./-_…".contains(character);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(command: &[&str]) -> SourceArguments {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        SourceArguments { command, ..SourceArguments::default() }
    }

    #[test]
    fn q3_the_command_serves_the_same_source() {
        let flags = SettingArguments { info_tools: Some("stubs".to_owned()), ..SettingArguments::default() };
        let command = Command::of(
            &SourceArguments { config: Some("my files/d.toml".into()), ..source(&["npx", "-y", "it's"]) },
            &flags,
        );
        assert_eq!(
            command.serving("full", &Said::default()).unwrap(),
            r"mcp-disclosure serve --strategy full --info-tools stubs --config 'my files/d.toml' -- npx -y 'it'\''s'"
        );
        let entry = |strategy: &str, key: &str| Said {
            settings: vec![(strategy.to_owned(), key.to_owned(), json!("entry-only"))],
            ..Said::default()
        };
        assert_eq!(
            Command::of(&source(&[]), &flags).serving("info", &entry("info", "tools")).unwrap(),
            "mcp-disclosure serve --strategy info --info-tools entry-only"
        );
        assert_eq!(command.serving("x", &entry("x", "own")), None);
    }

    #[test]
    fn q3_what_may_be_a_secret_is_not_in_the_command() {
        let long = "x".repeat(200);
        let words = [
            "server",
            "--api-key",
            "abc",
            "--token=def",
            "GH_TOKEN=ghi",
            "--header",
            "Cookie: jkl",
            "--port",
            "80",
            "https://me:mno@host/",
            &long,
            "Authorization: pqr",
        ];
        let source = SourceArguments {
            upstream_url: vec!["https://me:stu@host/mcp?key=vwx".parse().unwrap()],
            ..source(&words)
        };
        let shown = Command::of(&source, &SettingArguments::default());
        let shown = shown.serving("full", &Said::default()).unwrap();
        for secret in ["abc", "def", "ghi", "jkl", "mno", "pqr", "stu", "vwx", "xxx"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        assert!(
            shown.contains("--upstream-url 'https://host/mcp?") && shown.contains("--port 80"),
            "{shown}"
        );
    }
}
