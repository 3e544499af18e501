//! Arguments of tools, with errors that name the argument, what was given and what is expected; and numbers of results,
//! which are equal on every machine.

use serde_json::{Map, Number, Value};

use crate::error::{Error, Result};
use crate::expression::{Expression, parse, shortened};

/// Significant digits of every number that is not exact. The digits beyond differ with the mathematical library of the
/// machine.
pub(crate) const DIGITS: usize = 12;
/// Integers up to this bound are written as integers; beyond it not every integer is a float.
const MAX_WHOLE: f64 = 9_007_199_254_740_991.0;

/// The arguments of one call.
pub(crate) struct Arguments<'a>(pub(crate) &'a Map<String, Value>);

impl Arguments<'_> {
    /// Refuses arguments that the tool does not have.
    pub(crate) fn only(&self, known: &Map<String, Value>) -> Result<()> {
        match self.0.keys().find(|name| !known.contains_key(*name)) {
            Some(name) => {
                let names = known.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                Err(wrong(&shortened(name), "an unknown argument", &format!("only {names}")))
            }
            None => Ok(()),
        }
    }

    /// The value as `read` understands it; `None` if it is absent, as `null` is too.
    fn optional<'v, T>(
        &'v self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let value = self.0.get(name).filter(|value| !value.is_null());
        value.map(|value| read(value).ok_or_else(|| wrong(name, &kind(value), expected))).transpose()
    }

    pub(crate) fn required<'v, T>(
        &'v self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<T> {
        self.optional(name, expected, read)?.ok_or_else(|| wrong(name, "nothing", expected))
    }

    pub(crate) fn expression(&self, name: &str) -> Result<Expression> {
        parse(name, self.required(name, "a string", Value::as_str)?)
    }

    /// The strings of a string or an array of strings.
    pub(crate) fn texts(&self, name: &str, most: usize) -> Result<Option<Vec<&str>>> {
        let expected = format!("a string or an array of 1 to {most} strings");
        self.optional(name, &expected, |value| match value {
            Value::Array(many) if (1..=most).contains(&many.len()) => {
                many.iter().map(Value::as_str).collect()
            }
            one => Some(vec![one.as_str()?]),
        })
    }

    /// A number or a constant expression such as `"pi/2"`.
    pub(crate) fn constant(&self, name: &str) -> Result<Option<Expression>> {
        let text =
            self.optional(name, "a number or a constant expression such as \"pi/2\"", |value| match value {
                Value::Number(number) => Some(number.to_string()),
                other => other.as_str().map(str::to_owned),
            })?;
        text.map(|text| parse(name, &text)).transpose()
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool> {
        Ok(self.optional(name, "true or false", Value::as_bool)?.unwrap_or_default())
    }

    pub(crate) fn choice<'c>(&self, name: &str, choices: &[&'c str]) -> Result<&'c str> {
        let expected = format!("one of {}", choices.join(", "));
        let of = |value: &Value| choices.iter().copied().find(|choice| Some(*choice) == value.as_str());
        Ok(self.optional(name, &expected, of)?.unwrap_or(choices[0]))
    }

    pub(crate) fn integer(&self, name: &str, default: i64, least: i64, most: i64) -> Result<i64> {
        let expected = format!("an integer from {least} to {most}");
        let of = |value: &Value| value.as_i64().filter(|number| (least..=most).contains(number));
        Ok(self.optional(name, &expected, of)?.unwrap_or(default))
    }

    /// A non-empty array of at most `most` elements.
    pub(crate) fn array(&self, name: &str, most: usize) -> Result<&[Value]> {
        let of = |value| Value::as_array(value).filter(|list| (1..=most).contains(&list.len()));
        self.required(name, &format!("an array of 1 to {most} elements"), of).map(Vec::as_slice)
    }

    pub(crate) fn numbers(&self, name: &str, most: usize) -> Result<Vec<f64>> {
        self.array(name, most)?.iter().map(|value| as_number(name, value)).collect()
    }

    /// The variable: as given, else the only symbol of the expression.
    pub(crate) fn variable(&self, name: &str, expression: &Expression) -> Result<String> {
        let symbols: Vec<String> = expression.symbols().into_iter().collect();
        let is_name =
            |given: &&str| parse(name, given).is_ok_and(|parsed| parsed == Expression::symbol(given));
        let expected = "the name of a variable, such as \"x\"";
        if let Some(given) = self.optional(name, expected, |value| value.as_str().filter(is_name))? {
            return Ok(given.to_owned());
        }
        match symbols.as_slice() {
            [only] => Ok(only.clone()),
            [] => Ok("x".to_owned()),
            _ => {
                let expected = format!("one of the symbols of the expression ({})", symbols.join(", "));
                Err(wrong(name, "nothing", &expected))
            }
        }
    }
}

pub(crate) fn wrong(argument: &str, given: &str, expected: &str) -> Error {
    Error::Argument { argument: argument.to_owned(), given: given.to_owned(), expected: expected.to_owned() }
}

pub(crate) fn as_number(name: &str, value: &Value) -> Result<f64> {
    let number = value.as_f64().filter(|number| number.is_finite());
    number.ok_or_else(|| wrong(name, &kind(value), "a finite number"))
}

/// Describes a value for an error: its type, and its text if it is short.
pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {:?}", shortened(text)),
        Value::Array(list) => format!("an array of {} elements", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The value rounded to `digits` significant digits.
pub(crate) fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// The value as JSON: rounded, integers without a fraction, `tiny` and below as 0.
pub(crate) fn number(value: f64, tiny: f64) -> Result<Value> {
    with_digits(value, tiny, DIGITS)
}

/// Like [`number`], with fewer digits for methods of lower precision.
pub(crate) fn with_digits(value: f64, tiny: f64, digits: usize) -> Result<Value> {
    let value = if value.abs() <= tiny { 0.0 } else { rounded(value, digits) };
    if value.fract() == 0.0 && value.abs() <= MAX_WHOLE {
        return Ok(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number).ok_or(Error::NoConvergence {
        tool: "the computation",
        reason: "a result is infinite or not a number".to_owned(),
    })
}

/// All values as JSON; noise, beside the largest of all results, as 0.
pub(crate) fn numbers(values: &[f64], largest: f64) -> Result<Vec<Value>> {
    values.iter().map(|value| number(*value, largest * 1e-13)).collect()
}
