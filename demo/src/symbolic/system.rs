//! Several equations or variables: elimination over the fractions.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::Zero;

use super::polynomial::{coefficients, eliminate};
use super::roots::Root;
use super::simplify::fraction;
use crate::error::{Error, Result};
use crate::expression::{Base, Expression};

/// The solution of linear `equations = 0`, if there is one; a variable without a value is free.
pub(crate) fn solve_linear(
    equations: &[Expression],
    variables: &[String],
) -> Result<Option<BTreeMap<String, Root>>> {
    if equations.iter().all(Expression::is_zero) {
        return Err(Error::AlwaysTrue { variables: variables.join(", ") });
    }
    let mut rows = equations.iter().map(|equation| row(equation, variables)).collect::<Option<Vec<_>>>().ok_or(
        Error::NoMethod {
            tool: "symbolic_solve",
            subject: "these equations together".to_owned(),
            advice: "it solves systems of linear equations with numbers before the variables; give one equation, or use \
                find_root for a numerical solution",
        },
    )?;
    let Some(pivots) = eliminate(&mut rows, variables.len()) else {
        return Ok(None);
    };
    let mut solution = BTreeMap::new();
    for (row, pivot) in rows.iter().zip(&pivots) {
        let mut value = Expression::number(row[variables.len()].clone());
        for column in (0..variables.len()).filter(|column| column != pivot) {
            value = value.minus(&Expression::symbol(&variables[column]).scaled(&row[column]));
        }
        solution.insert(variables[*pivot].clone(), Root::exact(value));
    }
    Ok(Some(solution))
}

/// The coefficients of the variables, and the right side.
fn row(equation: &Expression, variables: &[String]) -> Option<Vec<BigRational>> {
    let (mut rest, below) = fraction(equation);
    if below.symbols().iter().any(|name| variables.contains(name)) {
        return None;
    }
    let mut row = Vec::new();
    for variable in variables {
        let list = coefficients(&rest, &Base::Symbol(variable.clone()))?;
        row.push(match list.as_slice() {
            [] | [_] => BigRational::zero(),
            [_, coefficient] => coefficient.as_number()?,
            _ => return None,
        });
        rest = list.into_iter().next().unwrap_or_default();
    }
    row.push(-rest.as_number()?);
    Some(row)
}
