//! The check of a value, in steps that are counted.
//!
//! What is not judged stays unknown through all that combines it (Kleene's logic): `not` of it is unknown, an alternative
//! beside one that fits does not matter, and where the steps are used up everything further is unknown. So whatever is
//! found out holds for every way in which the rest could have been judged.

use std::{cmp::Ordering, fmt::Display};

use serde_json::{Map, Value};

use super::{
    numbers,
    pattern::Pattern,
    problem::{self, MOST_PROBLEMS, Problem},
    schema::{Schema, is_unjudged},
};
use crate::{brief::shorten, nearest::misspelt};

/// Whether something fits; `None` where that is not judged.
pub(super) type Fit = Option<bool>;

pub(super) fn not(fit: Fit) -> Fit {
    fit.map(|fits| !fits)
}

fn and(one: Fit, other: Fit) -> Fit {
    if one == Some(false) || other == Some(false) { Some(false) } else { Some(one? && other?) }
}

fn or(one: Fit, other: Fit) -> Fit {
    not(and(not(one), not(other)))
}

/// The steps that are left. A step is about one keyword on one value, or 64 bytes of text.
#[derive(Debug)]
pub(super) struct Steps(pub(super) usize);

impl Steps {
    /// `None` where there are not so many; then none are left.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.map(drop)
    }

    fn read(&mut self, text: &str) -> Option<()> {
        self.spend(1 + text.len() / 64)
    }
}

/// Steps of one check, and as many to say what is wrong: 1 to 2 ms each.
const STEPS: usize = 60_000;
/// Subschemas in subschemas that are applied, references included.
const MAX_DEPTH: usize = 128;
/// A problem's price: its path and the given value are written.
const PROBLEM: usize = 100;
/// Names up to this length, in bytes, are compared with a misspelt one, and so many of them.
const LONGEST_NAME: usize = 100;
const MOST_NAMES: usize = 256;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fits.
    Fits,
    /// It does not, for these reasons among others.
    DoesNotFit(Vec<super::ArgumentProblem>),
    /// It may fit or not: the schema has what is not judged, or judging it takes too long.
    NotJudged,
}

impl Schema {
    /// Checks a value.
    pub fn check(&self, value: &Value) -> Verdict {
        let mut check =
            Check { schema: self, steps: Steps(STEPS), depth: 0, path: Vec::new(), problems: None };
        match check.node(&self.document, value) {
            Some(true) => Verdict::Fits,
            None => Verdict::NotJudged,
            Some(false) => {
                (check.steps, check.problems) = (Steps(STEPS), Some(Vec::new()));
                check.node(&self.document, value);
                Verdict::DoesNotFit(problem::listed(check.problems.unwrap_or_default(), value))
            }
        }
    }
}

struct Check<'s> {
    schema: &'s Schema,
    steps: Steps,
    depth: usize,
    /// Where the value is, while problems are collected.
    path: Vec<String>,
    problems: Option<Vec<Problem>>,
}

impl<'s> Check<'s> {
    fn node(&mut self, schema: &'s Value, value: &Value) -> Fit {
        self.steps.spend(1)?;
        match schema {
            Value::Bool(true) => return Some(true),
            Value::Bool(false) => return self.wrong("false", schema, value),
            _ if self.depth == MAX_DEPTH => return None,
            _ => {}
        }
        let keywords = self.schema.keywords(schema)?;
        self.depth += 1;
        let fit = self.all(keywords, |check, (key, operand)| check.keyword(schema, key, operand, value));
        self.depth -= 1;
        fit
    }

    /// The same without a word of problems.
    fn quietly(&mut self, schema: &'s Value, value: &Value) -> Fit {
        let problems = self.problems.take();
        let fit = self.node(schema, value);
        self.problems = problems;
        fit
    }

    fn within(&mut self, name: impl Display, schema: &'s Value, value: &Value) -> Fit {
        if self.problems.is_none() {
            return self.node(schema, value);
        }
        self.path.push(shorten(&name.to_string(), problem::LONGEST_VALUE));
        let fit = self.node(schema, value);
        self.path.pop();
        fit
    }

    fn report(&mut self, problem: impl FnOnce(&[String]) -> Problem) -> Fit {
        if let Some(problems) = &mut self.problems
            && problems.len() < MOST_PROBLEMS
            && self.steps.spend(PROBLEM).is_some()
        {
            problems.push(problem(&self.path));
        }
        Some(false)
    }

    fn wrong(&mut self, key: &str, operand: &Value, value: &Value) -> Fit {
        self.report(|path| Problem::of(path, key, operand, value))
    }

