//! Arguments as they are meant: clients and models flatten them, put them into a member of their own, repeat the tool's name
//! among them, or send them as a string (docs/CONTRACT.md F5).

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    call::READ_IN_STEP,
    check::{STEPS, Steps},
    problem::meant,
    schema::Schema,
};
use crate::{
    given::{self, may_have},
    raw::RawObject,
    raw_text::RawText,
};

/// The member that arguments are put into: the parameter that lists show in place of withheld ones.
const WRAPPER: &str = "arguments";

/// What models call the name of a tool among the members of a call.
pub(crate) const NAMES: [&str; 4] = ["tool", "name", "tool_name", "toolName"];

/// What it is called in other forms of a call that models know.
const WRAPPERS: [&str; 6] = [WRAPPER, "args", "params", "parameters", "input", "tool_input"];

/// How often arguments may be wrapped.
const MOST_LEVELS: usize = 4;

/// How many required arguments are shown.
const MOST_SHOWN: usize = 16;

impl Schema {
    /// The arguments that are meant, where that is not what was given. `names` are those of the tool, and `aside` is an
    /// argument that the schema does not know.
    ///
    /// What is alone in `arguments` is what is meant, unless the schema has a parameter of that name. Other arguments that do not
    /// fit are read without the tool's name, and as what is in their only member, if that is called as the arguments of calls are,
    /// or in `arguments`. `None` where no such reading fits, or more than one does; what names another tool has none.
    pub fn read(&self, given: &str, names: &[&str], aside: &str) -> Option<RawText> {
        let mut is_changed = !given.trim_start().starts_with('{');
        // Looking is cheaper than parsing, and nearly no arguments have a member that says anything of their form.
        if !is_changed && !may_have(given, &NAMES) && !may_have(given, &WRAPPERS) {
            return None;
        }
        let can_wrap = self.can_wrap();
        let mut arguments = object(given)?;
        for _ in 0..MOST_LEVELS {
            let Some((WRAPPER, within)) = alone(&arguments, aside).filter(|_| can_wrap) else { break };
            arguments = arguments.retain(|key| key == aside).over(&object(within)?);
            is_changed = true;
        }
        let meant = self.only_fitting(&arguments, names, aside);
        meant.or_else(|| is_changed.then_some(arguments)).map(RawObject::into_text)
    }

    /// Whether what is alone in `arguments` is what is meant: the schema has parameters, and may have none of that name.
    pub(crate) fn can_wrap(&self) -> bool {
        let properties = self.says(&self.document, "properties");
        properties.is_some_and(Value::is_object) && !self.has_parameter(WRAPPER)
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
        required.take(MOST_SHOWN).map(|name| (name.to_owned(), Value::String(kind(name)))).collect()
    }

    fn only_fitting(&self, given: &RawObject, names: &[&str], aside: &str) -> Option<RawObject> {
        let mut readings = Vec::new();
        while let Some(next) = self.simpler(readings.last().unwrap_or(given), names, aside)? {
            (readings.len() < 2 * MOST_LEVELS).then_some(())?;
            readings.push(next);
        }
        let mut steps = Steps(STEPS);
        let mut fits = |reading: &RawObject| {
            let reading = reading.retain(|key| key != aside);
            // What is not judged for want of steps is not taken.
            let _left = steps.spend(reading.text().len() / READ_IN_STEP);
            self.apply_within(reading.text(), &mut steps).map(|checked| checked.is_judged)
        };
        // What fits, or may, is meant as it is.
        (!readings.is_empty() && fits(given).is_err()).then_some(())?;
        let mut fitting = None;
        for reading in readings {
            match fits(&reading) {
                Ok(true) if fitting.is_none() => fitting = Some(reading),
                // It may be what is meant as well.
                Ok(_) => return None,
                Err(_) => {}
            }
        }
        fitting
    }

    /// Arguments without the tool's name, or else those that are in a member of theirs, with what is beside it; the inner `None`
    /// where there are no such members, the outer one where another call may be meant.
    fn simpler(&self, given: &RawObject, names: &[&str], aside: &str) -> Option<Option<RawObject>> {
        let is_own = |value: &str| given::string(value).is_some_and(|text| names.contains(&&*text));
        // A parameter that has the tool's name as its value may be one, and a name that is another's may be meant.
        let is_other = |(key, value)| NAMES.contains(&key) && self.has_parameter(key) == is_own(value);
        (!given.iter().any(is_other)).then_some(())?;
        let is_name = |key: &str| NAMES.contains(&key) && !self.has_parameter(key);
        if given.iter().any(|(key, _)| is_name(key)) {
            return Some(Some(given.retain(|key| !is_name(key))));
        }
        let is_alone = alone(given, aside).is_some();
        let may_wrap = |key: &str| key == WRAPPER || (is_alone && WRAPPERS.contains(&key));
        let mut wrapped = given.iter().filter(|(key, _)| may_wrap(key));
        let (Some((wrapper, within)), None) = (wrapped.next(), wrapped.next()) else { return Some(None) };
        // A misspelt parameter may be meant.
        if !(is_alone && wrapper == WRAPPER) && self.may_mean_parameter(wrapper) {
            return Some(None);
        }
        let Some(within) = object(within) else { return Some(None) };
        let beside = given.retain(|key| key != wrapper);
        let known: HashMap<&str, &str> = beside.iter().collect();
        let differs = |(key, value)| known.get(key).is_some_and(|other| *other != value);
        (!within.iter().any(differs)).then(|| Some(beside.over(&within)))
    }

