//! Who may come in: tokens, and an issuer's.

use std::{collections::HashSet, path::Path};

use mcp_disclosure_access::{Jwt, KeySource, KeyTimes, Token, TokenSource};
use mcp_disclosure_transport::http::is_loopback;
use reqwest::Url;

use super::{Auth, Found, JwtEntry, TokenEntry};

impl Auth {
    pub(super) fn read(&self, folder: &Path, found: &mut Found<'_>) -> (Vec<Token>, Option<Jwt>) {
        if self.tokens.is_empty() && self.jwt.is_none() {
            let hint = "add tokens = [{ name = \"ci\", file = \"ci.token\" }], or [auth.jwt]";
            found.add("[auth] has neither tokens nor jwt, so no HTTP client could come in", hint);
        }
        let mut seen = HashSet::new();
        let mut tokens = Vec::new();
        for TokenEntry { name, file, env } in &self.tokens {
            if name.is_empty() || !seen.insert(name.as_str()) {
                let message = match name.as_str() {
                    "" => "auth.tokens: a token has no name".to_owned(),
                    name => format!("auth.tokens: '{name}' is declared twice"),
                };
                found.add(message, "give each token a name of its own");
                continue;
            }
            let source = match (file, env) {
                (Some(file), None) => TokenSource::File(folder.join(file)),
                (None, Some(env)) => TokenSource::Environment(env.clone()),
                _ => {
                    let message = format!("auth.tokens: '{name}' needs either file or env");
                    let hint = "write { name = \"ci\", file = \"ci.token\" }; the token itself stands in no configuration";
                    found.add(message, hint);
                    continue;
                }
            };
            tokens.push(Token { name: name.clone(), source });
        }
        (tokens, self.jwt.as_ref().and_then(|jwt| jwt.read(folder, found)))
    }
}

impl JwtEntry {
    fn read(&self, folder: &Path, found: &mut Found<'_>) -> Option<Jwt> {
        let issuer = "it is the iss of the tokens, such as \"https://login.example.com\"";
        let audience = "it is the URL of this server, such as \"https://tools.example.com/mcp\"";
        for (key, value, hint) in [("issuer", &self.issuer, issuer), ("audience", &self.audience, audience)] {
            if value.is_empty() {
                found.add(format!("auth.jwt.{key} is missing"), hint);
            }
        }
        if let Some(scopes) = self.required_scopes.iter().find(|scopes| scopes.contains(' ')) {
            let hint = "write each scope as a string of its own";
            found.add(format!("auth.jwt.required_scopes: '{scopes}' has a space, so no token has it"), hint);
        }
        let (keys, times) = match (&self.jwks_url, &self.jwks_file) {
            (Some(url), None) => {
                // Those who can change the keys on their way can sign tokens.
                let is_safe = |url: &Url| match url.scheme() {
                    "https" => url.host().is_some(),
                    "http" => is_loopback(url),
                    _ => false,
                };
                if !Url::parse(url).is_ok_and(|url| is_safe(&url)) {
                    found.add(
                        "auth.jwt.jwks_url is no https URL (http is for keys on this machine only)",
                        "the issuer's metadata names it as jwks_uri",
                    );
                }
                (KeySource::Url(url.clone()), KeyTimes::OF_URL)
            }
            (None, Some(file)) => (KeySource::File(folder.join(file)), KeyTimes::OF_FILE),
            _ => {
                found.add(
                    "auth.jwt needs either jwks_url or jwks_file",
                    "the issuer's metadata names its keys as jwks_uri",
                );
                return None;
            }
        };
        let (issuer, audience) = (self.issuer.clone(), self.audience.clone());
        // What is wrong with it is among the problems found.
        Some(Jwt { issuer, audience, keys, required_scopes: self.required_scopes.clone(), times })
    }

    /// Whether clients can be led to the metadata of the audience (RFC 9728). Else they are led to the host that they ask.
    pub fn names_a_url(&self) -> bool {
        let has_scheme = ["https://", "http://"].iter().any(|scheme| self.audience.starts_with(scheme));
        has_scheme && Url::parse(&self.audience).is_ok()
    }
}
