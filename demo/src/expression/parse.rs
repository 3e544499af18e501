//! Text to expressions, by precedence of operators, with limits on length, nesting and numbers.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::{Base, Expression, Function, function};
use crate::error::{Error, Result};

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
/// Characters of the input that an error message repeats.
const SHOWN: usize = 60;

/// Reads one expression; `argument` is the name of the tool argument, for the error.
pub(crate) fn parse(argument: &str, text: &str) -> Result<Expression> {
    let length = text.chars().count();
    if length > MAX_LENGTH {
        return Err(Error::Argument {
            argument: argument.to_owned(),
            given: format!("an expression of {length} characters"),
            expected: format!("at most {MAX_LENGTH}"),
        });
    }
    let mut parser = Parser { characters: text.chars().collect(), at: 0, depth: 0 };
    parser.whole().map_err(|wrong| match wrong {
        Wrong::Undefined => Error::Undefined { argument: argument.to_owned(), text: shortened(text) },
        Wrong::Syntax(reason) => Error::Expression {
            argument: argument.to_owned(),
            text: shortened(text),
            position: parser.at + 1,
            reason,
        },
    })
}

/// Reads `left = right` as `left - right`; without `=` the whole text means `= 0`.
pub(crate) fn parse_equation(argument: &str, text: &str) -> Result<Expression> {
    let sides: Vec<&str> = text.split('=').collect();
    match sides.as_slice() {
        [whole] => parse(argument, whole),
        [left, right] => Ok(parse(argument, left)?.minus(&parse(argument, right)?)),
        _ => Err(Error::Argument {
            argument: argument.to_owned(),
            given: format!("{:?} with more than one \"=\"", shortened(text)),
            expected: "one \"=\" at most".to_owned(),
        }),
    }
}

pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain("...".chars()).collect()
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

enum Wrong {
    Undefined,
    Syntax(String),
}

type Parsed = std::result::Result<Expression, Wrong>;

fn syntax(reason: impl Into<String>) -> Wrong {
    Wrong::Syntax(reason.into())
}

impl Parser {
    fn whole(&mut self) -> Parsed {
        let expression = self.operation(SUM)?;
        match self.peek() {
            None => Ok(expression),
            Some(found) => Err(syntax(format!("unexpected {found:?}"))),
        }
    }

    /// Operations that bind at least as strongly as this. A sign binds weaker than a power, as in `-x**2`, and powers group
    /// to the right: `2**3**2` is `2**9`.
    fn operation(&mut self, least: u8) -> Parsed {
        self.depth += 1;
        // What stands in parentheses behind an operator counts twice.
        if self.depth > 2 * MAX_NESTING {
            return Err(syntax(format!("a nesting deeper than {MAX_NESTING}")));
        }
        let mut value = match self.peek() {
            Some('-') => self.behind(1, SIGN)?.negated(),
            Some('+') => self.behind(1, SIGN)?,
            _ => self.atom()?,
        };
        while let Some((operator, _)) = self.operator().filter(|(_, binds)| *binds >= least) {
            value = match operator {
                "+" => value.plus(&self.behind(1, PRODUCT)?),
                "-" => value.minus(&self.behind(1, PRODUCT)?),
                "*" => value.times(&self.behind(1, SIGN)?),
                "/" => value.over(&self.behind(1, SIGN)?).ok_or(Wrong::Undefined)?,
                power => value.power(&self.behind(power.len(), SIGN)?).ok_or(Wrong::Undefined)?,
            };
        }
        self.depth -= 1;
        Ok(value)
    }

    /// The operation behind an operator of this length.
    fn behind(&mut self, length: usize, least: u8) -> Parsed {
        self.at += length;
        self.operation(least)
    }

    /// The operator here, and how strongly it binds.
    fn operator(&mut self) -> Option<(&'static str, u8)> {
        let known = [("**", POWER), ("^", POWER), ("*", PRODUCT), ("/", PRODUCT), ("+", SUM), ("-", SUM)];
        known.into_iter().find(|(operator, _)| self.ahead(operator))
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            None => Err(syntax("unexpected end")),
            Some('(') => {
                self.at += 1;
                self.closed()
            }
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => self.name(),
            Some(other) => Err(syntax(format!("unexpected {other:?}"))),
        }
    }

    fn closed(&mut self) -> Parsed {
        let inner = self.operation(SUM)?;
        if self.take(")") { Ok(inner) } else { Err(syntax("a missing \")\"")) }
    }

    fn name(&mut self) -> Parsed {
        let start = self.at;
        while self.characters.get(self.at).is_some_and(|next| next.is_ascii_alphanumeric() || *next == '_') {
            self.at += 1;
        }
        let name: String = self.characters[start..self.at].iter().collect();
        if self.take("(") {
            let argument = self.closed()?;
            return call(&name, argument);
        }
        Ok(match name.as_str() {
            "pi" => Base::Pi.into(),
            "e" | "E" => Base::E.into(),
            "i" | "I" => Base::I.into(),
            _ => Expression::symbol(&name),
        })
    }

    fn number(&mut self) -> Parsed {
        let mut digits = String::new();
        let mut scale = 0i64;
        let mut seen_point = false;
        while let Some(next) = self.characters.get(self.at) {
            match next {
                '.' if !seen_point => seen_point = true,
                digit if digit.is_ascii_digit() => {
                    digits.push(*digit);
                    scale -= i64::from(seen_point);
                }
                _ => break,
            }
            self.at += 1;
        }
        scale += self.decimal_exponent();
        if digits.is_empty() || digits.len() > MAX_DIGITS || scale.unsigned_abs() > MAX_DIGITS as u64 {
            return Err(syntax(format!("a number without digits or with more than {MAX_DIGITS}")));
        }
        let digits: BigInt = digits.parse().unwrap_or_else(|_| BigInt::zero());
        let ten = BigRational::from_integer(10.into());
        Ok(Expression::number(BigRational::from_integer(digits) * ten.pow(scale as i32)))
    }

    /// The `e-3` of `1.5e-3`; an `e` without digits after it is left for the caller to refuse.
    fn decimal_exponent(&mut self) -> i64 {
        let rest = &self.characters[self.at..];
        let sign = usize::from(matches!(rest.get(1), Some('+' | '-')));
        let digits: String = rest.iter().skip(1 + sign).take_while(|next| next.is_ascii_digit()).collect();
        if !matches!(rest.first(), Some('e' | 'E')) || digits.is_empty() {
            return 0;
        }
        let negative = sign == 1 && rest[1] == '-';
        self.at += 1 + sign + digits.len();
        let size = digits.parse().unwrap_or(i64::from(u32::MAX));
        if negative { -size } else { size }
    }

    fn peek(&mut self) -> Option<char> {
        while self.characters.get(self.at).is_some_and(|next| next.is_whitespace()) {
            self.at += 1;
        }
        self.characters.get(self.at).copied()
    }

    fn ahead(&mut self, token: &str) -> bool {
        self.peek();
        token.chars().enumerate().all(|(index, next)| self.characters.get(self.at + index) == Some(&next))
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.ahead(token);
        if found {
            self.at += token.len();
        }
        found
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
        _ => match Function::named(name) {
            Some(known) => function(known, argument),
            None => {
                return Err(syntax(format!(
                    "an unknown function {name:?} (known: sin, cos, tan, sec, csc, cot, asin, acos, atan, sinh, cosh, \
                     tanh, exp, ln, log, sqrt, cbrt, abs; a product needs \"*\")"
                )));
            }
        },
    };
    made.ok_or(Wrong::Undefined)
}
