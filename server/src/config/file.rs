//! What `disclosure.toml` may say. The types are its reference: `docs/disclosure.schema.json` is made of them.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf};

use mcp_disclosure_core::Settings;
use mcp_disclosure_gateway::{Place, limits::LimitSettings, negotiation::Bridge};
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

#[cfg(test)]
use super::schema;
use super::{EndpointType, Transport};

/// Everything that mcp-disclosure serves, and how, in one file.
///
/// `${VAR}` takes from the environment, `${VAR:-otherwise}` with a value where it is not set; `$${` stands for
/// `${`. Paths are relative to the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(deny_unknown_fields, default))]
pub struct DisclosureFile {
    /// A directory of description files (NAME.json) laid over the upstreams' own definitions.
    pub tool_descriptions: Option<PathBuf>,
    /// What the server says of itself.
    pub server: Server,
    /// How clients are served: the flags of `serve` by the same names, each of which wins over what stands here.
    pub serve: Serve,
    /// Bounds on what clients and upstreams can make the program spend. `--limit NAME=VALUE` wins over what stands here.
    #[cfg_attr(test, schemars(with = "schema::LimitSettings"))]
    pub limits: LimitSettings,
    /// The MCP servers whose tools are served, by name. The order is the one in which tools are listed.
    pub upstreams: Table<UpstreamEntry>,
    /// What tools are sorted into, by name; `info` shows them in this order.
    pub categories: Table<Category>,
    /// What hosts may choose by.
    #[cfg_attr(test, schemars(with = "Vec<Concern>"))]
    pub concerns: Vec<(Place, Concern)>,
    /// What is said of tools, by name, or patterns of names. "upstream/tool" is that upstream's tool, and so is
    /// "upstream__tool"; "tool" is every upstream's tool of that name.
    pub tools: Table<Tool>,
    /// What is said of resources and resource templates, and which may be read.
    pub resources: Resources,
    /// What is said of prompts, by name or pattern, as of tools.
    pub prompts: Table<Primitive>,
    /// The settings of strategies, by the strategy's name. `mcp-disclosure strategies` lists the names.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Map<String, Value>>"))]
    pub strategy: Settings,
}

impl DisclosureFile {
    /// What differs from an older file that a running process cannot follow.
    pub fn needs_restart_after(&self, older: &Self) -> Vec<&'static str> {
        let differs = [
            ("tool_descriptions", self.tool_descriptions != older.tool_descriptions),
            ("[serve]", self.serve != older.serve),
            ("[limits]", self.limits != older.limits),
            ("[upstreams]", !self.upstreams.starts_the_same(&older.upstreams)),
            ("[strategy]", self.strategy != older.strategy),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(what, _)| what).collect()
    }
}

/// Sections by name, in the order in which they were written, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<T>(pub Vec<(String, Place, T)>);

impl Table<UpstreamEntry> {
    /// Whether two start the same upstreams, wherever they say it. Which tools exist is read again while running.
    fn starts_the_same(&self, other: &Self) -> bool {
        let unswitched =
            |entry: &UpstreamEntry| UpstreamEntry { allow: None, hidden: vec![], ..entry.clone() };
        let same = |(one, other): (&(String, Place, UpstreamEntry), &(String, Place, UpstreamEntry))| {
            one.0 == other.0 && unswitched(&one.2) == unswitched(&other.2)
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

#[cfg(test)]
impl<T: JsonSchema> JsonSchema for Table<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}s", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}

/// What the server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// Its name; the one upstream's own if not said.
    pub name: Option<String>,
    /// Its version; the one upstream's own if not said.
    pub version: Option<String>,
    /// What it is for, in a sentence; the one upstream's own if not said.
    pub description: Option<String>,
    /// What else is true of it, such as `gpu_available = false`; `info` shows it in its overview.
    pub facts: Map<String, Value>,
}

/// How clients are served.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Serve {
    /// Serve every client by this strategy (stacks as NAME+NAME); "auto": what the client asks for.
    pub strategy: Option<String>,
    /// The strategies that clients may choose; all if not said.
    pub offer: Option<Vec<String>>,
    /// The strategy of clients that ask for nothing that is offered; "full" if not said.
    pub fallback: Option<String>,
    /// Whether a strategy's channel is listed as an ordinary tool, too: "auto" to clients that have not declared the
    /// strategy, "always", or "never".
    #[cfg_attr(test, schemars(with = "Option<schema::Bridge>"))]
    pub bridge: Option<Bridge>,
    /// How clients connect: "stdio" or "http".
    pub transport: Option<Transport>,
    /// Where to listen for HTTP, as ADDRESS:PORT.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub listen: Option<SocketAddr>,
}

