//! The settings of access that a file and flags come down to.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use mcp_disclosure_access::{
    Caller, Entry, Error, Jwt, KeySource, KeyTimes, Profile, Settings, Token, TokenSource, UnreadableToken,
};
use mcp_disclosure_core::{Permits, nearest::did_you_mean};
use mcp_disclosure_gateway::{Problem, negotiation::Strategies};
use mcp_disclosure_transport::http::is_loopback;
use reqwest::Url;

use super::{AccessFlags, Auth, Found, JwtEntry, PrincipalEntry, TokenEntry, Written};
use crate::config::DisclosureFile;

impl DisclosureFile {
    /// The settings of access that the file and flags come down to. Paths are relative to `folder`.
    ///
    /// # Errors
    /// Every problem, with its place and a hint.
    pub fn access(&self, folder: &Path, flags: &AccessFlags) -> Result<Settings, Vec<Problem>> {
        let mut problems = Vec::new();
        let (tokens, jwt) = match &self.auth {
            None => (Vec::new(), None),
            Some((place, auth)) => auth.read(folder, &mut Found { place, problems: &mut problems }),
        };
        self.grants().for_each(|grant| grant.check(&mut problems));
        // What is declared wrongly is there as well, and has its own problem.
        let auth = self.auth.as_ref().map(|(_, auth)| auth);
        let names = auth.into_iter().flat_map(|auth| &auth.tokens).map(|token| token.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let has_jwt = auth.is_some_and(|auth| auth.jwt.is_some());
        let mut seen = HashSet::new();
        let mut principals = Vec::new();
        for (place, entry) in &self.principals {
            let mut found = Found { place, problems: &mut problems };
            if !entry.name.is_empty() && !seen.insert(entry.name.as_str()) {
                let message = format!("principal '{}' is declared twice", entry.name);
                found.add(message, "give each a name of its own");
            }
            let caller = entry.caller(&names, has_jwt, &mut found);
            let permits = entry.grant(place).permits();
            principals.extend(caller.map(|caller| Entry { name: entry.name.clone(), caller, permits }));
        }
        let mut profiles = Vec::new();
        for (name, place, entry) in &self.profiles.0 {
            if name.is_empty() || name.contains(['/', '@']) {
                let message = format!("'{name}' cannot be the name of a profile");
                let mut found = Found { place, problems: &mut problems };
                found.add(message, "it stands in a path: leave out '/' and '@'");
            }
            profiles.push(Profile { name: name.clone(), permits: entry.grant(name, place).permits() });
        }
        let settings = Settings {
            guarded: self.auth.is_some(),
            tokens,
            jwt,
            principals,
            profiles,
            stdio_principal: flags.principal.clone(),
            stdio_profile: flags.profile.clone(),
        };
        problems.extend(flags.problems(&settings));
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }
}

impl Auth {
    fn read(&self, folder: &Path, found: &mut Found<'_>) -> (Vec<Token>, Option<Jwt>) {
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

impl PrincipalEntry {
    /// Who it is about.
    fn caller(&self, tokens: &[&str], has_jwt: bool, found: &mut Found<'_>) -> Option<Caller> {
        if self.name.is_empty() {
            found.add("a principal has no name", "add name = \"…\"");
            return None;
        }
        let what = format!("principal '{}'", self.name);
        match (&self.token, &self.claims) {
            (Some(token), None) if tokens.contains(&token.as_str()) => Some(Caller::Token(token.clone())),
            (Some(token), None) => {
                let otherwise = || "declare it in [auth] tokens".to_owned();
                let hint = did_you_mean(token, tokens.iter().copied(), otherwise);
                found.add(format!("{what}: there is no token '{token}'"), &hint);
                None
            }
            (None, Some(claims)) => {
                if !has_jwt {
                    let message = format!("{what} is matched by claims, but there is no [auth.jwt]");
                    found.add(message, "add it, or match a token by its name");
                }
                Some(Caller::Claims(claims.clone()))
            }
            // Only --principal names it.
            (None, None) => Some(Caller::Named),
            (Some(_), Some(_)) => {
                found.add(format!("{what} has both token and claims"), "write an entry for each");
                None
            }
        }
    }
}

/// The strategies that principals and profiles of a file name and that are not offered.
pub fn unknown_strategies(file: &DisclosureFile, strategies: &Strategies) -> Vec<Problem> {
    let (all, offered) = (Permits::all(), strategies.offered());
    let mut problems = Vec::new();
    for Written { what, place, grant, .. } in file.grants() {
        // One that is named twice is reported once.
        let mut found = Found { place, problems: &mut problems };
        let named: BTreeSet<&String> = grant.strategies.iter().flatten().collect();
        for name in named.into_iter().filter(|name| !strategies.is_offered_to(&all, name)) {
            let otherwise = || format!("offered are {}", offered.join(", "));
            let hint = did_you_mean(name, offered.iter().map(String::as_str), otherwise);
            found.add(format!("{what}: strategy '{name}' is not offered"), &hint);
        }
    }
    problems
}

/// Why settings of this file cannot be put in force, and what helps.
pub fn unreadable(file: &DisclosureFile, errors: &[Error]) -> Vec<Problem> {
    let problem = |error: &Error| {
        let place = file.auth.as_ref().map(|(place, _)| place.clone());
        let problem = Problem::new(error.to_string()).at(place);
        match error {
            Error::Token(UnreadableToken { from: TokenSource::File(_), .. }) => problem.hint(
                "the file holds the token and nothing else: (umask 077 && openssl rand -hex 32 > FILE)",
            ),
            Error::Token(_) => {
                problem.hint("set it where the program is started, or name a file of [auth] tokens")
            }
            _ => problem,
        }
    };
    errors.iter().map(problem).collect()
}
