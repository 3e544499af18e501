//! An operator's choices: what every client starts with, validated against the declaration (docs/CONTRACT.md B11).

use mcp_disclosure_core::{Concern, Notes, Objection};

use crate::wording;

/// Everything that is wrong with an operator's choices. A concern that is not declared is an error only if the declaration
/// is `complete`: an upstream that has not listed anything yet may declare it.
pub fn misfits(declared: &[Concern], choices: &Notes, complete: bool) -> Vec<Objection> {
    let misfits = choices.iter().filter_map(|(name, value)| {
        let concern = declared.iter().find(|concern| concern.name() == name);
        match concern {
            None => complete.then(|| wording::undeclared_choice(name, declared)),
            Some(concern) if concern.values().understood(value).is_some() => None,
            Some(concern) => Some(wording::invalid_choice(concern, value)),
        }
    });
    misfits.collect()
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::Values;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn b11_choices_are_values_of_declared_concerns_or_spell_them() {
        let levels = Values::Listed(vec![json!("low"), json!("a,b=c"), json!(3), json!(true)]);
        let range = Values::Range { min: 0.into(), max: 10.into() };
        let declared = [("cost", levels), ("delay", range)]
            .map(|(name, values)| Concern::new(name, "", values, None).unwrap());
        let fits = |name: &str, value: &Value, complete: bool| {
            misfits(&declared, &Notes::from([(name.to_owned(), value.clone())]), complete).is_empty()
        };
        for value in
            [json!("low"), json!("a,b=c"), json!(3), json!("3"), json!("3.0"), json!(true), json!("true")]
        {
            assert!(fits("cost", &value, true), "{value}");
        }
        for value in [json!(0), json!(2.5), json!("10"), json!("1e1")] {
            assert!(fits("delay", &value, true), "{value}");
        }
        for value in [json!("11"), json!(-1), json!(""), json!("two"), json!(true), json!([1]), json!(null)] {
            assert!(!fits("delay", &value, true), "{value}");
        }
        assert!(fits("cots", &json!("low"), false), "an upstream may still declare it");
    }
}
