//! A person signs in.

use std::time::Duration;

use mcp_disclosure_transport::http::Zone;
use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthError, CredentialStore, OAuthClientConfig};

use crate::{
    Answer, Error, Secret, SignIn, SignedIn,
    callback::Listener,
    client::parameter,
    party::{Party, Probed},
    saved::Saved,
};

/// How long a person has, from when the URL is shown.
pub const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// The name under which this program is registered.
const CLIENT_NAME: &str = "mcp-disclosure";

/// An attempt that waits for a person.
pub struct Begun {
    /// Where the person signs in.
    pub url: String,
    /// The state of this attempt, which pasted URLs must have.
    pub state: String,
    sign_in: SignIn,
    party: Party,
    listener: Option<Listener>,
    client_secret: Option<Secret>,
    challenge: Option<String>,
    zone: Zone,
}

impl std::fmt::Debug for Begun {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Begun").field("sign_in", &self.sign_in.0.url.as_str()).finish_non_exhaustive()
    }
}

impl SignIn {
    /// Begins to sign in: finds the authorization server, registers this program there if it has no id, and listens on
    /// this port of this machine (0: any) for the browser. `scopes` are asked for besides those that were granted before.
    ///
    /// # Errors
    /// If the server requires no sign-in, or its authorization server cannot be used.
    pub async fn begin(&self, port: u16, scopes: &[String]) -> Result<Begun, Error> {
        let settings = &self.0.settings;
        let Probed { status, challenge, zone } = self.0.probe().await?;
        let mut party = match Party::find(&self.0.url, zone, challenge.as_deref(), settings.grant).await {
            Err(Error::NoMetadata) if status != reqwest::StatusCode::UNAUTHORIZED => {
                return Err(Error::NotAsked { status: status.as_u16() });
            }
            found => found?,
        };
        let listener = Listener::open(port).await?;
        let redirect = listener.url();
        let scopes = self.scopes(&party, scopes).await;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let mut client_secret = None;
        match &settings.client_id {
            Some(id) => {
                let mut config = OAuthClientConfig::new(id, &redirect);
                if let Some(secret) = &self.0.settings.client_secret {
                    config = config.with_client_secret(secret.reveal());
                }
                party.manager.configure_client(config)?;
            }
            None if party.metadata.registration_endpoint.is_none() => return Err(Error::NoRegistration),
            None => {
                let registered = party.manager.register_client(CLIENT_NAME, &redirect, &scopes).await?;
                client_secret = registered.client_secret.map(Secret::from);
            }
        }
        let url = party.manager.get_authorization_url(&scopes).await?;
        let state = parameter(&url, "state").ok_or(AuthError::InternalError("no state".to_owned()))?;
        Ok(Begun {
            sign_in: self.clone(),
            party,
            url,
            state,
            listener: Some(listener),
            client_secret,
            challenge,
            zone,
        })
    }

    /// Signs in by itself, with client credentials.
    ///
    /// # Errors
    /// If that is refused.
    pub async fn begin_service(&self) -> Result<SignedIn, Error> {
        self.0.renew(None).await?;
        self.signed_in()?.ok_or(Error::NotSignedIn)
    }

    /// The configured scopes, else those that the server names; with those that were granted before and these.
    async fn scopes(&self, party: &Party, more: &[String]) -> Vec<String> {
        let mut scopes = party.scopes(&self.0.settings).await;
        let before = self.0.load().ok().flatten().filter(|_| !more.is_empty());
        let before = before.map(|saved| saved.credentials.granted_scopes).unwrap_or_default();
        for scope in before.iter().chain(more) {
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        scopes
    }
}

impl Begun {
    /// Waits for the browser to come back. Can be called once.
    ///
    /// # Errors
    /// [`Error::TooLate`].
    pub async fn answer(&mut self) -> Result<Answer, Error> {
        let Some(listener) = self.listener.take() else { return Err(Error::TooLate) };
        let answer = tokio::time::timeout(PATIENCE, listener.answer(self.state.clone())).await;
        answer.map_err(|_| Error::TooLate)
    }

    /// Gets tokens for the answer, and keeps them.
    ///
    /// # Errors
    /// If the person or the authorization server refused.
    pub async fn finish(self, answer: Answer) -> Result<SignedIn, Error> {
        let Self { sign_in, party, state, client_secret, challenge, zone, .. } = self;
        let (code, issuer) = answer.code()?;
        let exchanged =
            party.manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await?;
        if !matches!(exchanged.token_type(), oauth2::basic::BasicTokenType::Bearer) {
            return Err(Error::OtherTokens);
        }
        let credentials = party.tokens.load().await?.ok_or(Error::NotSignedIn)?;
        let (url, issuer) = (sign_in.0.url.to_string(), party.issuer().to_owned());
        let saved = Saved { url, issuer, client_secret, challenge, zone, credentials };
        saved.header()?;
        let _lock = sign_in.0.store.lock().await?;
        sign_in.0.store.write(&saved)?;
        Ok(saved.summary(&sign_in.0.store.file))
    }
}
