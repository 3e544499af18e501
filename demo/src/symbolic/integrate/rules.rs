//! The table of known integrals, and integration by parts.

use crate::expression::{
    Constant, Expr, Function, divide, function, negate, power, product, replace, sqrt, subtract, sum,
};
use crate::symbolic::derivative;
use crate::symbolic::polynomial::coefficients;

/// Steps of parts: the highest power of the variable before an exponential or a sine.
const MAX_PARTS: usize = 30;

/// The integral of a power or function of `a*x + b`, or of an exponential times a sine of such.
pub(super) fn table(integrand: &Expr, variable: &str) -> Option<Expr> {
    match integrand {
        Expr::Symbol(_) => Some(product([Expr::ratio(1, 2), power(integrand.clone(), Expr::integer(2))])),
        Expr::Power(base, exponent) if !exponent.contains(variable) => {
            let slope = slope(base, variable)?;
            let raised = sum([(**exponent).clone(), Expr::one()]);
            let whole = if raised.is_zero() {
                function(Function::Ln, function(Function::Abs, (**base).clone()))
            } else {
                divide(power((**base).clone(), raised.clone()), raised)
            };
            Some(divide(whole, slope))
        }
        Expr::Power(base, exponent) if !base.contains(variable) => {
            let slope = slope(exponent, variable)?;
            Some(divide(integrand.clone(), product([slope, function(Function::Ln, (**base).clone())])))
        }
        Expr::Function(name, argument) => {
            let slope = slope(argument, variable)?;
            Some(divide(of_function(*name, argument), slope))
        }
        Expr::Product(factors) => exponential_wave(factors, variable),
        _ => None,
    }
}

