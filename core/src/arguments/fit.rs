//! Three-valued judgements, the steps they take, and numbers, where they are known exactly.
//!
//! Integers of 64 bits are exact. Anything else is the floating-point number nearest to what was written, as most servers
//! read it; from 2^53 on that may differ from the number, and only what holds all the same is said.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Whether something fits; `None` where that is not judged.
pub(super) type Fit = Option<bool>;

pub(super) fn not(fit: Fit) -> Fit {
    fit.map(|fits| !fits)
}

pub(super) fn and(one: Fit, other: Fit) -> Fit {
    if one == Some(false) || other == Some(false) { Some(false) } else { Some(one? && other?) }
}

pub(super) fn or(one: Fit, other: Fit) -> Fit {
    not(and(not(one), not(other)))
}

/// The steps that are left. A step is about one keyword on one value, or 64 bytes of text.
#[derive(Debug)]
pub(super) struct Steps(pub(super) usize);

impl Steps {
    /// `None` where there are not so many; then none are left.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.map(drop)
    }

    pub(super) fn read(&mut self, text: &str) -> Option<()> {
        self.spend(1 + text.len() / 64)
    }
}

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

pub(super) fn is_integer(number: &Number) -> Fit {
    if number.as_i128().is_some() {
        return Some(true);
    }
    number.as_f64().filter(|float| float.abs() < EXACT).map(|float| float.fract() == 0.0)
}

/// Only of integers: of others, servers see what floating point makes of them.
pub(super) fn is_multiple(number: &Number, of: &Number) -> Fit {
    Some(number.as_i128()?.checked_rem(of.as_i128().filter(|of| *of > 0)?)? == 0)
}

pub(super) fn is_of(kind: &str, value: &Value) -> Fit {
    match (kind, value) {
        ("integer", Value::Number(number)) => is_integer(number),
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => Some(true),
        ("null" | "boolean" | "integer" | "number" | "string" | "array" | "object", _) => Some(false),
        _ => None,
    }
}
