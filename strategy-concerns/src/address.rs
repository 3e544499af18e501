//! Choices in the query of an address, such as `/mcp?cost=low` (docs/CONTRACT.md B11).

use mcp_disclosure_core::{Concern, Fault, Notes, Pattern};

use crate::wording;

/// Maximum number of problems that are reported; the rest is not read.
const MAX_PROBLEMS: usize = 10;

/// The choices in the parameters of an address. Parameters that match `ignored` are none, unless a concern has that name.
///
/// # Errors
/// [`Fault::InvalidParams`], which names every parameter that is not understood and all that is declared: what is not
/// understood must not serve everything.
pub fn choices(
    declared: &[Concern],
    parameters: &[(String, String)],
    ignored: &[Pattern],
) -> Result<Notes, Fault> {
    let (mut choices, mut problems) = (Notes::new(), Vec::new());
    for (name, value) in parameters {
        match declared.iter().find(|concern| concern.name() == name) {
            None if ignored.iter().any(|pattern| pattern.matches(name)) => {}
            None => problems.push(wording::unknown_parameter(name, declared)),
            Some(concern) => match concern.values().understood(&value.as_str().into()) {
                Some(value) => drop(choices.insert(name.clone(), value)),
                None => problems.push(wording::invalid(concern, &value.as_str().into())),
            },
        }
        if problems.len() == MAX_PROBLEMS {
            problems.push(wording::TOO_MANY_WARNINGS.to_owned());
            break;
        }
    }
    match problems.is_empty() {
        true => Ok(choices),
        false => Err(Fault::InvalidParams(wording::wrong_address(&problems, declared))),
    }
}
