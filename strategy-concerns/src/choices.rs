//! A host's choices, by request or in the query of an address such as `/mcp?cost=low`, validated against the declaration
//! (docs/CONTRACT.md B11, C3, C7).

use mcp_disclosure_core::{Concern, Fault, Notes, Pattern};
use serde_json::{Map, Value};

use crate::{OnInvalidValue, wording};

/// Maximum size of the JSON text of choices.
pub const MAX_BYTES: usize = 64 * 1024;

/// Maximum number of choices of which something is reported; the rest is not read.
const MAX_WARNINGS: usize = 10;

/// Validated choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// The choices by concern; `null` withdraws one.
    pub changes: Notes,
    /// Which choices were ignored or replaced.
    pub warnings: Vec<String>,
}

impl Choices {
    /// Parses the JSON text of choices: an object from concern names to values. Undeclared ones are kept while an upstream
    /// `is_starting` that may declare them.
    ///
    /// # Errors
    /// [`Fault::InvalidParams`] if it is not an object, or if `on_invalid` is `Error` and values are undeclared; every
    /// such value is named.
    pub fn read(
        declared: &[Concern],
        given: &str,
        on_invalid: OnInvalidValue,
        is_starting: bool,
    ) -> Result<Self, Fault> {
        if given.len() > MAX_BYTES {
            return Err(Fault::InvalidParams(wording::too_large(given.len(), MAX_BYTES)));
        }
        let given: Map<String, Value> = serde_json::from_str(given)
            .map_err(|_| Fault::InvalidParams(wording::NOT_AN_OBJECT.to_owned()))?;
        let mut choices = Self::default();
        let mut wrong = Vec::new();
        for (name, value) in given {
            if choices.warnings.len() + wrong.len() >= MAX_WARNINGS {
                choices.warnings.push(wording::TOO_MANY_WARNINGS.to_owned());
                break;
            }
            let Some(concern) = declared.iter().find(|concern| concern.name() == name) else {
                if is_starting {
                    choices.changes.insert(name, value);
                    continue;
                }
                choices.warnings.push(wording::undeclared(&name, declared));
                continue;
            };
            let understood = concern.values().understood(&value);
            let taken = understood.or_else(|| value.is_null().then_some(Value::Null));
            match (taken, on_invalid, concern.values().nearest(&value)) {
                (Some(taken), ..) => drop(choices.changes.insert(name, taken)),
                (None, OnInvalidValue::Error, _) => wrong.push(wording::invalid(concern, &value)),
                (None, OnInvalidValue::Clamp, Some(near)) => {
                    choices.warnings.push(wording::clamped(concern, &value, &near));
                    choices.changes.insert(name, near);
                }
                _ => choices.warnings.push(wording::ignored(concern, &value)),
            }
        }
        if wrong.is_empty() { Ok(choices) } else { Err(Fault::InvalidParams(wrong.join(" "))) }
    }
}

/// The choices in the parameters of an address. Parameters that match `ignored` do not count, unless a concern has that name.
///
/// # Errors
/// [`Fault::InvalidParams`], which names every parameter that is not understood and all that is declared: what is not
/// understood must not serve everything.
pub fn of_address(
    declared: &[Concern],
    parameters: &[(String, String)],
    ignored: &[Pattern],
) -> Result<Notes, Fault> {
    let (mut choices, mut problems) = (Notes::new(), Vec::new());
    for (name, value) in parameters {
        match declared.iter().find(|concern| concern.name() == name) {
            None if ignored.iter().any(|pattern| pattern.matches(name)) => {}
            None => problems.push(wording::unknown_parameter(name, declared)),
            Some(concern) => match concern.values().understood(&value.as_str().into()) {
                Some(value) => drop(choices.insert(name.clone(), value)),
                None => problems.push(wording::invalid(concern, &value.as_str().into())),
            },
        }
        if problems.len() == MAX_WARNINGS {
            problems.push(wording::TOO_MANY_WARNINGS.to_owned());
            break;
        }
    }
    match problems.is_empty() {
        true => Ok(choices),
        false => Err(Fault::InvalidParams(wording::wrong_address(&problems, declared))),
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::Values;
    use serde_json::json;

    use super::*;

    fn declared() -> Vec<Concern> {
        let levels = Values::Listed(vec![json!("low"), json!("high")]);
        let range = Values::Range { min: 0.into(), max: 10.into() };
        vec![
            Concern::new("cost", "What it costs", levels, None).unwrap(),
            Concern::new("delay", "Seconds", range, None).unwrap(),
        ]
    }

    #[test]
    fn c7_undeclared_concerns_are_ignored_and_undeclared_values_follow_the_setting() {
        let cost = "Concern 'cost' has no value \"huge\". Permitted: low, high.";
        let delay = "Concern 'delay' has no value 11. Permitted: 0 to 10.";
        let mood = "Unknown concern 'mood' was ignored. Declared concerns: cost, delay.";
        let given = json!({"cost": "huge", "delay": 11, "mood": 1}).to_string();
        let read = |on_invalid| Choices::read(&declared(), &given, on_invalid, false);
        assert_eq!(read(OnInvalidValue::Error).unwrap_err(), Fault::InvalidParams(format!("{cost} {delay}")));
        let ignored = read(OnInvalidValue::Ignore).unwrap();
        assert!(ignored.changes.is_empty());
        assert_eq!(
            ignored.warnings,
            [format!("{cost} It was ignored."), format!("{delay} It was ignored."), mood.to_owned()]
        );
        let clamped = read(OnInvalidValue::Clamp).unwrap();
        assert_eq!(clamped.changes, Notes::from([("delay".to_owned(), json!(10))]));
        assert_eq!(clamped.warnings[1], format!("{delay} 10 is used instead."));
    }

    #[test]
    fn c3_choices_are_an_object_and_null_withdraws_one() {
        let read = |given: &str| Choices::read(&declared(), given, OnInvalidValue::Error, false);
        for wrong in ["7", "null", "[]", "\"cost\"", "{"] {
            assert_eq!(
                read(wrong).unwrap_err(),
                Fault::InvalidParams(wording::NOT_AN_OBJECT.to_owned()),
                "{wrong}"
            );
        }
        let choices = read(r#"{"cost":null,"delay":2.5}"#).unwrap();
        assert_eq!(
            choices.changes,
            Notes::from([("cost".to_owned(), Value::Null), ("delay".to_owned(), json!(2.5))])
        );
        // Some clients send numbers and booleans as strings.
        assert_eq!(read(r#"{"delay":"2"}"#).unwrap().changes, Notes::from([("delay".to_owned(), json!(2))]));
        for odd in
            [json!({"cost": ["low"]}), json!({"cost": {}}), json!({"delay": "11"}), json!({"delay": true})]
        {
            assert!(read(&odd.to_string()).is_err(), "{odd}");
        }
    }
}
