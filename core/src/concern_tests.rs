//! Declarations of concerns, and which primitives fit a host's choices.

use serde_json::json;

use super::*;

fn listed(values: &[&str]) -> Values {
    Values::Listed(values.iter().map(|value| json!(value)).collect())
}

fn range(min: i64, max: i64) -> Values {
    Values::Range { min: min.into(), max: max.into() }
}

fn concern(values: Values) -> Concern {
    Concern::new("cost", "What it costs", values, None).unwrap()
}

#[test]
fn invalid_declarations_are_refused_with_the_reason() {
    let declare = |name: &str, values, default| Concern::new(name, "", values, default);
    for (declared, message) in [
        (declare(" ", listed(&["a"]), None), "a concern has no name"),
        (declare("c", listed(&[]), None), "concern 'c' has no values"),
        (declare("c", listed(&["a", "a"]), None), r#"concern 'c' lists the value "a" twice"#),
        (
            declare("c", Values::Listed(vec![json!(1), json!(1.0)]), None),
            "concern 'c' lists the value 1.0 twice",
        ),
        (
            declare("c", Values::Listed(vec![json!([])]), None),
            "concern 'c': value [] must be a string, a number or a boolean",
        ),
        (declare("c", range(2, 1), None), "concern 'c': min 2 is greater than max 1"),
        (
            declare("c", range(1, 2), Some(json!(3))),
            "concern 'c': the default 3 is not among its values: 1 to 2",
        ),
        (
            declare("c", listed(&["a", "b"]), Some(json!("x"))),
            r#"concern 'c': the default "x" is not among its values: a, b"#,
        ),
    ] {
        assert_eq!(declared.unwrap_err().to_string(), message);
    }
}

#[test]
fn c4_c8_a_primitive_fits_unless_it_is_mapped_to_another_value() {
    let levels = concern(listed(&["low", "high"]));
    let amount = concern(range(0, 100));
    for (concern, mapped, chosen, fits, is_misfit) in [
        (&levels, json!({}), json!("low"), true, false),
        (&levels, json!({"other": "high"}), json!("low"), true, false),
        (&levels, json!({"cost": null}), json!("low"), true, false),
        (&levels, json!({"cost": "low"}), json!("low"), true, false),
        (&levels, json!({"cost": "high"}), json!("low"), false, false),
        (&levels, json!({"cost": "huge"}), json!("low"), false, true),
        (&levels, json!({"cost": ["high", "low"]}), json!("low"), true, false),
        (&levels, json!({"cost": ["high"]}), json!("low"), false, false),
        (&levels, json!({"cost": []}), json!("low"), false, true),
        (&amount, json!({"cost": 5}), json!(5.0), true, false),
        (&amount, json!({"cost": 5}), json!(6), false, false),
        (&amount, json!({"cost": 101}), json!(5), false, true),
        (&amount, json!({"cost": [5, 10]}), json!(5), true, false),
        (&amount, json!({"cost": [5, 10]}), json!(10), true, false),
        (&amount, json!({"cost": [5, 10]}), json!(11), false, false),
        (&amount, json!({"cost": [10, 5]}), json!(7), false, true),
        (&amount, json!({"cost": [5, 10, 20]}), json!(7), false, true),
        (&amount, json!({"cost": [5]}), json!(5), false, true),
        (&amount, json!({"cost": ["a", "b"]}), json!(5), false, true),
    ] {
        let mapping = Mapping::default().with(&mapped.to_string());
        assert_eq!(mapping.fits(concern, &chosen), fits, "{mapped} {chosen}");
        assert_eq!(mapping.misfit(concern).is_some(), is_misfit, "{mapped}");
    }
}

#[test]
fn c7_the_nearest_value_is_by_size_or_by_position() {
    let numbers = Values::Listed(vec![json!(1), json!(5), json!(10)]);
    for (values, given, nearest) in [
        (range(0, 10), json!(11), Some(json!(10))),
        (range(0, 10), json!(-1), Some(json!(0))),
        (range(0, 10), json!(4.5), Some(json!(4.5))),
        (range(0, 10), json!("4"), None),
        (numbers, json!(7), Some(json!(5))),
        (listed(&["low", "high"]), json!(7), Some(json!("high"))),
        (listed(&["low", "high"]), json!(-7), Some(json!("low"))),
        (listed(&["low", "high"]), json!("huge"), None),
        (listed(&["low", "high"]), json!({}), None),
    ] {
        assert_eq!(values.nearest(&given), nearest, "{values} {given}");
    }
}

#[test]
fn c9_a_mapping_is_read_from_meta_and_laid_over() {
    let tool = RawObject::parse(r#"{"name":"t","_meta":{"concerns":{"cost":"low","mood":"good"}}}"#).unwrap();
    let mapping = Mapping::of_meta(&tool).with(r#"{"cost":"high"}"#);
    assert_eq!(mapping.iter().collect::<Vec<_>>(), [("cost", &json!("high")), ("mood", &json!("good"))]);
    for odd in [r#"{"_meta":{"concerns":7}}"#, r#"{"_meta":null}"#, "{}"] {
        assert!(Mapping::of_meta(&RawObject::parse(odd).unwrap()).is_empty());
    }
}

#[test]
fn u16_a_declaration_is_read_as_it_is_sent() {
    let defaulted = Concern::new("cost", "What it costs", listed(&["low", "high"]), Some(json!("low")));
    for concern in [defaulted.unwrap(), concern(range(0, 10))] {
        let sent = RawObject::parse(json!(concern).to_string()).unwrap();
        assert_eq!(Concern::read(&sent), Some(concern));
    }
    for invalid in [
        r#"{}"#,
        r#"{"name":"x"}"#,
        r#"{"name":"x","values":{"min":1}}"#,
        r#"{"name":"x","values":[1],"default":2}"#,
    ] {
        assert_eq!(Concern::read(&RawObject::parse(invalid).unwrap()), None, "{invalid}");
    }
}
