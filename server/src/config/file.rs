//! The format of `disclosure.toml`. These types are its reference: `docs/disclosure.schema.json` is generated from them.

use std::{collections::BTreeMap, path::PathBuf};

use mcp_disclosure_core::{OnChange, Settings};
use mcp_disclosure_gateway::{
    Place,
    backend::Scope,
    limits::LimitSettings,
    negotiation::StrategyPlaces,
    upstream::{EndpointKind, Restart},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::{
    KeyPlaces, OauthEntry,
    access::{Auth, PrincipalEntry, ProfileEntry},
};
use crate::flags::{Seconds, texts};

#[cfg(test)]
use schemars::JsonSchema;

#[cfg(test)]
use super::schema;

/// The name that `export` gives to a configuration.
pub(crate) const CONFIGURATION: &str = "disclosure.toml";

/// A key that no host's file has.
pub(super) const UPSTREAMS: &str = "upstreams";

/// Everything that mcp-disclosure serves, and how, in one file.
///
/// In any text, `${VAR}` is replaced by the environment variable, which has to be set, and `${VAR:-default}` by the default
/// if it is not; `$${` stands for `${`. Relative paths are relative to the file. A key that is not known is refused.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(deny_unknown_fields, default))]
pub struct DisclosureFile {
    /// A directory of description files (NAME.json), which take precedence over the upstreams' own definitions.
    pub tool_descriptions: Option<PathBuf>,
    /// Whether the embedded demonstration is served, as it is where no upstream is named at all.
    pub demo: bool,
    /// What the server says of itself to hosts, and in the overview of `info`.
    pub server: Server,
    /// How clients are served: the flags of `serve`, by the same names with `_`. What the command line or the environment gives
    /// takes precedence. Read at the start only.
    #[cfg_attr(test, schemars(with = "schema::Serve"))]
    pub serve: Map<String, Value>,
    /// Bounds on what clients and upstreams may use. `--limit NAME=VALUE` takes precedence, and errors name the bound as
    /// `limits.NAME`. Read at the start only.
    #[cfg_attr(test, schemars(with = "schema::LimitSettings"))]
    pub limits: LimitSettings,
    /// The MCP servers whose tools are served, by name: programs with the stdio transport, or URLs. They start concurrently, and
    /// tools are listed in this order.
    pub upstreams: Table<UpstreamEntry>,
    /// Categories of tools, by name, in the order in which `info` shows them. Tools in none of them are sorted by the words of
    /// their names.
    pub categories: Table<Category>,
    /// Concerns, such as cost, by whose values hosts may choose what they are listed.
    #[cfg_attr(test, schemars(with = "Vec<Concern>"))]
    pub concerns: Vec<(Place, Concern)>,
    /// Rules for tools. "upstream/tool" is one upstream's tool, "tool" every upstream's tool of that name; both are the names
    /// that upstreams give, before `prefix` and `rename`. In a pattern `*` matches any text, slashes included, and `?` one
    /// character. For each setting the strongest rule that has it counts: one that names the upstream, then a bare name,
    /// then the description file, then patterns in the order of the file.
    pub tools: Table<Tool>,
    /// Tools that every strategy lists completely, and that can be called without being learned first. A pin does not show
    /// what is hidden, not permitted, or filtered by concerns.
    pub pins: Pins,
    /// Rules for resources and resource templates, by URI, by "upstream/URI", or by patterns of these. A rule that hides
    /// applies in any case, and with or without a query, a fragment or a slash at the end. While anything is hidden, clients
    /// may ask for canonical URIs only, and for those that an upstream lists.
    pub resources: Resources,
    /// Rules for prompts, by name or pattern as for tools.
    pub prompts: Table<Primitive>,
    /// Which HTTP clients may come in. Without it, everyone may.
    #[cfg_attr(test, schemars(with = "Option<Auth>"))]
    pub auth: Option<(Place, Auth)>,
    /// What exists for which caller. Without any, everything exists for everyone; with some, nothing for a caller that none
    /// matches.
    #[cfg_attr(test, schemars(with = "Vec<PrincipalEntry>"))]
    pub principals: Vec<(Place, PrincipalEntry)>,
    /// What an address (`/mcp/@NAME`) or `--profile NAME` narrows, by name.
    pub profiles: Table<ProfileEntry>,
    /// The settings of strategies, by the strategy's name. `mcp-disclosure strategies` lists the names.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Map<String, Value>>"))]
    pub strategy: Settings,
    /// Where keys of `serve`, `upstreams`, `pins` and `strategy` are written.
    #[cfg_attr(test, schemars(skip))]
    pub places: KeyPlaces,
}

impl DisclosureFile {
    /// Where it names strategies and stacks of them, and where their settings are.
    pub fn strategy_places(&self) -> StrategyPlaces {
        let is_naming = |key: &str| ["strategy", "offer", "fallback", "over_budget"].contains(&key);
        let naming = self.serve.iter().filter(|(key, _)| is_naming(key));
        let naming = naming.filter_map(|(key, value)| Some((value, self.places.of(&["serve", key])?)));
        let names = naming.flat_map(|(value, place)| texts(value).into_iter().map(move |name| (name, place)));
        let names = names.map(|(name, place)| (name.to_string_lossy().into_owned(), place.clone()));
        StrategyPlaces { names: names.collect(), settings: self.places.within("strategy") }
    }

    /// The sections that differ from an older file and take effect only after a restart.
    pub fn needs_restart_after(&self, older: &Self) -> Vec<&'static str> {
        let differs = [
            ("tool_descriptions", self.tool_descriptions != older.tool_descriptions),
            ("[serve]", self.serve != older.serve),
            ("[limits]", self.limits != older.limits),
            ("[strategy]", self.strategy != older.strategy),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect()
    }
}

/// Sections by name, with their places, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table<T>(pub Vec<(String, Place, T)>);

/// The server's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// Its name. Default, as for the next two: that of the upstream, if there is only one.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// What it is for, in a sentence.
    pub description: Option<String>,
    /// Facts, such as `gpu_available = false`; `info` shows them in its overview.
    pub facts: Map<String, Value>,
}

