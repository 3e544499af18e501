//! The check of a value, in steps that are counted.
//!
//! What is not judged stays unknown through all that combines it (Kleene's logic): `not` of it is unknown, an alternative
//! beside one that fits does not matter, and where the steps are used up everything further is unknown. So whatever is
//! found out holds for every way in which the rest could have been judged.

use std::{borrow::Cow, cmp::Ordering, slice};

use serde_json::Value;

pub(super) use super::pattern::Steps;
use super::{
    ArgumentProblem, number, pattern,
    problem::{MOST_PROBLEMS, Problem, Wrong, in_words, nearest},
    schema::{Schema, is_unjudged, kinds},
};

/// The steps of all checks of a call's arguments, or of all their readings: some 50 ns each at most.
pub(super) const STEPS: usize = 80_000;
/// Subschemas in subschemas that are applied, references included.
const MAX_DEPTH: usize = 128;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fits.
    Fits,
    /// It does not, for these reasons among others.
    DoesNotFit(Vec<ArgumentProblem>),
    /// It may fit or not: the schema has what is not judged, or judging it takes too long.
    NotJudged,
}

/// What is wrong with a value: nothing, if it fits. `None` where that is not judged.
pub(super) type Fit<'v> = Option<Vec<Problem<'v>>>;

impl Schema {
    /// Checks a value.
    pub fn check(&self, value: &Value) -> Verdict {
        match self.judge(value, &mut Steps(STEPS)) {
            None => Verdict::NotJudged,
            Some(problems) if problems.is_empty() => Verdict::Fits,
            Some(problems) => Verdict::DoesNotFit(in_words(&problems, &[])),
        }
    }

    /// The same with the steps that are left.
    pub(super) fn judge<'v>(&'v self, value: &'v Value, steps: &mut Steps) -> Fit<'v> {
        (Check { schema: self, steps, depth: 0 }).node(&self.document, value)
    }
}

struct Check<'v, 's> {
    schema: &'v Schema,
    steps: &'s mut Steps,
    depth: usize,
}