/// One MCP server: a program that speaks over its standard streams, or a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UpstreamEntry {
    /// The program, as a path or found on the PATH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The directory it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// An HTTP endpoint, instead of a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Which transport the URL serves: "http" is Streamable HTTP, "sse" the deprecated HTTP+SSE of 2024-11-05. If not
    /// said, that is found out.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub endpoint_type: Option<EndpointType>,
    /// Whether the program inherits our whole environment. If not it gets its `env` and what every program needs: on Unix
    /// HOME, LOGNAME, PATH, SHELL, TERM and USER.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inherit_env: bool,
    /// Environment variables for the program, beside what it inherits.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Headers of each request to the URL.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether it is left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// The only tools of it that exist for clients, by its own names for them, or patterns of these; all if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Tools of it that do not exist for clients, likewise. Nothing else in the file brings them back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// A category of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Category {
    /// What its tools are for.
    pub description: String,
    /// Its tools: names as in `[tools]`, or patterns in which `*` stands for any text and `?` for any one character.
    pub tools: Vec<String>,
}

/// Something that hosts may choose by.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Concern {
    /// Its name, such as "cost".
    pub name: String,
    /// What it is, for people.
    pub description: String,
    /// The values that a host may choose: a list, or `{ min = 0, max = 10 }`.
    pub values: Option<ConcernValues>,
    /// What it is taken for where a host chose nothing.
    pub default: Option<Value>,
}

/// The values of a concern.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(
    untagged,
    expecting = "values must be a list of strings, numbers or booleans, or { min = .., max = .. }"
)]
pub enum ConcernValues {
    /// One of these.
    Listed(Vec<Value>),
    /// Any number between two.
    Range(Range),
}

/// A range of numbers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The least.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub min: Number,
    /// The greatest.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub max: Number,
}

/// What is said of a tool, or of all that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    /// The one line for lists.
    pub brief: Option<String>,
    /// The category it is in.
    pub category: Option<String>,
    /// What it means for concerns, by the concern's name: a value, a list of values, or for a range a number or
    /// `[low, high]`.
    pub concerns: Option<Map<String, Value>>,
    /// Whether it does not exist for clients.
    pub hidden: Option<bool>,
}

/// What is said of resources and resource templates: by URI, by "upstream/URI", or by patterns of these. They are
/// compared as RFC 3986 normalizes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The URIs, or patterns of URIs, that may be read; what is none of these does not exist for clients.
    pub allow: Option<Vec<String>>,
    /// What is said of single ones.
    pub rules: Table<Primitive>,
}

#[cfg(test)]
impl JsonSchema for Resources {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Resources".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = Table::<Primitive>::json_schema(generator);
        let primitive = generator.subschema_for::<Primitive>();
        let description = "The URIs, or patterns of URIs, that may be read; what is none of these does not exist for \
             clients.";
        schema.insert(
            "properties".to_owned(),
            serde_json::json!({"allow": {
                "description": description,
                "anyOf": [{"type": "array", "items": {"type": "string"}}, primitive],
            }}),
        );
        schema
    }
}

/// What is said of a resource, resource template or prompt, or of all that a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Primitive {
    /// What it means for concerns, by the concern's name: a value, a list of values, or for a range a number or
    /// `[low, high]`.
    pub concerns: Option<Map<String, Value>>,
    /// Whether it does not exist for clients.
    pub hidden: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without what TOML cannot say, and defaults that say nothing.
    fn tidy(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                // The key of that name is told from the keyword by what is said of it.
                let says = |value: &Value| value.is_boolean() || value.get("description").is_some();
                let members = members.into_iter().filter(|(key, value)| key != "default" || says(value));
                let members = members.map(|(key, value)| match (&*key, value) {
                    ("type", Value::Array(mut types)) => {
                        types.retain(|name| name != "null");
                        let only = (types.len() == 1).then(|| types[0].clone());
                        (key, only.unwrap_or(Value::Array(types)))
                    }
                    ("anyOf", Value::Array(mut kinds)) => {
                        kinds.retain(|kind| kind["type"] != "null");
                        (key, Value::Array(kinds.into_iter().map(tidy).collect()))
                    }
                    (_, value) => (key, tidy(value)),
                });
                Value::Object(members.collect())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(tidy).collect()),
            other => other,
        }
    }

    /// Run with `UPDATE_SCHEMA=1` to write it anew.
    #[test]
    fn the_schema_for_editors_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/disclosure.schema.json");
        let mut schema = schemars::schema_for!(DisclosureFile);
        schema.insert("title".to_owned(), "disclosure.toml".into());
        let schema = format!("{:#}\n", tidy(schema.to_value()));
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, &schema).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written == schema, "docs/disclosure.schema.json is old: run this test with UPDATE_SCHEMA=1");
    }
}
