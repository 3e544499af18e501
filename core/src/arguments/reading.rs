//! Arguments as they are meant: clients and models flatten them, put them into a member of their own, repeat the tool's name
//! among them, or send them as a string (docs/CONTRACT.md F5).

use std::sync::Arc;

use serde_json::Value;

use super::{
    Verdict,
    call::MAX_BYTES,
    check::{STEPS, Steps},
    schema::{Schema, read},
};
use crate::{
    given,
    raw::{RawObject, RawText},
};

/// The member that arguments are put into: the parameter that lists show in place of withheld ones.
pub(crate) const WRAPPER: &str = "arguments";

/// What models call the name of a tool among the members of a call.
pub(crate) const NAMES: [&str; 4] = ["tool", "name", "tool_name", "toolName"];

/// How deep objects within objects are looked into.
const MOST_LEVELS: usize = 4;

/// How many readings are compared. Where there are more, none is taken.
const MOST_READINGS: usize = 16;

/// How many bytes of arguments are read in a step of the check.
const READ_IN_STEP: usize = 16;

/// How many names of up to 64 bytes are compared in a step.
const NAMES_IN_STEP: usize = 8;

impl Schema {
    /// The arguments that are meant, where that is not what was given. `names` are those of the tool, and `aside` is an
    /// argument that the schema does not know.
    ///
    /// What is alone in `arguments` is what is meant, unless the schema has a parameter of that name. Other arguments that have
    /// members which the schema lacks, and do not fit, are read as the members of the objects within them, without the tool's name.
    /// `None` where no such reading fits, or more than one does; what names another tool has none.
    pub fn read(&self, given: &str, names: &[&str], aside: &str) -> Option<RawText> {
        let properties = self.says(&self.document, "properties");
        let can_wrap = properties.is_some_and(Value::is_object) && !self.has_parameter(WRAPPER);
        let opened = |given: &str| if given == "null" { Some(RawObject::empty()) } else { object(given) };
        let mut arguments = opened(given)?;
        let mut is_changed = !given.trim_start().starts_with('{');
        for _ in 0..MOST_LEVELS {
            let within = {
                let mut members = arguments.iter().filter(|(key, _)| *key != aside);
                match (members.next(), members.next()) {
                    (Some((WRAPPER, within)), None) if can_wrap => opened(within)?,
                    _ => break,
                }
            };
            arguments = arguments.retain(|key| key == aside).over(&within);
            is_changed = true;
        }
        let is_plain = |(key, _): (&str, &str)| self.has_parameter(key) && key != WRAPPER || key == aside;
        if !arguments.iter().all(is_plain)
            && let Some(meant) = self.only_fitting(&arguments, names, aside)
        {
            return Some(meant.into_text());
        }
        is_changed.then(|| arguments.into_text())
    }

    /// Whether arguments have members that the schema lacks, or are no object: then it can be that their form is wrong.
    pub fn is_unfamiliar(&self, given: &str) -> bool {
        RawObject::parse(given).map_or(true, |given| given.iter().any(|(key, _)| !self.has_parameter(key)))
    }

    /// The call that fits, for a model: each required argument with its type in place of a value.
    pub fn example(&self) -> Value {
        let required = self.says(&self.document, "required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let kind = |name: &str| match &self.document["properties"][name]["type"] {
            Value::String(kind) => format!("<{kind}>"),
            _ => "<value>".to_owned(),
        };
        required.take(MOST_READINGS).map(|name| (name.to_owned(), Value::String(kind(name)))).collect()
    }

    fn only_fitting(&self, given: &RawObject, names: &[&str], aside: &str) -> Option<RawObject> {
        let rest = given.retain(|key| key != aside);
        let mut steps = Steps(STEPS);
        let verdict = |arguments: &RawObject, steps: &mut Steps| {
            steps.spend(arguments.text().len() / READ_IN_STEP)?;
            Some(self.check_within(&read(arguments.text(), MAX_BYTES)?, steps))
        };
        // What fits, or may, is meant as it is.
        matches!(verdict(&rest, &mut steps), Some(Verdict::DoesNotFit(_))).then_some(())?;
        let mut fitting: Vec<RawObject> = Vec::new();
        for reading in self.readings(&rest, names, 0, &mut steps)? {
            let reading = RawObject::assemble(reading.iter().map(|(key, value)| (&**key, value.get())));
            match verdict(&reading.retain(|key| key != aside), &mut steps)? {
                Verdict::Fits if !fitting.contains(&reading) => fitting.push(reading),
                // It may be what is meant.
                Verdict::NotJudged => return None,
                _ => {}
            }
        }
        let [only] = &fitting[..] else { return None };
        Some(only.over(&given.retain(|key| key == aside)))
    }

