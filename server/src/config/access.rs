//! `[auth]`, `[[principals]]` and `[profiles]`: who may come in, and what exists for whom.

use std::{
    collections::{BTreeMap, HashSet},
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use mcp_disclosure_access::{
    Caller, Claims, Entry, Jwt, KeySource, KeyTimes, Profile, Settings, Token, TokenSource,
};
use mcp_disclosure_core::{Grant, Permits, Quotas, nearest::nearest};
use mcp_disclosure_gateway::{Place, Problem};
use mcp_disclosure_sign_in::is_loopback;
use reqwest::Url;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::DisclosureFile;

/// Which HTTP clients may come in. With this section, each request needs a token.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Auth {
    /// Bearer tokens, each with a name by which `[[principals]]` and messages refer to it.
    pub tokens: Vec<TokenEntry>,
    /// Tokens that an authorization server issues.
    pub jwt: Option<JwtEntry>,
}

/// A bearer token: `{ name = "ci", file = "ci.token" }` or `{ name = "ci", env = "CI_TOKEN" }`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct TokenEntry {
    /// Its name.
    pub name: String,
    /// The file that holds it. It is read again when it changes.
    pub file: Option<PathBuf>,
    /// The environment variable that holds it.
    pub env: Option<String>,
}

/// JWTs of one issuer, signed with RS256, ES256 or EdDSA.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct JwtEntry {
    /// The issuer: a token's `iss`, to the letter. Clients are sent to it to sign in.
    pub issuer: String,
    /// What a token's `aud` must contain: the URL of this server as clients use it (RFC 8707), such as
    /// "https://tools.example.com/mcp".
    pub audience: String,
    /// Where the issuer's keys are. They are read every 30 seconds.
    pub jwks_url: Option<String>,
    /// The file of the issuer's keys, instead. It is read every 5 seconds.
    pub jwks_file: Option<PathBuf>,
    /// The scopes that a token must have.
    pub required_scopes: Vec<String>,
}

/// What exists for a caller. The first entry that matches it counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PrincipalEntry {
    /// Its name, for `--principal` and messages.
    pub name: String,
    /// It matches whoever has the token of this name.
    pub token: Option<String>,
    /// It matches whoever has a JWT with all of these claims: a value, or a list of which one is enough. A name with dots
    /// is a path, such as "realm_access.roles".
    pub claims: Option<Map<String, Value>>,
    /// The tools that exist, as "upstream/tool" or patterns of that; "*" is all. An entry that names no tools, resources or
    /// prompts at all permits everything; in one that does, a kind that is not named does not exist.
    pub tools: Option<Vec<String>>,
    /// The resources and resource templates that exist, as "upstream/URI" or patterns of that.
    pub resources: Option<Vec<String>>,
    /// The prompts that exist, like tools.
    pub prompts: Option<Vec<String>>,
    /// The strategies that may serve it. Where the strategy that would serve it is none of them, the first one does.
    pub strategies: Option<Vec<String>>,
    /// How much it may use.
    pub limits: QuotaEntry,
}

/// What an address or a flag narrows. It is a convenience and no boundary, since whoever may use a profile may leave it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ProfileEntry {
    /// The tools that exist, as in `[[principals]]`.
    pub tools: Option<Vec<String>>,
    /// The resources and resource templates that exist.
    pub resources: Option<Vec<String>>,
    /// The prompts that exist.
    pub prompts: Option<Vec<String>>,
    /// The strategies that may serve it.
    pub strategies: Option<Vec<String>>,
    /// How much each client may use.
    pub limits: QuotaEntry,
}

/// How much one caller may use. What is not named is not limited here.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct QuotaEntry {
    /// Description fetches in a minute.
    pub fetches_per_minute: Option<u32>,
    /// Calls of tools in a minute.
    pub calls_per_minute: Option<u32>,
    /// Calls of tools at the same time.
    pub concurrent_calls: Option<u32>,
}

