//! What exists for which caller.

use mcp_disclosure_core::{Grant, Permits};
use serde_json::{Map, Value};

use crate::claims::Claims;

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
    /// Whoever has a JWT with these claims.
    Claims(Claims),
    /// The client on stdio, where it is named.
    Named,
}

impl Caller {
    /// Whether it is about everyone with a JWT.
    pub(crate) fn is_everyone(&self) -> bool {
        matches!(self, Self::Claims(claims) if claims.is_empty())
    }
}

/// Who a caller is, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Identified {
    /// By the name of its bearer token.
    Token(String),
    /// By the claims of its JWT.
    Claims(Map<String, Value>),
}

impl Identified {
    /// What is kept for a caller is kept by this. The two kinds never meet, whatever an issuer names its subjects.
    pub(crate) fn id(&self) -> String {
        match self {
            Self::Token(name) => format!("token:{name}"),
            Self::Claims(claims) => {
                let subject = subject(claims).unwrap_or_default();
                format!("sub:{subject}")
            }
        }
    }
}

/// The subject of a token, or the client that has it for itself.
pub(crate) fn subject(claims: &Map<String, Value>) -> Option<&str> {
    let named = ["sub", "client_id", "azp"].iter().find_map(|claim| claims.get(*claim)?.as_str());
    named.filter(|subject| !subject.is_empty())
}

/// What exists for a caller: by the first entry that matches; nothing where none does; everything where there are none.
pub(crate) fn permits_of(entries: &[Entry], who: &Identified) -> Permits {
    if entries.is_empty() {
        return Permits::all();
    }
    let is_about = |entry: &&Entry| match (&entry.caller, who) {
        (Caller::Token(name), Identified::Token(own)) => name == own,
        (Caller::Claims(expected), Identified::Claims(claims)) => expected.fit(claims),
        _ => false,
    };
    let found = entries.iter().find(is_about);
    found.map_or_else(|| Permits::of([Grant::nothing()]), |entry| entry.permits.clone())
}