    /// The readings of an object, or of one this many levels within it; `None` if there are too many, or no steps are left.
    fn readings(
        &self,
        given: &RawObject,
        names: &[&str],
        level: usize,
        steps: &mut Steps,
    ) -> Option<Vec<Reading>> {
        let mut readings = vec![Reading::new()];
        for (key, value) in given.shares() {
            let is_parameter = self.has_parameter(key);
            let text = given::string(value.get());
            let is_name = text.as_deref().is_some_and(|text| names.contains(&text));
            // Whoever names another tool may have meant that one.
            if !is_parameter && !is_name && NAMES.contains(&key) && text.is_some() {
                return Some(Vec::new());
            }
            let may_wrap = level < MOST_LEVELS && (!is_parameter || key == WRAPPER);
            steps.spend(value.get().len() / READ_IN_STEP)?;
            let within = may_wrap.then(|| object(value.get())).flatten();
            let mut choices = Vec::new();
            if is_name {
                choices.push(Reading::new());
            }
            if let Some(within) = &within {
                choices.extend(self.readings(within, names, level + 1, steps)?);
            }
            if is_parameter || !(is_name || within.is_some()) {
                choices.push(vec![(key.into(), value)]);
            }
            let mut joined = Vec::new();
            for one in &readings {
                for other in &choices {
                    joined.extend(both(one, other, steps)?);
                }
            }
            (joined.len() <= MOST_READINGS).then_some(())?;
            readings = joined;
        }
        Some(readings)
    }
}

/// Members that are taken for the arguments, in order.
type Reading = Vec<(Arc<str>, RawText)>;

/// The members of both, or nothing where they differ in one; `None` if no steps are left.
fn both(one: &Reading, other: &Reading, steps: &mut Steps) -> Option<Option<Reading>> {
    steps.spend(1 + one.len())?;
    let mut all = one.clone();
    for (key, value) in other {
        steps.spend(1 + one.len() * (1 + key.len() / 64) / NAMES_IN_STEP)?;
        match one.iter().find(|(own, _)| own == key) {
            None => all.push((Arc::clone(key), value.clone())),
            Some((_, own)) => {
                steps.read(own.get())?;
                if own.get() != value.get() {
                    return Some(None);
                }
            }
        }
    }
    Some(Some(all))
}

