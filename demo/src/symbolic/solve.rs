//! One equation in one variable, and systems of linear equations.

use std::collections::BTreeMap;

use super::polynomial::{Polynomial, coefficients};
use super::roots::{quadratic, roots};
use super::simplify::{cancelled, fraction, simplified};
use crate::error::{Error, Result, wrong};
use crate::expression::{Base, Expression, shortened};

/// The distinct roots of `equation = 0`: those with real values ascending, then the others in any order, always the same.
pub(crate) fn solve(equation: &Expression, variable: &str) -> Result<Vec<Expression>> {
    let whole = fraction(&cancelled(equation)).0;
    if whole.is_zero() {
        return Err(always_true());
    }
    let mut found =
        polynomial_roots(&whole, &Base::Symbol(variable.to_owned())).ok_or_else(|| no_method(equation))?;
    let value =
        |root: &Expression| Some(root.value(&[])).filter(|value| !value.is_nan()).unwrap_or(f64::INFINITY);
    found.sort_by(|one, two| value(one).total_cmp(&value(two)).then_with(|| one.cmp(two)));
    Ok(found)
}

pub(crate) fn always_true() -> Error {
    wrong("equations", "equations that are true for every value", "ones to be solved")
}

fn no_method(equation: &Expression) -> Error {
    let subject = format!("{:?} = 0", shortened(&equation.to_string()));
    let advice = "it solves polynomials in one variable whose roots are fractions or have square roots of these, \
        formulas of degree 1 and 2, and systems of linear equations; use find_root for a numerical solution";
    Error::no_method("symbolic_solve", &subject, advice)
}

fn polynomial_roots(whole: &Expression, symbol: &Base) -> Option<Vec<Expression>> {
    if let Some(polynomial) = Polynomial::of(whole, symbol) {
        return roots(&polynomial);
    }
    let mut list = coefficients(whole, symbol)?;
    let zeros = list.iter().take_while(|coefficient| coefficient.is_zero()).count();
    list.drain(..zeros);
    let mut found = match list.as_slice() {
        [_] => Vec::new(),
        [last, first] => vec![simplified(&last.negated().over(first)?)],
        [last, middle, first] => quadratic(first, middle, last)?.to_vec(),
        _ => return None,
    };
    found.extend((zeros > 0).then(Expression::default));
    Some(found)
}

/// The solution of linear `equations = 0`, if there is one; a variable without a value is free. Each variable is taken from
/// the first equation that has it, and put into the others.
pub(crate) fn solve_linear(
    equations: &[Expression],
    variables: &[String],
) -> Result<Option<BTreeMap<String, Expression>>> {
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
    Ok(rest.iter().all(Expression::is_zero).then_some(found))
}
