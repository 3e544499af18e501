//! Which tools a `tools/describe` asks for.

use std::collections::HashSet;

use mcp_disclosure_core::{Fault, RawObject};
use serde_json::value::RawValue;

use crate::wording;

/// What is asked for, and so the shape of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// One tool, `{"name": ".."}`: its definition is the result.
    One(String),
    /// Several, `{"names": [..]}`, each once: the result is `{"tools": [..]}`, in this order.
    Several(Vec<String>),
}

impl Selection {
    /// Reads the parameters. Names are taken to the letter.
    ///
    /// # Errors
    /// [`Fault::InvalidParams`] with what is wrong, where they are not exactly one of the two.
    pub fn from_params(params: &RawValue) -> Result<Self, Fault> {
        let wrong = |told: &str| Fault::InvalidParams(told.to_owned());
        let params = RawObject::parse(params.get()).map_err(|_| wrong(wording::NOTHING_SELECTED))?;
        match (params.member("name"), params.member("names")) {
            (Some(_), Some(_)) => Err(wrong(wording::BOTH_SELECTED)),
            (Some(name), None) => {
                serde_json::from_str(name).map(Self::One).map_err(|_| wrong(wording::NAME_IS_NO_STRING))
            }
            (None, Some(names)) => {
                let mut names: Vec<String> =
                    serde_json::from_str(names).map_err(|_| wrong(wording::NAMES_ARE_NO_STRINGS))?;
                // Whoever asks for one tool a million times shall not be sent it so often.
                let mut seen = HashSet::new();
                names.retain(|name| seen.insert(name.clone()));
                Ok(Self::Several(names))
            }
            (None, None) => Err(wrong(wording::NOTHING_SELECTED)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &str) -> Result<Selection, String> {
        Selection::from_params(&RawValue::from_string(params.to_owned()).unwrap())
            .map_err(|fault| fault.to_string())
    }

    #[test]
    fn reads_one_name_or_several_and_tells_what_is_wrong() {
        let several =
            |names: &[&str]| Selection::Several(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(read(r#"{"name":" a ","_meta":{}}"#), Ok(Selection::One(" a ".to_owned())));
        assert_eq!(read(r#"{"names":["b","a","b"]}"#), Ok(several(&["b", "a"])));
        assert_eq!(read(r#"{"names":[]}"#), Ok(several(&[])));
        for (params, told) in [
            ("{}", wording::NOTHING_SELECTED),
            (r#"{"tool":"a"}"#, wording::NOTHING_SELECTED),
            (r#"{"name":7}"#, wording::NAME_IS_NO_STRING),
            (r#"{"name":null}"#, wording::NAME_IS_NO_STRING),
            (r#"{"names":"a"}"#, wording::NAMES_ARE_NO_STRINGS),
            (r#"{"names":["a",7]}"#, wording::NAMES_ARE_NO_STRINGS),
            (r#"{"name":"a","names":["a"]}"#, wording::BOTH_SELECTED),
        ] {
            assert_eq!(read(params), Err(told.to_owned()), "{params}");
        }
    }
}
