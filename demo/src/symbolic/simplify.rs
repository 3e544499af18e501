//! Simplification: several equal forms are made, and the shortest is taken.

use num_traits::Signed;

use super::polynomial::{Polynomial, exact_quotient};
use crate::expression::{
    Constant, Expr, Function, divide, expand, function, negate, power, product, replace, subtract, sum,
};

/// The shortest of the equal forms this module knows; the first of those of one length.
pub(crate) fn simplify(expression: &Expr) -> Expr {
    let inner = match expression {
        Expr::Sum(terms) => sum(terms.iter().map(simplify)),
        Expr::Product(factors) => product(factors.iter().map(simplify)),
        Expr::Power(base, exponent) => power(simplify(base), simplify(exponent)),
        Expr::Function(name, argument) => function(*name, simplify(argument)),
        other => return other.clone(),
    };
    let expanded = expand(&inner);
    let mut forms = vec![inner.clone(), cancelled(&inner), expanded];
    for (from, to) in [(Function::Sin, Function::Cos), (Function::Cos, Function::Sin)] {
        let swapped = expand(&replace(&inner, &|part| squares_swapped(part, from, to)));
        forms.push(cancelled(&swapped));
        forms.push(swapped);
    }
    let quotients = replace(&inner, &|part| match part {
        Expr::Function(Function::Tan, argument) => Some(divide(
            function(Function::Sin, (**argument).clone()),
            function(Function::Cos, (**argument).clone()),
        )),
        _ => None,
    });
    forms.push(cancelled(&quotients));
    let defined = forms.into_iter().filter(|form| !form.is_undefined());
    defined.min_by_key(|form| form.to_string().len()).unwrap_or(inner)
}

/// The expression as one fraction with common factors cancelled.
pub(crate) fn cancelled(expression: &Expr) -> Expr {
    let (above, below) = fraction(expression);
    let (above, below) = (expand(&above), expand(&below));
    if below.is_zero() {
        return Expr::Undefined;
    }
    if above.is_zero() {
        return Expr::zero();
    }
    if let Some(quotient) = exact_quotient(&above, &below) {
        return quotient;
    }
    if let Some(inverse) = exact_quotient(&below, &above) {
        return power(inverse, Expr::integer(-1));
    }
    let symbols = sum([above.clone(), below.clone()]).symbols();
    if let (1, Some(variable)) = (symbols.len(), symbols.first())
        && let Some(one) = Polynomial::from_expression(&above, variable)
        && let Some(two) = Polynomial::from_expression(&below, variable)
    {
        let common = one.gcd(&two);
        let symbol = Expr::symbol(variable);
        return divide(
            one.divide(&common).0.to_expression(&symbol),
            two.divide(&common).0.to_expression(&symbol),
        );
    }
    divide(above, below)
}

/// `(numerator, denominator)`, equal to the expression where the denominator is not zero.
pub(crate) fn fraction(expression: &Expr) -> (Expr, Expr) {
    match expression {
        Expr::Number(number) => {
            (Expr::Number(number.numer().clone().into()), Expr::Number(number.denom().clone().into()))
        }
        Expr::Sum(terms) => {
            terms.iter().map(fraction).fold((Expr::zero(), Expr::one()), |(above, below), (n, d)| {
                if below == d {
                    return (sum([above, n]), below);
                }
                if d.is_one() {
                    return (sum([above, product([n, below.clone()])]), below);
                }
                (sum([product([above, d.clone()]), product([n, below.clone()])]), product([below, d]))
            })
        }
        Expr::Product(factors) => {
            let (above, below): (Vec<_>, Vec<_>) = factors.iter().map(fraction).unzip();
            (product(above), product(below))
        }
        Expr::Power(base, exponent) => match (&**base, exponent.as_number()) {
            (Expr::Constant(Constant::E), _) => (expression.clone(), Expr::one()),
            (_, Some(number)) if number.is_integer() => {
                let (above, below) = fraction(base);
                let size = Expr::Number(number.abs());
                let (above, below) = (power(above, size.clone()), power(below, size));
                if number.is_negative() { (below, above) } else { (above, below) }
            }
            (_, Some(number)) if number.is_negative() => {
                (Expr::one(), power((**base).clone(), negate((**exponent).clone())))
            }
            _ => (expression.clone(), Expr::one()),
        },
        other => (other.clone(), Expr::one()),
    }
}

/// `from(u)**n` with its squares written as `1 - to(u)**2`.
pub(crate) fn squares_swapped(part: &Expr, from: Function, to: Function) -> Option<Expr> {
    let Expr::Power(base, exponent) = part else {
        return None;
    };
    let Expr::Function(name, argument) = &**base else {
        return None;
    };
    let count = exponent.as_integer().filter(|count| *name == from && (2..=16).contains(count))?;
    let square = power(function(to, (**argument).clone()), Expr::integer(2));
    let other = power(subtract(Expr::one(), square), Expr::integer(count / 2));
    Some(product([other, power((**base).clone(), Expr::integer(count % 2))]))
}
