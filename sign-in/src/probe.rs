//! Asking a server whether it asks for sign-in.

use mcp_disclosure_transport::http::{Challenge, Zone, cause};
use reqwest::{
    StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde_json::json;

use crate::{
    Error, Inner, SignIn,
    client::{TIMEOUT, http_client},
    names::Names,
};

/// What a server answers to someone who is not signed in.
#[derive(Debug)]
pub(crate) struct Probed {
    /// The status.
    pub(crate) status: StatusCode,
    /// The challenge, if there is one.
    pub(crate) challenge: Option<String>,
    /// Where the server is: by its TLS certificate it is the one that answered there.
    pub(crate) zone: Zone,
}

/// Whether the server answers 401 to someone who is not signed in.
///
/// # Errors
/// If it cannot be reached.
pub async fn asks_for_sign_in(sign_in: &SignIn) -> Result<bool, Error> {
    Ok(sign_in.0.probe().await?.status == StatusCode::UNAUTHORIZED)
}

impl Inner {
    /// The answer to `initialize` without a token.
    pub(crate) async fn probe(&self) -> Result<Probed, Error> {
        let hello = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")},
            },
        });
        // The operator chose this one, wherever it is.
        let (names, host) = (Names::least(Zone::Machine), self.url.host_str().unwrap_or_default());
        names.ask_for(host);
        let request = http_client(&names)?
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .timeout(TIMEOUT)
            .body(hello.to_string());
        // Only the head is read.
        let response = request.send().await.map_err(|error| Error::Unreachable(cause(&error)))?;
        let challenge = Challenge::of(&response).and_then(|challenge| best(challenge.headers));
        let zone = Zone::named(&self.url).or_else(|| names.zone(host)).unwrap_or_default();
        Ok(Probed { status: response.status(), challenge, zone })
    }
}

/// The challenge that says most: one for bearer tokens with the place of metadata (RFC 9728 §5.1), or one for them.
fn best(headers: Vec<String>) -> Option<String> {
    let named = headers.iter().position(|header| header.contains("resource_metadata"));
    let bearer = || headers.iter().position(|header| header.to_ascii_lowercase().starts_with("bearer"));
    named.or_else(bearer).map(|at| headers[at].clone())
}
