//! `--session-store`.

use std::sync::Arc;

use clap::Args;
use mcp_disclosure_gateway::{Problem, store::SessionStore};

use crate::{config::Transport, failure::Failure};

/// Where sessions are kept.
#[derive(Args)]
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

impl SessionStoreArguments {
    /// The store, which is connected to later; a flag takes precedence over the file.
    ///
    /// # Errors
    /// If the URL cannot be meant.
    pub(super) fn over(
        self,
        file: Option<&str>,
        transport: Transport,
    ) -> Result<Option<Arc<dyn SessionStore>>, Failure> {
        let Some(url) = self.session_store.as_deref().or(file).filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        if transport == Transport::Stdio {
            tracing::warn!(
                "--session-store is ignored: the one session over stdio is in this process (hint: --transport http)"
            );
            return Ok(None);
        }
        store(url).map(Some).map_err(|problem| Failure::Configuration(vec![problem]))
    }
}

#[cfg(feature = "redis")]
fn store(url: &str) -> Result<Arc<dyn SessionStore>, Problem> {
    use mcp_disclosure_session_redis::{Address, RedisStore};

    let problem = |message: String| Problem::new(format!("--session-store: {message}"));
    let address: Address = url.parse().map_err(|error| problem(format!("{error}")))?;
    let store = RedisStore::new(address).map_err(|error| problem(format!("no randomness: {error}")))?;
    Ok(Arc::new(store))
}

#[cfg(not(feature = "redis"))]
fn store(_: &str) -> Result<Arc<dyn SessionStore>, Problem> {
    Err(Problem::new(
        "--session-store: this program was built without the feature redis: cargo install --path server --features redis",
    ))
}
