//! What stands in a file about access.

use std::{num::NonZeroU32, path::PathBuf};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

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
    /// It matches callers with the token of this name.
    pub token: Option<String>,
    /// It matches callers whose JWT has all of these claims: a value, or a list of which one is enough. A name with dots
    /// is a path, such as "realm_access.roles".
    pub claims: Option<Map<String, Value>>,
    /// The tools that exist, as "upstream/tool" or patterns of that; "*" is all. An entry that names no tools, resources or
    /// prompts at all permits everything; in one that does, a kind that is not named does not exist.
    pub tools: Option<Vec<String>>,
    /// The resources and resource templates that exist, as "upstream/URI" or patterns of that.
    pub resources: Option<Vec<String>>,
    /// The prompts that exist, like tools.
    pub prompts: Option<Vec<String>>,
    /// The strategies that may serve it. If the selected strategy is not among them, the first one serves it.
    pub strategies: Option<Vec<String>>,
    /// How much it may use.
    pub limits: QuotaEntry,
}

/// What an address or a flag narrows. It is a convenience and not a boundary: a client may leave it out.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct QuotaEntry {
    /// Description fetches in a minute.
    pub fetches_per_minute: Option<NonZeroU32>,
    /// Calls of tools in a minute, of the gateway's own as well. What a tool that calls others calls is not counted again.
    pub calls_per_minute: Option<NonZeroU32>,
    /// Other requests in a minute, but pings. Where only calls are limited: five for each of them, and at least 30.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Calls of tools at the same time.
    pub concurrent_calls: Option<NonZeroU32>,
}
