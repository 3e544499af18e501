//! Brings a held list of tools up to date by the upstream's manifest (SEP-2636).

use mcp_disclosure_core::{Digest, ListHints, RawObject, RawText};
use mcp_disclosure_drafts::manifest::{DESCRIBE, Held, MANIFEST, Mismatch, Reconciliation, digest};
use mcp_disclosure_transport::code;
use tokio::task::spawn_blocking;

use super::{
    CallError, Upstream,
    lists::{Listed, pages_from},
};

/// How often it is tried: the list may change between the manifest and the definitions.
const TRIES: usize = 2;

/// Why there is no list yet.
enum Unreconciled {
    /// What was fetched is not what the manifest says.
    Mismatch(Mismatch),
    /// The upstream refuses, or [`Reconciliation::why_list`] says why.
    Useless(String),
    /// There is no answer.
    Failed(CallError),
}

impl From<Mismatch> for Unreconciled {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

impl From<CallError> for Unreconciled {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Answered(error) => Self::Useless(error.message()),
            error => Self::Failed(error),
        }
    }
}

/// The upstream's list of tools, made of those that are held and those that changed. `None` if `tools/list` has to be
/// asked. `announced`: the upstream said that something changed.
///
/// # Errors
/// If the upstream does not answer.
pub(super) async fn reconcile(
    upstream: &Upstream,
    held: &[RawText],
    announced: bool,
) -> Result<Option<Listed>, CallError> {
    let held = held.to_vec();
    let parsing = spawn_blocking(move || {
        let held = Held::new(held.iter().map(parsed).collect());
        (held.digest(), held)
    });
    let Ok((stated, held)) = parsing.await else { return Ok(None) };
    for _ in 0..TRIES {
        match attempt(upstream, stated, held.clone(), announced).await {
            Ok(listed) => return Ok(Some(listed)),
            Err(Unreconciled::Failed(error)) => return Err(error),
            Err(Unreconciled::Useless(reason)) => {
                tracing::debug!(upstream = %upstream.name(), reason, "its list is fetched as a whole");
                return Ok(None);
            }
            Err(Unreconciled::Mismatch(mismatch)) => {
                tracing::debug!(upstream = %upstream.name(), %mismatch, "its manifest is out of date");
            }
        }
    }
    tracing::warn!(upstream = %upstream.name(), "its manifest does not fit its definitions; its list is fetched as a whole");
    Ok(None)
}

async fn attempt(
    upstream: &Upstream,
    stated: Digest,
    held: Held,
    announced: bool,
) -> Result<Listed, Unreconciled> {
    let compares = digest::is_compared(&upstream.introduction().capabilities);
    let params = if compares { digest::stated(stated) } else { RawObject::empty() };
    let manifest = pages_from(upstream, "tools", MANIFEST, "entries", params).await?;
    let meta = manifest.hints.as_ref().and_then(|hints| hints.meta.clone());
    let hints = manifest.hints.map(|hints| {
        let meta = hints.meta.as_ref().and_then(digest::without);
        ListHints { meta, ..hints }
    });
    let items = |held: Held| held.into_tools().into_iter().map(RawObject::into_text).collect();
    if compares && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
        return Ok(Listed { items: aside(move || items(held)).await?, hints });
    }
    let compare = move || {
        let entries: Vec<RawObject> = manifest.items.iter().map(parsed).collect();
        Reconciliation::new(&entries, held)
    };
    let reconciliation = aside(compare).await??;
    if let Some(why) = reconciliation.why_list(announced) {
        return Err(Unreconciled::Useless(why));
    }
    let reconciliation = fetch(upstream, reconciliation).await?;
    let items = aside(move || items(reconciliation.finish().unwrap_or_default())).await?;
    Ok(Listed { items, hints })
}

/// Does work on a whole list beside the workers that serve clients.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unreconciled> {
    spawn_blocking(work).await.map_err(|_| Unreconciled::Useless("comparing it panicked".to_owned()))
}

fn parsed(text: &RawText) -> RawObject {
    RawObject::of(text).unwrap_or_default()
}

/// Fetches what changed, in pieces that the upstream accepts.
async fn fetch(
    upstream: &Upstream,
    mut reconciliation: Reconciliation,
) -> Result<Reconciliation, Unreconciled> {
    let useless = |reason: &str| Unreconciled::Useless(format!("{DESCRIBE}: {reason}"));
    let mut room = upstream.limits().upstream_list_bytes;
    while let Some(names) = reconciliation.next_batch() {
        let params = RawObject::empty().with_value("names", &names);
        let result = match upstream.query(DESCRIBE, params).await {
            Ok(result) => result,
            Err(CallError::Answered(error)) if error.code() == code::INVALID_PARAMS => {
                reconciliation.refused(&names, error.data().as_ref())?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        room = room
            .checked_sub(result.as_str().len())
            .ok_or_else(|| useless("more bytes than a list may have (limits.upstream_list_bytes)"))?;
        let taking = aside(move || {
            let result = RawObject::parse(result.as_str()).ok();
            let tools = result.and_then(|result| serde_json::from_str(result.member("tools")?).ok());
            let accepted = tools.map(|tools| reconciliation.accept(&names, tools));
            accepted.map(|accepted| accepted.map(|()| reconciliation))
        });
        let taken = taking.await?;
        reconciliation = taken.ok_or_else(|| useless("no list of objects under 'tools'"))??;
    }
    Ok(reconciliation)
}
