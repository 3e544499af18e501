//! Requests that are served as others: those that name a server variant (SEP-2053), by that strategy; those of pages (MCP Apps), which
//! use the names of their own server (docs/CONTRACT.md S14).

use mcp_disclosure_core::{RawObject, UpstreamName};
use mcp_disclosure_drafts::variants::{requested, without_variant};
use mcp_disclosure_transport::{ErrorText, Request};

use super::{Caller, Gateway, RequestContext};
use crate::{DRAFTS, catalogue::Page};

impl Gateway {
    /// The caller and the request as served by the variant that the request names; `None` if it names none. Upstreams do
    /// not see the name.
    ///
    /// # Errors
    /// -32602 if the caller cannot choose the variant.
    pub(super) fn varied(
        &self,
        caller: &Caller,
        request: &Request,
    ) -> Result<Option<(Caller, Request)>, ErrorText> {
        let Some(variant) = requested(&request.params).filter(|_| DRAFTS) else { return Ok(None) };
        let mut varied = caller.clone();
        // The caller of a stateless request is made for the variant already, if it may choose that.
        varied.choice = self.common.strategies.vary(&caller.choice, caller.principal.permits(), &variant)?;
        let request = Request { params: without_variant(&request.params), ..request.clone() };
        Ok(Some((varied, request)))
    }
}

/// Whether a page of its own server calls this tool.
pub(super) fn is_by_page(cx: &RequestContext<'_>, tool: &str) -> bool {
    let called = || cx.page.view.tool(tool).map(|tool| tool.tool().upstream());
    asking(cx.page, cx.params).is_some_and(|upstream| called() == Some(upstream))
}

/// The upstream whose page sends a request: a host says in `_meta.ui.resourceUri` which page does.
fn asking<'p>(page: &'p Page, params: &RawObject) -> Option<&'p UpstreamName> {
    let asking = params.meta()?.object("ui")?.string("resourceUri")?;
    page.view.upstream_of_page(&asking)
}

/// The parameters of a page's request, with the names by which clients know what the page's own server calls by them; `None` if no
/// page is said to ask.
pub(super) fn of_page(method: &str, page: &Page, params: &RawObject) -> Option<RawObject> {
    let upstream = asking(page, params)?;
    match method {
        "tools/call" => {
            let tool = page.view.tool_of(upstream, &params.string("name")?)?;
            Some(params.with_value("name", tool.name()))
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let uri = params.string("uri")?;
            Some(params.with_value("uri", &page.view.served_uri(upstream, &uri)))
        }
        _ => None,
    }
}
