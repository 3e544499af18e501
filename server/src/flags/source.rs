//! The arguments that name a source, with time spans as files and flags write them, `--limit`, and the help for every limit.

use std::{fmt::Write, num::NonZeroU64, path::PathBuf, time::Duration};

use clap::Args;
use mcp_disclosure_gateway::limits::{LIMITS, LimitSettings};
use reqwest::Url;
use serde::{Deserialize, Serialize, Serializer};

/// The heading of the arguments that name sources.
pub(crate) const HEADING: &str = "Source (none: the demonstration)";

/// Where tools come from.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct SourceArguments {
    /// Everything in one file, disclosure.toml
    ///
    /// Upstreams, categories, concerns, briefs and more; read again when it changes
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Servers in the file of an MCP host, such as mcp.json
    ///
    /// Also settings.json, config.toml and others; may be repeated
    #[arg(long, value_name = "FILE")]
    pub mcp_config: Vec<PathBuf>,

    /// Pass the whole environment to programs declared in files, instead of a minimal one
    #[arg(long)]
    pub inherit_env: bool,

    /// A Streamable HTTP upstream; may be repeated
    #[arg(long, value_name = "URL")]
    pub upstream_url: Vec<Url>,

    /// A header of requests to the --upstream-url, and the environment variable with its value; may be repeated
    #[arg(long, value_name = "NAME=VARIABLE")]
    pub upstream_header: Vec<String>,

    /// A tool (or pattern) of the upstream named by --name that does not exist for clients; may be repeated
    #[arg(long, value_name = "NAME")]
    pub hide_tool: Vec<String>,

    /// The only tools (or patterns) of the upstream named by --name that exist for clients; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only_tool: Vec<String>,

    /// Description files (NAME.json) laid over the upstreams' own definitions; reloaded when they change
    #[arg(long, value_name = "DIR")]
    pub tool_descriptions: Option<PathBuf>,

    /// The name of the only upstream [default: its own]
    ///
    /// Its own is the name in its serverInfo
    #[arg(long)]
    pub name: Option<String>,

    /// A command that speaks MCP over stdio, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,

    /// Timeout for starting and initializing an upstream, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub connect_timeout: Duration,

    /// Timeout of a request to an upstream, in seconds; each progress notification restarts it
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub request_timeout: Duration,

    /// Set a resource limit; may be repeated. `serve --help` lists the limits
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit, help_heading = "Limits")]
    pub limits: Vec<(String, NonZeroU64)>,
}

/// A time span, written as a number of seconds that may have a fraction: more than 0, at most 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(Duration);

/// What is accepted, for messages.
const WANTED: &str = "a number of seconds, more than 0 and at most 1e9";

/// Every limit, with its default.
pub(crate) fn limits_help() -> String {
    let mut text = "Limits for --limit, and for [limits] in disclosure.toml:\n".to_owned();
    for limit in LIMITS {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {}={}  [{}]\n     {}\n", limit.name, limit.default, limit.unit, limit.text);
    }
    text
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        let span = (seconds > 0.0 && seconds <= 1e9).then(|| Duration::from_secs_f64(seconds));
        // Less than a nanosecond is rounded.
        let span = span.filter(|span| !span.is_zero()).map(Self);
        span.ok_or_else(|| format!("{seconds} is not {WANTED}"))
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(self.0.as_secs_f64()),
        }
    }
}

/// A time span of an argument.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let span = text.parse().ok().and_then(|seconds: f64| Seconds::try_from(seconds).ok());
    span.map(Duration::from).ok_or_else(|| WANTED.to_owned())
}

/// The name and value of a limit.
fn limit(text: &str) -> Result<(String, NonZeroU64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as message_depth=64")?;
    let value = value.parse().map_err(|_| format!("'{value}' is not a positive integer"))?;
    LimitSettings::default().set(name, value)?;
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spans_that_can_be_waited_for_are_accepted() {
        for (text, millis) in [("10", 10_000), ("0.5", 500), ("1e9", 1_000_000_000_000)] {
            assert_eq!(super::seconds(text).unwrap(), Duration::from_millis(millis), "{text}");
        }
        for text in ["0", "-1", "1e-300", "1.1e9", "inf", "nan", "10s", ""] {
            assert_eq!(super::seconds(text), Err(WANTED.to_owned()), "{text}");
        }
    }
}
