//! What an operator decides.

use std::{fmt, path::PathBuf};

use mcp_disclosure_core::Permits;

use crate::{entry::Entry, keys::KeyTimes};

/// Who may come in, and what exists for whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whether HTTP requests need a token.
    pub guarded: bool,
    /// The tokens that are known by name.
    pub tokens: Vec<Token>,
    /// Tokens that an authorization server signs.
    pub jwt: Option<Jwt>,
    /// What exists for which caller; the first entry that matches counts. Without any, everything exists for everyone.
    pub principals: Vec<Entry>,
    /// What is narrowed by an address or a flag.
    pub profiles: Vec<Profile>,
    /// The principal of the client on stdio, by the name of its entry.
    pub stdio_principal: Option<String>,
    /// The profile of the client on stdio.
    pub stdio_profile: Option<String>,
}

impl Settings {
    /// What principals and profiles permit, by what messages call them.
    pub fn permits(&self) -> impl Iterator<Item = (String, &Permits)> {
        let principals =
            self.principals.iter().map(|entry| (format!("principal '{}'", entry.name), &entry.permits));
        let profiles =
            self.profiles.iter().map(|profile| (format!("profile '{}'", profile.name), &profile.permits));
        principals.chain(profiles)
    }
}

/// A bearer token. Messages show its name only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub source: TokenSource,
}

/// Where a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// In a file, which is read again when it changes.
    File(PathBuf),
    /// In an environment variable.
    Environment(String),
}

impl fmt::Display for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "file {}", path.display()),
            Self::Environment(name) => write!(formatter, "environment variable {name}"),
        }
    }
}

/// What a token of an authorization server has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwt {
    /// Its `iss`, to the letter.
    pub issuer: String,
    /// What its `aud` has to contain: the URL of this server (RFC 8707).
    pub audience: String,
    /// Where the issuer's keys are.
    pub keys: KeySource,
    /// The scopes that a token must have.
    pub required_scopes: Vec<String>,
    /// How often keys are read, and how long they are used.
    pub times: KeyTimes,
}

/// Where an issuer's keys are (RFC 7517 §5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In a file.
    File(PathBuf),
    /// At a URL.
    Url(String),
}

/// What is narrowed without authentication. It is no boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// What exists.
    pub permits: Permits,
}
