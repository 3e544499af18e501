//! Errors of signing in.

use std::{error::Error as _, path::PathBuf};

use mcp_disclosure_transport::printable::line;
use rmcp::transport::auth::AuthError;

/// The longest text of a server in an error, in characters.
const LONGEST: usize = 300;

/// Signing in failed. `Display` is a predicate of the server, and holds no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server does not ask for sign-in.
    #[error("does not ask for sign-in: it answered HTTP {status}, and names no authorization server")]
    NotAsked {
        /// The status of its answer to `initialize`.
        status: u16,
    },
    /// The server cannot be reached.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// Neither the server nor an authorization server says how to sign in.
    #[error(
        "asks for sign-in, but says nowhere how: it publishes no metadata of an authorization server (RFC 9728, RFC 8414)"
    )]
    NoMetadata,
    /// The authorization server does not say that it supports PKCE.
    #[error(
        "names an authorization server that does not support PKCE with S256, without which a stolen code could be used"
    )]
    NoPkce,
    /// An endpoint that tokens would cross a network to by plain HTTP; or at an address that only this machine or its network reach,
    /// of a server that everyone reaches.
    #[error("names an authorization server whose {what} {why}: {url}")]
    Endpoint {
        /// Which endpoint.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
        /// Its URL, shortened.
        url: String,
    },
    /// The authorization server registers no clients.
    #[error("names an authorization server that does not register clients")]
    NoRegistration,
    /// The authorization server is another one than the tokens are of.
    #[error("names another authorization server than before: {now} instead of {before}")]
    OtherIssuer {
        /// The issuer of the tokens.
        before: String,
        /// The issuer that is named now, shortened.
        now: String,
    },
    /// The authorization server refused.
    #[error("was not signed in to: the authorization server says {code}{description}")]
    Refused {
        /// The code of RFC 6749, shortened.
        code: String,
        /// `: ` and the server's explanation, shortened; or nothing.
        description: String,
    },
    /// No browser came back in time.
    #[error("was not signed in to within {} minutes", crate::PATIENCE.as_secs() / 60)]
    TooLate,
    /// A pasted URL is not that of the last page.
    #[error("was not signed in to: {0}")]
    Pasted(&'static str),
    /// There is no token, and none can be obtained without a person.
    #[error("needs sign-in")]
    NotSignedIn,
    /// The tokens of the authorization server are no bearer tokens.
    #[error("names an authorization server whose tokens are not bearer tokens")]
    OtherTokens,
    /// The protocol failed in another way.
    #[error("cannot be signed in to: {0}")]
    Protocol(String),
    /// Another process renews the tokens, and does not come to an end.
    #[error("cannot be signed in to: another process holds {}", .0.display())]
    Locked(PathBuf),
    /// The file of the tokens cannot be used.
    #[error("cannot be signed in to: {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// No address of this machine is free for the browser to come back to.
    #[error("cannot be signed in to: cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl Error {
    /// What the operator can do about it, if the message does not say so.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoRegistration => {
                Some("register mcp-disclosure there, and write its client_id into [upstreams.NAME.oauth]")
            }
            Self::NotAsked { .. } => Some("it can be used as it is, or wants a key in a header"),
            Self::NoMetadata => Some("if it wants a key in a header, write that into headers"),
            Self::OtherIssuer { .. } => Some("if that is meant, run logout and then login"),
            Self::Listen { .. } => Some("choose another port with --port, or leave it out"),
            _ => None,
        }
    }
}

/// The error with its causes, in a line of limited length.
impl From<AuthError> for Error {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::PkceUnsupported => Self::NoPkce,
            AuthError::NoAuthorizationSupport => Self::NoMetadata,
            other => {
                let (mut text, mut cause) = (other.to_string(), other.source());
                while let Some(deeper) = cause {
                    text.push_str(&format!(": {deeper}"));
                    cause = deeper.source();
                }
                Self::Protocol(short(&text))
            }
        }
    }
}

/// A text of a server, on one line.
pub(crate) fn short(text: &str) -> String {
    line(text.trim(), LONGEST)
}
