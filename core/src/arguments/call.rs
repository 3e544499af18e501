//! The arguments of a call, mended where that makes them fit.

use std::{borrow::Cow, collections::HashSet, ops::Range, ptr};

use serde_json::{Value, value::RawValue};

use super::{
    ArgumentProblem,
    check::{STEPS, Steps, wrong},
    problem::{ALL, Problem, Wrong, in_words},
    schema::{Schema, read},
};
use crate::{given, raw::RawObject, raw_text::RawText, take};

/// The most bytes of arguments that are checked.
pub(super) const MAX_BYTES: usize = 500_000;

/// How many bytes of arguments are read, or written, in a step of the check.
pub(super) const READ_IN_STEP: usize = 16;

/// Arguments that go on to the tool.
#[derive(Debug, Default)]
pub struct Checked {
    /// As the tool shall see them, where that differs from what was given. What was not mended keeps its text.
    pub repaired: Option<RawText>,
    /// Whether it is known that they fit.
    pub is_judged: bool,
}

impl Schema {
    /// Arguments, by their JSON text, as the tool shall see them. It takes some 10 ms at most.
    ///
    /// Where they do not fit, JSON is taken out of the strings that there are problems with, at any depth, and an argument whose problem
    /// is that it is `null` is left out; if they fit then, that is what they are. What fits is never changed.
    ///
    /// # Errors
    /// What is wrong with them: they do not fit, and would not if they were mended.
    pub fn apply(&self, given: &str) -> Result<Checked, Vec<ArgumentProblem>> {
        self.apply_within(given, &mut Steps(STEPS))
    }

    /// The same with the steps that are left.
    pub(super) fn apply_within(
        &self,
        given: &str,
        steps: &mut Steps,
    ) -> Result<Checked, Vec<ArgumentProblem>> {
        let (mut text, mut first) = (Cow::Borrowed(given), Vec::new());
        loop {
            let arguments = read(&text, MAX_BYTES);
            let fit = arguments.as_ref().and_then(|arguments| match arguments {
                Value::Object(_) => self.judge(arguments, steps),
                _ => wrong(None, arguments, ALL, arguments),
            });
            let is_left = arguments.is_none() || steps.0 == 0;
            if fit.is_none() && is_left && !first.is_empty() {
                // What was given does not fit, and whether the rest of it could be mended is not known.
                return Err(first);
            }
            let problems = fit.as_deref().unwrap_or_default();
            if problems.is_empty() {
                let repaired = matches!(text, Cow::Owned(_)).then(|| text.into_owned().into());
                return Ok(Checked { repaired, is_judged: fit.is_some() });
            }
            let mended = mended(&text, problems, steps);
            let Some(mended) = mended else { return Err(in_words(problems, &first)) };
            if first.is_empty() {
                first = in_words(problems, &first);
            }
            text = Cow::Owned(mended);
        }
    }
}

/// The arguments with whatever can be mended of what there are problems with; `None` if that is nothing.
fn mended(text: &str, problems: &[Problem], steps: &mut Steps) -> Option<String> {
    // They are read again.
    steps.spend(1 + text.len() / READ_IN_STEP)?;
    let mut problems: Vec<_> = problems.iter().cloned().flat_map(Problem::alternatives).collect();
    problems.dedup_by(|one, other| ptr::eq(one.value, other.value));
    // Some clients send `null` for what a model leaves out. Within an argument it can be a value, such as one to look for.
    let nulls = problems.iter().filter_map(|problem| match (problem.value, &problem.path[..]) {
        (Value::Null, [name]) => Some(&**name),
        _ => None,
    });
    let nulls: HashSet<&str> = nulls.collect();
    let given = (!nulls.is_empty()).then(|| RawObject::parse(text).ok()).flatten();
    let rest = given.map(|given| given.retain(|name| !nulls.contains(name)).text().to_owned());
    problems.iter().fold(rest, |mended, problem| {
        without_string(mended.as_deref().unwrap_or(text), problem, steps).or(mended)
    })
}

/// The arguments with the object or array in place of the string that holds it, where there is a problem with that; with the number or
/// boolean, where the problem is its type or value: clients that are not listed the types of parameters send all as strings.
fn without_string(text: &str, problem: &Problem, steps: &mut Steps) -> Option<String> {
    let string = problem.value.as_str()?;
    steps.spend(string.len() / READ_IN_STEP)?;
    let held = serde_json::from_str::<&RawValue>(string).ok()?.get();
    let is_another = matches!(problem.wrong, Wrong::Keyword("type" | "enum" | "const", _));
    ((is_another && !held.starts_with(['"', 'n'])) || held.starts_with(['{', '['])).then_some(())?;
    // It must be readable where it is put. A message, of which arguments are the third level, has at most 128 of them.
    let levels = problem.path.len() + 1;
    read(&format!("{}{held}{}", "[".repeat(levels), "]".repeat(levels)), MAX_BYTES)?;
    let place = place(text, &problem.path, steps)?;
    Some([&text[..place.start], held, &text[place.end..]].concat())
}

/// The place of the value at a path, whose innermost name is the first; of equal names that of the last.
fn place(text: &str, path: &[Cow<'_, str>], steps: &mut Steps) -> Option<Range<usize>> {
    let mut value = text;
    for name in path.iter().rev() {
        steps.read(value)?;
        value = match value.starts_with('[') {
            true => given::items(value, usize::MAX)?.get(name.parse::<usize>().ok()?)?,
            false => take::member(value, name)?,
        };
    }
    let start = value.as_ptr() as usize - text.as_ptr() as usize;
    Some(start..start + value.len())
}
