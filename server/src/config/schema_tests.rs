//! Schemas for `docs/disclosure.schema.json`: of types of the gateway library, and of those that are not derived.

use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData};

use clap::{Arg, ArgAction, builder::PossibleValue};
use mcp_disclosure_gateway::limits::LIMITS;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use strum::{EnumMessage, VariantArray};

use super::{
    Table,
    file::{Primitive, Resources},
};
use crate::flags::{self, Kind, Seconds};

/// The schema of [`LimitSettings`](mcp_disclosure_gateway::limits::LimitSettings).
pub(super) struct LimitSettings;

impl JsonSchema for LimitSettings {
    fn schema_name() -> Cow<'static, str> {
        "LimitSettings".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let limits = LIMITS.iter().map(|limit| {
            let description = limit.text.trim();
            let schema =
                json!({"type": "integer", "format": "uint64", "minimum": 1, "description": description});
            (limit.name.to_owned(), schema)
        });
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "properties": Value::Object(limits.collect()),
            "description": "Limits set by the operator; the others have their defaults.",
        })
    }
}

/// Which transport a URL serves.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum EndpointType {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05, which is deprecated.
    Sse,
}

/// The schema of `[serve]`, from the flags of `serve`.
pub(super) struct Serve;

impl JsonSchema for Serve {
    fn schema_name() -> Cow<'static, str> {
        "Serve".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let table = flags::table();
        let keys = flags::keys(&table).map(|flag| {
            let (kind, are_several) = flags::kind(flag);
            let words = flag.get_possible_values();
            let word = |word: &PossibleValue| {
                let help = word.get_help().map(ToString::to_string);
                json!({"type": "string", "const": word.get_name(), "description": help})
            };
            let one = match kind {
                Kind::Switch => json!({"type": "boolean"}),
                Kind::Count => json!({"type": "integer", "minimum": 0}),
                Kind::Seconds => json!({"type": "number", "minimum": 0}),
                Kind::Address => json!({"type": ["integer", "string"]}),
                _ if !words.is_empty() => json!({"oneOf": words.iter().map(word).collect::<Vec<_>>()}),
                Kind::Text | Kind::Path => json!({"type": "string"}),
            };
            let mut schema = if are_several { json!({"type": "array", "items": one}) } else { one };
            schema["description"] = description(flag).into();
            (flags::key(flag), schema)
        });
        json_schema!({"type": "object", "additionalProperties": false, "properties": Value::Object(keys.collect())})
    }
}

/// What help says of a flag, with its default.
fn description(flag: &Arg) -> String {
    let help = flag.get_long_help().or(flag.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = help.split("\n\n").map(str::trim).map(ended).collect::<Vec<_>>().join(" ");
    let default: Vec<_> = flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !default.is_empty() && !matches!(flag.get_action(), ArgAction::SetTrue) {
        text.push_str(&format!(" Default: {}.", default.join(", ")));
    }
    text
}

/// A sentence with its full stop. What help says of a default in brackets is a sentence, too.
fn ended(text: &str) -> String {
    match text.strip_suffix(']').and_then(|text| text.split_once(" [default: ")) {
        Some((text, default)) => format!("{text}. Default: {default}."),
        None => format!("{text}."),
    }
}

impl<T: JsonSchema> JsonSchema for Table<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}s", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}

impl JsonSchema for Resources {
    fn schema_name() -> Cow<'static, str> {
        "Resources".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Table::<Primitive>::json_schema(generator);
        let primitive = generator.subschema_for::<Primitive>();
        let description =
            "The only URIs that exist for clients, or patterns of these, in lists as well. Default: all.";
        schema.insert(
            "properties".to_owned(),
            json!({"allow": {
                "description": description,
                "anyOf": [{"type": "array", "items": {"type": "string"}}, primitive],
            }}),
        );
        schema
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "exclusiveMinimum": 0, "maximum": 1e9})
    }
}

/// The schema of an enum whose values are words.
pub(super) struct Word<T>(PhantomData<T>);

impl<T: VariantArray + EnumMessage + fmt::Display> JsonSchema for Word<T> {
    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<T>().rsplit("::").next().unwrap_or_default().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let values = T::VARIANTS.iter().map(|value| {
            json!({
                "type": "string",
                "const": value.to_string(),
                "description": value.get_documentation(),
            })
        });
        json_schema!({"oneOf": Value::Array(values.collect())})
    }
}

mod tests {
    use super::*;
    use crate::config::DisclosureFile;

    /// Removes null, which TOML does not have, and defaults without information.
    fn tidy(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                // Not the keyword, but a property named "default".
                let is_property = |value: &Value| *value == true || value["description"].is_string();
                let members =
                    members.into_iter().filter(|(key, value)| key != "default" || is_property(value));
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

    /// Run with `UPDATE_SCHEMA=1` to regenerate the schema.
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
