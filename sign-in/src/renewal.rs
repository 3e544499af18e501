//! The tokens as the header of requests, and renewing them: once for all requests of a process, and by one process at a time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use mcp_disclosure_transport::http::{Authorization, Challenge, Unauthorized};
use reqwest::header::HeaderValue;
use rmcp::transport::auth::{AuthError, ClientCredentialsConfig, CredentialStore, OAuthClientConfig};

use crate::{Error, Grant, Inner, Last, Seen, SignIn, client::parameter, party::Party, store::Saved};

/// A renewal that failed is not tried again for this long, unless the file of the tokens changes.
const PAUSE: Duration = Duration::from_secs(3);

/// A renewal, for all who wait for it.
type Renewal = Shared<BoxFuture<'static, Result<HeaderValue, Arc<Error>>>>;

/// The renewal in progress, or the last one if it failed: then also when, and what the file of the tokens was.
#[derive(Default)]
pub(crate) struct Renewing {
    last: Option<Renewal>,
    failed: Option<(Instant, Option<Seen>)>,
}

impl Inner {
    /// What is kept, as it is now.
    pub(crate) fn load(&self) -> Result<Option<Saved>, Error> {
        // In this order, so that a file that is replaced meanwhile counts as changed.
        let seen = self.store.seen();
        let last = self.last.lock().clone();
        if seen.is_some() && last.seen == seen && last.saved.is_some() {
            return Ok(last.saved);
        }
        let saved = self.store.read();
        *self.last.lock() = Last { seen, saved: saved.as_ref().ok().cloned().flatten() };
        saved
    }

    /// Another token than the one that is `stale`.
    ///
    /// # Errors
    /// [`Error::NotSignedIn`] if a person is needed; others may be temporary.
    pub(crate) async fn renewed(
        self: &Arc<Self>,
        stale: Option<HeaderValue>,
    ) -> Result<HeaderValue, Arc<Error>> {
        let renewed = self.renewal(stale.clone()).await?;
        // One that was begun for an earlier token may end with this one.
        if Some(&renewed) == stale.as_ref() { self.renewal(stale).await } else { Ok(renewed) }
    }

    /// The renewal in progress, or a new one. It is completed even if its caller is gone: a refresh token that
    /// was used must be replaced.
    pub(crate) fn renewal(self: &Arc<Self>, stale: Option<HeaderValue>) -> Renewal {
        let mut renewing = self.renewing.lock();
        let is_valid = |last: &&Renewal| match &renewing.failed {
            Some((at, seen)) => at.elapsed() < PAUSE && *seen == self.store.seen(),
            None => last.peek().is_none(),
        };
        if let Some(last) = renewing.last.as_ref().filter(is_valid) {
            return last.clone();
        }
        let inner = Arc::clone(self);
        let task = tokio::spawn(async move {
            let renewed = inner.renew(stale.as_ref()).await.map_err(Arc::new);
            let mut renewing = inner.renewing.lock();
            match &renewed {
                Ok(_) => *renewing = Renewing::default(),
                Err(_) => renewing.failed = Some((Instant::now(), inner.store.seen())),
            }
            drop(renewing);
            renewed
        });
        let ended = |error: tokio::task::JoinError| Err(Arc::new(Error::Protocol(error.to_string())));
        let renewal = async move { task.await.unwrap_or_else(ended) }.boxed().shared();
        *renewing = Renewing { last: Some(renewal.clone()), failed: None };
        renewal
    }

    /// Another token than the one that is `stale`, unless another process has got one meanwhile.
    pub(crate) async fn renew(&self, stale: Option<&HeaderValue>) -> Result<HeaderValue, Error> {
        let _lock = self.store.lock().await?;
        let saved = self.load()?;
        if let Some(saved) = &saved
            && saved.is_fresh()
        {
            let header = saved.header()?;
            if Some(&header) != stale {
                return Ok(header);
            }
        }
        let renewed = match (self.settings.grant, saved) {
            (Grant::ClientCredentials, saved) => self.with_credentials(saved).await,
            (Grant::AuthorizationCode, Some(saved)) => self.refresh(saved).await,
            (Grant::AuthorizationCode, None) => Err(Error::NotSignedIn),
        }?;
        self.store.write(&renewed)?;
        *self.last.lock() = Last { seen: self.store.seen(), saved: Some(renewed.clone()) };
        renewed.header()
    }