    /// Whether a member is a parameter, or probably a misspelt one.
    fn may_mean_parameter(&self, key: &str) -> bool {
        let parameters = self.document.get("properties").and_then(Value::as_object);
        self.has_parameter(key) || meant(key, parameters, Some(&Map::new())).is_some()
    }
}

/// The only member, but for the one that is aside.
fn alone<'o>(object: &'o RawObject, aside: &str) -> Option<(&'o str, &'o str)> {
    let mut members = object.iter().filter(|(key, _)| *key != aside);
    members.next().filter(|_| members.next().is_none())
}

/// An object, or the one that a string holds. `null` and an empty string are an empty one.
pub(crate) fn object(given: &str) -> Option<RawObject> {
    let is_none = matches!(given, "null" | "\"\"");
    let inner = || RawObject::parse(serde_json::from_str::<String>(given).ok()?).ok();
    if is_none { Some(RawObject::empty()) } else { RawObject::parse(given).ok().or_else(inner) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixtures;

    const PATH: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}"#;
    const CLOSED: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;
    const OPTIONAL: &str = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    const NAMED: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"}},"required":["path"]}"#;
    const OWN: &str =
        r#"{"type":"object","properties":{"arguments":{"type":"array"}},"required":["arguments"]}"#;

    const IDS: &str = r#"{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer"}},"filter":{"type":"object"},"n":{"type":"integer"}},"required":["ids"],"additionalProperties":false}"#;
    const INPUTS: &str = r#"{"type":"object","properties":{"inputs":{"type":"object"},"argument":{"type":"object"}},"additionalProperties":false}"#;

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
            (CLOSED, r#"{"arguments":{},"params":{"path":"/a"}}"#),
            (OPTIONAL, r#"{"arguments":{"path":"/a"}}"#),
            (NAMED, r#"{"tool":"x","arguments":{"path":"/a"}}"#),
        ] {
            assert_eq!(meant(schema, given).as_deref(), Some(path), "{schema} {given}");
        }
        // What only says that it is open has no parameter `arguments`.
        let open = r#"{"properties":{"path":{"type":"string"}},"additionalProperties":true}"#;
        assert_eq!(meant(open, r#"{"arguments":{"path":1}}"#).as_deref(), Some(r#"{"path":1}"#));
        // What is to be mended in it stays for the check.
        for (given, left) in [
            (r#"{"tool":"x","arguments":{"ids":"[1]"}}"#, r#"{"ids":"[1]"}"#),
            (r#"{"params":{"ids":"[1]"}}"#, r#"{"ids":"[1]"}"#),
            (r#"{"tool":"x","args":{"ids":[1],"n":null}}"#, r#"{"ids":[1],"n":null}"#),
        ] {
            assert_eq!(meant(IDS, given).as_deref(), Some(left), "{given}");
        }
        for given in ["null", r#"{"arguments":null}"#, r#""""#, r#"{"arguments":""}"#] {
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
            // What is in an unknown or misspelt parameter is none of the arguments, and a value is no name.
            (CLOSED, r#"{"other":{"path":"/a"}}"#),
            (CLOSED, r#"{"path":"/a","other":{}}"#),
            (CLOSED, r#"{"path":"/a","mode":"x"}"#),
            (CLOSED, r#"{"path":"/a","params":{}}"#),
            (CLOSED, r#"{"path":"/a","params":{"path":"/a"}}"#),
            (CLOSED, r#"{"path":"/a","tool":{}}"#),
            (IDS, r#"{"ids":[1],"filters":{"n":1}}"#),
            (IDS, r#"{"ids":[1],"filters":{}}"#),
            (INPUTS, r#"{"input":{"argument":{"n":1}}}"#),
            (INPUTS, r#"{"inputs":{"n":1},"arguments":{"inputs":{"n":1}}}"#),
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
    fn d7_lists_show_the_wrapper_where_it_is_opened() {
        for (rest, is_opened) in [
            (r#""minProperties":1,"maxProperties":9"#, true),
            (r#""patternProperties":{"^x-":{}}"#, false),
            (r#""additionalProperties":{"type":"object"}"#, false),
            (r#""allOf":[{"properties":{"arguments":{}}}]"#, false),
        ] {
            let schema = format!(r#"{{"type":"object","properties":{{"a":{{}}}},{rest}}}"#);
            let tool = json!({"name": "t", "inputSchema": serde_json::from_str::<Value>(&schema).unwrap()});
            let view = fixtures::view(&[fixtures::upstream("u", [tool])]);
            let listed = view.tool("t").unwrap().tool().withheld_schema();
            assert_eq!(listed.contains(WRAPPER), is_opened, "{rest}");
            assert_eq!(meant(&schema, r#"{"arguments":{"a":1}}"#).is_some(), is_opened, "{rest}");
        }
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
        let wrapped = |levels: usize| {
            format!("{}{{\"path\":\"/a\"}}{}", r#"{"tool":"x","args":"#.repeat(levels), "}".repeat(levels))
        };
        assert_eq!(meant(CLOSED, &wrapped(4)).as_deref(), Some(r#"{"path":"/a"}"#));
        assert_eq!(meant(CLOSED, &wrapped(2_000)), None);
    }

    #[test]
    fn p1_all_readings_share_the_steps() {
        let given = |length: usize| {
            let long = "a".repeat(length);
            format!(r#"{{"tool":"x","args":{{"tool":"x","args":{{"path":"{long}"}}}}}}"#)
        };
        for (length, is_read) in [(1, true), (100_000, true), (400_000, false)] {
            assert_eq!(meant(CLOSED, &given(length)).is_some(), is_read, "{length}");
        }
    }
}
