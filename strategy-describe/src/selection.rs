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
