//! The token of a request (RFC 6750 §2.1): one `Authorization` header, and nothing else.

use http::{HeaderMap, header::AUTHORIZATION};

/// A longer token is refused before anything is done with it.
const MOST_BYTES: usize = 16 * 1024;

/// What a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credential<'a> {
    /// No token, or one of another scheme.
    None,
    /// A token that may be one of ours.
    Bearer(&'a str),
    /// What can be no token of ours.
    Unusable,
    /// Several headers, which proxies and servers may read differently.
    Several,
}

impl<'a> Credential<'a> {
    pub(crate) fn of(headers: &'a HeaderMap) -> Self {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (value, other) = (values.next(), values.next());
        let Some(value) = value else { return Self::None };
        if other.is_some() {
            return Self::Several;
        }
        let Ok(text) = value.to_str() else { return Self::Unusable };
        let Some((scheme, token)) = text.split_once(' ') else { return Self::None };
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Self::None;
        }
        let token = token.trim();
        let is_usable = !token.is_empty() && token.len() <= MOST_BYTES && !token.contains([' ', ',']);
        if is_usable { Self::Bearer(token) } else { Self::Unusable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a2_one_header_of_one_scheme_is_a_credential() {
        let long = format!("Bearer {}", "x".repeat(MOST_BYTES + 1));
        for (values, expected) in [
            (&[][..], Credential::None),
            (&["Bearer abc"], Credential::Bearer("abc")),
            (&["bEARER  abc "], Credential::Bearer("abc")),
            (&["Basic abc"], Credential::None),
            (&["abc"], Credential::None),
            (&["Bearer "], Credential::Unusable),
            (&["Bearer a b"], Credential::Unusable),
            (&["Bearer a, Bearer b"], Credential::Unusable),
            (&[&*long], Credential::Unusable),
            (&["Bearer a", "Bearer a"], Credential::Several),
        ] {
            let mut headers = HeaderMap::new();
            values.iter().for_each(|value| drop(headers.append(AUTHORIZATION, value.parse().unwrap())));
            assert_eq!(Credential::of(&headers), expected, "{values:?}");
        }
    }
}