/// Takes the polynomial factor as the part to differentiate, or the logarithm where there is one.
pub(super) fn by_parts(
    integrand: &Expr,
    variable: &str,
    inner: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Expr> {
    let (polynomial, rest): (Vec<_>, Vec<_>) =
        integrand.factors().into_iter().partition(|factor| coefficients(factor, variable).is_some());
    let (polynomial, rest) = (product(polynomial), product(rest));
    let (base, exponent) = rest.as_power();
    match &base {
        Expr::Function(Function::Ln, _) if exponent.as_integer().is_some_and(|count| count > 0) => {
            lowering(&polynomial, &rest, variable, inner)
        }
        Expr::Function(Function::Atan | Function::Asin | Function::Acos, _) if exponent.is_one() => {
            lowering(&polynomial, &rest, variable, inner)
        }
        _ if polynomial.contains(variable) => tabular(polynomial, rest, variable),
        _ => None,
    }
}

/// Squares of sines and cosines as waves of twice the angle.
pub(super) fn half_angles(integrand: &Expr) -> Expr {
    replace(integrand, &|part| {
        let Expr::Power(base, exponent) = part else {
            return None;
        };
        let Expr::Function(name, argument) = &**base else {
            return None;
        };
        let count = exponent.as_integer().filter(|count| [2, 4, 6, 8].contains(count))?;
        let sign = match name {
            Function::Sin => -1,
            Function::Cos => 1,
            _ => return None,
        };
        let double = function(Function::Cos, product([Expr::integer(2), (**argument).clone()]));
        let square = sum([Expr::ratio(1, 2), product([Expr::ratio(sign, 2), double])]);
        Some(product([
            power(square, Expr::integer(count / 2)),
            power((**base).clone(), Expr::integer(count % 2)),
        ]))
    })
}

/// The slope of a linear expression in the variable.
fn slope(expression: &Expr, variable: &str) -> Option<Expr> {
    let list = coefficients(expression, variable)?;
    match list.as_slice() {
        [_, slope] => Some(slope.clone()),
        _ => None,
    }
}

fn of_function(name: Function, u: &Expr) -> Expr {
    let u = u.clone();
    let of = |name| function(name, u.clone());
    let logarithm = |inner| function(Function::Ln, inner);
    let square = power(u.clone(), Expr::integer(2));
    let root = || sqrt(subtract(Expr::one(), square.clone()));
    let times = |name| product([u.clone(), of(name)]);
    match name {
        Function::Sin => negate(of(Function::Cos)),
        Function::Cos => of(Function::Sin),
        Function::Tan => negate(logarithm(function(Function::Abs, of(Function::Cos)))),
        Function::Asin => sum([times(name), root()]),
        Function::Acos => subtract(times(name), root()),
        Function::Atan => {
            subtract(times(name), product([Expr::ratio(1, 2), logarithm(sum([square.clone(), Expr::one()]))]))
        }
        Function::Sinh => of(Function::Cosh),
        Function::Cosh => of(Function::Sinh),
        Function::Tanh => logarithm(of(Function::Cosh)),
        Function::Ln => subtract(times(name), u),
        Function::Abs => product([Expr::ratio(1, 2), times(name)]),
    }
}

/// exp(a*x + c) * sin(b*x + d), or the cosine.
fn exponential_wave(factors: &[Expr], variable: &str) -> Option<Expr> {
    let [one, two] = factors else { return None };
    let ordered = if matches!(one, Expr::Power(..)) { (one, two) } else { (two, one) };
    let (Expr::Power(base, exponent), Expr::Function(name, argument)) = ordered else {
        return None;
    };
    if !matches!(**base, Expr::Constant(Constant::E)) || !matches!(name, Function::Sin | Function::Cos) {
        return None;
    }
    let (growth, frequency) = (slope(exponent, variable)?, slope(argument, variable)?);
    let square = |value: &Expr| power(value.clone(), Expr::integer(2));
    let below = sum([square(&growth), square(&frequency)]);
    let (sine, cosine) =
        (function(Function::Sin, (**argument).clone()), function(Function::Cos, (**argument).clone()));
    let wave = match name {
        Function::Sin => subtract(product([growth, sine]), product([frequency, cosine])),
        _ => sum([product([growth, cosine]), product([frequency, sine])]),
    };
    Some(divide(product([ordered.0.clone(), wave]), below))
}

/// Differentiates the polynomial to nothing while the other factor is integrated by the table.
fn tabular(polynomial: Expr, rest: Expr, variable: &str) -> Option<Expr> {
    let mut parts = Vec::new();
    let (mut falling, mut rising, mut sign) = (polynomial, rest, 1);
    for _ in 0..MAX_PARTS {
        if falling.is_zero() {
            return Some(sum(parts));
        }
        rising = linear_table(&rising, variable)?;
        parts.push(product([Expr::integer(sign), falling.clone(), rising.clone()]));
        falling = derivative(&falling, variable);
        sign = -sign;
    }
    None
}

/// The table for what repeats under integration: constants times exponentials and waves.
fn linear_table(expression: &Expr, variable: &str) -> Option<Expr> {
    let parts: Option<Vec<Expr>> = expression
        .terms()
        .iter()
        .map(|term| {
            let (outside, inside): (Vec<_>, Vec<_>) =
                term.factors().into_iter().partition(|factor| !factor.contains(variable));
            let inside = product(inside);
            let repeats = match &inside {
                Expr::Power(base, _) => !base.contains(variable),
                Expr::Function(name, _) => {
                    matches!(name, Function::Sin | Function::Cos | Function::Sinh | Function::Cosh)
                }
                Expr::Product(_) => true,
                _ => false,
            };
            let found = table(&inside, variable).filter(|_| repeats)?;
            Some(crate::expression::expand(&product(outside.into_iter().chain([found]))))
        })
        .collect();
    parts.map(sum)
}

/// p*f = (P*f)' - P*f', for an f whose derivative is simpler than itself.
fn lowering(
    polynomial: &Expr,
    f: &Expr,
    variable: &str,
    inner: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Expr> {
    let whole = inner(polynomial)?;
    let rest = crate::expression::expand(&product([whole.clone(), derivative(f, variable)]));
    let rest = if rest.contains(variable) { inner(&rest)? } else { product([rest, Expr::symbol(variable)]) };
    Some(subtract(product([whole, f.clone()]), rest))
}
