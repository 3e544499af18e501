//! Requests of pages (MCP Apps), which use the names of their own server: a host says which page asks in `_meta.ui.resourceUri`
//! (docs/CONTRACT.md S14).

use mcp_disclosure_core::RawObject;

use crate::catalogue::Page;

/// The parameters of a page's request, with the names by which clients know what the page's own server calls by them; `None` if no
/// page is said to ask.
pub(super) fn of_page(method: &str, page: &Page, params: &RawObject) -> Option<RawObject> {
    let asking = params.object("_meta")?.object("ui")?.string("resourceUri")?;
    let upstream = page.view.upstream_of_page(&asking)?;
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
