//! The members of the text of an object that may have a million, of which nothing is stored here.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize,
    de::{Deserializer, Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A string, without a copy if it is written without escapes. Serde borrows a [`Cow`] only where it is a field by itself: not in an
/// option, nor as a key.
#[derive(Debug, Deserialize)]
pub struct Text<'t>(#[serde(borrow)] pub Cow<'t, str>);

/// The value of the last member named `key` of the JSON text of an object.
pub fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut found = None;
    let read = each_member(text, |name, value| {
        found = if name == key { Some(value) } else { found };
        Ok(())
    });
    read.ok().and(found)
}

/// The members in order; `None` for what is no object, and for more than `most`.
pub fn members(text: &str, most: usize) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let mut members = Vec::new();
    let read = each_member(text, |key, value| {
        members.push((key, value));
        if members.len() <= most { Ok(()) } else { Err("too many members".to_owned()) }
    });
    read.ok().map(|()| members)
}

/// Visits the members of the JSON text of an object in order, values as text, up to the first error.
pub(crate) fn each_member<'t>(
    text: &'t str,
    visit: impl FnMut(Cow<'t, str>, &'t str) -> Result<(), String>,
) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Members(visit))?;
    deserializer.end()
}

struct Members<F>(F);

impl<'t, F: FnMut(Cow<'t, str>, &'t str) -> Result<(), String>> Visitor<'t> for Members<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'t>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((Text(key), value)) = map.next_entry::<Text<'t>, &RawValue>()? {
            (self.0)(key, value.get()).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_member_of_a_name_is_found() {
        for (text, value) in [
            (r#"{"a":1,"r":"x","b":1.0e+2}"#, Some(r#""x""#)),
            (r#" { "r" : 1 } "#, Some("1")),
            (r#"{ "r" : 1 , "a" : [ 1 ,2 ] , "r":2 , "b": ",r" }"#, Some("2")),
            (r#"{"a":{"r":1}}"#, None),
            (r#"{"\u0072":",","a":1}"#, Some(r#"",""#)),
            ("{}", None),
            ("[]", None),
            ("{", None),
        ] {
            assert_eq!(member(text, "r"), value, "{text}");
        }
    }
}
