//! The arguments of a call, and JSON in a string where only an object or an array can be meant.

use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::{
    ArgumentProblem, Verdict,
    schema::{MAX_MEMORY, Schema, kinds, read},
};
use crate::size;

/// The most bytes of arguments that are checked.
pub(super) const MAX_BYTES: usize = 500_000;

/// Arguments that go on to the tool.
#[derive(Debug, Default)]
pub struct Checked {
    /// As the tool shall see them, where that differs from what was given.
    pub repaired: Option<Box<RawValue>>,
    /// Whether it is known that they fit.
    pub is_judged: bool,
}

impl Schema {
    /// Arguments, by their JSON text, as the tool shall see them. It takes some 5 ms at most.
    ///
    /// A JSON string where the schema allows only an object or an array is understood, at the top and for each argument, and
    /// `null` for an argument that can be left out and not be `null`; nothing else is changed.
    ///
    /// # Errors
    /// What is wrong with them: they do not fit.
    pub fn apply(&self, given: &str) -> Result<Checked, Vec<ArgumentProblem>> {
        let arguments = read(given, MAX_BYTES);
        let Some((arguments, is_repaired)) = arguments.and_then(|arguments| self.repair(arguments)) else {
            return Ok(Checked::default());
        };
        if !arguments.is_object() {
            return Err(vec![ArgumentProblem::of("arguments", given, "a JSON object")]);
        }
        let (arguments, is_repaired, is_judged) = match self.check(&arguments) {
            Verdict::DoesNotFit(problems) => (self.without_nulls(arguments).ok_or(problems)?, true, true),
            verdict => (arguments, is_repaired, verdict == Verdict::Fits),
        };
        let repaired = is_repaired.then(|| to_raw_value(&arguments).ok()).flatten();
        Ok(Checked { repaired, is_judged })
    }

    /// The arguments without those that are `null` and can be left out, as some clients send what a model leaves out; `None` if
    /// they do not fit even so.
    fn without_nulls(&self, mut arguments: Value) -> Option<Value> {
        let required = self.document.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
        let members = arguments.as_object_mut()?;
        let given = members.len();
        members.retain(|name, value| !value.is_null() || is_required(name));
        (members.len() < given && self.check(&arguments) == Verdict::Fits).then_some(arguments)
    }

    /// Replaces strings by the JSON that they hold: at the top, and for the arguments whose schema allows objects and arrays
    /// (or null) and nothing else. Says whether there were any.
    ///
    /// `None` where they hold more than is judged.
    fn repair(&self, mut arguments: Value) -> Option<(Value, bool)> {
        let mut room = MAX_MEMORY;
        let mut is_repaired = false;
        let mut repair = |value: &mut Value| {
            if let Some(container) = value.as_str().and_then(|text| container(text, &mut room)) {
                (*value, is_repaired) = (container, true);
            }
        };
        repair(&mut arguments);
        let properties = self.document.get("properties");
        for (name, value) in arguments.as_object_mut().into_iter().flatten() {
            if properties.and_then(|properties| properties.get(name)).is_some_and(allows_only_containers) {
                repair(value);
            }
        }
        (room > 0).then_some((arguments, is_repaired))
    }
}

/// The object or array that a text is, if there is room for it.
fn container(text: &str, room: &mut usize) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then_some(())?;
    *room = room.saturating_sub(size::memory(text));
    (*room > 0).then(|| serde_json::from_str(text).ok()).flatten()
}

/// Whether `type` names `object` or `array` (or null) and nothing else.
fn allows_only_containers(schema: &Value) -> bool {
    let is_container = |name: &Value| matches!(name.as_str(), Some("object" | "array"));
    let kinds = kinds(&schema["type"]);
    kinds.iter().any(is_container) && kinds.iter().all(|name| is_container(name) || name == "null")
}
