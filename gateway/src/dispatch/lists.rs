//! Lists of tools, resources and prompts; manifests of complete lists of tools (SEP-2636), and definitions by name.

use mcp_disclosure_core::{
    Kind, Note, RawObject,
    given::{self, MOST_NAMES, shown},
};
use mcp_disclosure_drafts::manifest::digest;
use mcp_disclosure_transport::{ErrorText, beside::aside};
use serde_json::json;

use super::{Answer, Gateway, RequestContext};
use crate::{
    catalogue::{Page, PreparedManifest},
    dialect::{Filter, complete},
};

/// The comparison of a name with a pattern takes as long as the reading of this many bytes.
const COMPARED_BYTES: usize = 256;

/// The same for an entry of a manifest: its definition is parsed and digested.
const ENTRY_BYTES: usize = 10 * COMPARED_BYTES;

impl Gateway {
    /// `tools/list`.
    pub(super) async fn list_tools(&self, cx: &RequestContext<'_>) -> Answer {
        let params = cx.params;
        let filter = Filter::read(params, &self.common.limits)?;
        no_cursor(params)?;
        let compares = digest::is_comparable(params);
        let Some(filter) = filter else {
            self.sessions.delivered(cx, cx.page.delivers.clone()).await?;
            self.common.observer.listed(&cx.who(), cx.page, None);
            return Ok(cx.page.tools.result(compares));
        };
        let work = cx.page.tool_count() * filter.patterns() * COMPARED_BYTES;
        let (names, result) = aside(work, || cx.page.tools.matching(compares, |name| filter.admits(name)));
        self.sessions.delivered(cx, cx.page.delivers_of(&names)).await?;
        self.common.observer.listed(&cx.who(), cx.page, Some(&names));
        Ok(result)
    }

    /// `tools/describe` of SEP-2636, where there is a manifest.
    pub(super) async fn describe_tools(&self, cx: &RequestContext<'_>) -> Answer {
        let names = self.described(cx.params)?;
        let described = manifest_of(cx.page)?.manifest.described(&names).map_err(|unknown| {
            let unknown: Vec<_> = unknown.iter().map(|name| shown(name)).collect();
            ErrorText::invalid_params("Unknown tool names").with_data(&json!({"unknownNames": unknown}))
        })?;
        self.sessions.delivered(cx, cx.page.delivers_of(&names)).await?;
        self.common.observer.noted(&cx.who(), Note::Delivered);
        Ok(complete(cx.era(), described.into()))
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
}

/// A list, as it is prepared.
pub(super) fn listed(cx: &RequestContext<'_>, kind: Kind) -> Answer {
    no_cursor(cx.params)?;
    Ok(cx.page.list(kind))
}

/// `tools/manifest`, where there is one.
pub(super) fn list_manifest(cx: &RequestContext<'_>) -> Answer {
    no_cursor(cx.params)?;
    let PreparedManifest { manifest, result, unchanged } = manifest_of(cx.page)?;
    match digest::stated_in(cx.params) {
        Some(stated) if stated == manifest.digest() => Ok(unchanged.clone()),
        _ => Ok(result.clone()),
    }
}

/// The manifest of a page that has one.
fn manifest_of(page: &Page) -> Result<&PreparedManifest, ErrorText> {
    let work = if page.tools.is_prepared() { 0 } else { page.tool_count() * ENTRY_BYTES };
    aside(work, || page.manifest()).ok_or_else(ErrorText::method_not_found)
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
