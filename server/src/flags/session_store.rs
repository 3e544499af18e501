//! `--session-store`.

use clap::Args;

/// Where sessions are kept.
#[derive(Clone, Args)]
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
    pub session_store: Option<String>,
}

impl std::fmt::Debug for SessionStoreArguments {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A URL may hold a password.
        formatter.debug_struct("SessionStoreArguments").finish_non_exhaustive()
    }
}
