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

    fn declared() -> Vec<Concern> {
        let levels = Values::Listed(vec![json!("low"), json!("a,b=c"), json!(3), json!(true)]);
        let range = Values::Range { min: 0.into(), max: 10.into() };
        vec![Concern::new("cost", "", levels, None).unwrap(), Concern::new("delay", "", range, None).unwrap()]
    }

    fn said(name: &str, value: Value, complete: bool) -> Vec<String> {
        let choices = Notes::from([(name.to_owned(), value)]);
        let misfits = misfits(&declared(), &choices, complete);
        misfits.into_iter().map(|misfit| format!("{} ({})", misfit.message, misfit.hint)).collect()
    }

    #[test]
    fn b11_choices_are_values_of_declared_concerns_or_spell_them() {
        for value in
            [json!("low"), json!("a,b=c"), json!(3), json!("3"), json!("3.0"), json!(true), json!("true")]
        {
            assert_eq!(said("cost", value.clone(), true), [""; 0], "{value}");
        }
        for value in [json!(0), json!(2.5), json!("10"), json!("1e1")] {
            assert_eq!(said("delay", value.clone(), true), [""; 0], "{value}");
        }
        for value in [json!("11"), json!(-1), json!(""), json!("two"), json!(true), json!([1]), json!(null)] {
            assert_eq!(said("delay", value.clone(), true).len(), 1, "{value}");
        }
    }

    #[test]
    fn b11_a_misfit_names_what_is_permitted_and_what_was_meant() {
        assert_eq!(
            said("cost", json!("lo"), true),
            ["concern 'cost' has no value \"lo\" (its values are low, a,b=c, 3, true; did you mean 'low'?)"]
        );
        assert_eq!(
            said("delay", json!(11), false),
            ["concern 'delay' has no value 11 (its values are 0 to 10)"]
        );
        assert_eq!(
            said("cots", json!("low"), true),
            ["no concern 'cots' is declared (declared are cost, delay; did you mean 'cost'?)"]
        );
        assert_eq!(said("cots", json!("low"), false), [""; 0], "an upstream may still declare it");
    }
}
