//! What is wrong with a call's arguments, in words a model can act on.

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use crate::{brief::shorten, decision::Refusal};

/// At most this many problems are reported of one call.
pub(super) const MOST_PROBLEMS: usize = 10;

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
pub(super) const LONGEST_VALUE: usize = 120;
/// The path to an argument is shown up to this many characters.
const LONGEST_PATH: usize = 500;
/// What was expected is said in up to this many characters.
const LONGEST_EXPECTED: usize = 2_000;
/// Alternatives are listed up to this many.
const MOST_ALTERNATIVES: usize = 10;

/// A problem while alternatives are compared.
#[derive(Debug)]
pub(super) struct Problem {
    said: ArgumentProblem,
    /// How much of another kind than meant a value is, and at which depth: its type differs, or a constant in it; or there
    /// is not all of it.
    differs: (u8, usize),
}

impl Problem {
    /// Of a keyword of the schema, with what it says.
    pub(super) fn of(path: &[String], key: &str, operand: &Value, value: &Value) -> Self {
        let differs = match key {
            "type" => (2, path.len()),
            "const" => (2, path.len().saturating_sub(1)),
            _ => (0, 0),
        };
        Self { differs, ..Self::at(path, value, expected(key, operand)) }
    }

    pub(super) fn missing(path: &[String], name: &str, given: Option<&str>) -> Self {
        let meant = given.map_or_else(String::new, |given| format!("; did you mean it by '{given}'?"));
        let expected = format!("a value: it is required{meant}");
        Self { differs: (1, path.len()), ..Self::about(path, name, "nothing", expected) }
    }

    pub(super) fn unexpected(path: &[String], name: &str, meant: Option<&str>) -> Self {
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
        let expected = format!("only the arguments that the description names{meant}");
        Self::about(path, name, "an argument of that name", expected)
    }

    fn at(path: &[String], value: &Value, expected: String) -> Self {
        Self::said(place(path), shown(value, LONGEST_VALUE), expected)
    }

    fn about(path: &[String], name: &str, given: &str, expected: String) -> Self {
        let name = [shorten(name, LONGEST_VALUE)];
        Self::said(place(path.iter().chain(&name)), given.to_owned(), expected)
    }

    fn said(argument: String, given: String, expected: String) -> Self {
        Self { said: ArgumentProblem { argument, given, expected }, differs: (0, 0) }
    }
}

/// What is wrong with a value as one of several alternatives: the problems of the one that it is nearest to, which is of its
/// kind and has the fewest; or one that says what each of those expects.
pub(super) fn nearest(mut branches: Vec<Vec<Problem>>, path: &[String], value: &Value) -> Vec<Problem> {
    let rank = |branch: &Vec<Problem>| {
        let here = branch.iter().filter(|problem| problem.differs.1 == path.len());
        (here.map(|problem| problem.differs.0).max(), branch.len())
    };
    branches.retain(|branch| !branch.is_empty());
    let least = branches.iter().map(rank).min();
    branches.retain(|branch| Some(rank(branch)) == least);
    if branches.len() == 1 {
        return branches.remove(0);
    }
    let place = place(path);
    let mut expected: Vec<String> = Vec::new();
    for said in branches.iter().filter_map(|branch| Some(&branch.first()?.said)).take(MOST_ALTERNATIVES) {
        let here = said.argument == place;
        expected.push(if here {
            said.expected.clone()
        } else {
            format!("'{}': {}", said.argument, said.expected)
        });
    }
    expected.dedup();
    vec![Problem::at(path, value, shorten(&expected.join(", or "), LONGEST_EXPECTED))]
}

/// The problems as they are reported; at least that it does not fit.
pub(super) fn listed(problems: Vec<Problem>, value: &Value) -> Vec<ArgumentProblem> {
    let mut listed: Vec<_> = problems.into_iter().map(|problem| problem.said).collect();
    listed.truncate(MOST_PROBLEMS);
    if listed.is_empty() {
        listed.push(whole(value, "what the inputSchema describes; there is too much to say what is wrong"));
    }
    listed
}

/// The problem of a value that is not what it must be as a whole.
pub(super) fn whole(value: &Value, expected: &str) -> ArgumentProblem {
    Problem::at(&[], value, expected.to_owned()).said
}

fn place<'p>(path: impl IntoIterator<Item = &'p String>) -> String {
    let path: Vec<&str> = path.into_iter().map(String::as_str).collect();
    if path.is_empty() { "arguments".to_owned() } else { shorten(&path.join("."), LONGEST_PATH) }
}

fn expected(key: &str, operand: &Value) -> String {
    let shown = |longest| shown(operand, longest);
    match key {
        "type" => match operand {
            Value::Array(kinds) => {
                let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
                format!("a value of type {}", kinds.join(" or "))
            }
            kind => format!("a value of type {}", kind.as_str().unwrap_or_default()),
        },
        "enum" => format!("one of {}", shown(LONGEST_EXPECTED)),
        "const" => format!("exactly {}", shown(LONGEST_EXPECTED)),
        "minimum" => format!("a number of at least {operand}"),
        "exclusiveMinimum" => format!("a number above {operand}"),
        "maximum" => format!("a number of at most {operand}"),
        "exclusiveMaximum" => format!("a number below {operand}"),
        "multipleOf" => format!("a multiple of {operand}"),
        "minLength" => format!("text of at least {operand} characters"),
        "maxLength" => format!("text of at most {operand} characters"),
        "minItems" => format!("at least {operand} items"),
        "maxItems" => format!("at most {operand} items"),
        "minProperties" => format!("at least {operand} members"),
        "maxProperties" => format!("at most {operand} members"),
        "pattern" => {
            format!("text that matches {}", shorten(operand.as_str().unwrap_or_default(), LONGEST_EXPECTED))
        }
        "uniqueItems" => "items that all differ".to_owned(),
        "propertyNames" => "other names in it: the schema restricts them".to_owned(),
        "not" => format!("anything but what fits {}", shown(LONGEST_VALUE)),
        "oneOf" => "what fits one alternative of the schema and no other".to_owned(),
        _ => "nothing: the schema allows no value here".to_owned(),
    }
}

/// The beginning of a value's JSON text, of which no more is written than is shown.
fn shown(value: &Value, longest: usize) -> String {
    let mut room = Room { text: Vec::new(), left: 4 * (longest + 1) };
    // The only error is that there is no more room.
    let _full = match value {
        // Cut before it is escaped, which reads all of it.
        Value::String(text) if text.len() > room.left => {
            let end = (0..=room.left).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            serde_json::to_writer(&mut room, &text[..end])
        }
        _ => serde_json::to_writer(&mut room, value),
    };
    shorten(&String::from_utf8_lossy(&room.text), longest)
}

/// Takes the beginning of what is written, and an error ends the writing.
struct Room {
    text: Vec<u8>,
    left: usize,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.left);
        self.text.extend_from_slice(&bytes[..taken]);
        self.left -= taken;
        // Nothing taken is an error to who writes all.
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_are_shown_by_their_beginning() {
        let value = json!(vec!["é".repeat(50_000); 3]);
        assert_eq!(shown(&value, LONGEST_VALUE), shorten(&value.to_string(), LONGEST_VALUE));
        for value in [json!({"a": [1, "\n", {}], "b\"": {"c": null}}), json!([]), json!(1.5)] {
            assert_eq!(shown(&value, LONGEST_VALUE), value.to_string());
        }
        let value = json!("€".repeat(2_000));
        assert_eq!(shown(&value, LONGEST_VALUE), shorten(&value.to_string(), LONGEST_VALUE));
    }
}
