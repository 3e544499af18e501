//! What is kept of a sign-in.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use mcp_disclosure_transport::http::Zone;
use oauth2::TokenResponse;
use reqwest::header::HeaderValue;
use rmcp::transport::auth::{OAuthTokenResponse, StoredCredentials};
use serde::{Deserialize, Serialize};

use crate::{Error, Secret};

/// Tokens are renewed this long before they expire, or for a quarter of their life where that is less.
const EARLY: Duration = Duration::from_secs(30);

/// The content of a file of tokens.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Saved {
    /// The server, for people who look into the file.
    pub(crate) url: String,
    /// The issuer of the tokens; they are sent to no other.
    pub(crate) issuer: String,
    /// The secret that belongs to the client's id, if it got one when it was registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<Secret>,
    /// The challenge that led to the issuer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) challenge: Option<String>,
    /// Where the server was when it sent that. It cannot move closer later, to reach what is there.
    #[serde(default)]
    pub(crate) zone: Zone,
    pub(crate) credentials: StoredCredentials,
}

/// What is known of a sign-in, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The issuer of the tokens.
    pub issuer: String,
    /// What was granted.
    pub scopes: Vec<String>,
    /// When the access token expires, if its issuer said so.
    pub until: Option<SystemTime>,
    /// Whether it is renewed without a person.
    pub renews: bool,
    /// The file.
    pub file: PathBuf,
}

impl Saved {
    /// The access token, as a header.
    ///
    /// # Errors
    /// [`Error::OtherTokens`] if it cannot be one.
    pub(crate) fn header(&self) -> Result<HeaderValue, Error> {
        let token = self.tokens()?.access_token().secret();
        let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| Error::OtherTokens)?;
        header.set_sensitive(true);
        Ok(header)
    }

    pub(crate) fn has_refresh_token(&self) -> bool {
        self.tokens().is_ok_and(|tokens| tokens.refresh_token().is_some())
    }

    /// Whether the access token is good for a while.
    pub(crate) fn is_fresh(&self) -> bool {
        let early = self.life().map_or(EARLY, |life| EARLY.min(life / 4));
        self.is_valid_in(early)
    }

    /// Whether the access token has not expired.
    pub(crate) fn is_valid(&self) -> bool {
        self.is_valid_in(Duration::ZERO)
    }

    pub(crate) fn summary(&self, file: &Path) -> SignedIn {
        SignedIn {
            issuer: self.issuer.clone(),
            scopes: self.credentials.granted_scopes.clone(),
            until: self.until(),
            renews: self.has_refresh_token(),
            file: file.to_owned(),
        }
    }

    fn tokens(&self) -> Result<&OAuthTokenResponse, Error> {
        self.credentials.token_response.as_ref().ok_or(Error::NotSignedIn)
    }

    fn life(&self) -> Option<Duration> {
        self.tokens().ok()?.expires_in()
    }

    fn until(&self) -> Option<SystemTime> {
        let received = UNIX_EPOCH.checked_add(Duration::from_secs(self.credentials.token_received_at?))?;
        received.checked_add(self.life()?)
    }

    fn is_valid_in(&self, early: Duration) -> bool {
        self.until().is_none_or(|until| SystemTime::now().checked_add(early).is_some_and(|then| then < until))
    }
}
