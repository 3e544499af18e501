//! Brings a held list of tools up to date by the upstream's manifest (SEP-2636).

use mcp_disclosure_core::{
    ListHints, RawObject, Reconciliation,
    manifest::{DESCRIBE, Held, MANIFEST, MOST_NAMES, Mismatch, digest},
};
use mcp_disclosure_transport::code;
use serde_json::value::RawValue;
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
    /// The upstream refuses, or so much changed that the whole list is fetched as easily.
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
/// asked.
///
/// # Errors
/// If the upstream does not answer.
pub(super) async fn reconcile(
    upstream: &Upstream,
    held: &[Box<RawValue>],
) -> Result<Option<Listed>, CallError> {
    let held = held.to_vec();
    let parsing = spawn_blocking(move || Held::new(held.iter().map(|tool| parsed(tool)).collect()));
    let Ok(held) = parsing.await else { return Ok(None) };
    for _ in 0..TRIES {
        match attempt(upstream, held.clone()).await {
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

async fn attempt(upstream: &Upstream, held: Held) -> Result<Listed, Unreconciled> {
    let compares = digest::is_compared(&upstream.introduction().capabilities);
    let params = if compares { digest::stated(held.digest()) } else { RawObject::empty() };
    let manifest = pages_from(upstream, "tools", MANIFEST, "entries", params).await?;
    let meta = manifest.hints.as_ref().and_then(|hints| hints.meta.clone());
    let hints = manifest.hints.map(|hints| {
        let meta = hints.meta.as_ref().and_then(digest::without);
        ListHints { meta, ..hints }
    });
    let listed =
        |tools: Vec<RawObject>| Listed { items: tools.iter().map(RawObject::to_raw).collect(), hints };
    if compares && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
        return Ok(listed(held.into_tools()));
    }
    let entries: Vec<RawObject> = manifest.items.iter().map(|entry| parsed(entry)).collect();
    let mut reconciliation = Reconciliation::new(&entries, held)?;
    let (changed, all) = reconciliation.bytes();
    if 2 * changed > all {
        return Err(Unreconciled::Useless(format!("{changed} of {all} bytes changed")));
    }
    fetch(upstream, &mut reconciliation).await?;
    Ok(listed(reconciliation.finish().unwrap_or_default()))
}

fn parsed(text: &RawValue) -> RawObject {
    RawObject::parse(text.get()).unwrap_or_default()
}

/// Fetches what changed, in pieces that the upstream accepts.
async fn fetch(upstream: &Upstream, reconciliation: &mut Reconciliation) -> Result<(), Unreconciled> {
    let (mut most, mut room) = (MOST_NAMES, upstream.limits().upstream_list_bytes);
    loop {
        let batches = reconciliation.batches(most);
        let Some(names) = batches.first() else { return Ok(()) };
        let params = RawObject::empty().with_value("names", names);
        let result = match upstream.query(DESCRIBE, params).await {
            Ok(result) => result,
            Err(CallError::Answered(error)) if error.code() == code::INVALID_PARAMS => {
                let data = error.data();
                let bound = data.and_then(|data| data.member("maxNames")?.parse::<usize>().ok());
                match bound.filter(|bound| (1..names.len()).contains(bound)) {
                    Some(bound) => most = bound,
                    // A tool that vanished meanwhile.
                    None => return Err(Mismatch { tool: names[0].clone(), what: "an unknown name" }.into()),
                }
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let useless = |reason: &str| Unreconciled::Useless(format!("{DESCRIBE}: {reason}"));
        room = room
            .checked_sub(result.as_str().len())
            .ok_or_else(|| useless("more bytes than a list may have (limits.upstream_list_bytes)"))?;
        let result = RawObject::parse(result.as_str()).map_err(|_| useless("its result is not an object"))?;
        let tools = result.member("tools").and_then(|tools| serde_json::from_str(tools).ok());
        reconciliation.accept(names, tools.ok_or_else(|| useless("no list of objects under 'tools'"))?)?;
    }
}
