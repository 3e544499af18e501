//! What keeps settings from being put in force, or keys from being known.

use crate::settings::TokenSource;

/// An error of the front door. No message shows a token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A token cannot be read.
    #[error(transparent)]
    Token(#[from] UnreadableToken),
    /// An issuer's keys cannot be read, or there are none.
    #[error("keys cannot be read: {from} {problem}")]
    Keys {
        /// The file or URL.
        from: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing can be fetched over HTTP.
    #[error("an HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
}

/// A token that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token '{name}' ({from}): {problem}")]
pub struct UnreadableToken {
    /// Its name.
    pub name: String,
    /// Where it is looked for.
    pub from: TokenSource,
    /// What is wrong with what is there.
    pub problem: String,
}
