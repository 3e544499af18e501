//! What exists for which caller.

use mcp_disclosure_core::{Grant, Permits};
use serde_json::{Map, Value};

use crate::claims;

/// An entry of the list of principals.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Who it is about.
    pub caller: Caller,
    /// What exists for them.
    pub permits: Permits,
}

/// Who an entry is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Caller {
    /// Whoever has the bearer token of this name.
    Token(String),
    /// Whoever has a JWT with all of these claims: a value for each; of a list of values, one is enough. A name with dots is a
    /// path (`realm_access.roles`), unless the token has a claim of that very name.
    Claims(Map<String, Value>),
    /// The client on stdio, where it is named.
    Named,
}

/// Who a caller is, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Identified {
    /// By the name of its bearer token.
    Token(String),
    /// By the claims of its JWT.
    Claims(Map<String, Value>),
}

/// The claims that may say whom a JWT is about; the first that it has does.
const SUBJECTS: [&str; 3] = ["sub", "client_id", "azp"];

impl Identified {
    /// What is kept for a caller is kept by this. No two kinds ever meet, nor do two issuers, whatever they name their
    /// subjects: an issuer's URL has no fragment (RFC 8414 §2).
    pub(crate) fn id(&self) -> String {
        match self {
            Self::Token(name) => format!("token:{name}"),
            Self::Claims(claims) => {
                let (claim, subject) = subject(claims).unwrap_or_default();
                let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
                format!("{claim}:{issuer}#{subject}")
            }
        }
    }
}

/// The subject of a token, or the client that has it for itself, after the claim that says so. What stands in that claim
/// and is no name is not passed over: another claim would be about somebody else.
pub(crate) fn subject(claims: &Map<String, Value>) -> Option<(&'static str, &str)> {
    let (claim, value) = SUBJECTS.iter().find_map(|claim| Some((*claim, claims.get(*claim)?)))?;
    let subject = value.as_str().filter(|subject| !subject.is_empty())?;
    Some((claim, subject))
}

/// What exists for a caller: by the first entry that matches; nothing where none does; everything where there are none.
pub(crate) fn permits_of(entries: &[Entry], who: &Identified) -> Permits {
    if entries.is_empty() {
        return Permits::all();
    }
    let is_about = |entry: &&Entry| match (&entry.caller, who) {
        (Caller::Token(name), Identified::Token(own)) => name == own,
        (Caller::Claims(expected), Identified::Claims(token)) => claims::fit(expected, token),
        _ => false,
    };
    let found = entries.iter().find(is_about);
    found.map_or_else(|| Permits::of([Grant::nothing()]), |entry| entry.permits.clone())
}
