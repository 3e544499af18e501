//! Roots of polynomials: exact where they are fractions or square roots, else numbers.

use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive};

use super::polynomial::Polynomial;
use crate::expression::{Expression, shortened};
use crate::matrix::{Matrix, eigenvalues_of};

/// Steps of Newton's method on each estimate.
const POLISH: usize = 8;

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
            && remainder.is_zero()
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
            if remainder.is_zero() {
                found.push(candidate);
                rest = quotient;
            }
        }
    }
    found.push(rest);
    Some(found)
}

/// The eigenvalues of the companion matrix, each improved by Newton's method; `None` where they cannot be found.
fn numerical_roots(polynomial: &Polynomial) -> Option<Vec<Complex64>> {
    let monic: Vec<f64> = polynomial.monic().0.iter().filter_map(ToPrimitive::to_f64).collect();
    let degree = polynomial.degree();
    if degree == 0 || monic.len() <= degree || monic.iter().any(|one| !one.is_finite()) {
        return (degree == 0).then(Vec::new);
    }
    let cell = |row: usize, column: usize| match column + 1 {
        last if last == degree => -monic[row],
        next => f64::from(u8::from(row == next)),
    };
    let rows = (0..degree).map(|row| (0..degree).map(|column| cell(row, column)).collect()).collect();
    let mut estimates = eigenvalues_of(&Matrix::of_rows(rows))?;
    for z in &mut estimates {
        for _ in 0..POLISH {
            let (value, slope) = monic
                .iter()
                .rev()
                .fold((Complex64::ZERO, Complex64::ZERO), |(p, d), one| (p * *z + one, d * *z + p));
            let step = value / slope;
            if !step.is_finite() || step.norm() > 1e-3 * z.norm().max(1e-3) {
                break;
            }
            *z -= step;
        }
        if z.im.abs() < 1e-10 * z.norm().max(1e-6) {
            z.im = 0.0;
        }
    }
    Some(estimates)
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
