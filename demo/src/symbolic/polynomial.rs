//! Polynomials: in one variable with exact coefficients, and in several to cancel fractions.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::expression::{Expr, expand, power, product, sum};
use crate::work::spend;

/// Polynomials of a higher degree are not treated as such.
pub(crate) const MAX_DEGREE: usize = 60;

/// Exact coefficients, lowest degree first, no trailing zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial(pub(crate) Vec<BigRational>);

impl Polynomial {
    pub(crate) fn new(mut coefficients: Vec<BigRational>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// The expression as a polynomial in `variable`, where it is one with numbers as coefficients.
    pub(crate) fn from_expression(expression: &Expr, variable: &str) -> Option<Self> {
        let coefficients = coefficients(expression, variable)?;
        let numbers: Option<Vec<_>> = coefficients.iter().map(|one| one.as_number().cloned()).collect();
        numbers.map(Self::new)
    }

    pub(crate) fn to_expression(&self, variable: &Expr) -> Expr {
        sum(self.0.iter().enumerate().map(|(degree, coefficient)| {
            product([
                Expr::Number(coefficient.clone()),
                power(variable.clone(), Expr::integer(degree as i64)),
            ])
        }))
    }

    /// The degree; 0 for the zero polynomial too.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn leading(&self) -> BigRational {
        self.0.last().cloned().unwrap_or_else(BigRational::zero)
    }

    pub(crate) fn value(&self, at: &BigRational) -> BigRational {
        self.0.iter().rev().fold(BigRational::zero(), |value, coefficient| {
            spend(4);
            value * at + coefficient
        })
    }

    pub(crate) fn derivative(&self) -> Self {
        let terms = self.0.iter().enumerate().skip(1);
        Self::new(
            terms
                .map(|(degree, coefficient)| coefficient * BigRational::from_integer(degree.into()))
                .collect(),
        )
    }

    pub(crate) fn product(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::new(Vec::new());
        }
        let mut result = vec![BigRational::zero(); self.0.len() + other.0.len() - 1];
        for (i, one) in self.0.iter().enumerate() {
            for (j, two) in other.0.iter().enumerate() {
                spend(2);
                result[i + j] += one * two;
            }
        }
        Self::new(result)
    }

    /// `(quotient, remainder)`; the divisor must not be zero.
    pub(crate) fn divide(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.0.clone();
        let shift = divisor.degree();
        let mut quotient = vec![BigRational::zero(); rest.len().saturating_sub(shift)];
        for at in (0..quotient.len()).rev() {
            let factor = &rest[at + shift] / divisor.leading();
            for (offset, coefficient) in divisor.0.iter().enumerate() {
                spend(4);
                rest[at + offset] -= &factor * coefficient;
            }
            quotient[at] = factor;
        }
        rest.truncate(shift.min(rest.len()));
        (Self::new(quotient), Self::new(rest))
    }

    /// The greatest common divisor with leading coefficient 1.
    pub(crate) fn gcd(&self, other: &Self) -> Self {
        let (mut one, mut two) = (self.clone(), other.clone());
        while !two.is_zero() {
            let (_, rest) = one.divide(&two);
            one = two;
            two = rest.monic();
        }
        one.monic()
    }

    pub(crate) fn monic(&self) -> Self {
        if self.is_zero() {
            return self.clone();
        }
        let leading = self.leading();
        Self(self.0.iter().map(|coefficient| coefficient / &leading).collect())
    }
}

/// The coefficients of `expression` as a polynomial in `variable`, lowest degree first.
///
/// `None` where the variable stands anywhere but in small natural powers.
pub(crate) fn coefficients(expression: &Expr, variable: &str) -> Option<Vec<Expr>> {
    let mut collected: Vec<Vec<Expr>> = Vec::new();
    for term in expand(expression).terms() {
        let mut degree = 0usize;
        let mut rest = Vec::new();
        for factor in term.factors() {
            let (base, exponent) = factor.as_power();
            if base == Expr::symbol(variable) {
                degree += usize::try_from(exponent.as_integer()?).ok()?;
            } else if factor.contains(variable) {
                return None;
            } else {
                rest.push(factor);
            }
        }
        if degree > MAX_DEGREE {
            return None;
        }
        if collected.len() <= degree {
            collected.resize(degree + 1, Vec::new());
        }
        collected[degree].push(product(rest));
    }
    let mut result: Vec<Expr> = collected.into_iter().map(sum).collect();
    while result.last().is_some_and(Expr::is_zero) {
        result.pop();
    }
    Some(result)
}

