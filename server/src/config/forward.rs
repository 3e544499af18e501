//! Headers of callers that an upstream is sent.

use mcp_disclosure_gateway::backend::Scope;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};

use super::{UpstreamEntry, Wrong};

impl UpstreamEntry {
    /// The headers of callers that it is sent. Adds what is wrong with them.
    pub(super) fn forwarded(&self, own: &HeaderMap, wrong: &mut Vec<Wrong>) -> Vec<HeaderName> {
        let mut names = Vec::new();
        let mut is_wrong = |message: String, hint: &str| wrong.push(Wrong::of("forward", message, hint));
        for name in &self.forward {
            match HeaderName::try_from(name) {
                Ok(name) if is_of_the_transport(&name) => is_wrong(
                    format!("forward: '{name}' is a header of the connection itself"),
                    "name headers that callers give a meaning of their own",
                ),
                Ok(name) if own.contains_key(&name) => is_wrong(
                    format!("forward: '{name}' is one of its headers as well"),
                    "keep one of the two",
                ),
                Ok(name) => names.push(name),
                Err(_) => {
                    is_wrong(format!("forward: '{name}' is no name of a header"), "such as \"x-user-token\"");
                }
            }
        }
        if !self.forward.is_empty() && self.scope != Some(Scope::Session) {
            let hint = "add scope = \"session\": callers that share a connection would share what it is sent";
            is_wrong("forward needs connections of each caller's own".to_owned(), hint);
        }
        match (names.contains(&AUTHORIZATION), self.forward_authorization) {
            (true, false) => is_wrong(
                "forward: the upstream would get tokens that were issued for this gateway, and could use them wherever they are accepted; MCP forbids that".to_owned(),
                "sign in to it with oauth instead, or accept the risk by forward_authorization = true",
            ),
            (false, true) => is_wrong(
                "forward_authorization has no effect: forward does not name \"authorization\"".to_owned(),
                "add it, or leave both out",
            ),
            _ => {}
        }
        if names.contains(&AUTHORIZATION) && self.oauth.is_some() {
            is_wrong("forward: \"authorization\" beside oauth".to_owned(), "keep one of the two");
        }
        names
    }
}

/// Whether the connection to an upstream sets a header, or it is one hop's only.
fn is_of_the_transport(name: &HeaderName) -> bool {
    const OWN: [&str; 16] = [
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "last-event-id",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    OWN.contains(&name.as_str()) || name.as_str().starts_with("mcp-")
}
