//! Quotients of polynomials: division, partial fractions, logarithms and arctangents.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::expression::{Expr, Function, divide, function, negate, power, product, sqrt, sum};
use crate::symbolic::polynomial::{Polynomial, eliminate};
use crate::symbolic::roots::factors;
use crate::symbolic::simplify::{cancelled, fraction};

/// The integral, where numerator and denominator have numbers as coefficients and the denominator
/// splits into linear factors and single quadratic ones.
pub(super) fn integral(integrand: &Expr, variable: &str) -> Option<Expr> {
    let (above, below) = fraction(&cancelled(integrand));
    let above = Polynomial::from_expression(&above, variable)?;
    let below = Polynomial::from_expression(&below, variable)?;
    if below.is_zero() {
        return None;
    }
    let leading = below.leading();
    let (quotient, rest) = above.divide(&below);
    let symbol = Expr::symbol(variable);
    let mut parts: Vec<Expr> = (0..quotient.0.len())
        .map(|degree| {
            let raised = degree as i64 + 1;
            let coefficient = Expr::Number(quotient.0[degree].clone());
            product([coefficient, Expr::ratio(1, raised), power(symbol.clone(), Expr::integer(raised))])
        })
        .collect();
    if below.degree() == 0 {
        return Some(sum(parts));
    }
    let bases = with_multiplicity(&below)?;
    let rest = Polynomial::new(rest.0.iter().map(|one| one / &leading).collect());
    for (factor, exponent, numerator) in partial_fractions(&rest, &below.monic(), &bases)? {
        parts.push(one_fraction(&factor, exponent, &numerator, &symbol)?);
    }
    Some(sum(parts))
}

fn with_multiplicity(below: &Polynomial) -> Option<Vec<(Polynomial, usize)>> {
    let square_free = below.divide(&below.gcd(&below.derivative())).0;
    let mut rest = below.monic();
    let mut found = Vec::new();
    for factor in factors(&square_free) {
        let mut count = 0;
        loop {
            let (quotient, remainder) = rest.divide(&factor);
            if !remainder.is_zero() {
                break;
            }
            rest = quotient;
            count += 1;
        }
        let usable = factor.degree() == 1 || (factor.degree() == 2 && count == 1);
        if !usable {
            return None;
        }
        found.push((factor, count));
    }
    Some(found)
}

/// The numerator over each power of each factor, from a linear system for all of them.
fn partial_fractions(
    above: &Polynomial,
    below: &Polynomial,
    bases: &[(Polynomial, usize)],
) -> Option<Vec<(Polynomial, usize, Polynomial)>> {
    let mut places = Vec::new();
    let mut columns = Vec::new();
    for (factor, count) in bases {
        let mut cofactor = below.clone();
        for exponent in 1..=*count {
            cofactor = cofactor.divide(factor).0;
            for degree in 0..factor.degree() {
                let mut shift = vec![BigRational::zero(); degree];
                shift.push(BigRational::one());
                columns.push(cofactor.product(&Polynomial::new(shift)));
            }
            places.push((factor.clone(), exponent));
        }
    }
    let at = |polynomial: &Polynomial, degree: usize| {
        polynomial.0.get(degree).cloned().unwrap_or_else(BigRational::zero)
    };
    let mut rows: Vec<Vec<BigRational>> = (0..below.degree())
        .map(|degree| columns.iter().map(|column| at(column, degree)).chain([at(above, degree)]).collect())
        .collect();
    let pivots = eliminate(&mut rows, columns.len())?;
    if pivots.len() < columns.len() {
        return None;
    }
    let mut values = rows.into_iter().map(|mut row| row.pop().unwrap_or_else(BigRational::zero));
    let numerators = places.into_iter().map(|(factor, exponent)| {
        let numerator = values.by_ref().take(factor.degree()).collect();
        (factor, exponent, Polynomial::new(numerator))
    });
    Some(numerators.collect())
}

fn one_fraction(factor: &Polynomial, exponent: usize, numerator: &Polynomial, symbol: &Expr) -> Option<Expr> {
    if numerator.is_zero() {
        return Some(Expr::zero());
    }
    let whole = factor.to_expression(symbol);
    let first = Expr::Number(numerator.0[0].clone());
    if factor.degree() == 1 {
        if exponent == 1 {
            let logarithm = function(Function::Ln, function(Function::Abs, whole));
            return Some(product([first, logarithm]));
        }
        let lowered = Expr::integer(exponent as i64 - 1);
        return Some(negate(divide(first, product([lowered.clone(), power(whole, lowered)]))));
    }
    // (s*x + r)/(x**2 + p*x + q) = s/2 * its logarithm + the rest over a completed square.
    let (p, q) = (&factor.0[1], &factor.0[0]);
    let two = BigRational::from_integer(2.into());
    let slope = numerator.0.get(1).cloned().unwrap_or_else(BigRational::zero);
    let logarithm_of = |inner: Expr| function(Function::Ln, function(Function::Abs, inner));
    let rest = &numerator.0[0] - &slope * p / &two;
    let width = q - p * p / BigRational::from_integer(4.into());
    let shifted = sum([symbol.clone(), Expr::Number(p / &two)]);
    let root = sqrt(Expr::Number(width.abs()));
    let tail = if width.is_positive() {
        let angle = function(Function::Atan, crate::expression::expand(&divide(shifted, root.clone())));
        product([Expr::Number(rest), divide(angle, root)])
    } else {
        let quotient = divide(sum([shifted.clone(), negate(root.clone())]), sum([shifted, root.clone()]));
        product([Expr::Number(rest), Expr::ratio(1, 2), divide(logarithm_of(quotient), root)])
    };
    let always_positive = width.is_positive();
    let inner = if always_positive { function(Function::Ln, whole) } else { logarithm_of(whole) };
    Some(sum([product([Expr::Number(slope / two), inner]), tail]))
}
