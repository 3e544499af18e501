//! Roots of polynomials with exact coefficients: exact where radicals give them, else numbers.

use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};

use super::polynomial::Polynomial;
use crate::expression::{Constant, Expr, divide, negate, power, product, sqrt, subtract, sum};
use crate::work::spend;

/// Rounds of the simultaneous iteration.
const MAX_ROUNDS: usize = 500;
/// Integers tried by division before any numerical estimate is trusted.
const SMALL_ROOTS: i64 = 60;

/// A root, exact or as a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Root {
    Exact(Expr),
    Approximate(Complex64),
}

/// All distinct complex roots.
pub(crate) fn roots(polynomial: &Polynomial) -> Vec<Root> {
    let repeated = polynomial.gcd(&polynomial.derivative());
    let (mut rest, _) = polynomial.divide(&repeated);
    let mut found = Vec::new();
    for root in rational_roots(&mut rest) {
        found.push(Root::Exact(Expr::Number(root)));
    }
    for factor in split_quadratics(rest) {
        found.extend(irreducible_roots(&factor));
    }
    found
}

/// The square-free factors over the fractions that this module can find: linear and quadratic ones,
/// and what is left.
pub(crate) fn factors(square_free: &Polynomial) -> Vec<Polynomial> {
    let mut rest = square_free.monic();
    let linear = rational_roots(&mut rest);
    let mut found: Vec<Polynomial> =
        linear.into_iter().map(|root| Polynomial::new(vec![-root, BigRational::one()])).collect();
    found.extend(split_quadratics(rest).into_iter().filter(|factor| factor.degree() > 0));
    found
}

/// Takes the rational roots out of a square-free polynomial.
fn rational_roots(rest: &mut Polynomial) -> Vec<BigRational> {
    let mut found = Vec::new();
    let mut take = |rest: &mut Polynomial, candidate: BigRational| {
        if rest.degree() > 0 && rest.value(&candidate).is_zero() {
            *rest = rest.divide(&Polynomial::new(vec![-candidate.clone(), BigRational::one()])).0;
            found.push(candidate);
        }
    };
    for small in -SMALL_ROOTS..=SMALL_ROOTS {
        take(rest, BigRational::from_integer(small.into()));
    }
    // A rational root's denominator divides the leading coefficient of the integer form, so the
    // nearest such fraction to a numerical root is the only candidate; it is tried exactly.
    let scale = integer_leading(rest);
    for estimate in numerical_roots(rest) {
        if let Some(candidate) = nearest(estimate.re, &scale) {
            take(rest, candidate);
        }
    }
    found.sort();
    found
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
fn split_quadratics(polynomial: Polynomial) -> Vec<Polynomial> {
    let mut rest = polynomial;
    let mut found = Vec::new();
    let estimates = if (4..=12).contains(&rest.degree()) { numerical_roots(&rest) } else { Vec::new() };
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
            let candidate = Polynomial::new(vec![last, middle, BigRational::one()]);
            let (quotient, remainder) = rest.divide(&candidate);
            if remainder.is_zero() {
                found.push(candidate);
                rest = quotient;
            }
        }
    }
    found.push(rest);
    found
}

fn irreducible_roots(factor: &Polynomial) -> Vec<Root> {
    let degree = factor.degree();
    let exact = |list: Vec<Expr>| list.into_iter().map(Root::Exact).collect();
    let number = |index: usize| Expr::Number(factor.0[index].clone());
    match degree {
        0 => Vec::new(),
        1 => exact(vec![negate(divide(number(0), number(1)))]),
        2 => exact(quadratic(number(2), number(1), number(0)).to_vec()),
        _ => {
            let inner: Vec<usize> = (1..degree).filter(|index| !factor.0[*index].is_zero()).collect();
            let binomial = -(&factor.0[0] / factor.leading());
            match (degree, inner.as_slice()) {
                (3, []) => exact(cube_roots(&binomial)),
                (4, [2] | []) => {
                    let squares = quadratic(number(4), number(2), number(0));
                    exact(
                        squares
                            .into_iter()
                            .flat_map(|square| [sqrt(square.clone()), negate(sqrt(square))])
                            .collect(),
                    )
                }
                _ => numerical_roots(factor).into_iter().map(Root::Approximate).collect(),
            }
        }
    }
}

/// The two roots of `a*x**2 + b*x + c`.
pub(crate) fn quadratic(a: Expr, b: Expr, c: Expr) -> [Expr; 2] {
    let discriminant =
        subtract(power(b.clone(), Expr::integer(2)), product([Expr::integer(4), a.clone(), c]));
    let root = sqrt(crate::expression::expand(&discriminant));
    let below = product([Expr::integer(2), a]);
    let part = |root: Expr| crate::expression::expand(&divide(subtract(root, b.clone()), below.clone()));
    [part(negate(root.clone())), part(root)]
}

fn cube_roots(value: &BigRational) -> Vec<Expr> {
    let size = power(Expr::Number(value.abs()), Expr::ratio(1, 3));
    let sign = Expr::integer(if value.is_negative() { -1 } else { 1 });
    let turn = product([sqrt(Expr::integer(3)), Expr::Constant(Constant::I), Expr::ratio(1, 2)]);
    let half = Expr::ratio(-1, 2);
    [Expr::one(), sum([half.clone(), turn.clone()]), subtract(half, turn)]
        .into_iter()
        .map(|unit| crate::expression::expand(&product([sign.clone(), size.clone(), unit])))
        .collect()
}

/// All roots at once, by Aberth's iteration.
pub(crate) fn numerical_roots(polynomial: &Polynomial) -> Vec<Complex64> {
    let monic: Vec<f64> = polynomial.monic().0.iter().map(|one| one.to_f64().unwrap_or(f64::NAN)).collect();
    let degree = monic.len().saturating_sub(1);
    if degree == 0 || monic.iter().any(|one| !one.is_finite()) {
        return Vec::new();
    }
    let slopes: Vec<f64> = monic.iter().enumerate().skip(1).map(|(index, one)| one * index as f64).collect();
    let value =
        |list: &[f64], z: Complex64| list.iter().rev().fold(Complex64::ZERO, |sum, one| sum * z + one);
    // Fujiwara's bound, so that the start is neither far outside nor all inside.
    let radius =
        (0..degree).map(|index| monic[index].abs().powf(1.0 / (degree - index) as f64)).fold(0.0, f64::max);
    let mut estimates: Vec<Complex64> = (0..degree)
        .map(|index| {
            Complex64::from_polar(
                radius.max(1e-3),
                0.4 + index as f64 * std::f64::consts::TAU / degree as f64,
            )
        })
        .collect();
    for _ in 0..MAX_ROUNDS {
        let mut moved = 0.0f64;
        for index in 0..degree {
            spend(degree as u64);
            let z = estimates[index];
            let newton = value(&monic, z) / value(&slopes, z);
            let others: Complex64 =
                (0..degree).filter(|other| *other != index).map(|other| (z - estimates[other]).inv()).sum();
            let step = newton / (Complex64::ONE - newton * others);
            if step.is_finite() {
                estimates[index] = z - step;
                moved = moved.max(step.norm() / z.norm().max(1e-9));
            }
        }
        if moved < 1e-15 {
            break;
        }
    }
    for z in &mut estimates {
        if z.im.abs() < 1e-10 * z.norm().max(1e-6) {
            z.im = 0.0;
        }
    }
    estimates
}
