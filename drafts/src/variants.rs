//! Server variants (SEP-2053), on the wire. A gateway's are its strategies.
//!
//! ```text
//! → initialize   {"capabilities": {"extensions": {"io.modelcontextprotocol/server-variants":
//!                  {"variantHints": {"hints": {"contextSize": ["compact", "standard"]}}}}}}
//! ← {"capabilities": {"extensions": {"io.modelcontextprotocol/server-variants": {"availableVariants": [
//!      {"id": "search", "description": "…", "hints": {"contextSize": "compact"}, "status": "stable"}, …]}}}}
//! → tools/list   {"_meta": {"io.modelcontextprotocol/server-variant": "describe"}}
//! ```
//!
//! The first variant is the one that serves requests that name none.

use mcp_disclosure_core::{Fault, RawObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The extension's id.
pub const SERVER_VARIANTS: &str = "io.modelcontextprotocol/server-variants";

/// The key in `_meta` by which a request names a variant.
pub const SERVER_VARIANT: &str = "io.modelcontextprotocol/server-variant";

/// Maximum values of one hint that are read.
const MOST_HINTS: usize = 16;

/// What a client that supports variants says of itself. Hints other than the context size are ignored: the variants do not
/// differ in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VariantHints {
    /// The context sizes that suit it, best first.
    pub context_sizes: Vec<String>,
}

/// A variant, as it is listed in the handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVariant {
    /// Its id: the name of a strategy.
    pub id: String,
    /// What it shows.
    pub description: String,
    /// How much of a context it takes; empty if that depends on the catalogue.
    pub context_size: &'static str,
}

impl VariantHints {
    /// Reads the client's half of the extension; `None` if it does not support it.
    pub fn read(capabilities: &RawObject) -> Option<Self> {
        let settings = capabilities.object("extensions")?.object(SERVER_VARIANTS)?;
        let hint = || settings.object("variantHints")?.object("hints")?.member("contextSize").map(values);
        Some(Self { context_sizes: hint().unwrap_or_default() })
    }

    /// The place of a context size among those that suit the client.
    pub fn rank(&self, context_size: &str) -> usize {
        let sizes = &self.context_sizes;
        sizes.iter().position(|size| size == context_size).unwrap_or(sizes.len())
    }
}

/// A hint's values: one, or several in an array.
fn values(text: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(only)) => vec![only],
        Ok(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).take(MOST_HINTS).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The server's half of the extension.
pub fn settings(variants: &[ServerVariant]) -> RawObject {
    let variants: Vec<Value> = variants.iter().map(ServerVariant::listed).collect();
    RawObject::empty().with_value("availableVariants", &variants).with("moreVariantsAvailable", "false")
}

impl ServerVariant {
    fn listed(&self) -> Value {
        let hints = match self.context_size {
            "" => json!({}),
            size => json!({"contextSize": size}),
        };
        json!({"id": self.id, "description": self.description, "hints": hints, "status": "stable"})
    }
}

/// The variant that a request names, as JSON text.
pub fn requested(params: &RawObject) -> Option<String> {
    params.meta()?.member(SERVER_VARIANT).map(str::to_owned)
}

/// The parameters without the name of a variant: upstreams have to refuse it if they have no variants.
pub fn without_variant(params: &RawObject) -> RawObject {
    let Some(meta) = params.meta() else { return params.clone() };
    let meta = meta.retain(|key| key != SERVER_VARIANT);
    if meta.is_empty() { params.retain(|key| key != "_meta") } else { params.with("_meta", meta.text()) }
}

/// The error for a variant that is not available to a client.
pub fn invalid_variant(requested: &str, available: &[ServerVariant]) -> Fault {
    let requested: Value = serde_json::from_str(requested).unwrap_or_default();
    let available: Vec<&str> = available.iter().map(|variant| &*variant.id).collect();
    Fault::Rejected {
        message: "Invalid server variant".to_owned(),
        data: json!({"requestedVariant": requested, "availableVariants": available}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_hints_are_one_value_or_several() {
        let read = |hints: &str| {
            let settings = format!(r#"{{"extensions":{{"{SERVER_VARIANTS}":{hints}}}}}"#);
            VariantHints::read(&RawObject::parse(settings).unwrap()).map(|hints| hints.context_sizes)
        };
        assert_eq!(
            read(r#"{"variantHints":{"hints":{"contextSize":"compact","x":1}}}"#),
            Some(vec!["compact".into()])
        );
        let several = read(r#"{"variantHints":{"hints":{"contextSize":["standard",7,"compact"]}}}"#);
        assert_eq!(several, Some(vec!["standard".into(), "compact".into()]));
        for none in ["{}", r#"{"variantHints":7}"#, r#"{"variantHints":{"hints":{"contextSize":7}}}"#] {
            assert_eq!(read(none), Some(Vec::new()), "{none}");
        }
        assert_eq!(read("null"), None);
    }

    #[test]
    fn v1_upstreams_do_not_see_which_variant_was_named() {
        let params = |text: &str| RawObject::parse(text).unwrap();
        let named = params(&format!(r#"{{"_meta":{{"{SERVER_VARIANT}":"full","a":1.0}},"x":1}}"#));
        assert_eq!(requested(&named).as_deref(), Some(r#""full""#));
        assert_eq!(without_variant(&named).text(), r#"{"_meta":{"a":1.0},"x":1}"#);
        let alone = params(&format!(r#"{{"_meta":{{"{SERVER_VARIANT}":7}}}}"#));
        assert_eq!((requested(&alone).as_deref(), without_variant(&alone).text()), (Some("7"), "{}"));
        assert_eq!(requested(&params(r#"{"_meta":{"a":1}}"#)), None);
    }
}
