//! Text to expressions, by precedence of operators, with limits on length, nesting and numbers.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::{Base, Expression, Function, function};
use crate::error::{Result, wrong};

/// Characters in one expression.
const MAX_LENGTH: usize = 2000;
/// Parentheses, signs and exponents inside each other.
const MAX_NESTING: usize = 64;
/// Digits of one number, and the size of its decimal exponent.
const MAX_DIGITS: usize = 100;
/// How strongly operators bind.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const POWER: u8 = 4;
/// The operators; of two that begin alike, the longer one first.
const OPERATORS: [(&str, u8); 6] =
    [("**", POWER), ("^", POWER), ("*", PRODUCT), ("/", PRODUCT), ("+", SUM), ("-", SUM)];
/// Characters of the input that an error message repeats.
const SHOWN: usize = 60;

/// Reads one expression; `argument` is the name of the tool argument, for the error.
pub(crate) fn parse(argument: &str, text: &str) -> Result<Expression> {
    let length = text.chars().count();
    if length > MAX_LENGTH {
        let given = format!("an expression of {length} characters");
        return Err(wrong(argument, given, format!("at most {MAX_LENGTH}")));
    }
    let mut parser = Parser { rest: text, depth: 0 };
    parser.whole().map_err(|reason| {
        let position = length + 1 - parser.rest.chars().count();
        let expected =
            format!("an expression such as \"x**2 - 4\" or \"sin(x)/x\": {reason} at character {position}");
        wrong(argument, format!("{:?}", shortened(text)), expected)
    })
}

/// Reads `left = right` as `left - right`; without `=` the whole text means `= 0`.
pub(crate) fn parse_equation(argument: &str, text: &str) -> Result<Expression> {
    let (left, right) = text.split_once('=').unwrap_or((text, "0"));
    Ok(parse(argument, left)?.minus(&parse(argument, right)?))
}

pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain("...".chars()).collect()
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

/// An expression, or why there is none.
type Parsed = std::result::Result<Expression, String>;

const UNDEFINED: &str = "an undefined value, as 1/0 and ln(0) are,";

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Parsed {
        let expression = self.operation(SUM)?;
        self.peek().map_or(Ok(expression), |found| Err(format!("unexpected {found:?}")))
    }

    /// Operations that bind at least as strongly as this. A sign binds weaker than a power, as in `-x**2`, and powers group
    /// to the right: `2**3**2` is `2**9`.
    fn operation(&mut self, least: u8) -> Parsed {
        self.depth += 1;
        // What stands in parentheses behind an operator counts twice.
        if self.depth > 2 * MAX_NESTING {
            return Err(format!("a nesting deeper than {MAX_NESTING}"));
        }
        let mut value = match self.peek() {
            Some('-') => self.behind("-", SIGN)?.negated(),
            Some('+') => self.behind("+", SIGN)?,
            _ => self.atom()?,
        };
        while let Some(operator) = self.operator(least) {
            value = match operator {
                "+" => Some(value.plus(&self.behind(operator, PRODUCT)?)),
                "-" => Some(value.minus(&self.behind(operator, PRODUCT)?)),
                "*" => Some(value.times(&self.behind(operator, SIGN)?)),
                "/" => value.over(&self.behind(operator, SIGN)?),
                _ => value.power(&self.behind(operator, SIGN)?),
            }
            .ok_or(UNDEFINED)?;
        }
        self.depth -= 1;
        Ok(value)
    }

    /// The operation behind an operator.
    fn behind(&mut self, operator: &str, least: u8) -> Parsed {
        self.rest = &self.rest[operator.len()..];
        self.operation(least)
    }

    /// The operator here, if it binds as strongly as this.
    fn operator(&mut self, least: u8) -> Option<&'static str> {
        self.peek();
        let (operator, binds) =
            OPERATORS.into_iter().find(|(operator, _)| self.rest.starts_with(operator))?;
        (binds >= least).then_some(operator)
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            None => Err("unexpected end".to_owned()),
            Some('(') => self.closed(),
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => self.name(),
            Some(other) => Err(format!("unexpected {other:?}")),
        }
    }

    /// What stands in parentheses.
    fn closed(&mut self) -> Parsed {
        let inner = self.behind("(", SUM)?;
        match self.peek() {
            Some(')') => self.rest = &self.rest[1..],
            _ => return Err("a missing \")\"".to_owned()),
        }
        Ok(inner)
    }

    fn name(&mut self) -> Parsed {
        let name = self.run(|next| next.is_ascii_alphanumeric() || next == '_');
        if self.peek() == Some('(') {
            return call(name, self.closed()?);
        }
        Ok(match name {
            "pi" => Base::Pi.into(),
            "e" | "E" => Base::E.into(),
            "i" | "I" => Base::I.into(),
            _ => Expression::symbol(name),
        })
    }

    fn number(&mut self) -> Parsed {
        let digit = |next: char| next.is_ascii_digit();
        let whole = self.run(digit);
        let fraction = self.rest.strip_prefix('.').map(|rest| {
            self.rest = rest;
            self.run(digit)
        });
        let fraction = fraction.unwrap_or_default();
        // An `e` without digits after it is left for the caller to refuse.
        let behind = self.rest.strip_prefix(['e', 'E']).unwrap_or_default();
        let mut exponent = "";
        if behind.strip_prefix(['+', '-']).unwrap_or(behind).starts_with(digit) {
            self.rest = &behind[1..];
            let length = 1 + self.run(digit).len();
            exponent = &behind[..length];
        }
        let scale = exponent.parse().unwrap_or(if exponent.is_empty() { 0 } else { i32::MAX });
        let (digits, scale) = (format!("{whole}{fraction}"), scale.saturating_sub(fraction.len() as i32));
        match digits.parse::<BigInt>() {
            Ok(number) if digits.len() <= MAX_DIGITS && scale.unsigned_abs() <= MAX_DIGITS as u32 => {
                let ten = BigRational::from_integer(10.into());
                Ok(Expression::number(BigRational::from_integer(number) * ten.pow(scale)))
            }
            _ => Err(format!("a number without digits or with more than {MAX_DIGITS}")),
        }
    }

    /// The characters here that are of a kind.
    fn run(&mut self, is_of: impl Fn(char) -> bool) -> &'t str {
        let (run, rest) = self.rest.split_at(self.rest.find(|next| !is_of(next)).unwrap_or(self.rest.len()));
        self.rest = rest;
        run
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }
}

fn call(name: &str, argument: Expression) -> Parsed {
    use Function::{Cos, Sin};
    let inverse = |value: Option<Expression>| Expression::one().over(&value?);
    let made = match name {
        "sec" => inverse(function(Cos, argument)),
        "csc" => inverse(function(Sin, argument)),
        "cot" => function(Cos, argument.clone()).and_then(|cosine| cosine.over(&function(Sin, argument)?)),
        "exp" => Expression::from(Base::E).power(&argument),
        "log" => function(Function::Ln, argument),
        "sqrt" => Some(argument.sqrt()),
        "cbrt" => argument.power(&Expression::ratio(1, 3)),
        _ => {
            let unknown = || {
                format!(
                    "an unknown function {name:?} (known: sin, cos, tan, sec, csc, cot, asin, acos, atan, sinh, cosh, \
                     tanh, exp, ln, log, sqrt, cbrt, abs; a product needs \"*\")"
                )
            };
            function(Function::named(name).ok_or_else(unknown)?, argument)
        }
    };
    made.ok_or_else(|| UNDEFINED.to_owned())
}
