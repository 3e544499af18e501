//! Integrals of polynomials, and of these times exponentials of linear arguments.

use super::polynomial::coefficients;
use super::simplify::{cancelled, simplified};
use crate::error::{Error, Result};
use crate::expression::{Base, Expression, Product, shortened};

/// An antiderivative without the constant.
pub(crate) fn integral(integrand: &Expression, variable: &str) -> Result<Expression> {
    let found = [integrand.expanded(), cancelled(integrand)].iter().find_map(|form| termwise(form, variable));
    let subject = || format!("the integral of {:?}", shortened(&integrand.to_string()));
    found.map(|found| simplified(&found)).ok_or_else(|| {
        let advice = "it integrates polynomials, also times exp of a linear argument; use numerical_integrate for a \
            definite integral";
        Error::no_method("symbolic_integrate", &subject(), advice)
    })
}

/// The sum of the integrals of the terms; `None` where one of them has no method.
fn termwise(integrand: &Expression, variable: &str) -> Option<Expression> {
    integrand.parted(variable).into_iter().try_fold(Expression::default(), |sum, (inside, outside)| {
        Some(sum.plus(&outside.times(&term(inside, variable)?).expanded()))
    })
}

/// The integral of a natural power of the variable, or of that times an exponential. There the power is differentiated to
/// nothing, by parts, while the exponential is integrated.
fn term(mut inside: Product, variable: &str) -> Option<Expression> {
    let symbol = Base::Symbol(variable.to_owned());
    let power = inside.remove(&symbol).unwrap_or_default();
    power.as_integer().filter(|power| *power >= 0)?;
    let mut falling = Expression::from(symbol.clone()).power(&power)?;
    let Some(argument) = inside.remove(&Base::E) else {
        let raised = power.plus(&Expression::one());
        let whole = falling.times(&symbol.into()).over(&raised);
        return whole.filter(|_| inside.is_empty());
    };
    let slope = match coefficients(&argument, &symbol)?.as_slice() {
        [_, slope] if inside.is_empty() => slope.clone(),
        _ => return None,
    };
    let rising = Expression::from(Base::E).power(&argument)?;
    let (mut sum, mut factor) = (Expression::default(), Expression::one().over(&slope)?);
    while !falling.is_zero() {
        sum = sum.plus(&falling.times(&factor).times(&rising));
        falling = falling.derivative(variable);
        factor = factor.over(&slope)?.negated();
    }
    Some(sum)
}
