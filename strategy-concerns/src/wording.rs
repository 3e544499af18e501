//! Every sentence of `concerns` that a host or a model reads.

use mcp_disclosure_core::{Concern, brief::shorten};
use serde_json::Value;

/// A given name or value is shown up to so many characters.
const LONGEST_SHOWN: usize = 80;

/// Choices that are no object.
pub const NO_OBJECT: &str = "'concerns' must be an object of concern names and values";

/// The warning about a concern that nobody declared.
pub fn undeclared(name: &str, declared: &[Concern]) -> String {
    let names: Vec<&str> = declared.iter().map(Concern::name).collect();
    let name = shorten(name, LONGEST_SHOWN);
    format!("Concern '{name}' is not declared and was ignored. Declared are: {}.", names.join(", "))
}

/// What is wrong with a value.
pub fn invalid(concern: &Concern, value: &Value) -> String {
    format!(
        "Concern '{}' has no value {}. Its values: {}.",
        concern.name(),
        shorten(&value.to_string(), LONGEST_SHOWN),
        concern.values()
    )
}

/// The warning about a value that was left out.
pub fn ignored(concern: &Concern, value: &Value) -> String {
    format!("{} It was ignored.", invalid(concern, value))
}

/// The warning about a value that another was taken for.
pub fn clamped(concern: &Concern, value: &Value, taken: &Value) -> String {
    format!("{} {taken} was taken instead.", invalid(concern, value))
}
