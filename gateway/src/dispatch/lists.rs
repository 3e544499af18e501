//! Lists of tools, resources and prompts; manifests of complete lists of tools (SEP-2636), and definitions by name.

use std::sync::Arc;

use mcp_disclosure_core::{
    Kind, Note, RawObject,
    given::{self, MOST_NAMES, shown},
};
use mcp_disclosure_drafts::manifest::{DESCRIBE, MANIFEST, digest};
use mcp_disclosure_transport::ErrorText;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{Answer, Caller, Gateway, common::panicked};
use crate::{
    catalogue::{Page, PreparedManifest},
    dialect::{Filter, complete},
};

/// Steps that are made on a worker that serves others: comparisons of a name with a pattern.
const MOST_STEPS: usize = 1_000;

/// The steps that an entry of a manifest counts as: its definition is parsed and digested.
const ENTRY_STEPS: usize = 10;

impl Gateway {
    /// `tools/list`.
    pub(super) async fn list_tools(&self, caller: &Caller, page: &Arc<Page>, params: &RawObject) -> Answer {
        let filter = Filter::read(params, &self.common.limits)?;
        let compares = digest::is_comparable(params);
        let Some(filter) = filter else {
            no_cursor(params)?;
            self.sessions.delivered(caller, page.delivers.clone()).await?;
            let list = self.listed(caller, page, Kind::Tools, params)?;
            return Ok(if compares { page.comparable_tools() } else { list });
        };
        no_cursor(params)?;
        let work = page.tool_count() * filter.patterns();
        let own = Arc::clone(page);
        let matching = move || own.matching(compares, |name| filter.admits(name));
        let (names, result) = aside("tools/list", work, matching).await?;
        self.sessions.delivered(caller, page.delivers_of(&names)).await?;
        caller.identified(|who| self.common.observer.filtered(&who, page, &names));
        Ok(result)
    }

    /// `tools/manifest`, where there is one.
    pub(super) async fn list_manifest(&self, page: &Arc<Page>, params: &RawObject) -> Answer {
        no_cursor(params)?;
        let stated = digest::stated_in(params);
        let result = move |prepared: &PreparedManifest| match stated {
            Some(stated) if stated == prepared.manifest.digest() => prepared.unchanged.clone(),
            _ => prepared.result.clone(),
        };
        of_manifest(page, MANIFEST, result).await
    }

    /// `tools/describe` of SEP-2636, where there is a manifest.
    pub(super) async fn describe_tools(
        &self,
        caller: &Caller,
        page: &Arc<Page>,
        params: &RawObject,
    ) -> Answer {
        let names = self.described(params)?;
        let wanted = names.clone();
        let described = move |prepared: &PreparedManifest| prepared.manifest.described(&wanted);
        let described = of_manifest(page, DESCRIBE, described).await?;
        let described = described.map_err(|unknown| {
            let unknown: Vec<_> = unknown.iter().map(|name| shown(name)).collect();
            ErrorText::invalid_params("Unknown tool names").with_data(&json!({"unknownNames": unknown}))
        })?;
        self.sessions.delivered(caller, page.delivers_of(&names)).await?;
        caller.identified(|who| self.common.observer.noted(&who, Note::Delivered));
        Ok(complete(caller.era(), described.into()))
    }

    /// The names in the parameters of `tools/describe`.
    fn described(&self, params: &RawObject) -> Result<Vec<String>, ErrorText> {
        let most = self.common.limits.describe_names.min(MOST_NAMES);
        let read = || -> Option<Vec<_>> {
            given::items(params.member("names")?, most)?.into_iter().map(given::string).collect()
        };
        let names =
            read().ok_or_else(|| ErrorText::invalid_params("params.names must be an array of strings"))?;
        if names.is_empty() {
            return Err(
                ErrorText::invalid_params("params.names is empty").with_data(&json!({"reason": "empty"}))
            );
        }
        if names.len() > most {
            let message =
                format_args!("params.names has more than {most} names; at most {most} are described at once");
            return Err(ErrorText::invalid_params(message).with_data(&json!({"maxNames": most})));
        }
        Ok(names.iter().map(|name| given::beginning(name).to_owned()).collect())
    }

    /// A list, as it is prepared.
    pub(super) fn listed(&self, caller: &Caller, page: &Arc<Page>, kind: Kind, params: &RawObject) -> Answer {
        no_cursor(params)?;
        caller.identified(|who| self.common.observer.listed(&who, kind, page));
        Ok(page.list(kind))
    }
}

/// Takes something from the manifest of a page that has one.
async fn of_manifest<T: Send + 'static>(
    page: &Arc<Page>,
    method: &str,
    take: impl FnOnce(&PreparedManifest) -> T + Send + 'static,
) -> Result<T, ErrorText> {
    let work = if page.is_prepared() { 0 } else { ENTRY_STEPS * page.tool_count() };
    let own = Arc::clone(page);
    let taken = aside(method, work, move || own.manifest().map(take)).await?;
    taken.ok_or_else(ErrorText::method_not_found)
}

/// Does work of this many steps, beside the workers that serve clients if it is much.
async fn aside<T: Send + 'static>(
    method: &str,
    steps: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorText> {
    if steps <= MOST_STEPS {
        return Ok(work());
    }
    spawn_blocking(work).await.map_err(|_| panicked(method))
}

/// Lists are returned in one page, so no cursor is ever issued. `null` stands for none, as in `groups/list`.
pub(super) fn no_cursor(params: &RawObject) -> Result<(), ErrorText> {
    match params.member("cursor").filter(|given| *given != "null") {
        None => Ok(()),
        Some(_) => {
            Err(ErrorText::invalid_params("params.cursor is not one of ours: lists are sent in one page"))
        }
    }
}
