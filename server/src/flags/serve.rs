//! `serve`.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Args;
use ipnet::IpNet;
use mcp_disclosure_gateway::{
    FETCHES_PER_MINUTE, OfferedRevisions, Problem, backend::Scope, front::http::network,
};

use super::{LogArguments, SourceArguments, StrategyArguments, source::seconds, strategy::one_of};
use crate::{config::AccessFlags, flags::Switch, operating::OperatingArguments};

/// The default address for HTTP.
const LISTEN: &str = "127.0.0.1:8848";

/// What `serve` is told, by its command line, the environment and the file.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// Log for each client what serves it, and why
    ///
    /// What it offered, which strategy serves it, and the reason
    #[arg(long, help_heading = "Strategy")]
    pub explain: bool,

    /// The choice of strategies.
    #[command(flatten)]
    pub strategies: StrategyArguments,

    /// How clients connect
    #[arg(long, value_enum, default_value_t, help_heading = "Clients")]
    pub transport: Transport,

    /// Where to listen for HTTP
    ///
    /// Clients use /mcp, or /mcp/STRATEGY
    #[arg(long, value_name = "ADDR:PORT", default_value = LISTEN, help_heading = "Clients")]
    pub listen: SocketAddr,

    /// A host name to accept in HTTP requests, besides this machine's own; may be repeated
    #[arg(long, value_name = "HOST", value_parser = host, help_heading = "Clients")]
    pub allow_host: Vec<String>,

    /// A web origin to accept in HTTP requests, besides this machine's own; may be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = origin, help_heading = "Clients")]
    pub allow_origin: Vec<String>,

    /// Serve the client on stdio as this principal of the configuration [default: it may use everything]
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub principal: Option<String>,

    /// Narrow what the client on stdio may use to this profile of the configuration; over HTTP, clients use /mcp/@NAME
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub profile: Option<String>,

    /// Listen beyond loopback although the configuration asks for no tokens: whoever reaches the address may use every tool
    #[arg(long, help_heading = "Access")]
    pub allow_anonymous: bool,

    /// A proxy, or a network of proxies, whose Forwarded and X-Forwarded-For headers are trusted; may be repeated.
    /// Limits per address then apply to the clients behind it
    #[arg(long, value_name = "CIDR", value_parser = network, help_heading = "Clients")]
    pub trusted_proxy: Vec<IpNet>,

    /// What operators see.
    #[command(flatten)]
    pub operating: OperatingArguments,

    /// Which revisions of MCP clients are offered
    #[arg(long, value_name = "WHICH", default_value_t, value_parser = one_of::<OfferedRevisions>(), help_heading = "Clients")]
    pub revisions: OfferedRevisions,

    /// How long, in seconds from the start, lists wait for upstreams of files; those that take longer join later
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    pub wait_for_upstreams: Duration,

    /// Whether what upstreams of files list is kept in the user's cache folder, and served at the next start until they
    /// are ready
    #[arg(long, value_name = "SWITCH", default_value_t, value_parser = one_of::<Switch>())]
    pub remember: Switch,

    /// Whether HTTP clients share upstream connections, or each session has its own, over which upstreams can send
    /// requests to the client (elicitation, sampling, roots); a stdio client always has its own
    #[arg(long, value_name = "SCOPE", default_value_t, value_parser = one_of::<Scope>(), help_heading = "Clients")]
    pub upstream_scope: Scope,

    /// Maximum number of HTTP sessions at a time
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, help_heading = "Clients")]
    pub max_sessions: usize,

    /// Where sessions are kept.
    #[command(flatten)]
    pub session_store: SessionStoreArguments,

    /// Time after which an idle HTTP session ends, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds, help_heading = "Clients")]
    pub session_idle: Duration,

    /// Maximum number of description fetches per client and minute; 0 disables the limit
    #[arg(long, value_name = "COUNT", default_value_t = FETCHES_PER_MINUTE, help_heading = "Receipts")]
    pub fetches_per_minute: u32,

    /// How long, in seconds, calls of HTTP clients may still run after SIGTERM; what is left is answered with an error
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, help_heading = "Clients")]
    pub drain: Duration,

    /// The key that signs receipts, at least 32 bytes; replicas with the same key accept each other's receipts
    /// [default: over stdio a key that is kept in the user's cache folder, else a new one at each start]
    #[arg(long, value_name = "FILE", help_heading = "Receipts")]
    pub receipt_key_file: Option<PathBuf>,

    /// How long a signed receipt is valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = seconds, help_heading = "Receipts")]
    pub receipt_lifetime: Duration,

    /// The log.
    #[command(flatten)]
    pub log: LogArguments,
}

/// What a `Host` header may say; any other would never be accepted.
fn host(text: &str) -> Result<String, &'static str> {
    let is_one = !text.is_empty() && !text.contains(['/', '@', '*', ' ']);
    is_one.then(|| text.to_owned()).ok_or("it must be a name such as tools.example.com")
}

/// What an `Origin` header may say; any other would never be accepted.
fn origin(text: &str) -> Result<String, &'static str> {
    let rest = text.trim_end_matches('/').split_once("://").map(|(_, rest)| rest);
    let is_one =
        text == "null" || rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*', ' ']));
    is_one.then(|| text.to_owned()).ok_or("it must be a scheme and a host such as https://app.example.com")
}

/// How clients connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Transport {
    /// One client, over standard input and output.
    #[default]
    Stdio,
    /// Any number of clients, over Streamable HTTP.
    Http,
}

/// Where sessions are kept.
#[derive(Clone, Debug, Args)]
pub struct SessionStoreArguments {
    /// Keep HTTP sessions on Redis or Valkey, so that any replica with the same store serves them: redis://HOST:PORT,
    /// rediss:// with TLS, redis+cluster:// or redis+sentinel:// [default: in this process]
    #[arg(
        long,
        value_name = "URL",
        env = "MCP_DISCLOSURE_SESSION_STORE",
        hide_env_values = true,
        help_heading = "Clients"
    )]
    // It may hold a password.
    pub session_store: Option<mcp_disclosure_sign_in::Secret>,
}

impl ServeArguments {
    /// Flags that mean nothing together.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let is_http = self.transport == Transport::Http;
        let OperatingArguments { audit, audit_key_file, audit_strict, .. } = &self.operating;
        let has_none = audit.is_none();
        let rows = [
            (
                is_http && self.principal.is_some(),
                "--principal is about the client on stdio",
                "over HTTP a client's token says who it is",
            ),
            (
                is_http && self.profile.is_some(),
                "--profile is about the client on stdio",
                "over HTTP clients use /mcp/@NAME",
            ),
            (has_none && audit_key_file.is_some(), "--audit-key-file needs an audit log", "add --audit FILE"),
            (has_none && *audit_strict, "--audit-strict needs an audit log", "add --audit FILE"),
        ];
        let wrong = rows.into_iter().filter(|(is_wrong, ..)| *is_wrong);
        wrong.map(|(_, what, hint)| Problem::new(what).hint(hint)).collect()
    }

    /// What they say of who may come in.
    pub(crate) fn access(&self) -> AccessFlags {
        AccessFlags {
            listening: (self.transport == Transport::Http).then_some(self.listen),
            admin: self.operating.admin,
            allow_anonymous: self.allow_anonymous,
            principal: self.principal.clone(),
            profile: self.profile.clone(),
        }
    }
}
