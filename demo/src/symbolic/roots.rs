//! Roots of polynomials: exact where they are fractions or square roots, else numbers.

use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive};

use super::polynomial::Polynomial;
use crate::error::spend;
use crate::expression::{Expression, shortened};

/// Iterations of the search for all roots at once.
const ITERATIONS: usize = 500;

/// A root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Root {
    /// With its value, if it has no symbols.
    Exact(Expression, Option<Complex64>),
    Approximate(Complex64),
}

impl Root {
    pub(crate) fn exact(expression: Expression) -> Self {
        let value = expression.symbols().is_empty().then(|| expression.value(&[]).into());
        Self::Exact(expression, value)
    }

    pub(crate) fn value(&self) -> Option<Complex64> {
        match self {
            Self::Exact(_, value) => *value,
            Self::Approximate(value) => Some(*value),
        }
    }

    /// The exact root, for errors and orders of what is no number.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Exact(expression, _) => shortened(&expression.to_string()),
            Self::Approximate(value) => value.to_string(),
        }
    }
}

/// All distinct complex roots; `None` where the numbers are too ill-conditioned to find them.
pub(crate) fn roots(polynomial: &Polynomial) -> Option<Vec<Root>> {
    let repeated = polynomial.gcd(&polynomial.derivative());
    let mut rest = polynomial.divide(&repeated).0;
    let mut found = Vec::new();
    // A rational root's denominator divides the leading coefficient of the integer form, so the
    // nearest such fraction to a numerical root is the only candidate; it is tried exactly.
    let scale = integer_leading(&rest);
    for estimate in numerical_roots(&rest)? {
        let Some(candidate) = nearest(estimate.re, &scale) else { continue };
        let factor = Polynomial(vec![-candidate.clone(), BigRational::one()]);
        if let (quotient, remainder) = rest.divide(&factor)
            && rest.degree() > 0
            && remainder.0.is_empty()
        {
            rest = quotient;
            found.push(Root::exact(Expression::number(candidate)));
        }
    }
    for factor in split_quadratics(rest)? {
        match factor.0.iter().cloned().map(Expression::number).collect::<Vec<_>>().as_slice() {
            [] | [_] => {}
            [last, middle, first] => found.extend(quadratic(first, middle, last)?),
            _ => found.extend(numerical_roots(&factor)?.into_iter().map(Root::Approximate)),
        }
    }
    found.iter().all(|root| root.value().is_none_or(|value| fits(polynomial, value))).then_some(found)
}

/// The two roots of `a*x**2 + b*x + c`; `None` where `a` is 0.
pub(crate) fn quadratic(a: &Expression, b: &Expression, c: &Expression) -> Option<[Root; 2]> {
    let four = Expression::integer(4);
    let discriminant = b.times(b).minus(&four.times(a).times(c)).expanded();
    let below = a.times(&Expression::integer(2));
    let half = |root: Expression| Some(root.minus(b).over(&below)?.expanded());
    let value = |sign: f64| {
        let root = Complex64::from(discriminant.as_number()?.to_f64()?).sqrt() * sign;
        Some((root - b.as_number()?.to_f64()?) / below.as_number()?.to_f64()?)
    };
    let root = discriminant.sqrt();
    Some([Root::Exact(half(root.negated())?, value(-1.0)), Root::Exact(half(root)?, value(1.0))])
}

fn integer_leading(polynomial: &Polynomial) -> BigInt {
    let common = polynomial.0.iter().fold(BigInt::one(), |common, one| common.lcm(one.denom()));
    (polynomial.leading() * BigRational::from_integer(common)).to_integer().abs()
}

fn nearest(value: f64, denominator: &BigInt) -> Option<BigRational> {
    let exact = BigRational::from_f64(value)? * BigRational::from_integer(denominator.clone());
    Some(BigRational::new(exact.round().to_integer(), denominator.clone()))
}

/// Splits quadratic factors with fractions as coefficients off a polynomial without rational roots.
fn split_quadratics(polynomial: Polynomial) -> Option<Vec<Polynomial>> {
    let mut rest = polynomial;
    let mut found = Vec::new();
    let estimates = if (4..=12).contains(&rest.degree()) { numerical_roots(&rest)? } else { Vec::new() };
    let scale = integer_leading(&rest);
    for (index, one) in estimates.iter().enumerate() {
        for two in &estimates[index + 1..] {
            let (middle, last) = (one + two, one * two);
            if rest.degree() < 4 || middle.im.abs() > 1e-6 || last.im.abs() > 1e-6 {
                continue;
            }
            let (Some(middle), Some(last)) = (nearest(-middle.re, &scale), nearest(last.re, &scale)) else {
                continue;
            };
            let candidate = Polynomial(vec![last, middle, BigRational::one()]);
            let (quotient, remainder) = rest.divide(&candidate);
            if remainder.0.is_empty() {
                found.push(candidate);
                rest = quotient;
            }
        }
    }
    found.push(rest);
    Some(found)
}

/// All roots at once, by Weierstrass' iteration; `None` where they cannot be found. The polynomial has no repeated ones.
fn numerical_roots(polynomial: &Polynomial) -> Option<Vec<Complex64>> {
    let monic: Vec<f64> = polynomial.monic().0.iter().filter_map(ToPrimitive::to_f64).collect();
    let degree = polynomial.degree();
    if monic.len() <= degree || monic.iter().any(|one| !one.is_finite()) {
        return (degree == 0).then(Vec::new);
    }
    // All roots are within this circle (Fujiwara); no estimate is real, or the conjugate of another.
    let sizes = monic[..degree].iter().enumerate();
    let radius = sizes.fold(0.0, |most: f64, (at, one)| most.max(one.abs().powf(1.0 / (degree - at) as f64)));
    let angle = |at: usize| 0.4 + std::f64::consts::TAU * at as f64 / degree as f64;
    let mut found: Vec<Complex64> =
        (0..degree).map(|at| Complex64::from_polar(radius.max(1e-6), angle(at))).collect();
    for _ in 0..ITERATIONS {
        spend(degree as u64);
        let mut largest = 0.0_f64;
        for at in 0..degree {
            let z = found[at];
            let value = monic.iter().rev().fold(Complex64::ZERO, |value, one| value * z + one);
            let others = found.iter().enumerate().filter(|(other, _)| *other != at);
            let step = value / others.map(|(_, other)| z - other).product::<Complex64>();
            if !step.is_finite() {
                return None;
            }
            found[at] -= step;
            largest = largest.max(step.norm() / z.norm().max(1e-6));
        }
        if largest < 1e-15 {
            break;
        }
    }
    for z in found.iter_mut().filter(|z| z.im.abs() < 1e-10 * z.norm().max(1e-6)) {
        z.im = 0.0;
    }
    Some(found)
}

/// Whether the polynomial is 0 at the root, but for rounding errors.
fn fits(polynomial: &Polynomial, root: Complex64) -> bool {
    let (mut value, mut size) = (Complex64::ZERO, 0.0);
    for coefficient in polynomial.monic().0.iter().rev() {
        let coefficient = coefficient.to_f64().unwrap_or(f64::NAN);
        value = value * root + coefficient;
        size = size * root.norm() + coefficient.abs();
    }
    value.norm() <= 1e-7 * size
}
