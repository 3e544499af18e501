//! Integrals of polynomials, of powers, exponentials and waves of linear arguments, and of these times polynomials.

use num_rational::BigRational;
use num_traits::Signed;

use super::polynomial::{Polynomial, coefficients};
use super::simplify::{cancelled, simplified};
use crate::error::{Error, Result};
use crate::expression::{Base, Expression, Function, Product, function, shortened};
use crate::numerical::quadrature;

/// An antiderivative over the real numbers, without the constant.
pub(crate) fn integral(integrand: &Expression, variable: &str) -> Result<Expression> {
    let found = [integrand.expanded(), cancelled(integrand)].iter().find_map(|form| termwise(form, variable));
    let subject = || format!("the integral of {:?}", shortened(&integrand.to_string()));
    found.map(|found| simplified(&found)).ok_or_else(|| {
        let advice = "it integrates polynomials, also times sin, cos, sinh, cosh or exp of a linear argument, \
            powers of such arguments, and numbers over quadratic polynomials without real roots; use \
            numerical_integrate for a definite integral";
        Error::no_method("symbolic_integrate", &subject(), advice)
    })
}

/// The integral from `lower` to `upper`, compared with a numerical one where it has a number as value.
pub(crate) fn definite_integral(
    integrand: &Expression,
    variable: &str,
    lower: &Expression,
    upper: &Expression,
) -> Result<Expression> {
    let diverges = || {
        let subject = "an integrand that has a singularity within the bounds";
        let advice = "the integral may diverge; choose bounds without the singularity";
        Error::no_method("symbolic_integrate", subject, advice)
    };
    let whole = integral(integrand, variable)?;
    let at = |bound: &Expression| whole.substituted(variable, bound).ok_or_else(diverges);
    let value = simplified(&at(upper)?.minus(&at(lower)?));
    let numbers = [lower, upper].iter().all(|bound| bound.symbols().is_empty());
    if numbers && integrand.symbols().iter().all(|name| name == variable) {
        let f = |x| integrand.value(&[(variable, x)]);
        let numerical =
            quadrature(&f, lower.value(&[]), upper.value(&[]), 1e-7).map_err(|_| diverges())?.value;
        let exact = value.value(&[]);
        let difference = (numerical - exact).abs();
        if difference.is_nan() || difference > 1e-5 * exact.abs().max(1.0) {
            return Err(diverges());
        }
    }
    Ok(value)
}

fn termwise(integrand: &Expression, variable: &str) -> Option<Expression> {
    integrand.parted(variable).into_iter().try_fold(Expression::default(), |sum, (inside, outside)| {
        Some(sum.plus(&outside.times(&term(inside, variable)?).expanded()))
    })
}

/// The integral of a natural power of the variable times one other factor.
fn term(mut inside: Product, variable: &str) -> Option<Expression> {
    let symbol = Base::Symbol(variable.to_owned());
    let natural = |exponent: &Expression| exponent.as_integer().is_some_and(|count| count >= 0);
    let power = inside.remove(&symbol).unwrap_or_default();
    let Some((base, exponent)) = inside.pop_first() else {
        return powers(&symbol.into(), &power, variable);
    };
    if !inside.is_empty() || !natural(&power) {
        return None;
    }
    match (base, exponent) {
        (Base::Sum(sum), exponent) if power.is_zero() && linear(&sum, variable).is_some() => {
            powers(&sum, &exponent, variable)
        }
        (Base::Sum(sum), exponent) if power.is_zero() && exponent.as_integer() == Some(-1) => {
            over_quadratic(&Polynomial::of(&sum, &symbol)?, &symbol)
        }
        (Base::E, argument) => by_parts(power, None, &argument, variable),
        (Base::Function(name, argument), one) if one.is_one() => {
            by_parts(power, Some(name), &argument, variable)
        }
        _ => None,
    }
}

/// The slope of a linear expression.
fn linear(expression: &Expression, variable: &str) -> Option<Expression> {
    match coefficients(expression, &Base::Symbol(variable.to_owned()))?.as_slice() {
        [_, slope] => Some(slope.clone()),
        _ => None,
    }
}

/// The integral of a power of a linear expression.
fn powers(base: &Expression, exponent: &Expression, variable: &str) -> Option<Expression> {
    if exponent.contains(variable) {
        return None;
    }
    let raised = exponent.clone().plus(&Expression::one());
    let whole = match raised.is_zero() {
        true => function(Function::Ln, function(Function::Abs, base.clone())?)?,
        false => base.power(&raised)?.over(&raised)?,
    };
    whole.over(&linear(base, variable)?)
}

/// The integral of `x**power` times an exponential or a wave of a linear argument: the power is differentiated to nothing
/// while the other factor is integrated.
fn by_parts(
    power: Expression,
    mut wave: Option<Function>,
    argument: &Expression,
    variable: &str,
) -> Option<Expression> {
    use Function::{Cos, Cosh, Sin, Sinh};
    let slope = linear(argument, variable)?;
    let mut falling = Expression::symbol(variable).power(&power)?;
    let (mut sum, mut factor) = (Expression::default(), Expression::one());
    while !falling.is_zero() {
        factor = factor.over(&slope)?;
        let rising = match wave {
            None => Expression::from(Base::E).power(argument)?,
            Some(name) => {
                let next = match name {
                    Sin => Cos,
                    Cos => Sin,
                    Sinh => Cosh,
                    Cosh => Sinh,
                    _ => return None,
                };
                if name == Sin {
                    factor = factor.negated();
                }
                wave = Some(next);
                function(next, argument.clone())?
            }
        };
        sum = sum.plus(&falling.times(&factor).times(&rising));
        falling = falling.derivative(variable);
        factor = factor.negated();
    }
    Some(sum)
}

/// The integral of `1/(a*x**2 + b*x + c)`, where that has no real roots: `2/w*atan((2*a*x + b)/w)`, `w**2 = 4*a*c - b**2`.
fn over_quadratic(below: &Polynomial, symbol: &Base) -> Option<Expression> {
    let [c, b, a] = below.0.as_slice() else { return None };
    let width = BigRational::from_integer(4.into()) * a * c - b * b;
    if !width.is_positive() {
        return None;
    }
    let root = Expression::number(width).sqrt();
    let angle = function(Function::Atan, below.derivative().to_expression(symbol).over(&root)?.expanded())?;
    Expression::integer(2).times(&angle).over(&root)
}
