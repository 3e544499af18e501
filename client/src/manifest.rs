//! Lists that are brought up to date by a manifest (SEP-2636).

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_drafts::manifest::{DESCRIBE, MANIFEST, Mismatch, Reconciliation, digest, is_offered};
use tokio::task::spawn_blocking;

use crate::{Error, definition::Listed, describe::INVALID_PARAMS, host::Inner};

/// How often it is tried: the list may change between the manifest and the definitions.
const TRIES: usize = 2;

impl Inner {
    /// The list of tools, made of those that are held and those that changed since. `None` if the whole list has to be
    /// requested: nothing is held, or the server offers no manifest that fits.
    pub(crate) async fn reconciled(&self) -> Result<Option<Arc<Listed>>, Error> {
        let Some(latest) = self.memory.latest().filter(|latest| !latest.tools.is_empty()) else {
            return Ok(None);
        };
        if !is_offered(&self.server.capabilities) {
            return Ok(None);
        }
        let own = Arc::clone(&latest);
        // What fails here is made, and fails, when it is used.
        let _ = spawn_blocking(move || _ = own.held()).await;
        for _ in 0..TRIES {
            match self.reconcile(&latest).await {
                Ok(Some(list)) => return Ok(Some(list)),
                Ok(None) => {}
                // Its lists may still be in order.
                Err(Error::Answered { .. } | Error::InvalidResponse { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// One attempt; `None` if what was delivered is not what the manifest says.
    async fn reconcile(&self, latest: &Arc<Listed>) -> Result<Option<Arc<Listed>>, Error> {
        let compares = digest::is_compared(&self.server.capabilities);
        let params = if compares { digest::stated(latest.held().digest()) } else { RawObject::empty() };
        let (entries, meta) = self.pages_from(MANIFEST, "entries", params).await?;
        if compares && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
            return Ok(Some(Arc::clone(latest)));
        }
        let Ok(mut reconciliation) = Reconciliation::new(&entries, latest.held().clone()) else {
            return Ok(None);
        };
        if reconciliation.why_list(self.memory.is_announced()).is_some() {
            return self.whole().await.map(Some);
        }
        match self.fetch_changed(&mut reconciliation).await? {
            Ok(()) => Ok(reconciliation.finish().map(Listed::of).map(Arc::new)),
            Err(_mismatch) => Ok(None),
        }
    }

    /// Fetches what changed, in pieces that the server accepts.
    async fn fetch_changed(
        &self,
        reconciliation: &mut Reconciliation,
    ) -> Result<Result<(), Mismatch>, Error> {
        while let Some(names) = reconciliation.next_batch() {
            let result = match self.ask(DESCRIBE, RawObject::empty().with_value("names", &names)).await {
                Ok(result) => result,
                Err(Error::Answered { error, .. }) if error.code == INVALID_PARAMS => {
                    match reconciliation.refused(&names, error.object.object("data").as_ref()) {
                        Ok(()) => continue,
                        Err(vanished) => return Ok(Err(vanished)),
                    }
                }
                Err(error) => return Err(error),
            };
            let tools = result.member("tools").and_then(|text| serde_json::from_str(text).ok());
            let invalid = || Error::InvalidResponse {
                method: DESCRIBE.to_owned(),
                what: "no list of objects under 'tools'".to_owned(),
            };
            if let Err(mismatch) = reconciliation.accept(&names, tools.ok_or_else(invalid)?) {
                return Ok(Err(mismatch));
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_drafts::manifest::{Held, ManifestEntry};
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        Host, Preferences,
        fake::{Log, Say, asked, fake},
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
    async fn host(describe: impl FnMut(Vec<String>) -> Say + Send + 'static) -> (Host, Log) {
        host_knowing(&NAMES, describe).await
    }

    /// The same that knows the tools of these names.
    async fn host_knowing(
        known: &[&str],
        mut describe: impl FnMut(Vec<String>) -> Say + Send + 'static,
    ) -> (Host, Log) {
        let (link, log) = fake(move |method, params| match method {
            "initialize" => Say::Result(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"manifest": true}},
                "serverInfo": {"name": "fake", "version": "1"},
            })),
            "tools/manifest" => {
                assert!(params.get("_meta").is_none(), "it compares no digests");
                Say::Result(json!({"entries": entries()}))
            }
            "tools/describe" => describe(serde_json::from_value(params["names"].clone()).unwrap()),
            _ => Say::Result(json!({"tools": values(&now())})),
        });
        let known: Vec<RawObject> = known.iter().map(|name| tool(name, 1)).collect();
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

    #[tokio::test]
    async fn m1_names_that_come_or_go_are_confirmed_by_the_list() {
        for known in [&["a", "b"][..], &["a", "b", "c", "d", "e", "f", "g", "h", "i"], &["i"]] {
            let (host, log) = host_knowing(known, |_| Say::Error(-32601, "m")).await;
            assert_eq!(host.list().await.unwrap(), now());
            assert_eq!(asked(&log), ["tools/manifest", "tools/list"]);
        }
    }

    #[tokio::test]
    async fn what_does_not_fit_is_tried_once_more_and_then_listed() {
        let old = |names: Vec<String>| {
            Say::Result(json!({"tools": values(&names.iter().map(|name| tool(name, 1)).collect::<Vec<_>>())}))
        };
        let vanished =
            |_| Say::Refusal(json!({"code": -32602, "message": "m", "data": {"unknownNames": ["a"]}}));
        for (host, log) in [host(old).await, host(vanished).await] {
            assert_eq!(host.list().await.unwrap(), now());
            let expected =
                ["tools/manifest", "tools/describe", "tools/manifest", "tools/describe", "tools/list"];
            assert_eq!(asked(&log), expected);
        }
        let (host, log) = host(|_| Say::Error(-32601, "m")).await;
        assert_eq!(host.list().await.unwrap(), now());
        assert_eq!(asked(&log), ["tools/manifest", "tools/describe", "tools/list"]);
    }
}
