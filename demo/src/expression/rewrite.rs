//! Multiplying out and substituting.

use super::{Expr, function, power, product, sum};
use crate::work::spend;

/// Powers of sums above this exponent are not multiplied out.
const MAX_EXPANDED_POWER: i64 = 64;

/// The expression with products of sums multiplied out, inside functions too.
pub(crate) fn expand(expression: &Expr) -> Expr {
    match expression {
        Expr::Sum(terms) => sum(terms.iter().map(expand)),
        Expr::Product(factors) => {
            factors.iter().fold(Expr::one(), |left, factor| multiply_out(&left, &expand(factor)))
        }
        Expr::Power(base, exponent) => {
            let base = expand(base);
            match exponent.as_integer() {
                Some(count) if (2..=MAX_EXPANDED_POWER).contains(&count) && matches!(base, Expr::Sum(_)) => {
                    (0..count).fold(Expr::one(), |left, _| multiply_out(&left, &base))
                }
                _ => power(base, expand(exponent)),
            }
        }
        Expr::Function(name, argument) => function(*name, expand(argument)),
        other => other.clone(),
    }
}

/// The expression with a symbol replaced.
pub(crate) fn substitute(expression: &Expr, name: &str, value: &Expr) -> Expr {
    replace(expression, &|part| match part {
        Expr::Symbol(own) if own == name => Some(value.clone()),
        _ => None,
    })
}

/// The expression with every part replaced for which `rule` has something; outermost first.
pub(crate) fn replace(expression: &Expr, rule: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
    spend(1);
    if let Some(other) = rule(expression) {
        return other;
    }
    match expression {
        Expr::Sum(terms) => sum(terms.iter().map(|term| replace(term, rule))),
        Expr::Product(factors) => product(factors.iter().map(|factor| replace(factor, rule))),
        Expr::Power(base, exponent) => power(replace(base, rule), replace(exponent, rule)),
        Expr::Function(name, argument) => function(*name, replace(argument, rule)),
        other => other.clone(),
    }
}

fn multiply_out(left: &Expr, right: &Expr) -> Expr {
    let mut terms = Vec::new();
    let right = right.terms();
    for one in left.terms() {
        for other in &right {
            terms.push(product([one.clone(), other.clone()]));
        }
    }
    sum(terms)
}
