//! Arguments of tools, which the tool's `inputSchema` checks; and numbers of results, which are equal on every machine.

use serde_json::{Map, Number, Value};

use crate::error::{Error, Result, wrong};
use crate::expression::{Expression, parse, shortened};

/// Significant digits of every number that is not exact. The digits beyond differ with the mathematical library of the
/// machine.
const DIGITS: usize = 12;
/// Integers up to this bound are written as integers; beyond it not every integer is a float.
const MAX_WHOLE: f64 = 9_007_199_254_740_991.0;

/// The arguments of one call. They fit the schema, unless they are too large to be checked: then what is not understood is as if
/// it was not given.
pub(crate) struct Arguments(pub(crate) Map<String, Value>);

impl Arguments {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    pub(crate) fn expression(&self, name: &str) -> Result<Expression> {
        parse(name, self.text(name).unwrap_or_default())
    }

    /// A number or a constant expression such as `"pi/2"`.
    pub(crate) fn constant(&self, name: &str) -> Result<Option<Expression>> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.get(name).map(|value| parse(name, &text(value))).transpose()
    }

    /// An array of 1 to `most` elements.
    pub(crate) fn array(&self, name: &str, most: usize) -> Result<&[Value]> {
        let list = self.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let given = || format!("{} elements", list.len());
        let fits = (1..=most).contains(&list.len());
        fits.then_some(list).ok_or_else(|| wrong(name, given(), format!("1 to {most}")))
    }

    pub(crate) fn numbers(&self, name: &str, most: usize) -> Result<Vec<f64>> {
        self.array(name, most)?.iter().map(|value| as_number(name, value)).collect()
    }

    /// The variable: as given, else the only symbol of the expression.
    pub(crate) fn variable(&self, name: &str, expression: &Expression) -> Result<String> {
        if let Some(given) = self.text(name) {
            let is_name = parse(name, given).is_ok_and(|parsed| parsed == Expression::symbol(given));
            let refused =
                || wrong(name, format!("{:?}", shortened(given)), "the name of a variable, such as \"x\"");
            return is_name.then(|| given.to_owned()).ok_or_else(refused);
        }
        let symbols: Vec<String> = expression.symbols().into_iter().collect();
        match symbols.as_slice() {
            [only] => Ok(only.clone()),
            [] => Ok("x".to_owned()),
            _ => Err(wrong(name, "nothing", format!("one of the symbols ({})", symbols.join(", ")))),
        }
    }
}

pub(crate) fn as_number(name: &str, value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| wrong(name, shortened(&value.to_string()), "a number"))
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
    let infinite = || Error::no_convergence("the computation", "a result is infinite or not a number");
    Number::from_f64(value).map(Value::Number).ok_or_else(infinite)
}

/// All values as JSON; noise, beside the largest of all results, as 0.
pub(crate) fn numbers(values: &[f64], largest: f64) -> Result<Vec<Value>> {
    values.iter().map(|value| number(*value, largest * 1e-13)).collect()
}
