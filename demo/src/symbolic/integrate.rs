//! Integrals: rules, partial fractions, parts and substitution, each answer checked by its derivative.

mod rational;
mod rules;

use num_complex::Complex64;

use super::kernel::Kernel;
use super::{derivative, simplify::cancelled, simplify::simplify, simplify::squares_swapped};
use crate::error::{Error, Result};
use crate::expression::{
    Expr, Function, divide, evaluate, expand, product, real_value, replace, substitute, subtract, sum,
};
use crate::numerical::quadrature;

/// Substitutions and parts inside each other.
const MAX_DEPTH: usize = 5;
/// Inner functions tried as a substitution.
const MAX_CANDIDATES: usize = 10;
/// Where the derivative of an answer is compared with the integrand.
const POINTS: [f64; 6] = [0.3137, 0.7193, 1.3731, 2.2413, -0.6173, -1.4719];

/// An antiderivative over the real numbers, without the constant.
pub(crate) fn integral(integrand: &Expr, variable: &str) -> Result<Expr> {
    let found = antiderivative(integrand, variable, 0).map(|found| simplify(&found));
    found.filter(|found| holds(found, integrand, variable)).ok_or_else(|| Error::NoMethod {
        tool: "symbolic_integrate",
        subject: format!("the integral of {:?}", crate::expression::shortened(&integrand.to_string())),
        advice: "use numerical_integrate for a definite integral",
    })
}

/// The integral from `lower` to `upper`, compared with a numerical one where it has a number as value.
pub(crate) fn definite_integral(
    integrand: &Expr,
    variable: &str,
    lower: &Expr,
    upper: &Expr,
) -> Result<Expr> {
    let whole = integral(integrand, variable)?;
    let at = |bound: &Expr| substitute(&whole, variable, bound);
    let value = simplify(&subtract(at(upper), at(lower)));
    let diverges = || Error::NoMethod {
        tool: "symbolic_integrate",
        subject: "an integrand that has a singularity within the bounds".to_owned(),
        advice: "the integral may diverge; choose bounds without the singularity",
    };
    if value.is_undefined() {
        return Err(diverges());
    }
    let numbers = [lower, upper].iter().all(|bound| bound.symbols().is_empty());
    if numbers && integrand.symbols().iter().all(|name| name == variable) {
        let (a, b) = (real_value(lower, &[]), real_value(upper, &[]));
        let exact = real_value(&value, &[]);
        let numerical =
            quadrature(&|x| real_value(integrand, &[(variable, x)]), a, b, 1e-7).map_err(|_| diverges())?;
        let difference = (numerical.value - exact).abs();
        if difference.is_nan() || difference > 1e-5 * exact.abs().max(1.0) {
            return Err(diverges());
        }
    }
    Ok(value)
}

fn antiderivative(integrand: &Expr, variable: &str, depth: usize) -> Option<Expr> {
    if depth > MAX_DEPTH {
        return None;
    }
    if !integrand.contains(variable) {
        return Some(product([integrand.clone(), Expr::symbol(variable)]));
    }
    let (outside, inside): (Vec<_>, Vec<_>) =
        integrand.factors().into_iter().partition(|factor| !factor.contains(variable));
    if !outside.is_empty() {
        let inner = antiderivative(&product(inside), variable, depth)?;
        return Some(product(outside.into_iter().chain([inner])));
    }
    if let Some(found) = rules::table(integrand, variable) {
        return Some(found);
    }
    if let Some(found) = rational::integral(integrand, variable) {
        return Some(found);
    }
    if let Expr::Sum(terms) = integrand
        && let Some(found) = termwise(terms, variable, depth)
    {
        return Some(found);
    }
    rules::by_parts(integrand, variable, &|rest| antiderivative(rest, variable, depth + 1))
        .or_else(|| substituted(integrand, variable, depth))
        .or_else(|| other_forms(integrand, variable, depth))
}

fn termwise(terms: &[Expr], variable: &str, depth: usize) -> Option<Expr> {
    let parts: Option<Vec<_>> = terms.iter().map(|term| antiderivative(term, variable, depth + 1)).collect();
    parts.map(sum)
}

fn other_forms(integrand: &Expr, variable: &str, depth: usize) -> Option<Expr> {
    // Odd powers leave one factor over, which is the slope that a substitution needs.
    let odd = |from, to| {
        expand(&replace(integrand, &|part| {
            let odd = part.as_power().1.as_integer().is_some_and(|count| count % 2 == 1);
            squares_swapped(part, from, to).filter(|_| odd)
        }))
    };
    let forms = [
        odd(Function::Sin, Function::Cos),
        odd(Function::Cos, Function::Sin),
        rules::half_angles(integrand),
        expand(integrand),
        simplify(integrand),
    ];
    let mut different = forms.iter().filter(|form| *form != integrand);
    different.find_map(|form| antiderivative(form, variable, depth + 1))
}

/// f(g(x)) g'(x), for every g that stands inside the integrand.
fn substituted(integrand: &Expr, variable: &str, depth: usize) -> Option<Expr> {
    let mut inner = Vec::new();
    candidates(integrand, variable, &mut inner);
    inner.truncate(MAX_CANDIDATES);
    // No input can spell this name, and each depth has its own.
    let name = format!("\u{1}t{depth}");
    inner.into_iter().find_map(|candidate| {
        let slope = derivative(&candidate, variable);
        let (base, exponent) = match &candidate {
            Expr::Sum(_) => (candidate.clone(), Expr::one()),
            other => other.as_power(),
        };
        let rest =
            Kernel { base, exponent }.replaced(&cancelled(&divide(integrand.clone(), slope.clone())), &name);
        let direct = Kernel { base: candidate.clone(), exponent: Expr::one() };
        let rest = if rest.contains(variable) {
            direct.replaced(&divide(integrand.clone(), slope), &name)
        } else {
            rest
        };
        if rest.contains(variable) {
            return None;
        }
        let found = antiderivative(&rest, &name, depth + 1)?;
        Some(substitute(&found, &name, &candidate))
    })
}

fn candidates(expression: &Expr, variable: &str, found: &mut Vec<Expr>) {
    let composite = matches!(expression, Expr::Power(..) | Expr::Function(..) | Expr::Sum(_));
    if !expression.contains(variable) {
        return;
    }
    for child in expression.children() {
        candidates(child, variable, found);
    }
    if composite && !found.contains(expression) {
        found.push(expression.clone());
    }
}

/// Whether the derivative of `found` is the integrand, at points where both have real values.
fn holds(found: &Expr, integrand: &Expr, variable: &str) -> bool {
    let slope = derivative(found, variable);
    let symbols: Vec<String> = sum([slope.clone(), integrand.clone()]).symbols().into_iter().collect();
    let mut compared = 0;
    for point in POINTS {
        let mut values: Vec<(&str, Complex64)> = vec![(variable, point.into())];
        for (index, name) in symbols.iter().filter(|name| *name != variable).enumerate() {
            values.push((name, (0.731 + 0.437 * index as f64).into()));
        }
        let (one, two) = (evaluate(&slope, &values), evaluate(integrand, &values));
        if !one.is_finite() || !two.is_finite() || two.im.abs() > 1e-9 {
            continue;
        }
        if (one - two).norm() > 1e-6 * two.norm().max(1e-3) {
            return false;
        }
        compared += 1;
    }
    compared >= 2
}
