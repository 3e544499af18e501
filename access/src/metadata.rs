//! The metadata of this resource (RFC 9728): where clients get tokens for it.

use http::{HeaderMap, Method, header::HOST};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::Arriving;
use serde_json::json;

use crate::settings::Jwt;

/// The path of the metadata; that of the resource may follow it.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The path of the resource, where its URL is not given.
const ENDPOINT: &str = "/mcp";

/// The document, if that is what a request asks for.
pub(crate) fn document(jwt: Option<&Jwt>, request: &Arriving<'_>) -> Option<RawObject> {
    let rest = request.target.path().strip_prefix(WELL_KNOWN)?;
    let resource = resource(jwt, request.headers);
    // Where challenges lead, too: a proxy may serve this server at another path.
    let is_named = location(&resource).ends_with(request.target.path()) && !rest.is_empty();
    let is_ours = rest.is_empty() || rest == "/" || rest == ENDPOINT || rest.starts_with("/mcp/") || is_named;
    if *request.method != Method::GET || !is_ours {
        return None;
    }
    let mut document = json!({
        "resource": resource,
        "bearer_methods_supported": ["header"],
        "resource_name": "mcp-disclosure",
    });
    if let Some(jwt) = jwt {
        document["authorization_servers"] = json!([jwt.issuer]);
        if !jwt.required_scopes.is_empty() {
            document["scopes_supported"] = json!(jwt.required_scopes);
        }
    }
    RawObject::parse(document.to_string()).ok()
}

/// The URL of this resource: the audience of tokens, if that is one, else where the client found it.
fn resource(jwt: Option<&Jwt>, headers: &HeaderMap) -> String {
    let audience = jwt.map(|jwt| jwt.audience.as_str());
    let is_url = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
    audience.filter(is_url).map_or_else(
        || {
            // The front has checked that it names this server.
            let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
            format!("http://{host}{ENDPOINT}")
        },
        str::to_owned,
    )
}

/// Where a client finds the document.
pub(crate) fn location_for(jwt: Option<&Jwt>, headers: &HeaderMap) -> String {
    location(&resource(jwt, headers))
}

/// Where the document of a resource is: its path follows the well-known one (RFC 9728 §3.1).
fn location(resource: &str) -> String {
    let (scheme, rest) = resource.split_once("://").unwrap_or(("http", resource));
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    match path {
        "" => format!("{scheme}://{authority}{WELL_KNOWN}"),
        path => format!("{scheme}://{authority}{WELL_KNOWN}/{path}"),
    }
}
