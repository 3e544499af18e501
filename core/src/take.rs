//! One member of the text of an object that may have a million others.

use std::{borrow::Cow, fmt};

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The value of the last member named `key` of the JSON text of an object. Nothing is stored for the other members.
pub fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    serde_json::Deserializer::from_str(text).deserialize_map(Find(key)).ok()?
}

struct Find<'k>(&'k str);

impl<'t> Visitor<'t> for Find<'_> {
    type Value = Option<&'t str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Option<&'t str>, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'t, str>>()? {
            if key == self.0 {
                found = Some(map.next_value::<&RawValue>()?.get());
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
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
