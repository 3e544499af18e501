//! Whether a server asks for sign-in, and its authorization server: found, and checked before anything is sent to it.

use std::sync::Arc;

use mcp_disclosure_transport::http::{Challenge, Zone, cause};
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE},
};
use rmcp::transport::auth::{AuthorizationManager, AuthorizationMetadata, InMemoryCredentialStore};
use serde_json::json;

use crate::{
    Error, Grant, Inner, Settings, SignIn,
    client::{BoundedClient, Names, TIMEOUT, http_client, is_safe},
    error::short,
};

/// An authorization server, and the protocol with it.
pub(crate) struct Party {
    pub(crate) manager: AuthorizationManager,
    pub(crate) metadata: AuthorizationMetadata,
    /// Where the manager keeps tokens.
    pub(crate) tokens: InMemoryCredentialStore,
}

impl Party {
    /// Finds the authorization server of the server at this URL and in this zone, by its challenge if there is one.
    ///
    /// # Errors
    /// If there is none, or its metadata is wrong or does not support this grant.
    pub(crate) async fn find(
        url: &Url,
        zone: Zone,
        challenge: Option<&str>,
        grant: Grant,
    ) -> Result<Self, Error> {
        let zone = Zone::named(url).unwrap_or(zone);
        let client = Arc::new(BoundedClient::new(zone)?);
        let mut manager = AuthorizationManager::new_with_oauth_http_client(url.clone(), client).await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await?;
        if !found.source.is_discovered() {
            return Err(Error::NoMetadata);
        }
        check(&found.metadata, zone, grant)?;
        let tokens = InMemoryCredentialStore::new();
        manager.set_credential_store(tokens.clone());
        manager.set_metadata(found.metadata.clone());
        Ok(Self { manager, metadata: found.metadata, tokens })
    }

    /// The configured scopes, else those that the server names.
    pub(crate) async fn scopes(&self, settings: &Settings) -> Vec<String> {
        match settings.scopes.is_empty() {
            true => self.manager.select_initial_scopes(&[]).await,
            false => settings.scopes.clone(),
        }
    }

    /// The issuer, which discovery has compared with where the metadata was found.
    pub(crate) fn issuer(&self) -> &str {
        self.metadata.issuer.as_deref().unwrap_or_default()
    }
}

fn check(metadata: &AuthorizationMetadata, zone: Zone, grant: Grant) -> Result<(), Error> {
    let registration = metadata.registration_endpoint.as_deref();
    let endpoints = [
        ("issuer", metadata.issuer.as_deref()),
        ("authorization endpoint", Some(&*metadata.authorization_endpoint)),
        ("token endpoint", Some(&*metadata.token_endpoint)),
        ("registration endpoint", registration),
    ];
    for (what, text) in endpoints {
        let Some(text) = text else { continue };
        let url = Url::parse(text);
        if !url.as_ref().is_ok_and(|url| is_safe(url, zone)) {
            let is_closer = url.ok().as_ref().and_then(Zone::named).is_some_and(|named| named < zone);
            let private = "is at a private address, and the server is not";
            let why = if is_closer { private } else { "is not an https URL" };
            return Err(Error::Endpoint { what, why, url: short(text) });
        }
    }
    if metadata.issuer.is_none() {
        return Err(Error::NoMetadata);
    }
    let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    // MCP: without this member a server does not support PKCE, and clients must not go on.
    if grant == Grant::AuthorizationCode && !methods.iter().any(|method| method == "S256") {
        return Err(Error::NoPkce);
    }
    Ok(())
}

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
