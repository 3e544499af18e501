//! Claims of a token, and what an operator expects of them.

use serde_json::{Map, Value};

/// Whether a token has the expected claims, as [`Caller::Claims`](crate::Caller::Claims) has them. Where it has a list, one of
/// its items must fit; scopes are lists between spaces.
pub(crate) fn fit(expected: &Map<String, Value>, token: &Map<String, Value>) -> bool {
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
