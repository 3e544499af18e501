//! Taking one member out of the text of an object that may have a million others.

use std::{borrow::Cow, fmt, ops::Range};

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Removes the members named `key` from the JSON text of an object: the value of the last one, and the object without
/// them. Nothing is stored for the other members, whose text is kept as it is.
///
/// # Errors
/// The text is not a JSON object.
pub fn take_member<'t>(
    text: &'t str,
    key: &str,
) -> Result<(Option<&'t str>, Cow<'t, str>), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = deserializer.deserialize_map(Take { text, key })?;
    deserializer.end()?;
    let Some(last) = found.last else { return Ok((None, Cow::Borrowed(text))) };
    let mut rest = String::with_capacity(text.len());
    rest.push('{');
    for kept in found.kept {
        if rest.len() > 1 {
            rest.push(',');
        }
        // A run begins after the brace, or after the comma that follows what was removed.
        rest.push_str(text[kept].trim_start().trim_start_matches(',').trim());
    }
    rest.push('}');
    Ok((Some(last), Cow::Owned(rest)))
}

/// The value of the last member named `key` of the JSON text of an object. Nothing is stored for the other members.
pub fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    serde_json::Deserializer::from_str(text).deserialize_map(Take { text, key }).ok()?.last
}

/// Finds the members of a name and the runs of other members between them.
struct Take<'t, 'k> {
    text: &'t str,
    key: &'k str,
}

#[derive(Default)]
struct Found<'t> {
    last: Option<&'t str>,
    kept: Vec<Range<usize>>,
}

impl<'t> Visitor<'t> for Take<'t, '_> {
    type Value = Found<'t>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Found<'t>, A::Error> {
        let mut found = Found::default();
        let brace = self.text.find('{').ok_or_else(|| A::Error::custom("no object"))?;
        let mut run = brace + 1..brace + 1;
        while let Some(key) = map.next_key::<Cow<'t, str>>()? {
            let value = map.next_value::<&RawValue>()?.get();
            let end = value.as_ptr() as usize - self.text.as_ptr() as usize + value.len();
            if key != self.key {
                run.end = end;
                continue;
            }
            found.last = Some(value);
            if !run.is_empty() {
                found.kept.push(run);
            }
            run = end..end;
        }
        if !run.is_empty() {
            found.kept.push(run);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::RawObject;

    #[test]
    fn other_members_keep_their_text() {
        for (text, value, rest) in [
            (r#"{"a":1,"r":"x","b":1.0e+2}"#, Some(r#""x""#), r#"{"a":1,"b":1.0e+2}"#),
            (r#" { "r" : 1 } "#, Some("1"), "{}"),
            (
                r#"{ "r" : 1 , "a" : [ 1 ,2 ] , "r":2 , "b": ",r" }"#,
                Some("2"),
                r#"{"a" : [ 1 ,2 ],"b": ",r"}"#,
            ),
            (r#"{"a":{"r":1}}"#, None, r#"{"a":{"r":1}}"#),
            (r#"{"\u0072":",","a":1}"#, Some(r#"",""#), r#"{"a":1}"#),
            ("{}", None, "{}"),
        ] {
            let (taken, left) = take_member(text, "r").unwrap();
            assert_eq!((taken, &*left), (value, rest), "{text}");
            assert_eq!(member(text, "r"), value);
        }
        for text in ["", "[]", "{", r#"{"r":1} x"#, r#""{}""#] {
            assert!(take_member(text, "r").is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_is_what_an_index_of_all_members_gives(
            members in proptest::collection::vec(("[ar,\" ]{0,2}", "[\\PC]{0,3}", "[ \n]{0,2}"), 0..6)
        ) {
            let quoted = |text: &str| Value::from(text).to_string();
            let members: Vec<String> = members
                .iter()
                .map(|(key, value, space)| format!("{space}{}{space}:{space}{}{space}", quoted(key), quoted(value)))
                .collect();
            let text = format!("{{{}}}", members.join(","));
            let indexed = RawObject::parse(text.as_str()).unwrap();
            let (taken, left) = take_member(&text, "r").unwrap();
            prop_assert_eq!(taken, indexed.member("r"));
            let left = RawObject::parse(left.into_owned()).unwrap();
            let pairs = |object: &RawObject| -> Vec<(String, String)> {
                object.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
            };
            prop_assert_eq!(pairs(&left), pairs(&indexed.retain(|key| key != "r")));
        }
    }
}
