//! Several equations: elimination over the fractions where they are linear, substitution where not.

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::Zero;

use super::polynomial::{coefficients, eliminate};
use super::roots::Root;
use super::simplify::{fraction, simplify};
use super::solve::{Domain, no_method, order, solve};
use crate::error::{Error, Result};
use crate::expression::{Expr, expand, negate, product, substitute, sum};

/// Branches followed while roots of one equation are put into the others.
const MAX_BRANCHES: usize = 64;

/// What a system came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solutions {
    /// One value per variable; a variable without one is free.
    pub(crate) list: Vec<BTreeMap<String, Root>>,
    /// Whether there are more, of which these are the principal ones.
    pub(crate) principal: bool,
}

/// Solves `equations = 0` for `variables`.
pub(crate) fn solve_system(equations: &[Expr], variables: &[String], domain: Domain) -> Result<Solutions> {
    let mut solutions = match (equations, variables) {
        ([equation], [variable]) => {
            let found = solve(equation, variable)?;
            let list =
                found.list.into_iter().map(|root| BTreeMap::from([(variable.clone(), root)])).collect();
            Solutions { list, principal: found.principal }
        }
        _ => match linear(equations, variables) {
            Some(list) => Solutions { list, principal: false },
            None => {
                let mut solutions = Solutions::default();
                substitution(equations.to_vec(), variables, &BTreeMap::new(), &mut solutions)?;
                solutions
            }
        },
    };
    if equations.iter().all(Expr::is_zero) {
        return Err(Error::AlwaysTrue { variables: variables.join(", ") });
    }
    solutions.list.retain(|solution| solution.values().all(|root| domain.admits(root)));
    solutions.list.sort_by(|one, two| {
        let pairs = variables.iter().filter_map(|name| Some((one.get(name)?, two.get(name)?)));
        pairs.map(|(a, b)| order(a, b)).find(|found| found.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    solutions.list.dedup();
    Ok(solutions)
}

/// `None` where an equation is not linear with numbers as coefficients of the variables.
fn linear(equations: &[Expr], variables: &[String]) -> Option<Vec<BTreeMap<String, Root>>> {
    let mut rows = Vec::new();
    for equation in equations {
        let mut rest = expand(&fraction(equation).0);
        if fraction(equation).1.symbols().iter().any(|name| variables.contains(name)) {
            return None;
        }
        let mut row: Vec<BigRational> = Vec::new();
        for variable in variables {
            let list = coefficients(&rest, variable)?;
            let coefficient = match list.as_slice() {
                [] | [_] => BigRational::zero(),
                [_, coefficient] => coefficient.as_number()?.clone(),
                _ => return None,
            };
            row.push(coefficient);
            rest = list.into_iter().next().unwrap_or_else(Expr::zero);
        }
        row.push(-rest.as_number()?.clone());
        rows.push(row);
    }
    let Some(pivots) = eliminate(&mut rows, variables.len()) else {
        return Some(Vec::new());
    };
    let mut solution = BTreeMap::new();
    for (row, pivot) in rows.iter().zip(&pivots) {
        let right = Expr::Number(row[variables.len()].clone());
        let free = (0..variables.len()).filter(|column| column != pivot).map(|column| {
            negate(product([Expr::Number(row[column].clone()), Expr::symbol(&variables[column])]))
        });
        solution.insert(variables[*pivot].clone(), Root::Exact(sum(free.chain([right]))));
    }
    Some(vec![solution])
}

/// Takes the equation that is easiest to solve for one variable, and puts the roots into the rest.
fn substitution(
    equations: Vec<Expr>,
    variables: &[String],
    known: &BTreeMap<String, Root>,
    solutions: &mut Solutions,
) -> Result<()> {
    if solutions.list.len() > MAX_BRANCHES {
        return Err(Error::Exhausted);
    }
    let mut open = Vec::new();
    for equation in equations {
        let equation = simplify(&equation);
        if equation.is_undefined() {
            return Ok(());
        }
        if variables.iter().any(|name| equation.contains(name)) {
            open.push(equation);
        } else if !equation.is_zero() {
            // Constants that only numbers show to be zero are zero here.
            let value = crate::expression::evaluate(&equation, &[]);
            if value.norm().is_nan() || value.norm() > 1e-9 {
                return Ok(());
            }
        }
    }
    let Some((index, variable)) = easiest(&open, variables) else {
        solutions.list.push(known.clone());
        return Ok(());
    };
    let equation = open.remove(index);
    let found = solve(&equation, &variable)?;
    solutions.principal |= found.principal;
    for root in found.list {
        let mut known = known.clone();
        let Root::Exact(value) = &root else {
            let needed = open.iter().any(|other| other.contains(&variable))
                || known.values().any(|other| mentions(other, &variable));
            if needed {
                return Err(no_method(&equation));
            }
            known.insert(variable.clone(), root);
            substitution(open.clone(), variables, &known, solutions)?;
            continue;
        };
        let value = value.clone();
        for other in known.values_mut() {
            if let Root::Exact(expression) = other {
                *expression = simplify(&substitute(expression, &variable, &value));
            }
        }
        known.insert(variable.clone(), root);
        let rest: Vec<Expr> = open.iter().map(|other| substitute(other, &variable, &value)).collect();
        substitution(rest, variables, &known, solutions)?;
    }
    Ok(())
}

fn mentions(root: &Root, variable: &str) -> bool {
    matches!(root, Root::Exact(expression) if expression.contains(variable))
}

/// The equation and variable to take next: one variable alone, else one that stands linearly.
fn easiest(equations: &[Expr], variables: &[String]) -> Option<(usize, String)> {
    let mut best: Option<(usize, usize, String)> = None;
    for (index, equation) in equations.iter().enumerate() {
        let present: Vec<&String> = variables.iter().filter(|name| equation.contains(name)).collect();
        for variable in &present {
            let degree = match coefficients(&fraction(equation).0, variable) {
                Some(list) if list.len() == 2 && list[1].as_number().is_some() => 1,
                Some(list) => list.len() + 1,
                None => 20,
            };
            let cost = degree + if present.len() == 1 { 0 } else { 3 * present.len() };
            if best.as_ref().is_none_or(|(known, ..)| cost < *known) {
                best = Some((cost, index, (*variable).clone()));
            }
        }
    }
    best.map(|(_, index, variable)| (index, variable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::divide;

    #[test]
    fn linear_systems_are_solved_over_the_fractions() {
        let half = divide(Expr::symbol("x"), Expr::integer(2));
        let equation = sum([half, Expr::integer(-3)]);
        let found = linear(&[equation], &["x".to_owned()]).unwrap();
        assert_eq!(found[0]["x"], Root::Exact(Expr::integer(6)));
    }
}
