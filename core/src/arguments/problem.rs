//! What is wrong with a call's arguments, in words a model can act on.

use std::{
    fmt::{Display, Write as _},
    io,
};

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::limits::Unchecked;
use crate::{brief::shorten, decision::Refusal};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentProblem {
    /// The argument, as `filters.limit`; `arguments` where it is about all of them.
    pub argument: String,
    /// What was given, as JSON, shortened.
    pub given: String,
    /// What was expected.
    pub expected: String,
}

impl Refusal {
    /// The refusal of a call whose arguments do not fit: `INVALID_ARGUMENTS`, with every problem. `lesson` is how the tool
    /// can be learned, such as `call info with {"topic": "add"}`.
    pub fn wrong_arguments(tool: &str, problems: &[ArgumentProblem], lesson: Option<&str>) -> Self {
        let code = "INVALID_ARGUMENTS";
        let message = format!("The arguments do not fit the parameters of tool '{tool}'. It did not run.");
        let mut content = json!({"error": {"code": code, "message": message, "problems": problems}});
        if let Some(lesson) = lesson {
            let steps = [
                format!("1. If the problems do not say enough, learn the parameters: {lesson}"),
                format!("2. Call '{tool}' again with arguments that fit"),
            ];
            content["error"]["instructions"] = json!(steps);
        }
        Self { code, content }
    }
}

/// A given value is shown up to this many characters.
const LONGEST_VALUE: usize = 120;
/// The path to an argument is shown up to this many characters.
const LONGEST_PATH: usize = 500;
/// What was expected is said in up to this many characters.
pub(super) const LONGEST_EXPECTED: usize = 2_000;

/// A problem of an error that these arguments have.
///
/// # Errors
/// It says that the validator could not find out.
pub(super) fn of(error: &ValidationError<'_>, arguments: &Value) -> Result<ArgumentProblem, Unchecked> {
    let at = error.instance_path().to_string();
    let place = at.trim_start_matches('/').replace('/', ".");
    let inside = |name: &str| inside(&place, name);
    let (argument, given, expected) = match error.kind() {
        ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. } => {
            return Err(Unchecked::Pattern);
        }
        ValidationErrorKind::Required { property } => (
            inside(property.as_str().unwrap_or_default()),
            "nothing".to_owned(),
            "a value: it is required".to_owned(),
        ),
        ValidationErrorKind::AdditionalProperties { unexpected } => (
            inside(&unexpected.join(", ")),
            "an argument of that name".to_owned(),
            "only the arguments that the description names".to_owned(),
        ),
        _ => {
            let whole = if place.is_empty() { "arguments".to_owned() } else { place };
            (whole, arguments.pointer(&at).map(shown).unwrap_or_default(), expected(error))
        }
    };
    Ok(ArgumentProblem { argument: shorten(&argument, LONGEST_PATH), given, expected })
}

/// The path to an argument at a place, which is empty at the top.
pub(super) fn inside(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// The problem of a value that is not what it must be as a whole.
pub(super) fn whole(value: &Value, expected: &str) -> ArgumentProblem {
    ArgumentProblem { argument: "arguments".to_owned(), given: shown(value), expected: expected.to_owned() }
}

/// The problem of a value of which no more is known.
pub(super) fn general(value: &Value) -> ArgumentProblem {
    whole(value, "what the inputSchema describes; there are too many problems to list them")
}

/// The validator's own sentence without the value, which is shown apart.
fn expected(error: &ValidationError<'_>) -> String {
    let say = |expected: &dyn Display| head(expected, LONGEST_EXPECTED);
    match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(single) } => format!("a value of type {single}"),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(several) } => {
            let names: Vec<String> = several.iter().map(|kind| kind.to_string()).collect();
            format!("a value of type {}", names.join(" or "))
        }
        ValidationErrorKind::Enum { options } => say(&format_args!("one of {options}")),
        ValidationErrorKind::Constant { expected_value } => say(&format_args!("exactly {expected_value}")),
        _ => say(&format_args!("something else: {}", error.masked_with("it"))),
    }
}

fn shown(value: &Value) -> String {
    let mut head = Head::of(LONGEST_VALUE);
    // The only error is that there is no more room.
    let _full = serde_json::to_writer(&mut head, value);
    head.text(LONGEST_VALUE)
}

/// The first characters of a text, however long it would become.
pub(super) fn head(text: &dyn Display, longest: usize) -> String {
    let mut head = Head::of(longest);
    // The only error is that there is no more room.
    let _full = write!(head, "{text}");
    head.text(longest)
}

/// Takes the beginning of what is written, and an error ends the writing.
struct Head {
    bytes: Vec<u8>,
    room: usize,
}

impl Head {
    /// With room for one character more than is shown, each of up to four bytes.
    fn of(longest: usize) -> Self {
        Self { bytes: Vec::new(), room: 4 * (longest + 1) }
    }

    fn text(self, longest: usize) -> String {
        let whole = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            // The last character was cut.
            Err(error) => std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        shorten(whole, longest)
    }

    fn take(&mut self, bytes: &[u8]) -> bool {
        let taken = bytes.len().min(self.room - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        taken == bytes.len()
    }
}

impl io::Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.take(bytes) { Ok(bytes.len()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Write for Head {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.take(text.as_bytes()) { Ok(()) } else { Err(std::fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_are_shown_by_their_beginning() {
        let value = json!(vec!["é".repeat(50_000); 3]);
        assert_eq!(shown(&value), shorten(&value.to_string(), LONGEST_VALUE));
        assert_eq!(shown(&json!({"a": [1]})), r#"{"a":[1]}"#);
        assert_eq!(head(&"x".repeat(9), 9), "x".repeat(9));
        assert_eq!(head(&"€".repeat(10), 9).chars().count(), shorten(&"€".repeat(10), 9).chars().count());
    }
}
