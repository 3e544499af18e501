//! Parsing tool arguments, with errors that name the argument, what was given and what is expected.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::expression::{Expression, parse, shortened};

/// The arguments of one call.
pub(crate) struct Arguments<'a>(pub(crate) &'a Map<String, Value>);

impl Arguments<'_> {
    /// Refuses arguments that the tool does not have.
    pub(crate) fn only(&self, known: &[&str]) -> Result<()> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                Err(wrong(&shortened(name), "an unknown argument", &format!("only {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// The value; `null` counts as absent.
    pub(crate) fn optional(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn required(&self, name: &str, expected: &str) -> Result<&Value> {
        self.optional(name).ok_or_else(|| wrong(name, "nothing", expected))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        let value = self.required(name, "a string")?;
        value.as_str().ok_or_else(|| wrong(name, &kind(value), "a string"))
    }

    pub(crate) fn expression(&self, name: &str) -> Result<Expression> {
        parse(name, self.text(name)?)
    }

    /// The strings of a string or an array of strings.
    pub(crate) fn texts(&self, name: &str, most: usize) -> Result<Option<Vec<String>>> {
        let expected = format!("a string or an array of 1 to {most} strings");
        let Some(value) = self.optional(name) else {
            return Ok(None);
        };
        let list = match value {
            Value::String(one) => vec![one.clone()],
            Value::Array(many) => many
                .iter()
                .map(|one| one.as_str().map(str::to_owned).ok_or_else(|| wrong(name, &kind(one), &expected)))
                .collect::<Result<_>>()?,
            other => return Err(wrong(name, &kind(other), &expected)),
        };
        if list.is_empty() || list.len() > most {
            return Err(wrong(name, &format!("{} of them", list.len()), &expected));
        }
        Ok(Some(list))
    }

    /// A number or a constant expression such as `"pi/2"`.
    pub(crate) fn constant(&self, name: &str) -> Result<Option<Expression>> {
        let expected = "a number or a constant expression such as \"pi/2\"";
        let Some(value) = self.optional(name) else {
            return Ok(None);
        };
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            other => return Err(wrong(name, &kind(other), expected)),
        };
        parse(name, &text).map(Some)
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool> {
        match self.optional(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(other) => Err(wrong(name, &kind(other), "true or false")),
        }
    }

    pub(crate) fn choice<'c>(&self, name: &str, choices: &[&'c str]) -> Result<&'c str> {
        let Some(value) = self.optional(name) else {
            return Ok(choices[0]);
        };
        let found = value.as_str().and_then(|text| choices.iter().find(|choice| **choice == text));
        found.copied().ok_or_else(|| {
            let given = value.as_str().map_or_else(|| kind(value), |text| format!("{:?}", shortened(text)));
            wrong(name, &given, &format!("one of {}", choices.join(", ")))
        })
    }

    pub(crate) fn integer(&self, name: &str, default: i64, least: i64, most: i64) -> Result<i64> {
        let expected = format!("an integer from {least} to {most}");
        let Some(value) = self.optional(name) else {
            return Ok(default);
        };
        match value.as_i64() {
            Some(number) if (least..=most).contains(&number) => Ok(number),
            Some(number) => Err(wrong(name, &number.to_string(), &expected)),
            None => Err(wrong(name, &kind(value), &expected)),
        }
    }

    /// A non-empty array of at most `most` elements.
    pub(crate) fn array(&self, name: &str, most: usize) -> Result<&[Value]> {
        let expected = format!("an array of 1 to {most} elements");
        let value = self.required(name, &expected)?;
        let list = value.as_array().ok_or_else(|| wrong(name, &kind(value), &expected))?;
        if list.is_empty() || list.len() > most {
            return Err(wrong(name, &format!("{} elements", list.len()), &expected));
        }
        Ok(list)
    }

    pub(crate) fn numbers(&self, name: &str, most: usize) -> Result<Vec<f64>> {
        self.array(name, most)?.iter().map(|value| as_number(name, value)).collect()
    }

    /// The variable: as given, else the only symbol of the expression.
    pub(crate) fn variable(&self, name: &str, expression: &Expression) -> Result<String> {
        let symbols: Vec<String> = expression.symbols().into_iter().collect();
        let known = if symbols.is_empty() { "none".to_owned() } else { symbols.join(", ") };
        if self.optional(name).is_some() {
            let given = self.text(name)?;
            let letter = |next: char| next.is_ascii_alphabetic() || next == '_';
            let is_name =
                given.starts_with(letter) && given.chars().all(|next| letter(next) || next.is_ascii_digit());
            return match is_name && !["pi", "e", "E", "i", "I"].contains(&given) {
                true => Ok(given.to_owned()),
                false => Err(wrong(
                    name,
                    &format!("{:?}", shortened(given)),
                    "the name of a variable, such as \"x\"",
                )),
            };
        }
        match symbols.as_slice() {
            [only] => Ok(only.clone()),
            [] => Ok("x".to_owned()),
            _ => Err(wrong(name, "nothing", &format!("one of the symbols of the expression ({known})"))),
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
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