/// What flags say of access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessFlags {
    /// The address, if HTTP clients are served.
    pub listening: Option<std::net::SocketAddr>,
    /// Whether others than this machine may come in without a token.
    pub allow_anonymous: bool,
    /// The principal of the client on stdio.
    pub principal: Option<String>,
    /// The profile of the client on stdio.
    pub profile: Option<String>,
}

impl DisclosureFile {
    /// The settings of access that the file and flags come down to. Paths are relative to `folder`.
    ///
    /// # Errors
    /// Every problem, with its place and a hint.
    pub fn access(&self, folder: &Path, flags: &AccessFlags) -> Result<Settings, Vec<Problem>> {
        let mut problems = Problems::default();
        let (tokens, jwt) = match &self.auth {
            None => (Vec::new(), None),
            Some((place, auth)) => auth.read(place, folder, &mut problems),
        };
        let names: Vec<&str> = tokens.iter().map(|token| token.name.as_str()).collect();
        let mut seen = HashSet::new();
        let mut principals = Vec::new();
        for (place, entry) in &self.principals {
            if !entry.name.is_empty() && !seen.insert(entry.name.as_str()) {
                problems.report(
                    place,
                    format!("principal '{}' is declared twice", entry.name),
                    "give each a name of its own",
                );
            }
            principals.extend(entry.read(place, &names, jwt.is_some(), &mut problems));
        }
        let mut profiles = Vec::new();
        for (name, place, entry) in &self.profiles.0 {
            if name.is_empty() || name.contains(['/', '@']) {
                problems.report(
                    place,
                    format!("'{name}' cannot be the name of a profile"),
                    "it stands in a path: leave out '/' and '@'",
                );
            }
            let permits = entry.grant().checked(&format!("profiles.{name}"), place, &mut problems);
            profiles.push(Profile { name: name.clone(), permits });
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
        problems.0.extend(flags.problems(&settings));
        if problems.0.is_empty() { Ok(settings) } else { Err(problems.0) }
    }
}

impl AccessFlags {
    /// What flags and files say together that cannot be served.
    fn problems(&self, settings: &Settings) -> Vec<Problem> {
        let mut problems = Vec::new();
        let principals = settings.principals.iter().map(|entry| entry.name.as_str());
        let profiles = settings.profiles.iter().map(|profile| profile.name.as_str());
        for (flag, wanted, known, section) in [
            ("--principal", &self.principal, principals.collect::<Vec<_>>(), "[[principals]]"),
            ("--profile", &self.profile, profiles.collect(), "[profiles]"),
        ] {
            let Some(wanted) = wanted.as_deref().filter(|wanted| !known.contains(wanted)) else { continue };
            let near = nearest(wanted, known.iter().copied(), 1);
            let hint = near
                .first()
                .map_or_else(|| format!("declare it in {section}"), |near| format!("did you mean '{near}'?"));
            problems.push(Problem::new(format!("{flag}: there is no '{wanted}' in {section}")).hint(hint));
        }
        let Some(listening) = self.listening.filter(|_| !settings.guarded && !self.allow_anonymous) else {
            return problems;
        };
        if !listening.ip().is_loopback() {
            let message = format!(
                "{listening} is not on loopback, and without [auth] whoever reaches it may use every tool"
            );
            let hint = "add [auth] with tokens to the configuration, or accept it with --allow-anonymous";
            problems.push(Problem::new(message).hint(hint));
        }
        if !settings.principals.is_empty() {
            let message =
                "[[principals]] restrict nobody over HTTP without [auth]: all callers are anonymous";
            let hint = "add [auth] with tokens to the configuration, or accept it with --allow-anonymous";
            problems.push(Problem::new(message).hint(hint));
        }
        problems
    }
}

/// Problems as they are found.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn report(&mut self, place: &Place, message: impl Into<String>, hint: &str) {
        self.0.push(Problem::new(message.into()).at(place.clone()).hint(hint));
    }
}