/// One MCP server: a program with the stdio transport, or a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UpstreamEntry {
    /// The program: a path, or a name to be found on the PATH.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it runs in.
    pub cwd: Option<String>,
    /// The HTTP endpoint of a server, instead of a program.
    pub url: Option<String>,
    /// Which transport the URL serves: "http" is Streamable HTTP, "sse" the deprecated HTTP+SSE of 2024-11-05. Default: it is
    /// detected.
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "Option<schema::EndpointType>"))]
    pub endpoint_type: Option<EndpointKind>,
    /// Whether the program inherits the whole environment. Otherwise it gets `env` and a minimal environment: on Unix
    /// HOME, LOGNAME, PATH, SHELL, TERM and USER.
    pub inherit_env: bool,
    /// Environment variables for the program, in addition to those it inherits.
    pub env: BTreeMap<String, String>,
    /// Headers of each request to the URL.
    pub headers: BTreeMap<String, String>,
    /// Headers of an authenticated caller's requests that the URL is sent, by name: needs `scope = "session"`. They go to no
    /// other origin, and into no log.
    pub forward: Vec<String>,
    /// Whether `forward` may name "authorization". The URL then gets the token that was issued for this gateway, and may use it
    /// wherever it is accepted; MCP forbids that.
    pub forward_authorization: bool,
    /// How to sign in to the URL, where it asks for that and no header of `headers` authorizes requests.
    pub oauth: Option<OauthEntry>,
    /// Whether the upstream is not started.
    pub disabled: bool,
    /// The only tools of the upstream that exist for clients, by the upstream's names or patterns of these. Default: all.
    /// Stronger than any rule of `[tools]`.
    pub allow: Option<Vec<String>>,
    /// Tools of the upstream that do not exist for clients, by the same names. Stronger than `allow`; no other setting brings
    /// them back.
    pub hidden: Vec<String>,
    /// The text that clients see in front of the names of its tools and prompts, such as "gh_". At most 63 letters, digits,
    /// '_', '-' and '.'. This file goes on naming them without it.
    pub prefix: Option<String>,
    /// Other names for single tools: the tool's own name = the name that clients see, to which no prefix is added. At most 64
    /// letters, digits, '_', '-' and '.'.
    pub rename: BTreeMap<String, String>,
    /// What is done about tools whose definitions change, and about new ones. Default: "serve".
    #[cfg_attr(test, schemars(with = "Option<schema::Word<OnChange>>"))]
    pub on_change: Option<OnChange>,
    /// How long it may take to start and shake hands, in seconds, and how long a call waits for it. Default:
    /// `--connect-timeout`.
    pub connect_timeout: Option<Seconds>,
    /// How long it may take over a request, or between two progress notifications, in seconds. Default:
    /// `--request-timeout`.
    pub request_timeout: Option<Seconds>,
    /// Whether it is started, or connected to, again after it ended or failed. Default: "always".
    #[cfg_attr(test, schemars(with = "Option<schema::Word<Restart>>"))]
    pub restart: Option<Restart>,
    /// Whether HTTP clients share one connection to it ("shared"), or have connections of their own ("session"). Default:
    /// `--upstream-scope`.
    #[cfg_attr(test, schemars(with = "Option<schema::Word<Scope>>"))]
    pub scope: Option<Scope>,
    /// Methods beyond MCP, such as "vendor/method", that clients may use of it. They are passed on as they are, for callers who may
    /// use everything. "io.modelcontextprotocol/ui" is no method: clients that share a connection to it are said to show pages.
    pub pass: Vec<String>,
}

