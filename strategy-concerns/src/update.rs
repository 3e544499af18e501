//! The methods of 002: `listConcerns` and `updateConcerns` (contract C2, C6).

use mcp_disclosure_core::{Concern, Fault, Notes, RawObject};
use serde_json::Value;

/// The method by which hosts ask for the declaration.
pub const LIST: &str = "listConcerns";

/// The method by which hosts change their choices.
pub const UPDATE: &str = "updateConcerns";

/// The declaration of all concerns, as a JSON array.
pub fn declaration(declared: &[Concern]) -> Value {
    declared.iter().map(Concern::declaration).collect()
}

/// The choices that an update's parameters hold, as JSON text.
///
/// # Errors
/// [`Fault::InvalidParams`] where there are none.
pub fn choices_of(params: &str) -> Result<String, Fault> {
    let concerns =
        RawObject::parse(params).ok().and_then(|params| params.member("concerns").map(str::to_owned));
    concerns.ok_or_else(|| Fault::InvalidParams("params.concerns is missing".to_owned()))
}

/// What an update is answered: the choices in force, and what was not taken as it was meant.
pub fn updated(effective: &Notes, warnings: &[String]) -> RawObject {
    RawObject::empty().with_value("concerns", effective).with_value("warnings", warnings)
}
