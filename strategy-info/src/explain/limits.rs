//! Ranges, lengths and patterns, in words.

use serde_json::{Number, Value};

use super::layers::Layers;
use crate::wording;

/// The largest whole number that is the same everywhere. Generators of schemas write it for "any integer".
const SAFE: f64 = 9_007_199_254_740_991.0;

/// What a schema demands of a value beside its type.
pub(super) fn limits(layers: &Layers<'_>) -> Vec<String> {
    let mut limits = Vec::new();
    limits.extend(range(layers));
    limits.extend(number(layers, "multipleOf").map(wording::multiple_of));
    for (least, most, unit) in [
        ("minLength", "maxLength", "character"),
        ("minItems", "maxItems", "item"),
        ("minProperties", "maxProperties", "member"),
    ] {
        let least = number(layers, least).filter(|least| least.as_f64() != Some(0.0));
        limits.extend(wording::count(least, number(layers, most), unit));
    }
    if layers.first("uniqueItems") == Some(&Value::Bool(true)) {
        limits.push(wording::UNIQUE.to_owned());
    }
    // A format says it in a word.
    let pattern = layers.text("pattern").filter(|_| layers.text("format").is_none());
    limits.extend(pattern.map(wording::matching));
    limits.extend(layers.text("contentEncoding").map(wording::encoded));
    limits
}

fn range(layers: &Layers<'_>) -> Option<String> {
    let (least, above) = bound(layers, "minimum", "exclusiveMinimum");
    let (most, below) = bound(layers, "maximum", "exclusiveMaximum");
    wording::range(least, above, most, below)
}

/// A bound that belongs to what is allowed, and one that does not. Draft 4 says by a flag which it is.
fn bound<'s>(
    layers: &Layers<'s>,
    inclusive: &str,
    exclusive: &str,
) -> (Option<&'s Number>, Option<&'s Number>) {
    let given = number(layers, inclusive).filter(|bound| bound.as_f64().is_none_or(|at| at.abs() < SAFE));
    match layers.first(exclusive) {
        Some(Value::Bool(true)) => (None, given),
        Some(Value::Number(bound)) => (given, Some(bound)),
        _ => (given, None),
    }
}

fn number<'s>(layers: &Layers<'s>, keyword: &str) -> Option<&'s Number> {
    match layers.first(keyword) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}
