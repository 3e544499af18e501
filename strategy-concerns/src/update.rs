//! The methods `listConcerns` and `updateConcerns` of concern-based-filtering (docs/CONTRACT.md C2, C6).

use mcp_disclosure_core::{Fault, Kind, Notes, RawObject, View};

use crate::wording;

/// The method that lists the declared concerns.
pub const LIST: &str = "listConcerns";

/// The method that changes a host's choices.
pub const UPDATE: &str = "updateConcerns";

/// The member that has the values in force beside a declaration.
pub const EFFECTIVE: &str = "effective";

/// The member that has warnings.
const WARNINGS: &str = "warnings";

/// The declaration, and the values in force if there are any; a warning if nothing fits them.
pub fn listed(view: &View) -> RawObject {
    let listed = RawObject::empty().with_value("concerns", &view.about().concerns);
    if view.choices().is_empty() {
        return listed;
    }
    let listed = listed.with_value(EFFECTIVE, view.choices());
    match nothing_left(view) {
        Some(warning) => listed.with_value(WARNINGS, &[warning]),
        None => listed,
    }
}

/// The warning that the choices of a view leave no tool, or nothing of any kind.
pub fn nothing_left(view: &View) -> Option<String> {
    let has_tools = |view: &View| view.tools().next().is_some();
    let kinds = [Kind::Resources, Kind::Templates, Kind::Prompts];
    let has_entries = || kinds.iter().any(|kind| view.entries(*kind).next().is_some());
    let leaves_something = has_tools(view) || has_entries() && !has_tools(view.before_choices());
    (!leaves_something && !view.choices().is_empty()).then(|| wording::nothing_left(view.choices()))
}

/// The choices in an update's parameters, as JSON text.
///
/// # Errors
/// [`Fault::InvalidParams`] if there are none.
pub fn choices_of(params: &RawObject) -> Result<&str, Fault> {
    params.member("concerns").ok_or_else(|| Fault::InvalidParams("params.concerns is missing".to_owned()))
}

/// The result of an update: the choices in force, and warnings.
pub fn updated(effective: &Notes, warnings: &[String]) -> RawObject {
    RawObject::empty().with_value("concerns", effective).with_value(WARNINGS, warnings)
}