impl<'v> Check<'v, '_> {
    fn node(&mut self, schema: &'v Value, value: &'v Value) -> Fit<'v> {
        self.steps.spend(1)?;
        match schema {
            Value::Bool(true) => return Some(Vec::new()),
            Value::Bool(false) => return wrong(None, value, "false", schema),
            _ if self.depth == MAX_DEPTH => return None,
            _ => {}
        }
        let keywords = self.schema.keywords(schema)?;
        self.depth += 1;
        let fit = self.all(keywords, |check, (key, operand)| check.keyword(schema, key, operand, value));
        self.depth -= 1;
        fit
    }

    /// Whether a value fits, whatever is wrong with it.
    fn fits(&mut self, schema: &Value, value: &Value) -> Option<bool> {
        let mut check = Check { schema: self.schema, steps: self.steps, depth: self.depth };
        Some(check.node(schema, value)?.is_empty())
    }

    /// What is wrong with a part of a value.
    fn within(&mut self, name: impl Into<Cow<'v, str>>, schema: &'v Value, value: &'v Value) -> Fit<'v> {
        let mut problems = self.node(schema, value)?;
        if !problems.is_empty() {
            // What is found is found, whether or not steps are left.
            self.steps.spend(problems.len());
            let name = name.into();
            problems.iter_mut().for_each(|problem| problem.path.push(name.clone()));
        }
        Some(problems)
    }

    /// What is wrong with any of these.
    fn all<T>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Fit<'v>,
    ) -> Fit<'v> {
        let (mut found, mut is_judged) = (Vec::new(), true);
        for part in parts {
            match each(self, part) {
                Some(problems) => found.extend(problems),
                None => is_judged = false,
            }
            if found.len() >= MOST_PROBLEMS || self.steps.0 == 0 {
                is_judged = false;
                break;
            }
        }
        found.truncate(MOST_PROBLEMS);
        (is_judged || !found.is_empty()).then_some(found)
    }

    /// What is wrong with a value by one keyword of a schema. A keyword in a wrong form is not judged.
    fn keyword(&mut self, schema: &'v Value, key: &'v str, operand: &'v Value, value: &'v Value) -> Fit<'v> {
        self.steps.spend(1)?;
        let is_latest = self.schema.is_latest();
        match (key, value) {
            // OpenAPI's word, which some servers' checks know.
            ("type" | "enum", Value::Null) if schema["nullable"] == true => None,
            ("allOf", _) => self.all(operand.as_array()?, |check, part| check.node(part, value)),
            ("anyOf" | "oneOf", _) => self.union(key, operand, value),
            ("if", _) => self.condition(schema, operand, value),
            ("$ref", _) => {
                let reference = operand.as_str()?;
                self.steps.spend(reference.len())?;
                self.node(self.schema.target(reference)?, value)
            }
            ("prefixItems", Value::Array(items)) if is_latest => self.tuple(operand, items),
            ("items", Value::Array(items)) if !is_latest && operand.is_array() => self.tuple(operand, items),
            ("additionalItems", _) if is_latest || !schema["items"].is_array() => Some(Vec::new()),
            ("items" | "additionalItems", Value::Array(items)) => {
                let first = &schema[if is_latest { "prefixItems" } else { "items" }];
                let rest = items.iter().enumerate().skip(first.as_array().map_or(0, Vec::len));
                self.all(rest, |check, (at, item)| check.within(at.to_string(), operand, item))
            }
            ("properties", Value::Object(members)) => {
                let properties = operand.as_object()?;
                self.all(members, |check, (name, value)| {
                    check.steps.read(name)?;
                    let part = properties.get(name);
                    part.map_or(Some(Vec::new()), |part| check.within(name.as_str(), part, value))
                })
            }
            ("additionalProperties", Value::Object(members)) if *operand != Value::Bool(true) => {
                // Which members other keywords look at is not judged.
                schema.get("patternProperties").is_none().then_some(())?;
                let named =
                    schema.get("properties").map_or(Some(None), |named| named.as_object().map(Some))?;
                self.all(members, |check, (name, part)| {
                    check.steps.read(name)?;
                    match operand {
                        _ if named.is_some_and(|named| named.contains_key(name)) => Some(Vec::new()),
                        Value::Bool(false) => wrong(Some(name), value, key, schema),
                        _ => check.within(name.as_str(), operand, part),
                    }
                })
            }
            ("required", Value::Object(members)) => self.all(operand.as_array()?, |check, name| {
                let name = name.as_str()?;
                check.steps.read(name)?;
                let is_given = members.contains_key(name);
                if is_given { Some(Vec::new()) } else { wrong(Some(name), value, key, schema) }
            }),
            _ if self.leaf(key, operand, value)? => Some(Vec::new()),
            _ => wrong(None, value, key, operand),
        }
    }

    fn tuple(&mut self, parts: &'v Value, items: &'v [Value]) -> Fit<'v> {
        let items = items.iter().enumerate();
        self.all(items.zip(parts.as_array()?), |check, ((at, item), part)| {
            check.within(at.to_string(), part, item)
        })
    }

    fn union(&mut self, key: &'v str, operand: &'v Value, value: &'v Value) -> Fit<'v> {
        let (mut fitting, mut is_judged, mut misfits) = (0, true, Vec::new());
        for part in operand.as_array()? {
            match self.node(part, value) {
                None => is_judged = false,
                Some(problems) if problems.is_empty() => fitting += 1,
                Some(problems) => misfits.push(problems),
            }
            match (key, fitting) {
                ("anyOf", 1) => return Some(Vec::new()),
                // Schemas say `oneOf` where they mean `anyOf`, and then some tools could never be called.
                (_, 2) => return None,
                _ => (self.steps.0 > 0).then_some(())?,
            }
        }
        is_judged.then_some(())?;
        if fitting == 1 { Some(Vec::new()) } else { nearest(misfits, value) }
    }

    fn condition(&mut self, schema: &'v Value, condition: &'v Value, value: &'v Value) -> Fit<'v> {
        let holds = self.fits(condition, value);
        let mut part = |key| schema.get(key).map_or(Some(Vec::new()), |part| self.node(part, value));
        match holds {
            Some(true) => part("then"),
            Some(false) => part("else"),
            None => match (part("then")?, part("else")?) {
                (then, otherwise) if then.is_empty() && otherwise.is_empty() => Some(then),
                (then, otherwise) if then.is_empty() || otherwise.is_empty() => None,
                (then, otherwise) => nearest(vec![then, otherwise], value),
            },
        }
    }

    /// Whether a value fits a keyword that says nothing about its parts. Unknown ones are annotations.
    fn leaf(&mut self, key: &str, operand: &Value, value: &Value) -> Option<bool> {
        let measured = match (key, value) {
            ("type", _) => {
                return kinds(operand).iter().try_fold(false, |any, kind| {
                    self.steps.spend(1)?;
                    Some(any | number::is_of(kind.as_str()?, value)?)
                });
            }
            ("enum", _) => return self.is_among(value, operand.as_array()?),
            ("const", _) => return self.is_among(value, slice::from_ref(operand)),
            ("not", _) => return self.fits(operand, value).map(|fits| !fits),
            ("pattern", Value::String(text)) => {
                return pattern::matches(operand.as_str()?, text, self.steps);
            }
            ("propertyNames", Value::Object(members)) => {
                let mut names = members.keys();
                return names.try_fold(true, |all, name| {
                    self.steps.read(name)?;
                    Some(all & self.fits(operand, &Value::from(name.as_str()))?)
                });
            }
            ("uniqueItems", Value::Array(items)) if operand.as_bool()? => {
                let mut items = items.iter().enumerate().map(|(at, item)| (item, &items[..at]));
                return items.try_fold(true, |all, (item, before)| Some(all & !self.is_among(item, before)?));
            }
            ("minLength" | "maxLength", Value::String(text)) => {
                self.steps.read(text)?;
                text.chars().count().into()
            }
            ("minItems" | "maxItems", Value::Array(items)) => items.len().into(),
            ("minProperties" | "maxProperties", Value::Object(members)) => members.len().into(),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Value::Number(number)) => {
                number.clone()
            }
            _ => return (!is_unjudged(key, operand)).then_some(true),
        };
        let order = number::compare(&measured, operand.as_number()?)?;
        Some(match key {
            "exclusiveMinimum" => order.is_gt(),
            "exclusiveMaximum" => order.is_lt(),
            _ if key.starts_with("min") => order.is_ge(),
            _ => order.is_le(),
        })
    }

    /// Whether a value equals one of these. Of arrays and objects that is not judged.
    fn is_among(&mut self, value: &Value, others: &[Value]) -> Option<bool> {
        let mut is_judged = true;
        for other in others {
            self.steps.spend(1)?;
            let is_equal = match (value, other) {
                (Value::Number(one), Value::Number(other)) => {
                    number::compare(one, other).map(Ordering::is_eq)
                }
                (Value::String(one), Value::String(other)) if one.len() == other.len() => {
                    self.steps.read(one)?;
                    Some(one == other)
                }
                (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => None,
                _ => Some(value == other),
            };
            match is_equal {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_judged = false,
            }
        }
        is_judged.then_some(false)
    }
}

/// A value, or its `member`, does not fit a keyword.
pub(super) fn wrong<'v>(
    member: Option<&'v str>,
    value: &'v Value,
    key: &'v str,
    operand: &'v Value,
) -> Fit<'v> {
    let path = member.map(Cow::Borrowed).into_iter().collect();
    Some(vec![Problem { path, value, wrong: Wrong::Keyword(key, operand) }])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn p1_each_part_that_is_looked_at_costs_a_step() {
        let names = |letter: char| (0..1_000).map(move |at| format!("{letter}{at}"));
        let all: Value = names('a').map(|name| (name, json!(1))).collect();
        let kinds = vec!["string"; 1_000];
        let patterns: Vec<Value> = names('a').map(|_| json!({"pattern": "(?:a?){999}"})).collect();
        for (schema, given) in [
            (json!({"properties": all, "additionalProperties": false}), all.clone()),
            (json!({"properties": all, "required": names('a').collect::<Vec<_>>()}), all.clone()),
            (json!({"items": {"type": kinds}}), json!([1])),
            (json!({"items": {"enum": vec![2; 1_000]}}), json!([1])),
            (json!({"items": {"anyOf": patterns}}), json!(["b"])),
        ] {
            let schema = Schema::compile(&schema.to_string());
            let mut steps = Steps(1_000);
            assert!(schema.judge(&given, &mut steps).is_none());
            assert_eq!(steps.0, 0);
        }
    }
}
