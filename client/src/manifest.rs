//! Lists that are brought up to date by a manifest (SEP-2636).

use mcp_disclosure_core::{Digest, ListHints, RawObject, RawText};
use mcp_disclosure_drafts::manifest::{DESCRIBE, Held, MANIFEST, Mismatch, Reconciliation, digest};
use mcp_disclosure_transport::{CallError, beside::aside, code};

use crate::lists::{Lister, all_pages};

/// Work on a whole list may take as long as the longest messages do.
const WHOLE: usize = usize::MAX;

/// The list of tools, by the server's manifest.
#[derive(Debug)]
pub struct Reconciled {
    /// Its tools; `None` if they are those that are held.
    pub changed: Option<Held>,
    /// The hints of the manifest, which are those of the list.
    pub hints: Option<ListHints>,
}

/// Why there is no list yet.
enum Unreconciled {
    /// The server refuses, what was fetched is not what the manifest says, or [`Reconciliation::why_list`] says why.
    Useless(String),
    /// There is no answer.
    Failed(CallError),
}

impl From<Mismatch> for Unreconciled {
    fn from(mismatch: Mismatch) -> Self {
        Self::Useless(mismatch.to_string())
    }
}

impl From<CallError> for Unreconciled {
    fn from(error: CallError) -> Self {
        match error {
            // Its lists may still be in order.
            CallError::Answered(error) => Self::Useless(error.message()),
            CallError::Invalid { what, .. } => Self::Useless(what.into_owned()),
            error => Self::Failed(error),
        }
    }
}

/// The list of tools of a server with these capabilities, made of those that are held and those that changed. `None` if
/// `tools/list` has to be asked. `held` computes their digests; `announced`: the server said that something changed.
///
/// # Errors
/// If the server does not answer.
pub async fn reconcile(
    server: &impl Lister,
    capabilities: &RawObject,
    held: impl FnOnce() -> Held,
    announced: bool,
) -> Result<Option<Reconciled>, CallError> {
    let compares = digest::is_compared(capabilities);
    let (stated, held) = aside(WHOLE, || {
        let held = held();
        (compares.then(|| held.digest()), held)
    });
    match by_manifest(server, stated, held, announced).await {
        Ok(reconciled) => Ok(Some(reconciled)),
        Err(Unreconciled::Failed(error)) => Err(error),
        Err(Unreconciled::Useless(reason)) => {
            tracing::debug!(upstream = %server.name(), reason, "its list is fetched as a whole");
            Ok(None)
        }
    }
}

/// The list, where `stated` is the digest of what is held if the server compares digests.
async fn by_manifest(
    server: &impl Lister,
    stated: Option<Digest>,
    held: Held,
    announced: bool,
) -> Result<Reconciled, Unreconciled> {
    let params = stated.map_or_else(RawObject::empty, digest::stated);
    let manifest = all_pages(server, MANIFEST, "entries", params).await?;
    let meta = manifest.hints.as_ref().and_then(|hints| hints.meta.clone());
    let hints = manifest.hints.map(|hints| {
        let meta = hints.meta.as_ref().and_then(digest::without);
        ListHints { meta, ..hints }
    });
    if stated.is_some() && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
        return Ok(Reconciled { changed: None, hints });
    }
    let mut reconciliation = aside(WHOLE, || {
        let entries: Vec<RawObject> = manifest.items.iter().map(parsed).collect();
        Reconciliation::new(&entries, held)
    })?;
    if let Some(why) = reconciliation.why_list(announced) {
        return Err(Unreconciled::Useless(why));
    }
    fetch_changed(server, &mut reconciliation).await?;
    let changed = aside(WHOLE, || reconciliation.finish().unwrap_or_default());
    Ok(Reconciled { changed: Some(changed), hints })
}

fn parsed(text: &RawText) -> RawObject {
    RawObject::of(text).unwrap_or_default()
}

