//! Who may come in, and where their sessions are: what `serve` refuses of that, and `check` with it.

use std::sync::Arc;

use mcp_disclosure_access::Access;
use mcp_disclosure_gateway::{
    Problem,
    negotiation::Strategies,
    observe::{Observer, ToolChanges},
    store::SessionStore,
};
use mcp_disclosure_sign_in::Secret;

use crate::{
    config,
    failure::Failure,
    files::Contents,
    flags::{ServeArguments, Transport},
};

/// Who may come in, with what files say of it, where these strategies are offered. Within a runtime.
///
/// # Errors
/// [`Failure::Configuration`] with strategies that are not offered, or every token that cannot be read.
pub(super) fn door(contents: &Contents, strategies: &Strategies) -> Result<Arc<Access>, Failure> {
    let unknown = config::unknown_strategies(&contents.file, strategies);
    if !unknown.is_empty() {
        return Err(Failure::Configuration(unknown));
    }
    let made = Access::new(contents.access.clone());
    made.map(Arc::new).map_err(|errors| Failure::Configuration(config::unreadable(&contents.file, &errors)))
}

/// Says in the log which principals and profiles may use a tool that is new: a pattern such as `a/*` permits what did not exist
/// when it was written.
#[derive(Debug)]
pub(super) struct Grants(pub(super) Arc<Access>);

impl Observer for Grants {
    fn tools_changed(&self, ToolChanges { upstream, new, .. }: &ToolChanges<'_>) {
        let settings = self.0.settings();
        for (name, permits) in settings.permits() {
            for tool in *new {
                if let Some(pattern) = permits.naming(upstream, tool) {
                    tracing::info!("{name}: '{pattern}' covers '{upstream}/{tool}' now, which is new");
                }
            }
        }
    }
}

/// Where sessions are kept, if not in this process; it is connected to later.
///
/// # Errors
/// If the URL cannot be meant.
pub(super) fn session_store(serve: &ServeArguments) -> Result<Option<Arc<dyn SessionStore>>, Failure> {
    let url = serve.session_store.session_store.as_ref().map(Secret::reveal);
    let Some(url) = url.filter(|url| !url.is_empty()) else { return Ok(None) };
    if serve.transport == Transport::Stdio {
        tracing::warn!(
            "--session-store is ignored: the one session over stdio is in this process (hint: --transport http)"
        );
        return Ok(None);
    }
    store(url).map(Some).map_err(|problem| Failure::Configuration(vec![problem]))
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
