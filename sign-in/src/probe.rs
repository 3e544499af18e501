//! Asking a server whether it asks for sign-in.

use mcp_disclosure_transport::http::Challenge;
use reqwest::{
    StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde_json::json;

use crate::{
    Error, Inner, SignIn,
    client::{TIMEOUT, http_client},
};

/// Whether the server answers 401 to someone who is not signed in.
///
/// # Errors
/// If it cannot be reached.
pub async fn asks_for_sign_in(sign_in: &SignIn) -> Result<bool, Error> {
    Ok(sign_in.0.probe().await?.0 == StatusCode::UNAUTHORIZED)
}

impl Inner {
    /// The status of the answer to `initialize` without a token, and the challenge in it.
    pub(crate) async fn probe(&self) -> Result<(StatusCode, Option<String>), Error> {
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
        let request = http_client()?
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .timeout(TIMEOUT)
            .body(hello.to_string());
        // Only the head is read.
        let response =
            request.send().await.map_err(|error| Error::Unreachable(causes(&error.without_url())))?;
        let challenge = Challenge::of(&response).and_then(|challenge| best(challenge.headers));
        Ok((response.status(), challenge))
    }
}

/// The challenge that says most: one for bearer tokens with the place of metadata (RFC 9728 §5.1), or one for them.
fn best(headers: Vec<String>) -> Option<String> {
    let named = headers.iter().position(|header| header.contains("resource_metadata"));
    let bearer = || headers.iter().position(|header| header.to_ascii_lowercase().starts_with("bearer"));
    named.or_else(bearer).map(|at| headers[at].clone())
}

fn causes(error: &reqwest::Error) -> String {
    let all = std::iter::successors(Some(error as &dyn std::error::Error), |cause| cause.source());
    all.last().map(ToString::to_string).unwrap_or_default()
}