impl Auth {
    fn read(&self, place: &Place, folder: &Path, problems: &mut Problems) -> (Vec<Token>, Option<Jwt>) {
        if self.tokens.is_empty() && self.jwt.is_none() {
            let hint = "add tokens = [{ name = \"ci\", file = \"ci.token\" }], or [auth.jwt]";
            problems.report(place, "[auth] has neither tokens nor jwt, so nobody could come in", hint);
        }
        let mut seen = HashSet::new();
        let mut tokens = Vec::new();
        for TokenEntry { name, file, env } in &self.tokens {
            if name.is_empty() || !seen.insert(name.as_str()) {
                let message = match name.as_str() {
                    "" => "auth.tokens: a token has no name".to_owned(),
                    name => format!("auth.tokens: '{name}' is declared twice"),
                };
                problems.report(place, message, "give each token a name of its own");
                continue;
            }
            let source = match (file, env) {
                (Some(file), None) => TokenSource::File(folder.join(file)),
                (None, Some(env)) => TokenSource::Environment(env.clone()),
                _ => {
                    let message = format!("auth.tokens: '{name}' needs either file or env");
                    problems.report(place, message, "write { name = \"ci\", file = \"ci.token\" }; the token itself stands in no configuration");
                    continue;
                }
            };
            tokens.push(Token { name: name.clone(), source });
        }
        (tokens, self.jwt.as_ref().and_then(|jwt| jwt.read(place, folder, problems)))
    }
}

impl JwtEntry {
    fn read(&self, place: &Place, folder: &Path, problems: &mut Problems) -> Option<Jwt> {
        let mut is_good = true;
        for (key, value, hint) in [
            ("issuer", &self.issuer, "it is the iss of the tokens, such as \"https://login.example.com\""),
            (
                "audience",
                &self.audience,
                "it is the URL of this server, such as \"https://tools.example.com/mcp\"",
            ),
        ] {
            if value.is_empty() {
                problems.report(place, format!("auth.jwt.{key} is missing"), hint);
                is_good = false;
            }
        }
        let (keys, times) = match (&self.jwks_url, &self.jwks_file) {
            (Some(url), None) => {
                // Whoever can change the keys on their way can sign tokens.
                let is_safe = |url: &Url| match url.scheme() {
                    "https" => url.host().is_some(),
                    "http" => is_loopback(url),
                    _ => false,
                };
                if !Url::parse(url).is_ok_and(|url| is_safe(&url)) {
                    problems.report(
                        place,
                        "auth.jwt.jwks_url is no https URL (http is for keys on this machine only)",
                        "the issuer's metadata names it as jwks_uri",
                    );
                    is_good = false;
                }
                (KeySource::Url(url.clone()), KeyTimes::OF_URL)
            }
            (None, Some(file)) => (KeySource::File(folder.join(file)), KeyTimes::OF_FILE),
            _ => {
                problems.report(
                    place,
                    "auth.jwt needs either jwks_url or jwks_file",
                    "the issuer's metadata names its keys as jwks_uri",
                );
                return None;
            }
        };
        is_good.then(|| Jwt {
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            keys,
            required_scopes: self.required_scopes.clone(),
            skew: Jwt::SKEW,
            times,
        })
    }
}

impl PrincipalEntry {
    fn read(&self, place: &Place, tokens: &[&str], has_jwt: bool, problems: &mut Problems) -> Option<Entry> {
        if self.name.is_empty() {
            problems.report(place, "a principal has no name", "add name = \"…\"");
            return None;
        }
        let what = format!("principal '{}'", self.name);
        let permits = self.grant().checked(&what, place, problems);
        let caller = match (&self.token, &self.claims) {
            (Some(token), None) if tokens.contains(&token.as_str()) => Caller::Token(token.clone()),
            (Some(token), None) => {
                let near = nearest(token, tokens.iter().copied(), 1);
                let hint = near.first().map_or_else(
                    || "declare it in [auth] tokens".to_owned(),
                    |near| format!("did you mean '{near}'?"),
                );
                problems.report(place, format!("{what}: there is no token '{token}'"), &hint);
                return None;
            }
            (None, Some(claims)) => {
                if !has_jwt {
                    problems.report(
                        place,
                        format!("{what} is matched by claims, but there is no [auth.jwt]"),
                        "add it, or match a token by its name",
                    );
                }
                Caller::Claims(Claims::new(claims.clone()))
            }
            // Only --principal names it.
            (None, None) => Caller::Named,
            (Some(_), Some(_)) => {
                problems.report(
                    place,
                    format!("{what} has both token and claims"),
                    "write an entry for each",
                );
                return None;
            }
        };
        Some(Entry { name: self.name.clone(), caller, permits })
    }