/// Fetches what changed, in pieces that the server accepts.
async fn fetch_changed(
    server: &impl Lister,
    reconciliation: &mut Reconciliation,
) -> Result<(), Unreconciled> {
    let useless = |reason: &str| Unreconciled::Useless(format!("{DESCRIBE}: {reason}"));
    let mut room = server.room().most;
    while let Some(names) = reconciliation.next_batch() {
        let params = RawObject::empty().with_value("names", &names);
        let result = match server.ask(DESCRIBE, params).await {
            Ok(result) => result,
            Err(CallError::Answered(error)) if error.code() == code::INVALID_PARAMS => {
                reconciliation.refused(&names, error.data().as_ref())?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        room = room.checked_sub(result.as_str().len()).ok_or_else(|| {
            useless(&format!("more bytes than a list may have{}", server.room().in_brackets()))
        })?;
        let taken = aside(result.as_str().len(), || {
            let tools = RawObject::of(&result).ok().and_then(|result| result.value("tools"));
            tools.map(|tools| reconciliation.accept(&names, tools))
        });
        taken.ok_or_else(|| useless("no list of objects under 'tools'"))??;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_drafts::manifest::{Held, ManifestEntry};
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        Host, Preferences,
        tests::fake::{Log, Say, able, asked, fake},
    };

    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

    /// The tool as it is in a version of the server.
    fn tool(name: &str, version: u32) -> RawObject {
        let tool = json!({"name": name, "description": format!("Version {version}."), "inputSchema": {}});
        RawObject::parse(tool.to_string()).unwrap()
    }

    /// The tools now: the first three are new.
    fn now() -> Vec<RawObject> {
        NAMES.iter().enumerate().map(|(at, name)| tool(name, u32::from(at < 3) + 1)).collect()
    }

    fn values(objects: &[RawObject]) -> Vec<Value> {
        objects.iter().map(|object| serde_json::from_str(object.text()).unwrap()).collect()
    }

    fn entries() -> Vec<Value> {
        values(&now().iter().map(|tool| ManifestEntry::of(tool).text().clone()).collect::<Vec<_>>())
    }

    /// A host that knows the first version, before a server that answers `tools/describe` by this function.
    async fn host(mut describe: impl FnMut(Vec<String>) -> Say + Send + 'static) -> (Host, Log) {
        let (link, log) = fake(move |method, params| match method {
            "initialize" => Say::Result(able(json!({"tools": {"manifest": true}}))),
            "tools/manifest" => {
                assert!(params.get("_meta").is_none(), "it compares no digests");
                Say::Result(json!({"entries": entries()}))
            }
            "tools/describe" => describe(serde_json::from_value(params["names"].clone()).unwrap()),
            _ => Say::Result(json!({"tools": values(&now())})),
        });
        let known: Vec<RawObject> = NAMES.iter().map(|name| tool(name, 1)).collect();
        (Host::connect(link, Preferences::default().knowing(known)).await.unwrap(), log)
    }

    #[tokio::test]
    async fn what_changed_is_fetched_in_pieces_that_the_server_accepts() {
        let (host, log) = host(|names| match names.len() {
            0..=2 => Say::Result(
                json!({"tools": values(&names.iter().map(|name| tool(name, 2)).collect::<Vec<_>>())}),
            ),
            _ => Say::Refusal(json!({"code": -32602, "message": "m", "data": {"maxNames": 2}})),
        })
        .await;
        assert_eq!(host.list().await.unwrap(), now());
        let expected = ["tools/manifest", "tools/describe", "tools/describe", "tools/describe"];
        assert_eq!(asked(&log), expected);
        let names = |at: usize| log.lock()[2 + at].1["names"].clone();
        assert_eq!([names(1), names(2), names(3)], [json!(["a", "b", "c"]), json!(["a", "b"]), json!(["c"])]);
        // It knows them now.
        assert_eq!(host.list().await.unwrap(), now());
        assert_eq!(asked(&log)[4..], ["tools/manifest"]);
        let latest = host.0.memory.latest().unwrap();
        assert_eq!(latest.held().digest(), Held::new(now()).digest());
    }
}
