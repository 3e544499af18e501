//! A person signs in: in a browser, which comes back to a listener on this machine, for one answer.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::{Query, State},
    http::{StatusCode, Uri},
    response::Html,
    routing::get,
};
use mcp_disclosure_transport::http::Zone;
use oauth2::TokenResponse;
use reqwest::Url;
use rmcp::transport::auth::{AuthError, CredentialStore, OAuthClientConfig};
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::{net::TcpListener, sync::mpsc};

use crate::{
    Error, Secret, SignIn, SignedIn,
    client::parameter,
    error::short,
    party::{Party, Probed},
    store::Saved,
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

const PATH: &str = "/callback";

const DONE: &str = "<!doctype html><meta charset=utf-8><title>mcp-disclosure</title><p>You are back. \
                    This page can be closed; the terminal says how it went.";

const STRANGE: &str = "<!doctype html><meta charset=utf-8><title>mcp-disclosure</title><p>This is not the page that \
                       mcp-disclosure waits for.";

/// What an authorization server answers through the browser.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub(crate) code: Option<Secret>,
    pub(crate) state: Option<Secret>,
    /// The issuer (RFC 9207).
    pub(crate) iss: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) error_description: Option<String>,
}

impl Answer {
    /// The answer in the URL that a browser elsewhere came back to, for the attempt with this [`state`](crate::Begun::state).
    ///
    /// # Errors
    /// [`Error::Pasted`] if it is no such URL.
    pub fn pasted(url: &str, state: &str) -> Result<Self, Error> {
        let url: Option<Uri> = Url::parse(url.trim()).ok().and_then(|url| url.as_str().parse().ok());
        let url = url.ok_or(Error::Pasted("what was pasted is not a URL"))?;
        match Query::<Self>::try_from_uri(&url) {
            Ok(Query(answer)) if answer.has_state(state) => Ok(answer),
            _ => Err(Error::Pasted("the URL that was pasted is not of this attempt")),
        }
    }

    /// The code, and the issuer if it is named.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the authorization server says instead.
    pub(crate) fn code(self) -> Result<(String, Option<String>), Error> {
        match (self.code, self.error) {
            (Some(code), None) => Ok((code.reveal().to_owned(), self.iss)),
            (_, code) => Err(Error::Refused {
                code: short(&code.unwrap_or_else(|| "nothing".to_owned())),
                description: self
                    .error_description
                    .map(|text| format!(": {}", short(&text)))
                    .unwrap_or_default(),
            }),
        }
    }

    fn has_state(&self, expected: &str) -> bool {
        let state = self.state.as_ref().map_or("", Secret::reveal);
        bool::from(state.as_bytes().ct_eq(expected.as_bytes()))
    }
}

/// A listener that has no answer yet.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens on this port of the loopback address; 0 chooses a free one.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub(crate) async fn open(port: u16) -> Result<Self, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let opened = async {
            let listener = TcpListener::bind(address).await?;
            Ok(Self { address: listener.local_addr()?, listener })
        };
        opened.await.map_err(|source| Error::Listen { address, source })
    }

    /// The URL that browsers are sent back to.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the answer with this state; others are turned away.
    pub(crate) async fn answer(self, state: String) -> Answer {
        let (sender, mut answers) = mpsc::channel(1);
        let shared = Arc::new((state, sender));
        let router = Router::new().route(PATH, get(receive)).with_state(shared);
        // The listener is closed when this ends or is dropped; connections end by themselves, with their page.
        tokio::select! {
            answer = answers.recv() => answer.unwrap_or_default(),
            _never = axum::serve(self.listener, router).into_future() => Answer::default(),
        }
    }
}

type Shared = Arc<(String, mpsc::Sender<Answer>)>;

async fn receive(
    State(shared): State<Shared>,
    Query(answer): Query<Answer>,
) -> (StatusCode, Html<&'static str>) {
    let (state, sender) = &*shared;
    if !answer.has_state(state) {
        return (StatusCode::BAD_REQUEST, Html(STRANGE));
    }
    // A second one with the same state, such as a page that is loaded again, changes nothing.
    let _second = sender.try_send(answer);
    (StatusCode::OK, Html(DONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a6_only_an_answer_of_this_attempt_is_taken() {
        let pasted = |url: &str| Answer::pasted(url, "s").and_then(Answer::code);
        let taken =
            pasted(" http://127.0.0.1:1/callback?code=c&state=s&iss=https%3A%2F%2Fa.example \n").unwrap();
        assert_eq!(taken, ("c".to_owned(), Some("https://a.example".to_owned())));
        for url in [
            "c",
            "http://127.0.0.1/?code=c",
            "http://127.0.0.1/?code=c&state=t",
            "http://127.0.0.1/?code=c&state=",
        ] {
            assert!(matches!(pasted(url), Err(Error::Pasted(_))), "{url}");
        }
        let refused =
            pasted("http://h/?error=access_denied&error_description=no%0Aluck&state=s").unwrap_err();
        assert!(refused.to_string().contains("access_denied: no"), "{refused}");
        assert!(matches!(pasted("http://h/?state=s"), Err(Error::Refused { .. })));
    }
}