/// A category of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Category {
    /// What its tools are for.
    pub description: String,
    /// Its tools: names as in `[tools]`, or patterns in which `*` matches any text and `?` any one character.
    pub tools: Vec<String>,
    /// The values by concern of all its tools, as in `[tools]`. What the tool, its description file or `[tools]` says of a
    /// concern is stronger.
    pub concerns: Option<Map<String, Value>>,
}

/// A concern, such as cost, by whose values hosts may choose.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Concern {
    /// Its name, such as "cost".
    pub name: String,
    /// A description for people.
    pub description: String,
    /// The values that a host may choose: a list, or `{ min = 0, max = 10 }`.
    pub values: Option<ConcernValues>,
    /// The value of a host that chose other concerns but not this one, where `[strategy.concerns] unset = "default"`.
    pub default: Option<Value>,
}

/// The values of a concern.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(
    untagged,
    expecting = "values must be a list of strings, numbers or booleans, or { min = .., max = .. }"
)]
pub enum ConcernValues {
    /// One of a list.
    Listed(Vec<Value>),
    /// Any number in a range.
    Range(Range),
}

/// A range of numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The minimum.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub min: Number,
    /// The maximum.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub max: Number,
}

/// A rule for a tool, or for all tools that match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    /// The line shown in lists instead of the first sentence of the description.
    pub brief: Option<String>,
    /// The name of its category.
    pub category: Option<String>,
    /// Its values by concern: a value, a list of values, or for a range a number or `[low, high]`.
    pub concerns: Option<Map<String, Value>>,
    /// Whether it does not exist for clients: it is not listed, found, described or called, and is answered like an unknown
    /// name. Where rules of the same strength disagree, it is hidden.
    pub hidden: Option<bool>,
}

/// Tools that every strategy lists completely, and that are called without being learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Pins {
    /// Names as in `[tools]`, or patterns in which `*` matches any text and `?` any one character.
    pub tools: Vec<String>,
    /// Whether tools with a page (MCP Apps) are listed completely as well. Default: true.
    pub ui: Option<bool>,
}

/// Rules for resources and resource templates, by URI, by "upstream/URI", or by patterns of these. URIs are compared as
/// normalized by RFC 3986.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The only URIs that exist for clients, or patterns of these, and where that is. Default: all.
    pub allow: Option<(Place, Vec<String>)>,
    /// The rules.
    pub rules: Table<Primitive>,
}

/// A rule for a resource, resource template or prompt, or for all that match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Primitive {
    /// Its values by concern: a value, a list of values, or for a range a number or `[low, high]`.
    pub concerns: Option<Map<String, Value>>,
    /// Whether it does not exist for clients: it is not listed, read or suggested, and is answered like an unknown name.
    pub hidden: Option<bool>,
}
