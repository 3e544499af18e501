//! Polynomials in one base, such as `x` or `sin(x)`, with exact coefficients.

use num_rational::BigRational;
use num_traits::Zero;

use crate::error::spend;
use crate::expression::{Base, Expression};

/// Polynomials of a higher degree are not treated as such.
const MAX_DEGREE: usize = 60;

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

    /// The expression as a polynomial with numbers as coefficients, where it is one.
    pub(crate) fn of(expression: &Expression, base: &Base) -> Option<Self> {
        let list = coefficients(expression, base)?;
        list.iter().map(Expression::as_number).collect::<Option<_>>().map(Self::new)
    }

    pub(crate) fn to_expression(&self, base: &Base) -> Expression {
        self.0.iter().zip(0..).fold(Expression::default(), |sum, (coefficient, degree)| {
            let power = Expression::from(base.clone()).power(&Expression::integer(degree));
            sum.plus(&power.unwrap_or_default().scaled(coefficient))
        })
    }

    /// The degree; 0 for the zero polynomial too.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn leading(&self) -> BigRational {
        self.0.last().cloned().unwrap_or_else(BigRational::zero)
    }

    pub(crate) fn derivative(&self) -> Self {
        let terms = self.0.iter().enumerate().skip(1);
        Self(terms.map(|(degree, one)| one * BigRational::from_integer(degree.into())).collect())
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
        while !two.0.is_empty() {
            let rest = one.divide(&two).1.monic();
            (one, two) = (two, rest);
        }
        one.monic()
    }

    pub(crate) fn monic(&self) -> Self {
        let leading = self.leading();
        Self(self.0.iter().map(|coefficient| coefficient / &leading).collect())
    }
}

/// The coefficients of the expression as a polynomial in the base, lowest degree first.
///
/// `None` where the base, or a symbol in it, stands anywhere but in small natural powers.
pub(crate) fn coefficients(expression: &Expression, base: &Base) -> Option<Vec<Expression>> {
    let symbols = Expression::from(base.clone()).symbols();
    let mut collected = Vec::new();
    for (product, coefficient) in expression.expanded().terms() {
        let mut rest = product.clone();
        let degree = match rest.remove(base) {
            Some(exponent) => {
                usize::try_from(exponent.as_integer()?).ok().filter(|one| *one <= MAX_DEGREE)?
            }
            None => 0,
        };
        let rest = Expression::term(rest, coefficient.clone());
        if !rest.symbols().is_disjoint(&symbols) {
            return None;
        }
        if collected.len() <= degree {
            collected.resize(degree + 1, Expression::default());
        }
        collected[degree] = std::mem::take(&mut collected[degree]).plus(&rest);
    }
    Some(collected)
}