/// An object, or the one that a string holds.
pub(crate) fn object(given: &str) -> Option<RawObject> {
    let inner = || RawObject::parse(serde_json::from_str::<String>(given).ok()?).ok();
    RawObject::parse(given).ok().or_else(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}"#;
    const CLOSED: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;
    const OPTIONAL: &str = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    const NAMED: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"}},"required":["path"]}"#;
    const OWN: &str =
        r#"{"type":"object","properties":{"arguments":{"type":"array"}},"required":["arguments"]}"#;

    fn meant(schema: &str, given: &str) -> Option<String> {
        let meant = Schema::compile(schema).read(given, &["x", "own_x"], "disclosure_receipt");
        meant.map(|meant| meant.get().to_owned())
    }

    #[test]
    fn f5_arguments_in_a_wrong_form_have_the_one_reading_that_fits() {
        let path = r#"{"path":"/a"}"#;
        for (schema, given) in [
            (PATH, r#"{"arguments":{"path":"/a"}}"#),
            (PATH, r#"{"arguments":"{\"path\":\"/a\"}"}"#),
            (PATH, r#""{\"path\":\"/a\"}""#),
            (PATH, r#"{"arguments":{"arguments":{"path":"/a"}}}"#),
            (PATH, r#"{"tool":"x","arguments":{"path":"/a"}}"#),
            (PATH, r#"{"name":"own_x","parameters":{"path":"/a"}}"#),
            (PATH, r#"{"params":{"path":"/a"}}"#),
            (PATH, r#"{"arguments":{"tool":"x","arguments":"{\"path\":\"/a\"}"}}"#),
            (CLOSED, r#"{"tool":"x","path":"/a"}"#),
            (CLOSED, r#"{"path":"/a","arguments":{}}"#),
            (CLOSED, r#"{"path":"/a","arguments":{"path":"/a"}}"#),
            (OPTIONAL, r#"{"arguments":{"path":"/a"}}"#),
            (NAMED, r#"{"tool":"x","arguments":{"path":"/a"}}"#),
        ] {
            assert_eq!(meant(schema, given).as_deref(), Some(path), "{schema} {given}");
        }
        for given in ["null", r#"{"arguments":null}"#] {
            assert_eq!(meant(OPTIONAL, given).as_deref(), Some("{}"));
        }
        assert_eq!(
            meant(OWN, r#"{"arguments":{"arguments":[1.0]}}"#).as_deref(),
            Some(r#"{"arguments":[1.0]}"#)
        );
        let receipt = r#"{"path":"/a","disclosure_receipt":"r"}"#;
        for given in [
            r#"{"arguments":{"path":"/a","disclosure_receipt":"r"}}"#,
            r#"{"arguments":{"path":"/a"},"disclosure_receipt":"r"}"#,
            r#"{"tool":"x","input":{"path":"/a"},"disclosure_receipt":"r"}"#,
        ] {
            let meant = RawObject::parse(meant(CLOSED, given).unwrap()).unwrap();
            let members = |object: &RawObject| {
                let mut all: Vec<_> = object.iter().map(|(key, value)| format!("{key}{value}")).collect();
                all.sort();
                all
            };
            assert_eq!(members(&meant), members(&RawObject::parse(receipt).unwrap()), "{given}");
        }
    }

    #[test]
    fn f5_what_fits_or_has_more_readings_or_none_is_left_as_it_is() {
        for (schema, given) in [
            (PATH, r#"{"path":"/a"}"#),
            (PATH, r#"{"path":"/a","extra":{"path":"/b"}}"#),
            (PATH, r#"{"path":"/a","tool":"x"}"#),
            (CLOSED, r#"{"path":"/a","arguments":{"path":"/b"}}"#),
            (CLOSED, r#"{"a":{"path":"/a"},"b":{"path":"/b"}}"#),
            (CLOSED, r#"{"arguments":{"path":"/a"},"arguments":{"path":"/b"}}"#),
            (CLOSED, r#"{"path":"/a","tool":"y"}"#),
            (CLOSED, r#"{"other":{"path":7}}"#),
            // That tool may be meant.
            (PATH, r#"{"tool":"y","arguments":{"path":"/a"}}"#),
            (PATH, r#"{"tool_name":"y","arguments":{"tool":"x","arguments":{"path":"/a"}}}"#),
            (CLOSED, r#"{"tool":"x","arguments":{"name":"y","path":"/a"}}"#),
            // The name may be that of the tool, or a value.
            (NAMED, r#"{"name":"x","arguments":{"path":"/a"}}"#),
            (OWN, r#"{"arguments":["a"]}"#),
            (r#"{"type":"object"}"#, r#"{"arguments":{"path":"/a"}}"#),
            // The schema has a parameter of that name, if not among its own properties.
            (
                r#"{"properties":{"a":{}},"anyOf":[{"properties":{"arguments":{}}}]}"#,
                r#"{"arguments":{"a":1}}"#,
            ),
            (
                r##"{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/o"}],"$defs":{"o":{"properties":{"arguments":{}}}}}"##,
                r#"{"arguments":{"a":1}}"#,
            ),
            (
                r#"{"properties":{"a":{}},"additionalProperties":{"type":"object"}}"#,
                r#"{"arguments":{"a":1}}"#,
            ),
            (
                r#"{"properties":{"a":{}},"anyOf":[{"required":["a"]},{"required":["arguments"]}]}"#,
                r#"{"arguments":{"a":1}}"#,
            ),
            (r#"{"properties":{"a":{}},"dependentSchemas":{"arguments":{}}}"#, r#"{"arguments":{"a":1}}"#),
            (
                r#"{"properties":{"a":{}},"dependentRequired":{"a":["arguments"]}}"#,
                r#"{"arguments":{"a":1}}"#,
            ),
            (r#"{"properties":{"a":{}},"dependencies":{"a":["arguments"]}}"#, r#"{"arguments":{"a":1}}"#),
            (r#"{"properties":{"a":{}},"enum":[{"arguments":{"a":1}}]}"#, r#"{"arguments":{"a":1}}"#),
            (r#"{"properties":{"a":{}},"minProperties":1}"#, r#"{"arguments":{}}"#),
            // Another reading may be what is meant.
            (
                r#"{"properties":{"path":{"type":"string"},"arguments":{"patternProperties":{"p":{}}}},"additionalProperties":false}"#,
                r#"{"arguments":{"path":"/a"},"tool":"x"}"#,
            ),
            ("true", r#"{"arguments":{"path":"/a"}}"#),
            (PATH, "7"),
            (PATH, r#"{"arguments":7}"#),
        ] {
            assert_eq!(meant(schema, given), None, "{schema} {given}");
        }
    }

    #[test]
    fn f5_a_schema_that_refers_to_itself_has_the_parameters_that_it_names() {
        let own = r##"{"properties":{"a":{}},"allOf":[{"$ref":"#"}]}"##;
        assert_eq!(meant(own, r#"{"arguments":{"a":1}}"#).as_deref(), Some(r#"{"a":1}"#));
    }

    #[test]
    fn p1_hostile_forms_are_left_as_they_are() {
        let named = r#"{"a":"x","b":"x","c":"x","d":"x"}"#;
        let four = r#"{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"z":{}},"required":["z"]}"#;
        let nested: Vec<String> = (0..1_000).map(|at| format!(r#""k{at}":{named}"#)).collect();
        assert_eq!(meant(four, &format!("{{{}}}", nested.join(","))), None);
        let many: Vec<String> = (0..40_000).map(|at| format!(r#""k{at}":{{}}"#)).collect();
        assert_eq!(meant(CLOSED, &format!("{{{}}}", many.join(","))), None);
        let deep = format!("{}{{}}{}", r#"{"a":"#.repeat(2_000), "}".repeat(2_000));
        assert_eq!(meant(CLOSED, &deep), None);
        let wide = |inner: &str| {
            let members: Vec<String> = (0..60).map(|at| format!(r#""k{at}":{inner}"#)).collect();
            format!("{{{}}}", members.join(","))
        };
        assert_eq!(meant(CLOSED, &wide(&wide(r#"{"tool":"x"}"#))), None);
    }

    #[test]
    fn p1_long_arguments_have_few_readings() {
        let names = |letter: char, count: usize| (0..count).map(move |at| format!("{letter}{at}"));
        let integers: Vec<String> = names('p', 4)
            .chain(names('n', 40))
            .map(|name| format!(r#""{name}":{{"type":"integer"}}"#))
            .collect();
        let schema = format!(
            r#"{{"properties":{{"long":{{"type":"string"}},{}}},"additionalProperties":false}}"#,
            integers.join(",")
        );
        // Each of the first may be the tool's name or a value, which does not fit.
        let given = |length: usize, named: usize| {
            let named = names('p', named).map(|name| format!(r#""{name}":"x""#));
            let rest = names('n', 40).map(|name| format!(r#""{name}":1"#));
            let members: Vec<String> = named.chain(rest).collect();
            format!(r#"{{"long":"{}",{},"tool":"x"}}"#, "a".repeat(length), members.join(","))
        };
        for (length, named, is_read) in [(1, 4, true), (400_000, 0, true), (400_000, 4, false)] {
            assert_eq!(meant(&schema, &given(length, named)).is_some(), is_read, "{length} {named}");
        }
    }

    #[test]
    fn f5_the_right_call_has_the_required_arguments() {
        assert_eq!(Schema::compile(PATH).example().to_string(), r#"{"path":"<string>"}"#);
        assert_eq!(Schema::compile("true").example().to_string(), "{}");
    }
}
