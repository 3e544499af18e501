//! What exists for which caller, and what an operator expects of the claims of its token.

use mcp_disclosure_core::{Grant, Permits};
use serde_json::{Map, Value};

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
        (Caller::Claims(expected), Identified::Claims(token)) => fit(expected, token),
        _ => false,
    };
    let found = entries.iter().find(is_about);
    found.map_or_else(|| Permits::of([Grant::nothing()]), |entry| entry.permits.clone())
}

/// Whether a token has the expected claims, as [`Caller::Claims`](crate::Caller::Claims) has them. Where it has a list, one of
/// its items must fit; scopes are lists between spaces.
fn fit(expected: &Map<String, Value>, token: &Map<String, Value>) -> bool {
    expected.iter().all(|(name, expected)| {
        let expected = items(expected);
        find(token, name).is_some_and(|claimed| {
            let is_of_scopes = SCOPES.contains(&name.as_str());
            let mut scopes = is_of_scopes.then(|| words(claimed)).into_iter().flatten();
            items(claimed).iter().any(|claimed| expected.contains(claimed))
                || scopes.any(|scope| expected.iter().any(|expected| expected == scope))
        })
    })
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    }
}

fn find<'a>(token: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let by_path = || {
        let (first, rest) = name.split_once('.')?;
        rest.split('.').try_fold(token.get(first)?, |value, key| value.get(key))
    };
    token.get(name).or_else(by_path)
}

/// The claims that have the scopes of a token: `scope` (RFC 9068), or `scp` as some issuers write it.
const SCOPES: [&str; 2] = ["scope", "scp"];

fn words(scopes: &Value) -> impl Iterator<Item = &str> {
    items(scopes).iter().filter_map(Value::as_str).flat_map(|text| text.split(' '))
}

/// Whether a token has all of these scopes.
pub(crate) fn has_scopes(token: &Map<String, Value>, required: &[String]) -> bool {
    let granted: Vec<&str> = SCOPES.iter().filter_map(|name| token.get(*name)).flat_map(words).collect();
    required.iter().all(|scope| granted.contains(&scope.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a3_claims_fit_by_value_list_scope_and_path() {
        let token = object(json!({
            "sub": "ann", "groups": ["dev", "ops"], "scope": "read write", "level": 3,
            "realm_access": {"roles": ["admin"]}, "a.b": "dotted", "scp": "mail files",
        }));
        for (expected, fits) in [
            (json!({}), true),
            (json!({"sub": "ann"}), true),
            (json!({"sub": "an"}), false),
            (json!({"groups": "ops"}), true),
            (json!({"groups": ["qa", "dev"]}), true),
            (json!({"groups": ["qa"]}), false),
            (json!({"scope": "write"}), true),
            (json!({"scope": "rea"}), false),
            (json!({"scp": "files"}), true),
            (json!({"scp": "mail files"}), true),
            (json!({"scp": "file"}), false),
            (json!({"level": 3}), true),
            (json!({"level": "3"}), false),
            (json!({"realm_access.roles": "admin"}), true),
            (json!({"a.b": "dotted"}), true),
            (json!({"sub": "ann", "groups": "qa"}), false),
            (json!({"absent": null}), false),
        ] {
            assert_eq!(fit(&object(expected.clone()), &token), fits, "{expected}");
        }
    }
}
