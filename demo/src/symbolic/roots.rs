//! Roots of polynomials that are fractions, or have square roots of fractions in them.

use std::f64::consts::TAU;

use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive};

use super::polynomial::Polynomial;
use crate::expression::Expression;

/// Rounds in which all estimates of roots come nearer.
const ROUNDS: usize = 60;

/// Whether a root lies in a domain: real, positive or integer, and in any other. Roots with other symbols in them cannot be
/// judged and stay.
pub(crate) fn is_in(root: &Expression, domain: &str) -> bool {
    let value = root.value(&[]);
    match domain {
        _ if !root.symbols().is_empty() => true,
        "real" => !value.is_nan(),
        "positive" => value > 0.0,
        "integer" => root.as_integer().is_some(),
        _ => true,
    }
}

/// All distinct complex roots; `None` where one of them is no such number, or the coefficients are too far apart to find it.
pub(super) fn roots(polynomial: &Polynomial) -> Option<Vec<Expression>> {
    let repeated = polynomial.gcd(&polynomial.derivative());
    let mut found = Vec::new();
    for factor in factors(polynomial.divide(&repeated).0)? {
        match factor.0.into_iter().map(Expression::number).collect::<Vec<_>>().as_slice() {
            [] | [_] => {}
            [last, first] => found.push(last.negated().over(first)?),
            [last, middle, first] => found.extend(quadratic(first, middle, last)?),
            _ => return None,
        }
    }
    Some(found)
}

/// Factors of degree 1 and 2 with fractions as coefficients, and the rest. The denominators of these fractions divide the leading
/// coefficient of the polynomial with integers, so the nearest such fraction to what estimated roots say is the only candidate;
/// it is tried exactly. The polynomial has no repeated roots.
fn factors(mut rest: Polynomial) -> Option<Vec<Polynomial>> {
    let (mut found, estimates) = (Vec::new(), estimates(&rest)?);
    let common = rest.0.iter().fold(BigInt::one(), |common, one| common.lcm(one.denom()));
    let scale = (rest.leading() * BigRational::from_integer(common)).to_integer().abs();
    let singles = estimates.iter().map(|one| vec![-one]);
    let pairs = (0..estimates.len()).flat_map(|at| {
        let one = estimates[at];
        estimates[..at].iter().map(move |two| vec![one * two, -(one + two)])
    });
    for candidate in singles.chain(pairs) {
        let coefficients = candidate.iter().map(|value| nearest(*value, &scale));
        let Some(coefficients) = coefficients.chain([Some(BigRational::one())]).collect() else { continue };
        let factor = Polynomial(coefficients);
        let (quotient, remainder) = rest.divide(&factor);
        if rest.degree() >= factor.degree() && remainder.0.is_empty() {
            rest = quotient;
            found.push(factor);
        }
    }
    found.push(rest);
    Some(found)
}

/// The two roots of `a*x**2 + b*x + c`; `None` where `a` is 0.
pub(super) fn quadratic(a: &Expression, b: &Expression, c: &Expression) -> Option<[Expression; 2]> {
    let four = Expression::integer(4);
    let root = b.times(b).minus(&four.times(a).times(c)).expanded().sqrt();
    let below = a.times(&Expression::integer(2));
    let half = |root: Expression| Some(root.minus(b).over(&below)?.expanded());
    Some([half(root.negated())?, half(root)?])
}

/// The nearest fraction to a real value.
fn nearest(value: Complex64, denominator: &BigInt) -> Option<BigRational> {
    let real = (value.im.abs() <= 1e-6 * value.norm().max(1.0)).then_some(value.re)?;
    let exact = BigRational::from_f64(real)? * BigRational::from_integer(denominator.clone());
    Some(BigRational::new(exact.round().to_integer(), denominator.clone()))
}

/// Estimates of all roots, by Aberth's iteration; `None` where a coefficient is no finite float.
fn estimates(polynomial: &Polynomial) -> Option<Vec<Complex64>> {
    let degree = polynomial.degree();
    let float = |one: &BigRational| one.to_f64().filter(|one| one.is_finite());
    let monic: Vec<f64> = polynomial.monic().0.iter().map(float).collect::<Option<_>>()?;
    // All roots are within twice this circle (Fujiwara).
    let sizes = monic.iter().take(degree).enumerate();
    let radius =
        sizes.fold(1e-6, |most: f64, (at, one)| most.max(one.abs().powf(1.0 / (degree - at) as f64)));
    // Turned by an angle that is not symmetrical to the real axis, which most roots are.
    let place = |at: usize| Complex64::from_polar(radius, 0.4 + TAU * at as f64 / degree as f64);
    let mut found: Vec<Complex64> = (0..degree).map(place).collect();
    for at in (0..degree).cycle().take(ROUNDS * degree) {
        let z = found[at];
        let start = (Complex64::ZERO, Complex64::ZERO);
        let (value, slope) =
            monic.iter().rev().fold(start, |(value, slope), one| (value * z + one, slope * z + value));
        let others: Complex64 =
            found.iter().filter(|other| **other != z).map(|other| (z - other).inv()).sum();
        let step = value / (slope - value * others);
        if step.is_finite() {
            found[at] -= step;
        }
    }
    Some(found)
}