/// A sum of powers of several bases: exponents of each to coefficient.
type Terms = BTreeMap<Vec<i64>, BigRational>;

/// `numerator / denominator` without the division, where the denominator divides exactly.
///
/// Whatever is not a sum, a product or a natural power counts as a variable of its own.
pub(crate) fn exact_quotient(numerator: &Expr, denominator: &Expr) -> Option<Expr> {
    let mut bases = Vec::new();
    collect_bases(numerator, &mut bases)?;
    collect_bases(denominator, &mut bases)?;
    let mut rest = to_terms(numerator, &bases)?;
    let divisor = to_terms(denominator, &bases)?;
    let (lead, lead_coefficient) = divisor.last_key_value()?;
    let mut quotient = Vec::new();
    while let Some((exponents, coefficient)) = rest.last_key_value() {
        spend(divisor.len() as u64 * 8);
        let shift: Vec<i64> = exponents.iter().zip(lead).map(|(one, two)| one - two).collect();
        if shift.iter().any(|exponent| *exponent < 0) {
            return None;
        }
        let factor = coefficient / lead_coefficient;
        for (own, value) in &divisor {
            let key = own.iter().zip(&shift).map(|(one, two)| one + two).collect::<Vec<_>>();
            let entry = rest.entry(key.clone()).or_insert_with(BigRational::zero);
            *entry -= value * &factor;
            if entry.is_zero() {
                rest.remove(&key);
            }
        }
        let powers =
            bases.iter().zip(&shift).map(|(base, exponent)| power(base.clone(), Expr::integer(*exponent)));
        quotient.push(product(powers.chain([Expr::Number(factor)])));
    }
    Some(sum(quotient))
}

fn collect_bases(expression: &Expr, bases: &mut Vec<Expr>) -> Option<()> {
    for term in expression.terms() {
        for factor in term.split_coefficient().1.factors() {
            let (base, _) = natural_power(&factor)?;
            if !base.is_one() && !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    Some(())
}

fn to_terms(expression: &Expr, bases: &[Expr]) -> Option<Terms> {
    let mut terms = Terms::new();
    for term in expression.terms() {
        let (coefficient, rest) = term.split_coefficient();
        let mut exponents = vec![0; bases.len()];
        for factor in rest.factors() {
            let (base, exponent) = natural_power(&factor)?;
            if let Some(index) = bases.iter().position(|own| *own == base) {
                exponents[index] += exponent;
            }
        }
        *terms.entry(exponents).or_insert_with(BigRational::zero) += coefficient;
    }
    terms.retain(|_, coefficient| !coefficient.is_zero());
    (!terms.is_empty()).then_some(terms)
}

fn natural_power(factor: &Expr) -> Option<(Expr, i64)> {
    let (base, exponent) = factor.as_power();
    match exponent.as_integer() {
        Some(count) if count > 0 => Some((base, count)),
        Some(_) => None,
        None => Some((factor.clone(), 1)),
    }
}

/// One solution of `matrix * x = right` over the fractions, by elimination.
///
/// `rows` are the augmented rows. Gives the pivot column of each row after reduction, or `None` where
/// the equations contradict each other.
pub(crate) fn eliminate(rows: &mut [Vec<BigRational>], columns: usize) -> Option<Vec<usize>> {
    let mut pivots = Vec::new();
    for column in 0..columns {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|row| !rows[*row][column].is_zero()) else {
            continue;
        };
        rows.swap(at, found);
        let scale = BigRational::one() / &rows[at][column];
        rows[at].iter_mut().for_each(|value| *value *= &scale);
        let pivot = rows[at].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index == at || row[column].is_zero() {
                continue;
            }
            spend(4 * pivot.len() as u64);
            let factor = row[column].clone();
            row.iter_mut().zip(&pivot).for_each(|(value, own)| *value -= &factor * own);
        }
        pivots.push(column);
    }
    let contradiction =
        rows[pivots.len()..].iter().any(|row| row.last().is_some_and(|right| !right.is_zero()));
    (!contradiction).then_some(pivots)
}
