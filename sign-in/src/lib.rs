//! Signing in to MCP servers that ask for it, as MCP's authorization chapter says: OAuth 2.1 with PKCE, dynamic
//! registration, resource indicators and refresh, or client credentials.
//!
//! The protocol is `rmcp`'s ([`rmcp::transport::auth`]). This crate adds what a long-running program in front of many
//! clients needs: limits on what authorization servers can send and where they can be (`client`), checks of what they say (`party`), tokens in
//! files that several processes share (`store`), and the redirect to this machine (`login`).
//!
//! Start at [`SignIn`]: it is the [`Authorization`](mcp_disclosure_transport::http::Authorization) of one server, and
//! [`SignIn::begin`] lets a person sign in.

mod client;
mod error;
mod login;
mod party;
mod renewal;
mod settings;
mod store;

use std::{path::PathBuf, sync::Arc};

pub use error::Error;
pub use login::{Answer, Begun, PATIENCE};
use parking_lot::Mutex;
pub use party::asks_for_sign_in;
use renewal::Renewing;
use reqwest::{Url, header::AUTHORIZATION};
pub use settings::{Grant, Secret, Settings};
use store::{Saved, Seen, Store};
pub use store::{SignedIn, folder_of_user};

use mcp_disclosure_transport::http::{Endpoint, Zone, without_secrets};

/// How requests to one server are authorized: by the tokens in a file, which are renewed as needed.
#[derive(Clone, Debug)]
pub struct SignIn(Arc<Inner>);

struct Inner {
    /// The server's URL, without user info, query and fragment.
    url: Url,
    settings: Settings,
    store: Store,
    /// What a person runs to sign in.
    command: String,
    identity: String,
    last: Mutex<Last>,
    renewing: Mutex<Renewing>,
}

/// Omits tokens and secrets.
impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Inner").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// The file as it was when it was last read.
#[derive(Clone, Debug, Default)]
struct Last {
    seen: Option<Seen>,
    saved: Option<Saved>,
}

impl SignIn {
    /// Signs in to this endpoint, with tokens in this folder; `command` is what a person runs for that. `None` where requests
    /// are authorized by something else, a header or user info in the URL, and where tokens would cross a network by plain HTTP.
    pub fn new(endpoint: &Endpoint, settings: Settings, folder: PathBuf, command: String) -> Option<Self> {
        let Endpoint { url, headers, .. } = endpoint;
        let is_open =
            !headers.contains_key(AUTHORIZATION) && url.username().is_empty() && url.password().is_none();
        if !is_open || !client::is_safe(url, Zone::named(url).unwrap_or_default()) {
            return None;
        }
        let url = without_secrets(url);
        let store = Store::new(folder, &url, &settings);
        let identity = settings.identity(&url, &command);
        let (last, renewing) = (Mutex::default(), Mutex::default());
        Some(Self(Arc::new(Inner { url, settings, store, command, identity, last, renewing })))
    }

    /// Who is signed in, if anybody is.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn signed_in(&self) -> Result<Option<SignedIn>, Error> {
        Ok(self.0.load()?.map(|saved| saved.summary(&self.0.store.file)))
    }

    /// Whether the server is signed in to by this program itself, without a person.
    pub fn is_of_service(&self) -> bool {
        self.0.settings.grant == Grant::ClientCredentials
    }

    /// What a person runs to sign in.
    pub fn command(&self) -> &str {
        &self.0.command
    }

    /// Forgets the tokens. Returns whether there were any.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub async fn forget(&self) -> Result<bool, Error> {
        let _lock = self.0.store.lock().await?;
        self.0.store.remove()
    }
}
