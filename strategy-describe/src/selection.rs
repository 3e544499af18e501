//! The tools that a `tools/describe` request selects.

use mcp_disclosure_core::{
    Fault, RawObject,
    given::{self, MOST_NAMES},
};

use crate::wording;

/// The selected tools. It determines the shape of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One tool, `{"name": ".."}`: its definition is the result.
    One(String),
    /// Several, `{"names": [..]}`, each once: the result is `{"tools": [..]}`, in this order.
    Several(Vec<String>),
}

impl Selection {
    /// Parses the parameters. Names are exact.
    ///
    /// # Errors
    /// [`Fault::InvalidParams`] unless they are exactly one of the two.
    pub fn from_params(params: &RawObject) -> Result<Self, Fault> {
        let wrong = |message: &str| Fault::InvalidParams(message.to_owned());
        match (params.member("name"), params.member("names")) {
            (Some(_), Some(_)) => Err(wrong(wording::BOTH_SELECTED)),
            (Some(name), None) => {
                let name = given::string(name).ok_or_else(|| wrong(wording::NAME_NOT_A_STRING))?;
                Ok(Self::One(given::beginning(&name).to_owned()))
            }
            (None, Some(names)) => {
                let not_strings = || wrong(wording::NAMES_NOT_STRINGS);
                let names = given::items(names, MOST_NAMES).ok_or_else(not_strings)?;
                if names.len() > MOST_NAMES {
                    return Err(wrong(&wording::too_many_names()));
                }
                let mut several: Vec<String> = Vec::new();
                for name in names {
                    let name = given::string(name).ok_or_else(not_strings)?;
                    let name = given::beginning(&name);
                    // A repeated name must not multiply the size of the result.
                    if !several.iter().any(|other| other == name) {
                        several.push(name.to_owned());
                    }
                }
                Ok(Self::Several(several))
            }
            (None, None) => Err(wrong(wording::NOTHING_SELECTED)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &str) -> Result<Selection, String> {
        Selection::from_params(&RawObject::parse(params).unwrap()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn one_name_or_several_are_parsed_and_anything_else_is_refused() {
        let several =
            |names: &[&str]| Selection::Several(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(read(r#"{"name":" a ","_meta":{}}"#), Ok(Selection::One(" a ".to_owned())));
        assert_eq!(read(r#"{"names":["b","a","b"]}"#), Ok(several(&["b", "a"])));
        assert_eq!(read(r#"{"names":[]}"#), Ok(several(&[])));
        for (params, message) in [
            ("{}", wording::NOTHING_SELECTED),
            (r#"{"tool":"a"}"#, wording::NOTHING_SELECTED),
            (r#"{"name":7}"#, wording::NAME_NOT_A_STRING),
            (r#"{"name":null}"#, wording::NAME_NOT_A_STRING),
            (r#"{"names":"a"}"#, wording::NAMES_NOT_STRINGS),
            (r#"{"names":["a",7]}"#, wording::NAMES_NOT_STRINGS),
            (r#"{"name":"a","names":["a"]}"#, wording::BOTH_SELECTED),
        ] {
            assert_eq!(read(params), Err(message.to_owned()), "{params}");
        }
        let names = |count: usize| format!(r#"{{"names":[{}]}}"#, vec!["\"a\""; count].join(","));
        assert_eq!(read(&names(100)), Ok(several(&["a"])));
        assert_eq!(read(&names(101)), Err(wording::too_many_names()));
    }
}
