//! Functions with their exact values, where they have well-known ones.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::build::{divide, negate, power, prime_factors, product, raw_power, scale, sqrt, subtract, sum};
use super::{Constant, Expr, Function};
use crate::work::spend;

/// `function(argument)`, with its exact value where it has a well-known one.
pub(crate) fn function(name: Function, argument: Expr) -> Expr {
    spend(1);
    if argument.is_undefined() {
        return Expr::Undefined;
    }
    match name {
        Function::Abs => absolute(argument),
        Function::Ln => logarithm(argument),
        Function::Sin | Function::Cos | Function::Tan => {
            trigonometric(name, &argument).unwrap_or_else(|| by_parity(name, argument))
        }
        Function::Asin | Function::Acos | Function::Atan => inverse_trigonometric(name, argument),
        Function::Cosh if argument.is_zero() => Expr::one(),
        _ => by_parity(name, argument),
    }
}

/// `e**exponent`, where logarithms in the exponent come out as powers.
pub(super) fn exponential(exponent: Expr) -> Expr {
    let mut powers = Vec::new();
    let mut kept = Vec::new();
    for term in exponent.terms() {
        let factors = term.factors();
        let logarithm = factors.iter().position(|factor| matches!(factor, Expr::Function(Function::Ln, _)));
        match logarithm {
            Some(index) => {
                let Expr::Function(_, argument) = &factors[index] else {
                    continue;
                };
                let rest = factors
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != index)
                    .map(|(_, factor)| factor.clone());
                powers.push(power((**argument).clone(), product(rest)));
            }
            None => kept.push(term),
        }
    }
    let e = Expr::Constant(Constant::E);
    if powers.is_empty() {
        return raw_power(e, exponent);
    }
    powers.push(power(e, sum(kept)));
    product(powers)
}

fn logarithm(argument: Expr) -> Expr {
    if argument.is_zero() {
        return Expr::Undefined;
    }
    if argument.is_one() {
        return Expr::zero();
    }
    match argument.as_power() {
        (Expr::Constant(Constant::E), exponent @ Expr::Number(_)) => exponent,
        _ => match argument.as_number() {
            // ln(1/2) = -ln(2) and ln(8) = 3*ln(2): one form for all of them.
            Some(number) if number.numer().is_one() => {
                negate(function(Function::Ln, Expr::Number(number.recip())))
            }
            Some(number) => match perfect_power(number) {
                Some((root, count)) => {
                    let root = Expr::integer(root);
                    product([Expr::integer(count), function(Function::Ln, root)])
                }
                None => Expr::Function(Function::Ln, Box::new(argument)),
            },
            None => Expr::Function(Function::Ln, Box::new(argument)),
        },
    }
}

/// `(root, count)` such that the number is `root**count`, with the greatest count above 1.
fn perfect_power(number: &BigRational) -> Option<(i64, i64)> {
    let value = Some(number).filter(|number| number.is_integer())?.to_integer().to_u64()?;
    let factors = prime_factors(value);
    let count = factors.iter().fold(0, |common, (_, count)| common.gcd(count));
    let root = factors.iter().map(|(prime, own)| prime.pow(own / count.max(1))).product::<u64>();
    (count > 1).then_some((i64::try_from(root).ok()?, i64::from(count)))
}

fn absolute(argument: Expr) -> Expr {
    if let Expr::Number(number) = &argument {
        return Expr::Number(number.abs());
    }
    let (coefficient, rest) = argument.split_coefficient();
    let inner = match rest {
        Expr::Constant(Constant::Pi | Constant::E) => rest,
        Expr::Constant(Constant::I) => Expr::one(),
        Expr::Power(ref base, _) if matches!(**base, Expr::Number(ref number) if number.is_positive()) => {
            rest
        }
        other => Expr::Function(Function::Abs, Box::new(other)),
    };
    scale(coefficient.abs(), inner)
}

/// Uses f(-u) = f(u) or -f(u), and f(0) = 0 for the odd ones.
fn by_parity(name: Function, argument: Expr) -> Expr {
    let even = matches!(name, Function::Cos | Function::Cosh);
    if !even && argument.is_zero() {
        return Expr::zero();
    }
    if !argument.is_negated() {
        return Expr::Function(name, Box::new(argument));
    }
    let positive = Expr::Function(name, Box::new(negate(argument)));
    if even { positive } else { negate(positive) }
}

fn trigonometric(name: Function, argument: &Expr) -> Option<Expr> {
    let (turns, rest) = argument.split_coefficient();
    let turns = match rest {
        Expr::Constant(Constant::Pi) => turns,
        _ if argument.is_zero() => BigRational::zero(),
        _ => return None,
    };
    let half = BigRational::new(1.into(), 2.into());
    match name {
        Function::Sin => sine_of_turns(&turns),
        Function::Cos => sine_of_turns(&(turns + half)),
        _ => Some(divide(sine_of_turns(&turns)?, sine_of_turns(&(turns + half))?)),
    }
}

/// sin(turns*pi) for multiples of pi/6 and pi/4.
fn sine_of_turns(turns: &BigRational) -> Option<Expr> {
    let twelfths = turns * BigRational::from_integer(12.into());
    if !twelfths.is_integer() {
        return None;
    }
    let twelfths = twelfths.to_integer().mod_floor(&BigInt::from(24)).to_i64()?;
    let (twelfths, sign) = if twelfths >= 12 { (twelfths - 12, -1) } else { (twelfths, 1) };
    let value = match twelfths.min(12 - twelfths) {
        0 => Expr::zero(),
        2 => Expr::ratio(1, 2),
        3 => product([Expr::ratio(1, 2), sqrt(Expr::integer(2))]),
        4 => product([Expr::ratio(1, 2), sqrt(Expr::integer(3))]),
        6 => Expr::one(),
        _ => return None,
    };
    Some(product([Expr::integer(sign), value]))
}

fn inverse_trigonometric(name: Function, argument: Expr) -> Expr {
    let pi =
        |numerator, denominator| product([Expr::ratio(numerator, denominator), Expr::Constant(Constant::Pi)]);
    if argument.is_negated() {
        let positive = function(name, negate(argument));
        return match name {
            Function::Acos => subtract(pi(1, 1), positive),
            _ => negate(positive),
        };
    }
    let root_three = sqrt(Expr::integer(3));
    let known = [
        (Expr::zero(), pi(0, 1), pi(0, 1)),
        (Expr::ratio(1, 2), pi(1, 6), Expr::Undefined),
        (product([Expr::ratio(1, 2), sqrt(Expr::integer(2))]), pi(1, 4), Expr::Undefined),
        (product([Expr::ratio(1, 2), root_three.clone()]), pi(1, 3), Expr::Undefined),
        (Expr::one(), pi(1, 2), pi(1, 4)),
        (root_three.clone(), Expr::Undefined, pi(1, 3)),
        (product([Expr::ratio(1, 3), root_three]), Expr::Undefined, pi(1, 6)),
    ];
    for (value, asin, atan) in known {
        let angle = if name == Function::Atan { atan } else { asin };
        if value == argument && !angle.is_undefined() {
            return if name == Function::Acos { subtract(pi(1, 2), angle) } else { angle };
        }
    }
    Expr::Function(name, Box::new(argument))
}
