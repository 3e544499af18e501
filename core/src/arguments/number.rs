//! Types and numbers, where they are known exactly.
//!
//! Integers of 64 bits are exact. Anything else is the floating-point number nearest to what was written, as most servers
//! read it; from 2^53 on that may differ from the number, and only verdicts that hold for both are given.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::schema::TYPES;

/// 2^53: below it every integer has a floating-point number of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// `None` where it is not known.
pub(super) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    if let (Some(one), Some(other)) = (one.as_i128(), other.as_i128()) {
        return Some(one.cmp(&other));
    }
    // Rounding keeps the order of what it keeps apart.
    let (one, other) = (one.as_f64()?, other.as_f64()?);
    one.partial_cmp(&other).filter(|order| order.is_ne() || one.abs() < EXACT)
}

/// Whether a value is of the type of this name.
pub(super) fn is_of(kind: &str, value: &Value) -> Option<bool> {
    match (kind, value) {
        ("integer", Value::Number(number)) if number.is_f64() => {
            number.as_f64().filter(|float| float.abs() < EXACT).map(|float| float.fract() == 0.0)
        }
        ("number", Value::Number(_)) => Some(true),
        _ => TYPES.contains(&kind).then_some(kind == type_of(value)),
    }
}

/// The type of a value in JSON Schema; `integer` for whole numbers that are written without a fraction.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
