//! Renewing tokens: once for all requests of a process, and by one process at a time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{
    FutureExt,
    future::{BoxFuture, Shared, ready},
};
use reqwest::header::HeaderValue;
use rmcp::transport::auth::{AuthError, ClientCredentialsConfig, CredentialStore, OAuthClientConfig};

use crate::{Error, Grant, Inner, Last, Seen, client::parameter, party::Party, saved::Saved};

/// A renewal that failed is not tried again for this long, unless the file of the tokens changes.
const PAUSE: Duration = Duration::from_secs(3);

/// A renewal, for all who wait for it.
type Renewal = Shared<BoxFuture<'static, Result<HeaderValue, Arc<Error>>>>;

/// The state of renewal.
#[derive(Default)]
pub(crate) enum Renewing {
    /// There is none.
    #[default]
    Idle,
    /// One is in progress.
    Running(Renewal),
    /// The last one failed.
    Failed {
        at: Instant,
        /// The file of the tokens at that time.
        seen: Option<Seen>,
        error: Arc<Error>,
    },
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
        match &*renewing {
            Renewing::Running(renewal) if renewal.peek().is_none() => return renewal.clone(),
            Renewing::Failed { at, seen, error } if at.elapsed() < PAUSE && *seen == self.store.seen() => {
                return ready(Err(Arc::clone(error))).boxed().shared();
            }
            _ => {}
        }
        let inner = Arc::clone(self);
        let task = tokio::spawn(async move {
            let renewed = inner.renew(stale.as_ref()).await.map_err(Arc::new);
            let state = match &renewed {
                Ok(_) => Renewing::Idle,
                Err(error) => Renewing::Failed {
                    at: Instant::now(),
                    seen: inner.store.seen(),
                    error: Arc::clone(error),
                },
            };
            *inner.renewing.lock() = state;
            renewed
        });
        let ended = |error: tokio::task::JoinError| Err(Arc::new(Error::Protocol(error.to_string())));
        let renewal = async move { task.await.unwrap_or_else(ended) }.boxed().shared();
        *renewing = Renewing::Running(renewal.clone());
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
