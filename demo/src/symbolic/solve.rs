//! One equation in one variable, and systems of linear equations.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::polynomial::{Polynomial, coefficients};
use super::roots::{Root, quadratic, roots};
use super::simplify::{cancelled, fraction, simplified};
use crate::error::{Error, Result, wrong};
use crate::expression::{Base, Expression, Function, function, shortened};
use crate::json::rounded;

/// The distinct roots of `equation = 0`, ascending, and whether there are more, of which these are the principal ones.
pub(crate) fn solve(equation: &Expression, variable: &str) -> Result<(Vec<Root>, bool)> {
    let whole = fraction(&cancelled(equation)).0;
    if whole.is_zero() {
        return Err(always_true());
    }
    let symbol = Base::Symbol(variable.to_owned());
    let (mut found, principal) = match coefficients(&whole, &symbol) {
        Some(_) => (polynomial_roots(&whole, &symbol), false),
        None => (inverted(&whole, variable), true),
    };
    let found = found.as_mut().ok_or_else(|| no_method(equation))?;
    found.sort_by(order);
    Ok((std::mem::take(found), principal))
}

/// Ascending by real part, then by imaginary part; roots that are no numbers in any order, always the same.
pub(crate) fn order(one: &Root, two: &Root) -> Ordering {
    let rounded = |value: f64| rounded(if value.abs() < 1e-12 { 0.0 } else { value }, 10);
    match (one.value, two.value) {
        (Some(one), Some(two)) => {
            rounded(one.re).total_cmp(&rounded(two.re)).then(rounded(one.im).total_cmp(&rounded(two.im)))
        }
        _ => one.exact.cmp(&two.exact),
    }
}

pub(crate) fn always_true() -> Error {
    wrong("equations", "equations that are true for every value", "ones to be solved")
}

fn no_method(equation: &Expression) -> Error {
    let subject = format!("{:?} = 0", shortened(&equation.to_string()));
    let advice = "it solves polynomials in one variable, formulas of degree 1 and 2 in it, systems of linear \
        equations, and one exp or ln with numbers; use find_root for a numerical solution";
    Error::no_method("symbolic_solve", &subject, advice)
}

fn polynomial_roots(whole: &Expression, symbol: &Base) -> Option<Vec<Root>> {
    if let Some(polynomial) = Polynomial::of(whole, symbol) {
        return roots(&polynomial);
    }
    let mut list = coefficients(whole, symbol)?;
    let zeros = list.iter().take_while(|coefficient| coefficient.is_zero()).count();
    list.drain(..zeros);
    let mut found = match list.as_slice() {
        [_] => Vec::new(),
        [last, first] => vec![Root::exact(simplified(&last.negated().over(first)?))],
        [last, middle, first] => quadratic(first, middle, last)?.to_vec(),
        _ => return None,
    };
    if zeros > 0 {
        found.push(Root::exact(Expression::default()));
    }
    Some(found)
}

/// The roots of `a*f(x) + b`, where `f` is an exponential or a logarithm.
fn inverted(whole: &Expression, variable: &str) -> Option<Vec<Root>> {
    let (mut slope, mut rest, mut inner) = (Expression::default(), Expression::default(), None);
    for (inside, outside) in whole.expanded().parted(variable) {
        if inside.is_empty() {
            rest = rest.plus(&outside);
            continue;
        }
        if inner.replace(inside.clone()).is_some_and(|known| known != inside) || inside.len() != 1 {
            return None;
        }
        slope = slope.plus(&outside);
    }
    let value = simplified(&rest.negated().over(&slope)?);
    let equation = match inner?.into_iter().next()? {
        (Base::E, _) if value.is_zero() => return Some(Vec::new()),
        (Base::E, exponent) => exponent.minus(&function(Function::Ln, value)?),
        (Base::Function(Function::Ln, argument), one) if one.is_one() => {
            argument.minus(&Expression::from(Base::E).power(&value)?)
        }
        _ => return None,
    };
    polynomial_roots(&equation, &Base::Symbol(variable.to_owned()))
}

/// The solution of linear `equations = 0`, if there is one; a variable without a value is free. Each variable is taken from
/// the first equation that has it, and put into the others.
pub(crate) fn solve_linear(
    equations: &[Expression],
    variables: &[String],
) -> Result<Option<BTreeMap<String, Root>>> {
    if equations.iter().all(Expression::is_zero) {
        return Err(always_true());
    }
    let mut rest: Vec<Expression> =
        equations.iter().map(|equation| fraction(&cancelled(equation)).0).collect();
    let mut found: BTreeMap<String, Expression> = BTreeMap::new();
    for variable in variables {
        let symbol = Base::Symbol(variable.clone());
        let value = |equation: &Expression| match coefficients(equation, &symbol)?.as_slice() {
            [level, slope] if slope.as_number().is_some() => level.negated().over(slope),
            _ => None,
        };
        let Some((at, value)) = rest.iter().enumerate().find_map(|(at, one)| Some((at, value(one)?))) else {
            continue;
        };
        rest.remove(at);
        for one in rest.iter_mut().chain(found.values_mut()) {
            *one = one.substituted(variable, &value).unwrap_or_default().expanded();
        }
        found.insert(variable.clone(), value.expanded());
    }
    let is_number = |left: &Expression| left.as_number().is_some();
    if !rest.iter().all(is_number) {
        let advice = "it solves systems of linear equations with numbers before the variables; give one equation, \
            or use find_root for a numerical solution";
        return Err(Error::no_method("symbolic_solve", "these equations together", advice));
    }
    let is_solved = rest.iter().all(Expression::is_zero);
    Ok(is_solved.then(|| found.into_iter().map(|(name, value)| (name, Root::exact(value))).collect()))
}