    /// Whether all of these fit.
    fn all<T>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Fit,
    ) -> Fit {
        let mut fit = Some(true);
        for part in parts {
            fit = and(fit, each(self, part));
            let is_full = self.problems.as_ref().is_none_or(|problems| problems.len() >= MOST_PROBLEMS);
            if fit == Some(false) && is_full || self.steps.0 == 0 {
                return and(fit, None);
            }
        }
        fit
    }

    /// Whether a value fits one keyword of a schema. A keyword in a wrong form is not judged.
    fn keyword(&mut self, schema: &'s Value, key: &str, operand: &'s Value, value: &Value) -> Fit {
        self.steps.spend(1)?;
        match key {
            "allOf" => self.all(operand.as_array()?, |check, part| check.node(part, value)),
            "anyOf" | "oneOf" => self.union(key, operand, value),
            "$ref" => {
                let reference = operand.as_str()?;
                self.steps.spend(1 + reference.len() / 8)?;
                self.node(self.schema.target(reference)?, value)
            }
            "if" => self.condition(schema, operand, value),
            "items" | "prefixItems" | "additionalItems" => self.items(schema, key, operand, value),
            "properties" | "patternProperties" | "additionalProperties" => {
                let Value::Object(members) = value else { return Some(true) };
                self.all(members, |check, (name, value)| {
                    check.member(schema, key, operand, (name, value), members)
                })
            }
            "required" => {
                let names = operand.as_array()?;
                let Value::Object(members) = value else { return Some(true) };
                self.all(names, |check, name| check.required(name.as_str()?, schema, members))
            }
            _ => match self.leaf(key, operand, value) {
                Some(false) => self.wrong(key, operand, value),
                fit => fit,
            },
        }
    }

    fn condition(&mut self, schema: &'s Value, condition: &'s Value, value: &Value) -> Fit {
        let part = |check: &mut Self, key| schema.get(key).map_or(Some(true), |part| check.node(part, value));
        match self.quietly(condition, value) {
            Some(true) => part(self, "then"),
            Some(false) => part(self, "else"),
            None => {
                let problems = self.problems.take();
                let (then, otherwise) = (part(self, "then"), part(self, "else"));
                self.problems = problems;
                then.filter(|_| then == otherwise)
            }
        }
    }

    fn items(&mut self, schema: &'s Value, key: &str, operand: &'s Value, value: &Value) -> Fit {
        let is_latest = self.schema.is_latest();
        let first_key = if is_latest { "prefixItems" } else { "items" };
        let first = schema.get(first_key).and_then(Value::as_array);
        let Value::Array(items) = value else { return Some(true) };
        let items = items.iter().enumerate();
        match key {
            "prefixItems" if !is_latest => Some(true),
            "additionalItems" if is_latest || first.is_none() => Some(true),
            _ if key == "prefixItems" || (key == first_key && first.is_some()) => {
                self.all(items.zip(first?), |check, ((at, item), part)| check.within(at, part, item))
            }
            _ => {
                let rest = items.skip(first.map_or(0, Vec::len));
                self.all(rest, |check, (at, item)| check.within(at, operand, item))
            }
        }
    }

    fn member(
        &mut self,
        schema: &'s Value,
        key: &str,
        operand: &'s Value,
        (name, value): (&String, &Value),
        members: &Map<String, Value>,
    ) -> Fit {
        self.steps.read(name)?;
        let entries = |key: &str| match schema.get(key) {
            Some(entries) => entries.as_object().map(Some),
            None => Some(None),
        };
        if key == "properties" {
            return entries(key)??.get(name).map_or(Some(true), |part| self.within(name, part, value));
        }
        let (named, patterns) = (entries("properties")?, entries("patternProperties")?);
        if key == "patternProperties" {
            return self.all(patterns.into_iter().flatten(), |check, (pattern, part)| {
                let matches = check.matches(pattern, name);
                check.where_it_is(matches, name, part, value)
            });
        }
        if named.is_some_and(|named| named.contains_key(name)) {
            return Some(true);
        }
        let matched = patterns.into_iter().flatten();
        let is_other = self.all(matched, |check, (pattern, _)| not(check.matches(pattern, name)));
        if is_other == Some(true) && *operand == Value::Bool(false) {
            let known = named.into_iter().flat_map(Map::keys);
            let meant = self.meant(name, known.filter(|known| !members.contains_key(*known)));
            return self.report(|path| Problem::unexpected(path, name, meant));
        }
        self.where_it_is(is_other, name, operand, value)
    }

    /// Whether a member fits a subschema that applies to it where `applies` is so.
    fn where_it_is(&mut self, applies: Fit, name: &str, schema: &'s Value, value: &Value) -> Fit {
        match applies {
            Some(true) => self.within(name, schema, value),
            Some(false) => Some(true),
            None => or(self.quietly(schema, value), None),
        }
    }

    fn matches(&mut self, pattern: &str, text: &str) -> Fit {
        self.steps.spend(pattern.len())?;
        Pattern::parse(pattern)?.matches(text, &mut self.steps)
    }

    fn required(&mut self, name: &str, schema: &'s Value, members: &Map<String, Value>) -> Fit {
        self.steps.read(name)?;
        if members.contains_key(name) {
            return Some(true);
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let unknown = members.keys().filter(|given| known.is_some_and(|known| !known.contains_key(*given)));
        let given = self.meant(name, unknown);
        self.report(|path| Problem::missing(path, name, given))
    }

    /// The name among these that is probably the same.
    fn meant<'n>(&mut self, name: &str, others: impl Iterator<Item = &'n String>) -> Option<&'n str> {
        if self.problems.is_none() || name.len() > LONGEST_NAME {
            return None;
        }
        let others = others.map(String::as_str).filter(|other| other.len() <= LONGEST_NAME).take(MOST_NAMES);
        misspelt(
            name,
            others.take_while(|other| self.steps.spend(1 + name.len() * other.len() / 64).is_some()),
        )
    }

    fn union(&mut self, key: &str, operand: &'s Value, value: &Value) -> Fit {
        let parts = operand.as_array()?;
        let most = if key == "oneOf" { 1 } else { usize::MAX };
        let (mut fit, mut may_fit) = (0, 0);
        for part in parts {
            let fits = self.quietly(part, value);
            fit += usize::from(fits == Some(true));
            may_fit += usize::from(fits != Some(false));
            if fit > most || (fit == 1 && key == "anyOf") {
                break;
            }
            (self.steps.0 > 0).then_some(())?;
        }
        match () {
            () if may_fit == 0 => self.none_fits(parts, value),
            () if fit > most => self.wrong(key, operand, value),
            () => (fit > 0 && may_fit <= most).then_some(true),
        }
    }

    /// Says what is wrong with the value as the alternative that it is nearest to.
    fn none_fits(&mut self, parts: &'s [Value], value: &Value) -> Fit {
        if let Some(mut problems) = self.problems.take() {
            let branch = |part| {
                self.problems = Some(Vec::new());
                self.node(part, value);
                self.problems.take().unwrap_or_default()
            };
            let branches = parts.iter().map(branch).collect();
            problems.extend(problem::nearest(branches, &self.path, value));
            self.problems = Some(problems);
        }
        Some(false)
    }

    fn leaf(&mut self, key: &str, operand: &'s Value, value: &Value) -> Fit {
        match key {
            "type" => match operand {
                Value::String(kind) => is_of(kind, value),
                Value::Array(kinds) if kinds.len() <= 7 => {
                    kinds.iter().try_fold(false, |fits, kind| or(Some(fits), is_of(kind.as_str()?, value)))
                }
                _ => None,
            },
            "enum" => not(self.all(operand.as_array()?, |check, other| not(check.equal(value, other)))),
            "const" => self.equal(value, operand),
            "not" => not(self.quietly(operand, value)),
            "multipleOf" => match value {
                Value::Number(number) => numbers::is_multiple(number, operand.as_number()?),
                _ => Some(true),
            },
            "pattern" => match value {
                Value::String(text) => self.matches(operand.as_str()?, text),
                _ => Pattern::parse(operand.as_str()?).map(|_| true),
            },
            "uniqueItems" if operand.as_bool()? => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                self.all(items.iter().enumerate(), |check, (at, item)| {
                    check.all(&items[..at], |check, other| not(check.equal(item, other)))
                })
            }
            "propertyNames" => self.all(value.as_object().into_iter().flat_map(Map::keys), |check, name| {
                check.steps.read(name)?;
                check.quietly(operand, &Value::from(name.as_str()))
            }),
            _ if is_unjudged(key, operand) => None,
            _ => self.bound(key, operand, value),
        }
    }

    /// Whether a number, or a count, is within a bound. Other keywords are annotations.
    fn bound(&mut self, key: &str, bound: &Value, value: &Value) -> Fit {
        let is_within = match key {
            "minimum" | "minLength" | "minItems" | "minProperties" => Ordering::is_ge,
            "maximum" | "maxLength" | "maxItems" | "maxProperties" => Ordering::is_le,
            "exclusiveMinimum" => Ordering::is_gt,
            "exclusiveMaximum" => Ordering::is_lt,
            _ => return Some(true),
        };
        let bound = bound.as_number()?;
        let number = match (key, value) {
            ("minLength" | "maxLength", Value::String(text)) => {
                self.steps.read(text)?;
                text.chars().count().into()
            }
            ("minItems" | "maxItems", Value::Array(items)) => items.len().into(),
            ("minProperties" | "maxProperties", Value::Object(members)) => members.len().into(),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Value::Number(number)) => {
                number.clone()
            }
            _ => return Some(true),
        };
        numbers::compare(&number, bound).map(is_within)
    }

    fn equal(&mut self, one: &Value, other: &Value) -> Fit {
        self.steps.spend(1)?;
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => numbers::compare(one, other).map(Ordering::is_eq),
            (Value::String(one), Value::String(other)) if one.len() == other.len() => {
                self.steps.read(one)?;
                Some(one == other)
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                self.all(one.iter().zip(other), |check, (one, other)| check.equal(one, other))
            }
            (Value::Object(one), Value::Object(other)) if one.len() == other.len() => {
                self.all(one, |check, (name, one)| {
                    check.steps.read(name)?;
                    other.get(name).map_or(Some(false), |other| check.equal(one, other))
                })
            }
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => Some(false),
            _ => Some(one == other),
        }
    }
}

fn is_of(kind: &str, value: &Value) -> Fit {
    match (kind, value) {
        ("integer", Value::Number(number)) => numbers::is_integer(number),
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => Some(true),
        ("null" | "boolean" | "integer" | "number" | "string" | "array" | "object", _) => Some(false),
        _ => None,
    }
}
