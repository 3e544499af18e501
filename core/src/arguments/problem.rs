//! What is wrong with a call's arguments, in words a model can act on.

use std::{borrow::Cow, mem};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::schema::kinds;
use crate::{brief::shorten, decision::Refusal, nearest::misspelt};

/// At most this many problems are reported of one call, and as many alternatives of one problem.
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

impl ArgumentProblem {
    /// A problem with an argument, of this JSON text.
    pub fn of(argument: &str, given: &str, expected: &str) -> Self {
        Self {
            argument: shorten(argument, LONGEST_VALUE),
            given: shorten(given, LONGEST_VALUE),
            expected: expected.to_owned(),
        }
    }
}

impl Refusal {
    /// The refusal of a call whose arguments do not fit: `INVALID_ARGUMENTS`, with every problem. `lesson` is how the tool
    /// can be learned, such as `call info with {"topic": "add"}`, and `right` the call as it should be, where its form was wrong.
    pub fn wrong_arguments(
        tool: &str,
        problems: &[ArgumentProblem],
        lesson: Option<&str>,
        right: Option<&str>,
    ) -> Self {
        let message = format!("The arguments do not fit the parameters of tool '{tool}'. It did not run.");
        let mut refusal = Self::of("INVALID_ARGUMENTS", &message);
        refusal.content["error"]["problems"] = json!(problems);
        let learn =
            lesson.map(|lesson| format!("If the problems do not say enough, learn the parameters: {lesson}"));
        let call = || lesson.map(|_| format!("Call '{tool}' again with arguments that fit"));
        let mut steps = learn.into_iter().chain(right.map(str::to_owned).or_else(call)).peekable();
        if steps.peek().is_some() { refusal.instructed(steps) } else { refusal }
    }
}

/// A given value, and a name, is shown up to this many characters.
const LONGEST_VALUE: usize = 120;
/// The path to an argument is shown up to this many characters.
const LONGEST_PATH: usize = 500;
/// The longest text of what was expected, in characters.
const LONGEST_EXPECTED: usize = 2_000;
/// The longest names, in bytes, that are compared with a misspelt one, and their number.
const LONGEST_NAME: usize = 64;
const MOST_NAMES: usize = 64;
/// The names among which those are looked for.
const MOST_LOOKED_AT: usize = 500;

/// A problem as it is found. It is put into words if it is reported.
#[derive(Clone, Debug)]
pub(super) struct Problem<'v> {
    /// The names and positions that lead to what it is about, the innermost first.
    pub(super) path: Vec<Cow<'v, str>>,
    /// The value; of a member that is missing or not allowed, the object.
    pub(super) value: &'v Value,
    pub(super) wrong: Wrong<'v>,
}

/// In place of a keyword: the arguments are no object.
pub(super) const ALL: &str = "arguments";

/// What is wrong with a value.
#[derive(Clone, Debug)]
pub(super) enum Wrong<'v> {
    /// It does not fit a keyword, which says this. Of a member that is missing (`required`) or not allowed
    /// (`additionalProperties`) it is the schema of the object.
    Keyword(&'v str, &'v Value),
    /// It would have to be without one of these problems.
    Alternatives(Vec<Problem<'v>>),
}

/// What is wrong with a value as one of several alternatives: the problems of the one that it is nearest to, which is of its
/// kind and has the fewest; or one that says what each of those expects. `None` if there are no alternatives.
pub(super) fn nearest<'v>(mut branches: Vec<Vec<Problem<'v>>>, value: &'v Value) -> Option<Vec<Problem<'v>>> {
    let rank = |branch: &Vec<Problem>| (branch.iter().map(Problem::differs).max(), branch.len());
    let least = branches.iter().map(rank).min()?;
    branches.retain(|branch| rank(branch) == least);
    if branches.len() == 1 {
        return branches.pop();
    }
    let first = branches.into_iter().filter_map(|branch| branch.into_iter().next());
    let alternatives = first.flat_map(Problem::alternatives).take(MOST_PROBLEMS).collect();
    Some(vec![Problem { path: Vec::new(), value, wrong: Wrong::Alternatives(alternatives) }])
}

/// Problems as they are reported; as they were `before` where arguments were mended and there still is one at the same place. Two parts of a
/// schema may say the same.
pub(super) fn in_words(problems: &[Problem], before: &[ArgumentProblem]) -> Vec<ArgumentProblem> {
    let at = |argument: &str| before.iter().find(|one| one.argument == argument).cloned();
    let as_before = |said: ArgumentProblem| match before.contains(&said) {
        true => said,
        false => at(&said.argument).unwrap_or(said),
    };
    let mut told: Vec<_> = problems.iter().map(Problem::said).map(as_before).collect();
    told.dedup();
    told
}

