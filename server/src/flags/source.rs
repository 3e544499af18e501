//! The arguments that name a source.

use std::{num::NonZeroU64, path::PathBuf, time::Duration};

use clap::Args;
use reqwest::Url;

use super::{Seconds, limits};

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
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limits::parse, help_heading = "Limits")]
    pub limits: Vec<(String, NonZeroU64)>,
}

/// A time span of an argument.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    Seconds::parse(text).map(Duration::from).map_err(str::to_owned)
}
