//! Functions, with their values where these are numbers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive};

use super::{Base, Expression};

/// The elementary functions. `exp`, `sqrt`, `sec` and others are powers and quotients of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Ln,
    Abs,
}

/// The name of each in input and output, and its value at a real place; in the order of the variants.
const TABLE: [(Function, &str, fn(f64) -> f64); 11] = [
    (Function::Sin, "sin", f64::sin),
    (Function::Cos, "cos", f64::cos),
    (Function::Tan, "tan", f64::tan),
    (Function::Asin, "asin", f64::asin),
    (Function::Acos, "acos", f64::acos),
    (Function::Atan, "atan", f64::atan),
    (Function::Sinh, "sinh", f64::sinh),
    (Function::Cosh, "cosh", f64::cosh),
    (Function::Tanh, "tanh", f64::tanh),
    (Function::Ln, "ln", f64::ln),
    (Function::Abs, "abs", f64::abs),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|(_, own, _)| *own == name).map(|(function, ..)| *function)
    }

    pub(super) fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    pub(super) fn at(self, x: f64) -> f64 {
        TABLE[self as usize].2(x)
    }
}

/// `name(argument)`; `None` for the logarithm of 0.
pub(crate) fn function(name: Function, argument: Expression) -> Option<Expression> {
    use Function::{Abs, Acos, Cos, Cosh, Ln, Sin};
    let of = |argument| Expression::from(Base::Function(name, argument));
    let even = matches!(name, Cos | Cosh | Abs);
    Some(match (name, argument.as_number()) {
        (Ln, _) if argument.is_zero() => return None,
        (Ln, _) if argument.is_one() => Expression::default(),
        (Ln, _) => match argument.single() {
            Some((power, one)) if power.len() == 1 && one.numer() == one.denom() => {
                match power.first_key_value() {
                    Some((Base::E, exponent)) if exponent.as_number().is_some() => exponent.clone(),
                    _ => of(argument),
                }
            }
            _ => of(argument),
        },
        (Abs, Some(number)) => Expression::number(number.abs()),
        (Cos | Cosh, _) if argument.is_zero() => Expression::one(),
        (Sin | Cos, _) if quarters(&argument).is_some() => {
            let shift = if name == Cos { 1 } else { 0 };
            Expression::integer([0, 1, 0, -1][(quarters(&argument)? + shift) % 4])
        }
        (Acos, _) => of(argument),
        _ if argument.is_zero() => Expression::default(),
        _ if argument.terms().next_back().is_some_and(|(_, first)| first.is_negative()) => {
            let positive = function(name, argument.negated())?;
            if even { positive } else { positive.negated() }
        }
        _ => of(argument),
    })
}

/// The argument in quarters of a turn, up to a whole one.
fn quarters(argument: &Expression) -> Option<usize> {
    let quarter = Expression::from(Base::Pi).times(&Expression::ratio(1, 2));
    let count = argument.over(&quarter)?.as_number().filter(|count| count.is_integer())?;
    count.to_integer().mod_floor(&BigInt::from(4)).to_usize()
}