    async fn refresh(&self, saved: Saved) -> Result<Saved, Error> {
        if !saved.has_refresh_token() {
            return Err(Error::NotSignedIn);
        }
        let mut party =
            Party::find(&self.url, saved.zone, saved.challenge.as_deref(), self.settings.grant).await?;
        check_issuer(&party, &saved)?;
        let client_id = saved.credentials.client_id.clone();
        // The redirect is not part of a refresh.
        let mut config = OAuthClientConfig::new(client_id, self.url.as_str());
        let secret = self.settings.client_secret.as_ref().or(saved.client_secret.as_ref());
        if let Some(secret) = secret {
            config = config.with_client_secret(secret.reveal());
        }
        party.manager.configure_client(config)?;
        party.tokens.save(saved.credentials.clone()).await?;
        match party.manager.refresh_token().await {
            Ok(_) => {
                let credentials = party.tokens.load().await?.ok_or(Error::NotSignedIn)?;
                Ok(Saved { credentials, ..saved })
            }
            // The refresh token is not known any more (RFC 6749 §5.2, invalid_grant). All other refusals, as of a wrong
            // client secret, may be mended without a new sign-in.
            Err(AuthError::TokenRefreshRejected(_)) => {
                tracing::warn!(url = %self.url, issuer = saved.issuer, "the sign-in was ended by the authorization server");
                self.store.remove()?;
                Err(Error::NotSignedIn)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn with_credentials(&self, saved: Option<Saved>) -> Result<Saved, Error> {
        let (Some(client_id), Some(secret)) = (&self.settings.client_id, &self.settings.client_secret) else {
            return Err(Error::Protocol("client_id or client_secret is missing".to_owned()));
        };
        let (challenge, zone) = match &saved {
            Some(saved) => (saved.challenge.clone(), saved.zone),
            None => {
                let probed = self.probe().await?;
                (probed.challenge, probed.zone)
            }
        };
        let mut party = Party::find(&self.url, zone, challenge.as_deref(), self.settings.grant).await?;
        if let Some(saved) = &saved {
            check_issuer(&party, saved)?;
        }
        let mut scopes = party.scopes(&self.settings).await;
        if self.settings.scopes.is_empty() {
            scopes.retain(|scope| scope != "offline_access");
        }
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: client_id.clone(),
            client_secret: secret.reveal().to_owned(),
            scopes: scopes.clone(),
            resource: Some(self.resource(&mut party).await),
        };
        party.manager.validate_client_credentials_metadata(&config)?;
        party.manager.configure_client_credentials(&config)?;
        party.manager.exchange_client_credentials(&config).await?;
        let mut credentials = party.tokens.load().await?.ok_or(Error::NotSignedIn)?;
        if credentials.granted_scopes.is_empty() {
            // RFC 6749 §5.1: as asked for.
            credentials.granted_scopes = scopes;
        }
        let (url, issuer) = (self.url.to_string(), party.issuer().to_owned());
        Ok(Saved { url, issuer, client_secret: None, challenge, zone, credentials })
    }

    /// The resource for which tokens are asked (RFC 8707), as the server's metadata names it. The library shows it only
    /// in URLs for browsers.
    async fn resource(&self, party: &mut Party) -> String {
        let config = OAuthClientConfig::new("", self.url.as_str());
        let shown = match party.manager.configure_client(config) {
            Ok(()) => party.manager.get_authorization_url(&[]).await.ok(),
            Err(_) => None,
        };
        shown.and_then(|url| parameter(&url, "resource")).unwrap_or_else(|| self.url.to_string())
    }
}

/// Tokens of one authorization server are not sent to another.
fn check_issuer(party: &Party, saved: &Saved) -> Result<(), Error> {
    match party.issuer() == saved.issuer {
        true => Ok(()),
        false => {
            Err(Error::OtherIssuer { before: saved.issuer.clone(), now: crate::error::short(party.issuer()) })
        }
    }
}

/// How often the file is looked at while the endpoint cannot be used.
const LOOKING: Duration = Duration::from_secs(1);

#[async_trait]
impl Authorization for SignIn {
    async fn header(&self) -> Result<Option<HeaderValue>, Unauthorized> {
        let inner = &self.0;
        let saved = inner.load().map_err(|error| inner.unauthorized(&error))?;
        match saved {
            None if inner.settings.grant == Grant::AuthorizationCode => Ok(None),
            None => inner.renewed(None).await.map(Some).map_err(|error| inner.unauthorized(&error)),
            Some(saved) => {
                let header = saved.header().map_err(|error| inner.unauthorized(&error))?;
                if saved.is_fresh() {
                    return Ok(Some(header));
                }
                if saved.is_valid() {
                    // It is still good for a moment: another one is obtained meanwhile.
                    let _in_the_background = inner.renewal(Some(header.clone()));
                    return Ok(Some(header));
                }
                let renewed = inner.renewed(Some(header)).await;
                renewed.map(Some).map_err(|error| inner.unauthorized(&error))
            }
        }
    }

    async fn refused(
        &self,
        sent: Option<&HeaderValue>,
        challenge: &Challenge,
        is_second: bool,
    ) -> Result<Option<HeaderValue>, Unauthorized> {
        let inner = &self.0;
        if challenge.asks_for_scopes() {
            return Err(Unauthorized::Scopes { command: inner.command_for(challenge) });
        }
        match (sent, inner.settings.grant) {
            (None, _) if !challenge.may_be_for_tokens() => Ok(None),
            (None, Grant::AuthorizationCode) => Err(inner.unauthorized(&Error::NotSignedIn)),
            (_, Grant::ClientCredentials) if is_second => Err(Unauthorized::Unavailable {
                detail: "it refuses a token that was just issued for it".to_owned(),
            }),
            _ if is_second => Err(inner.unauthorized(&Error::NotSignedIn)),
            (sent, _) => {
                let renewed = inner.renewed(sent.cloned()).await;
                renewed.map(Some).map_err(|error| inner.unauthorized(&error))
            }
        }
    }

    async fn changed(&self) {
        // Looked at instead of watched: it is one file, on any file system, and only while the endpoint cannot be used.
        while self.0.store.seen() == self.0.last.lock().seen {
            tokio::time::sleep(LOOKING).await;
        }
    }

    fn is_signed_in(&self) -> bool {
        self.0.settings.grant == Grant::ClientCredentials || self.0.store.seen().is_some()
    }

    fn identity(&self) -> &str {
        &self.0.identity
    }
}

impl Inner {
    fn unauthorized(&self, error: &Error) -> Unauthorized {
        match error {
            Error::NotSignedIn if self.settings.grant == Grant::AuthorizationCode => {
                Unauthorized::SignIn { command: self.command.clone() }
            }
            Error::Protocol(reason) => Unauthorized::Unavailable { detail: reason.clone() },
            other => Unauthorized::Unavailable { detail: format!("it {other}") },
        }
    }

    /// The command to run for the scopes that a challenge names.
    fn command_for(&self, challenge: &Challenge) -> String {
        let scopes =
            challenge.headers.iter().find_map(|header| header.split_once("scope=\"")?.1.split_once('"'));
        let scopes =
            scopes.map_or("", |(scopes, _)| scopes).split(' ').filter(|scope| is_plain(scope)).take(20);
        let arguments: String = scopes.map(|scope| format!(" --scope {scope}")).collect();
        format!("{}{arguments}", self.command)
    }
}

/// Whether a scope, which a server chose, can stand in a command that people copy into a shell.
fn is_plain(scope: &str) -> bool {
    let letters =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | ':' | '/' | '_' | '-');
    (1..=100).contains(&scope.len()) && !scope.starts_with('-') && scope.chars().all(letters)
}