    fn grant(&self) -> Written<'_> {
        let Self { tools, resources, prompts, strategies, limits, .. } = self;
        Written { tools, resources, prompts, strategies, limits }
    }
}

impl ProfileEntry {
    fn grant(&self) -> Written<'_> {
        let Self { tools, resources, prompts, strategies, limits } = self;
        Written { tools, resources, prompts, strategies, limits }
    }
}

/// A grant as it is written.
struct Written<'a> {
    tools: &'a Option<Vec<String>>,
    resources: &'a Option<Vec<String>>,
    prompts: &'a Option<Vec<String>>,
    strategies: &'a Option<Vec<String>>,
    limits: &'a QuotaEntry,
}

impl Written<'_> {
    fn checked(&self, what: &str, place: &Place, problems: &mut Problems) -> Permits {
        let Self { tools, resources, prompts, strategies, limits } = self;
        let says_nothing = [tools, resources, prompts].iter().all(|list| list.is_none());
        let list = |list: &Option<Vec<String>>| match (list, says_nothing) {
            (None, true) => None,
            (list, _) => Some(list.clone().unwrap_or_default()),
        };
        let written = [
            ("fetches_per_minute", limits.fetches_per_minute),
            ("calls_per_minute", limits.calls_per_minute),
            ("concurrent_calls", limits.concurrent_calls),
        ];
        // 0 is reported below.
        let [fetches_per_minute, calls_per_minute, concurrent_calls] =
            written.map(|(_, count)| count.and_then(NonZeroU32::new));
        let quotas = Quotas { fetches_per_minute, calls_per_minute, concurrent_calls };
        let grant = Grant {
            tools: list(tools),
            resources: list(resources),
            prompts: list(prompts),
            strategies: (*strategies).clone(),
            quotas,
        };
        for unusable in grant.unusable() {
            let hint =
                format!("write \"*/{}\" for every upstream's, or its upstream's name", unusable.pattern);
            problems.report(place, format!("{what}: {unusable}"), &hint);
        }
        if grant.strategies.as_ref().is_some_and(Vec::is_empty) {
            problems.report(
                place,
                format!("{what}: strategies is empty, so nothing could serve it"),
                "leave it out for all",
            );
        }
        for (key, _) in written.iter().filter(|(_, count)| *count == Some(0)) {
            problems.report(
                place,
                format!("{what}: limits.{key} is 0"),
                "leave it out for no limit; tools = [] permits no calls",
            );
        }
        if grant == Grant::default() { Permits::all() } else { Permits::of([grant]) }
    }
}

/// The strategies that entries name and that are not offered.
pub fn unknown_strategies(
    settings: &Settings,
    is_offered: impl Fn(&str) -> bool,
    offered: &[String],
) -> Vec<Problem> {
    let principals =
        settings.principals.iter().map(|entry| (format!("principal '{}'", entry.name), &entry.permits));
    let profiles =
        settings.profiles.iter().map(|profile| (format!("profiles.{}", profile.name), &profile.permits));
    let mut problems = BTreeMap::new();
    for (what, permits) in principals.chain(profiles) {
        for name in permits.strategies().into_iter().flatten().filter(|name| !is_offered(name)) {
            let near = nearest(name, offered.iter().map(String::as_str), 1);
            let hint = near.first().map_or_else(
                || format!("offered are {}", offered.join(", ")),
                |near| format!("did you mean '{near}'?"),
            );
            let message = format!("{what}: strategy '{name}' is not offered");
            problems.insert(message.clone(), Problem::new(message).hint(hint));
        }
    }
    problems.into_values().collect()
}
