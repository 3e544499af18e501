//! The tokens as the header of requests.

use std::time::Duration;

use async_trait::async_trait;
use mcp_disclosure_transport::http::{Authorization, Challenge, Unauthorized};
use reqwest::header::HeaderValue;

use crate::{Error, Grant, Inner, SignIn};

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
