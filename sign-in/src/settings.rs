//! What an operator decides about signing in to a server, and texts that are not shown.

use std::fmt;

use mcp_disclosure_core::digest::hex;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How this program gets tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Grant {
    /// A person signs in, in a browser.
    #[default]
    AuthorizationCode,
    /// This program signs in by itself, with an id and a secret.
    ClientCredentials,
}

/// How to sign in to a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How tokens are obtained.
    pub grant: Grant,
    /// The id under which the authorization server knows this program; without one, it is registered.
    pub client_id: Option<String>,
    /// The secret that belongs to the id.
    pub client_secret: Option<Secret>,
    /// The scopes to ask for, instead of those that the server names.
    pub scopes: Vec<String>,
}

impl Settings {
    /// Everything that distinguishes the tokens of a server, except secrets.
    pub(crate) fn account(&self, url: &Url) -> String {
        serde_json::json!([url.as_str(), self.grant, self.client_id]).to_string()
    }

    /// What distinguishes one sign-in from another, as a digest: secrets are part of it.
    pub(crate) fn identity(&self, url: &Url, command: &str) -> String {
        let secret = self.client_secret.as_ref().map(Secret::reveal);
        let whole = serde_json::json!([self.account(url), secret, self.scopes, command]).to_string();
        hex(&Sha256::digest(whole))
    }
}

/// A text that is not shown in logs and errors.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}
