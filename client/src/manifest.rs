//! Lists that are brought up to date by a manifest (SEP-2636).

use mcp_disclosure_core::{
    RawObject, Reconciliation,
    manifest::{DESCRIBE, Held, MANIFEST, MOST_NAMES, Mismatch, digest, is_offered},
};

use crate::{Error, describe::INVALID_PARAMS, host::Inner};

/// How often it is tried: the list may change between the manifest and the definitions.
const TRIES: usize = 2;

impl Inner {
    /// The list of tools, made of those that are held and those that changed since. `None` if the whole list has to be
    /// requested: nothing is held, the server offers no manifest, or most has changed.
    pub(crate) async fn reconciled(&self) -> Result<Option<Vec<RawObject>>, Error> {
        let latest = self.memory.latest();
        let held = latest.as_ref().map_or(&self.preferences.known_tools, |latest| &latest.tools);
        if held.is_empty() || !is_offered(&self.server.capabilities) {
            return Ok(None);
        }
        let held = Held::new(held.to_vec());
        for _ in 0..TRIES {
            match self.reconcile(held.clone()).await {
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
    async fn reconcile(&self, held: Held) -> Result<Option<Vec<RawObject>>, Error> {
        let compares = digest::is_compared(&self.server.capabilities);
        let params = if compares { digest::stated(held.digest()) } else { RawObject::empty() };
        let (entries, meta) = self.pages_from(MANIFEST, "entries", params).await?;
        if compares && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
            return Ok(Some(held.into_tools()));
        }
        let Ok(mut reconciliation) = Reconciliation::new(&entries, held) else { return Ok(None) };
        let (changed, all) = reconciliation.bytes();
        if 2 * changed > all {
            return Ok(Some(self.pages("tools/list", "tools").await?));
        }
        match self.fetch_changed(&mut reconciliation).await? {
            Ok(()) => Ok(reconciliation.finish()),
            Err(_mismatch) => Ok(None),
        }
    }

    /// Fetches what changed, in pieces that the server accepts.
    async fn fetch_changed(
        &self,
        reconciliation: &mut Reconciliation,
    ) -> Result<Result<(), Mismatch>, Error> {
        let mut most = MOST_NAMES;
        loop {
            let batches = reconciliation.batches(most);
            let Some(names) = batches.first() else { return Ok(Ok(())) };
            let result = match self.ask(DESCRIBE, RawObject::empty().with_value("names", names)).await {
                Ok(result) => result,
                Err(Error::Answered { error, .. }) if error.code == INVALID_PARAMS => {
                    let data = error.object.object("data");
                    let bound = data.and_then(|data| data.member("maxNames")?.parse::<usize>().ok());
                    match bound.filter(|bound| (1..names.len()).contains(bound)) {
                        Some(bound) => most = bound,
                        None => return Ok(Err(Mismatch { tool: names[0].clone(), what: "a name" })),
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            let tools = result.member("tools").and_then(|text| serde_json::from_str(text).ok());
            let invalid = || Error::InvalidResponse {
                method: DESCRIBE.to_owned(),
                what: "no list of objects under 'tools'".to_owned(),
            };
            if let Err(mismatch) = reconciliation.accept(names, tools.ok_or_else(invalid)?) {
                return Ok(Err(mismatch));
            }
        }
    }
}