impl Problem<'_> {
    /// How much the value is of another kind than meant: hardly any fits; its type differs, or a constant in it; or there is not
    /// all of it.
    fn differs(&self) -> u8 {
        let is_alike = |one: &Value| mem::discriminant(one) == mem::discriminant(self.value);
        match (&self.wrong, self.path.len()) {
            (Wrong::Keyword("not" | "false", _), 0) => 3,
            (Wrong::Keyword("type", _), 0) | (Wrong::Keyword("const", _), 1) => 2,
            (Wrong::Keyword("const", one), 0) if !is_alike(one) => 2,
            (Wrong::Keyword("enum", all), 0) if !all.as_array().into_iter().flatten().any(is_alike) => 2,
            (Wrong::Keyword("required", _), 1) => 1,
            _ => 0,
        }
    }

    /// It, or else each of its alternatives.
    pub(super) fn alternatives(self) -> Vec<Self> {
        let Wrong::Alternatives(mut alternatives) = self.wrong else { return vec![self] };
        alternatives.iter_mut().for_each(|one| one.path.extend_from_slice(&self.path));
        alternatives
    }

    fn said(&self) -> ArgumentProblem {
        let given = match self.wrong {
            Wrong::Keyword("required", _) => "nothing".to_owned(),
            Wrong::Keyword("additionalProperties", _) => "an argument of that name".to_owned(),
            _ => shown(self.value, LONGEST_VALUE),
        };
        ArgumentProblem { argument: self.place(), given, expected: self.expected() }
    }

    fn place(&self) -> String {
        let path: Vec<String> = self.path.iter().rev().map(|name| shorten(name, LONGEST_VALUE)).collect();
        if path.is_empty() { "arguments".to_owned() } else { shorten(&path.join("."), LONGEST_PATH) }
    }

    fn expected(&self) -> String {
        let Wrong::Keyword(key, operand) = self.wrong else {
            let here = self.place();
            let each = self.clone().alternatives();
            let each = each.iter().map(|one| match one.place() {
                place if place == here => one.expected(),
                place => format!("'{place}': {}", one.expected()),
            });
            let mut each: Vec<String> = each.collect();
            each.dedup();
            return shorten(&each.join(", or "), LONGEST_EXPECTED);
        };
        let name = self.path.first().map_or("", AsRef::as_ref);
        let (given, known) = (self.value.as_object(), properties(operand));
        let shown = |longest| shown(operand, longest);
        match key {
            ALL => "a JSON object".to_owned(),
            "required" => {
                let given = meant(name, given, known);
                let given = given.map(|given| format!("; did you mean it by '{given}'?")).unwrap_or_default();
                format!("a value: it is required{given}")
            }
            "additionalProperties" => {
                let meant = meant(name, known, given);
                let meant = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
                format!("only the arguments that the description names{meant}")
            }
            "type" => {
                let kinds: Vec<&str> = kinds(operand).iter().filter_map(Value::as_str).collect();
                format!("a value of type {}", shorten(&kinds.join(" or "), LONGEST_EXPECTED))
            }
            "enum" => format!("one of {}", shown(LONGEST_EXPECTED)),
            "const" => format!("exactly {}", shown(LONGEST_EXPECTED)),
            "minimum" => format!("a number of at least {operand}"),
            "exclusiveMinimum" => format!("a number above {operand}"),
            "maximum" => format!("a number of at most {operand}"),
            "exclusiveMaximum" => format!("a number below {operand}"),
            "minLength" => format!("text of at least {operand} characters"),
            "maxLength" => format!("text of at most {operand} characters"),
            "minItems" => format!("at least {operand} items"),
            "maxItems" => format!("at most {operand} items"),
            "minProperties" => format!("at least {operand} members"),
            "maxProperties" => format!("at most {operand} members"),
            "pattern" => {
                let pattern = operand.as_str().unwrap_or_default();
                format!("text that matches {}", shorten(pattern, LONGEST_EXPECTED))
            }
            "uniqueItems" => "items that all differ".to_owned(),
            "propertyNames" => "other names in it: the schema restricts them".to_owned(),
            "not" => format!("anything but what fits {}", shown(LONGEST_VALUE)),
            _ => "nothing: the schema allows no value here".to_owned(),
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// The name that is probably the same, among these without those.
pub(super) fn meant<'n>(
    name: &str,
    these: Option<&'n Map<String, Value>>,
    those: Option<&Map<String, Value>>,
) -> Option<&'n str> {
    let (these, those) = (these?, those?);
    let others = these.keys().take(MOST_LOOKED_AT);
    let others = others.filter(|other| other.len() <= LONGEST_NAME && !those.contains_key(*other));
    let others = others.take(MOST_NAMES).map(String::as_str);
    (name.len() <= LONGEST_NAME).then(|| misspelt(name, others)).flatten()
}

/// The beginning of a value's JSON text, of which no more is written than is shown.
fn shown(value: &Value, longest: usize) -> String {
    let mut text = vec![0; 4 * (longest + 1)];
    let mut room = text.as_mut_slice();
    // The only error is that there is no more room.
    let _full = serde_json::to_writer(&mut room, value);
    let left = room.len();
    text.truncate(text.len() - left);
    shorten(&String::from_utf8_lossy(&text), longest)
}
