//! What is wrong with a call's arguments, in words a model can act on.

use std::fmt::{Display, Formatter, Write as _};

use serde::Serialize;
use serde_json::{Value, json};

use super::schema::{Bound, Counted, Keyword};
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
/// A text in a value is shown up to this many characters.
const LONGEST_TEXT: usize = 200;
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
    pub(super) fn of(path: &[String], keyword: &Keyword, value: &Value) -> Self {
        let differs = match keyword {
            Keyword::Type(_) => (2, path.len()),
            Keyword::Const(_) => (2, path.len().saturating_sub(1)),
            _ => (0, 0),
        };
        Self { differs, ..Self::at(path, value, expected(keyword)) }
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
        Self::said(place(path), head(&Shown(value), LONGEST_VALUE), expected)
    }

    fn about(path: &[String], name: &str, given: &str, expected: String) -> Self {
        let name = [head(&name, LONGEST_VALUE)];
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

fn expected(keyword: &Keyword) -> String {
    let counted = |bound: &str, counted: &Counted, count: &u64| match counted {
        Counted::Characters => format!("text of {bound} {count} characters"),
        Counted::Items => format!("{bound} {count} items"),
        Counted::Members => format!("{bound} {count} members"),
    };
    match keyword {
        Keyword::Type(kinds) => format!("a value of type {}", kinds.join(" or ")),
        Keyword::Enum(values) => head(&format_args!("one of {}", Shown(values)), LONGEST_EXPECTED),
        Keyword::Const(value) => head(&format_args!("exactly {}", Shown(value)), LONGEST_EXPECTED),
        Keyword::Bound(Bound::Least, limit) => format!("a number of at least {limit}"),
        Keyword::Bound(Bound::Above, limit) => format!("a number above {limit}"),
        Keyword::Bound(Bound::Most, limit) => format!("a number of at most {limit}"),
        Keyword::Bound(Bound::Below, limit) => format!("a number below {limit}"),
        Keyword::MultipleOf(of) => format!("a multiple of {of}"),
        Keyword::Least(what, count) => counted("at least", what, count),
        Keyword::Most(what, count) => counted("at most", what, count),
        Keyword::Pattern(text, _) => head(&format_args!("text that matches {text}"), LONGEST_EXPECTED),
        Keyword::Unique => "items that all differ".to_owned(),
        Keyword::Contains { least, most: u64::MAX, .. } => {
            format!("at least {least} items as the schema says")
        }
        Keyword::Contains { least, most, .. } => format!("{least} to {most} items as the schema says"),
        Keyword::Names(_) => "other names in it: the schema restricts them".to_owned(),
        Keyword::Not(_, schema) => format!("anything but what fits {schema}"),
        Keyword::One(_) => "what fits one alternative of the schema and no other".to_owned(),
        _ => "nothing: the schema allows no value here".to_owned(),
    }
}

/// The first characters of a text, however long it would become.
pub(super) fn head(text: &dyn Display, longest: usize) -> String {
    let mut head = Head { text: String::new(), left: longest + 1 };
    // The only error is that there is no more room.
    let _full = write!(head, "{text}");
    shorten(&head.text, longest)
}

/// Takes the beginning of what is written, and an error ends the writing.
struct Head {
    text: String,
    left: usize,
}

impl std::fmt::Write for Head {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for character in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(std::fmt::Error)?;
            self.text.push(character);
        }
        Ok(())
    }
}

/// JSON text, of which long strings are read no further than they are shown.
struct Shown<'v>(&'v Value);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let comma = |at| if at == 0 { "" } else { "," };
        match self.0 {
            // Cut before it is escaped, which reads all of it.
            Value::String(text) => write!(f, "{}", Value::from(head(text, LONGEST_TEXT))),
            Value::Array(items) => {
                f.write_char('[')?;
                items
                    .iter()
                    .enumerate()
                    .try_for_each(|(at, item)| write!(f, "{}{}", comma(at), Shown(item)))?;
                f.write_char(']')
            }
            Value::Object(members) => {
                f.write_char('{')?;
                members.iter().enumerate().try_for_each(|(at, (name, value))| {
                    let name = Value::from(head(name, LONGEST_TEXT));
                    write!(f, "{}{name}:{}", comma(at), Shown(value))
                })?;
                f.write_char('}')
            }
            other => other.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_are_shown_by_their_beginning() {
        let shown = |value: &Value, longest| head(&Shown(value), longest);
        let value = json!(vec!["é".repeat(50_000); 3]);
        assert_eq!(shown(&value, LONGEST_VALUE), shorten(&value.to_string(), LONGEST_VALUE));
        for value in [json!({"a": [1, "\n", {}], "b\"": {"c": null}}), json!([]), json!(1.5)] {
            assert_eq!(shown(&value, LONGEST_VALUE), value.to_string());
        }
        assert_eq!(head(&"x".repeat(9), 9), "x".repeat(9));
        assert_eq!(head(&"€".repeat(10), 9).chars().count(), shorten(&"€".repeat(10), 9).chars().count());
    }
}
