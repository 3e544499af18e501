//! The methods `listConcerns` and `updateConcerns` of concern-based-filtering (docs/CONTRACT.md C2, C6).

use mcp_disclosure_core::{Concern, Fault, Notes, RawObject};
use serde_json::Value;

/// The method that lists the declared concerns.
pub const LIST: &str = "listConcerns";

/// The method that changes a host's choices.
pub const UPDATE: &str = "updateConcerns";

/// The member that has the values in force beside a declaration.
pub const EFFECTIVE: &str = "effective";

/// The declaration, and the values in force if there are any.
pub fn listed(declared: &[Concern], effective: &Notes) -> RawObject {
    let listed = RawObject::empty().with_value("concerns", &declaration(declared));
    if effective.is_empty() { listed } else { listed.with_value(EFFECTIVE, effective) }
}

/// The declaration of all concerns, as a JSON array.
pub fn declaration(declared: &[Concern]) -> Value {
    declared.iter().map(Concern::declaration).collect()
}

/// The choices in an update's parameters, as JSON text.
///
/// # Errors
/// [`Fault::InvalidParams`] if there are none.
pub fn choices_of(params: &RawObject) -> Result<&str, Fault> {
    params.member("concerns").ok_or_else(|| Fault::InvalidParams("params.concerns is missing".to_owned()))
}

/// Choices as JSON text.
pub fn text(choices: &Notes) -> String {
    Value::Object(choices.clone().into_iter().collect()).to_string()
}

/// The result of an update: the choices in force, and warnings.
pub fn updated(effective: &Notes, warnings: &[String]) -> RawObject {
    RawObject::empty().with_value("concerns", effective).with_value("warnings", warnings)
}
