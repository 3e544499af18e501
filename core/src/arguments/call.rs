//! The arguments of a call, and JSON in a string where only an object or an array can be meant.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use serde_json::{Value, value::RawValue};

use super::{
    ArgumentProblem, Verdict,
    check::{STEPS, Steps},
    schema::{Schema, kinds, read},
};
use crate::raw::{RawObject, RawText};

/// The most bytes of arguments that are checked.
pub(super) const MAX_BYTES: usize = 500_000;

/// Arguments that go on to the tool.
#[derive(Debug, Default)]
pub struct Checked {
    /// As the tool shall see them, where that differs from what was given. What was not repaired keeps its text.
    pub repaired: Option<RawText>,
    /// Whether it is known that they fit.
    pub is_judged: bool,
}

impl Schema {
    /// Arguments, by their JSON text, as the tool shall see them. It takes some 10 ms at most.
    ///
    /// A JSON string where the schema allows only an object or an array is understood, at the top and for each argument, and
    /// `null` for an argument that can be left out and not be `null`; nothing else is changed.
    ///
    /// # Errors
    /// What is wrong with them: they do not fit.
    pub fn apply(&self, given: &str) -> Result<Checked, Vec<ArgumentProblem>> {
        let mut steps = Steps(STEPS);
        let Some((text, arguments)) = self.repair(given, &mut steps) else { return Ok(Checked::default()) };
        let Value::Object(members) = &arguments else {
            return Err(vec![ArgumentProblem::of("arguments", given, "a JSON object")]);
        };
        let verdict = self.check_within(&arguments, &mut steps);
        let Verdict::DoesNotFit(problems) = verdict else {
            let repaired = match text {
                Cow::Borrowed(_) => None,
                Cow::Owned(text) => RawText::parse(text).ok(),
            };
            return Ok(Checked { repaired, is_judged: verdict == Verdict::Fits });
        };
        // Some clients send `null` for what a model leaves out.
        let required = self.says(&self.document, "required").and_then(Value::as_array);
        let required: HashSet<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let nulls =
            members.iter().filter(|(name, value)| value.is_null() && !required.contains(name.as_str()));
        let refuses = |name: &&str| self.refuses_null(name, &problems, &mut steps);
        let left_out: HashSet<&str> = nulls.map(|(name, _)| name.as_str()).filter(refuses).collect();
        if left_out.is_empty() {
            return Err(problems);
        }
        let Ok(given) = RawObject::parse(text) else { return Err(problems) };
        let rest = given.retain(|name| !left_out.contains(name));
        let verdict = read(rest.text(), MAX_BYTES).map(|rest| self.check_within(&rest, &mut steps));
        match verdict {
            Some(Verdict::DoesNotFit(_)) => Err(problems),
            verdict => {
                Ok(Checked { repaired: Some(rest.into_text()), is_judged: verdict == Some(Verdict::Fits) })
            }
        }
    }

    /// The arguments and their value, with the JSON that strings hold in place of those: at the top, and for the arguments whose
    /// schema allows objects and arrays (or null) and nothing else. `None` where they are not judged.
    fn repair<'g>(&self, given: &'g str, steps: &mut Steps) -> Option<(Cow<'g, str>, Value)> {
        let mut text = Cow::Borrowed(given);
        let mut arguments = read(given, MAX_BYTES)?;
        if let Some(held) = container(&arguments) {
            (arguments, text) = (read(held, MAX_BYTES)?, Cow::Owned(held.to_owned()));
        }
        let properties = self.says(&self.document, "properties");
        let members = arguments.as_object().into_iter().flatten();
        let held = members.filter_map(|(name, value)| {
            let held = container(value)?;
            let only = self.allows_only_containers(properties?.get(name)?, steps)?;
            only.then_some((name.as_str(), held))
        });
        let held: HashMap<&str, &str> = held.collect();
        if !held.is_empty() {
            let given = RawObject::parse(text).ok()?;
            let members = given.iter().map(|(name, value)| (name, held.get(name).copied().unwrap_or(value)));
            let repaired = RawObject::assemble(members).text().to_owned();
            (arguments, text) = (read(&repaired, MAX_BYTES)?, Cow::Owned(repaired));
        }
        Some((text, arguments))
    }

    /// Whether an argument cannot be `null`: by its schema, or by these problems where only a part of the schema names it.
    fn refuses_null(&self, name: &str, problems: &[ArgumentProblem], steps: &mut Steps) -> bool {
        match self.says(&self.document, "properties").and_then(|properties| properties.get(name)) {
            Some(schema) => self.fits_within(schema, &Value::Null, steps) == Some(false),
            None => self.has_parameter(name) && problems.iter().any(|problem| problem.argument == name),
        }
    }

    /// Whether `type`, by itself or in alternatives and references, names `object` or `array` (or null) and nothing else; `None` if
    /// something else may be allowed.
    fn allows_only_containers(&self, schema: &Value, steps: &mut Steps) -> Option<bool> {
        let (mut open, mut has_container) = (vec![schema], false);
        while let Some(schema) = open.pop() {
            steps.spend(1)?;
            if let Some(named) = self.says(schema, "type") {
                let named = kinds(named);
                steps.spend(named.len())?;
                for kind in named {
                    has_container |= matches!(kind.as_str()?, "object" | "array");
                    matches!(kind.as_str()?, "object" | "array" | "null").then_some(())?;
                }
            } else if let Some(parts) = ["anyOf", "oneOf"].into_iter().find_map(|key| self.says(schema, key))
            {
                let parts = parts.as_array()?;
                steps.spend(parts.len())?;
                open.extend(parts);
            } else {
                let reference = schema.get("$ref")?.as_str()?;
                steps.spend(reference.len())?;
                open.push(self.target(reference)?);
            }
        }
        Some(has_container)
    }
}

/// The JSON text of the object or array that a string holds.
fn container(value: &Value) -> Option<&str> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with(['{', '[']))?;
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn p1_alternatives_cost_steps_when_they_are_kept() {
        let many = vec![json!({"type": "array"}); 1_000];
        let schema = Schema::compile("{}");
        for (steps, judged) in [(1_500, None), (4_000, Some(true))] {
            assert_eq!(schema.allows_only_containers(&json!({"anyOf": many}), &mut Steps(steps)), judged);
        }
        let own = r##"{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}"##;
        assert!(!Schema::compile(own).apply(r#"{"a":"[]"}"#).unwrap().is_judged);
    }
}
