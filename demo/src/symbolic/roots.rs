//! Roots of polynomials: exact where they are fractions or square roots, else numbers.

use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive};

use super::polynomial::Polynomial;
use crate::error::spend;
use crate::expression::Expression;
use crate::matrix::Matrix;

/// Newton's steps for each root.
const POLISHING: usize = 4;

/// A root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Root {
    /// If it is known exactly.
    pub(crate) exact: Option<Expression>,
    /// If it has no symbols.
    pub(crate) value: Option<Complex64>,
}

impl Root {
    pub(crate) fn exact(expression: Expression) -> Self {
        let value = expression.symbols().is_empty().then(|| expression.value(&[]).into());
        Self { exact: Some(expression), value }
    }

    /// Whether it lies in a domain: real, positive or integer, and in any other. Roots with other symbols in them cannot be judged
    /// and stay.
    pub(crate) fn is_in(&self, domain: &str) -> bool {
        let Some(value) = self.value else { return true };
        let is_real = value.is_finite() && value.im.abs() <= 1e-9 * value.norm().max(1e-3);
        match domain {
            "real" => is_real,
            "positive" => is_real && value.re > 0.0,
            "integer" => self.exact.as_ref().is_some_and(|exact| exact.as_integer().is_some()),
            _ => true,
        }
    }
}

/// All distinct complex roots; `None` where the numbers are too ill-conditioned to find them.
pub(crate) fn roots(polynomial: &Polynomial) -> Option<Vec<Root>> {
    let repeated = polynomial.gcd(&polynomial.derivative());
    let mut found = Vec::new();
    for factor in factors(polynomial.divide(&repeated).0)? {
        match factor.0.iter().cloned().map(Expression::number).collect::<Vec<_>>().as_slice() {
            [] | [_] => {}
            [last, first] => found.push(Root::exact(last.negated().over(first)?)),
            [last, middle, first] => found.extend(quadratic(first, middle, last)?),
            _ => found.extend(
                numerical_roots(&factor)?.into_iter().map(|root| Root { exact: None, value: Some(root) }),
            ),
        }
    }
    found.iter().all(|root| root.value.is_none_or(|value| fits(polynomial, value))).then_some(found)
}

/// Factors of degree 1 and 2 with fractions as coefficients, and the rest. The denominators of these fractions divide the leading
/// coefficient of the polynomial with integers, so the nearest such fraction to what numerical roots say is the only candidate;
/// it is tried exactly. The polynomial has no repeated roots.
fn factors(mut rest: Polynomial) -> Option<Vec<Polynomial>> {
    let (mut found, scale, estimates) = (Vec::new(), integer_leading(&rest), numerical_roots(&rest)?);
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
    let of = |root: Expression, sign: f64| Some(Root { exact: Some(half(root)?), value: value(sign) });
    Some([of(root.negated(), -1.0)?, of(root, 1.0)?])
}

fn integer_leading(polynomial: &Polynomial) -> BigInt {
    let common = polynomial.0.iter().fold(BigInt::one(), |common, one| common.lcm(one.denom()));
    (polynomial.leading() * BigRational::from_integer(common)).to_integer().abs()
}

/// The nearest fraction to a real value.
fn nearest(value: Complex64, denominator: &BigInt) -> Option<BigRational> {
    let real = (value.im.abs() <= 1e-6 * value.norm().max(1.0)).then_some(value.re)?;
    let exact = BigRational::from_f64(real)? * BigRational::from_integer(denominator.clone());
    Some(BigRational::new(exact.round().to_integer(), denominator.clone()))
}

/// All roots, as the eigenvalues of the companion matrix; `None` where they cannot be found.
fn numerical_roots(polynomial: &Polynomial) -> Option<Vec<Complex64>> {
    let monic: Vec<f64> = polynomial.monic().0.iter().filter_map(ToPrimitive::to_f64).collect();
    let degree = polynomial.degree();
    if monic.len() <= degree || monic.iter().any(|one| !one.is_finite()) {
        return (degree == 0).then(Vec::new);
    }
    // Measured by a circle that all roots are within (Fujiwara), no coefficient is larger than the first.
    let sizes = monic[..degree].iter().enumerate();
    let radius =
        sizes.fold(1e-6, |most: f64, (at, one)| most.max(one.abs().powf(1.0 / (degree - at) as f64)));
    let cell = |row: usize, column: usize| match row {
        0 => -monic[degree - 1 - column] / radius.powi(column as i32 + 1),
        _ => f64::from(row == column + 1),
    };
    let rows = (0..degree).map(|row| (0..degree).map(|column| cell(row, column)).collect());
    let mut found = Matrix(rows.collect()).complex_eigenvalues()?;
    for z in &mut found {
        *z = polished(&monic, *z * radius);
        if z.im.abs() < 1e-10 * z.norm().max(1e-6) {
            z.im = 0.0;
        }
    }
    Some(found)
}

/// A root as Newton's steps leave it.
fn polished(monic: &[f64], mut z: Complex64) -> Complex64 {
    for _ in 0..POLISHING {
        spend(monic.len() as u64);
        let (value, slope) =
            monic.iter().rev().fold((Complex64::ZERO, Complex64::ZERO), |(value, slope), one| {
                (value * z + one, slope * z + value)
            });
        let step = value / slope;
        if !step.is_finite() || step.norm() > 1e-3 * z.norm() {
            break;
        }
        z -= step;
    }
    z
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
