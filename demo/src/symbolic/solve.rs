//! One equation in one variable.

use num_complex::Complex64;

use super::kernel::Kernel;
use super::polynomial::{Polynomial, coefficients};
use super::roots::{Root, quadratic, roots};
use super::simplify::{cancelled, fraction, simplify};
use crate::error::{Error, Result};
use crate::expression::{Expr, divide, evaluate, expand, negate};

/// Inversions inside each other, as in `ln(sin(exp(x))) = 0`.
const MAX_DEPTH: usize = 4;
/// The name of the kernel while it is solved for; no input can spell it.
const KERNEL: &str = "\u{1}kernel";

/// Which solutions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    Real,
    Complex,
    Positive,
    Integer,
}

impl Domain {
    /// Whether a root lies in the domain; roots with other symbols in them cannot be judged and stay.
    pub(crate) fn admits(self, root: &Root) -> bool {
        let Some(value) = value_of(root) else {
            return true;
        };
        let real = value.im.abs() <= 1e-9 * value.norm().max(1e-3);
        match self {
            Self::Complex => true,
            Self::Real => real,
            Self::Positive => real && value.re > 0.0,
            Self::Integer => {
                matches!(root, Root::Exact(Expr::Number(number)) if number.is_integer())
            }
        }
    }
}

/// The roots of one equation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    pub(crate) list: Vec<Root>,
    /// Whether there are more, of which these are the principal ones.
    pub(crate) principal: bool,
}

/// The value of a root without other symbols in it.
pub(crate) fn value_of(root: &Root) -> Option<Complex64> {
    match root {
        Root::Exact(expression) => expression.symbols().is_empty().then(|| evaluate(expression, &[])),
        Root::Approximate(value) => Some(*value),
    }
}

/// The distinct roots of `equation = 0`, ascending, each checked by putting it into the equation.
pub(crate) fn solve(equation: &Expr, variable: &str) -> Result<Roots> {
    let mut found = unchecked(equation, variable, 0)?;
    let (above, below) = fraction(equation);
    let (above, below) = (expand(&above), expand(&below));
    let polynomial = coefficients(&above, variable).is_some() && !below.contains(variable);
    let before = found.list.len();
    found.list.retain(|root| {
        magnitude(&above, variable, root).is_some_and(|ratio| ratio < 1e-7)
            && magnitude(&below, variable, root).is_some_and(|ratio| ratio > 1e-9)
    });
    if polynomial && found.list.len() < before {
        // Only kernels bring in false roots; here the numbers were too ill-conditioned.
        return Err(no_method(equation));
    }
    sort(&mut found.list);
    found.list.dedup_by(|one, two| same(one, two));
    Ok(found)
}

/// Ascending by real part, then by imaginary part; roots that are no numbers by their text.
pub(crate) fn order(one: &Root, two: &Root) -> std::cmp::Ordering {
    let rounded = |value: f64| crate::number::rounded(if value.abs() < 1e-12 { 0.0 } else { value }, 10);
    match (value_of(one), value_of(two)) {
        (Some(one), Some(two)) => {
            rounded(one.re).total_cmp(&rounded(two.re)).then(rounded(one.im).total_cmp(&rounded(two.im)))
        }
        _ => text(one).cmp(&text(two)),
    }
}

pub(crate) fn no_method(equation: &Expr) -> Error {
    Error::NoMethod {
        tool: "symbolic_solve",
        subject: format!("{:?} = 0", crate::expression::shortened(&equation.to_string())),
        advice: "use find_root for a numerical solution, or give simpler equations",
    }
}

fn unchecked(equation: &Expr, variable: &str, depth: usize) -> Result<Roots> {
    if !equation.contains(variable) {
        return if equation.is_zero() {
            Err(Error::AlwaysTrue { variables: variable.to_owned() })
        } else {
            Ok(Roots::default())
        };
    }
    if depth > MAX_DEPTH {
        return Err(no_method(equation));
    }
    let (above, _) = fraction(&cancelled(equation));
    if above.is_zero() {
        return Err(Error::AlwaysTrue { variables: variable.to_owned() });
    }
    let mut found = Roots::default();
    for factor in fraction(equation).0.factors() {
        let (base, _) = match factor.as_power() {
            (base, exponent) if exponent.as_integer().is_some_and(|count| count > 0) => (base, exponent),
            _ => (factor, Expr::one()),
        };
        if base.contains(variable) {
            let part = factor_roots(&base, variable, depth)?;
            found.list.extend(part.list);
            found.principal |= part.principal;
        }
    }
    Ok(found)
}

fn factor_roots(factor: &Expr, variable: &str, depth: usize) -> Result<Roots> {
    if let Some(list) = polynomial_roots(factor, variable) {
        return Ok(Roots { list, principal: false });
    }
    let expanded = expand(factor);
    let mut forms = vec![expanded.clone(), simplify(&expanded)];
    forms.extend(trigonometric_forms(&expanded));
    for form in forms {
        let Some(kernel) = Kernel::find(&form, variable) else {
            continue;
        };
        let replaced = kernel.replaced(&form, KERNEL);
        if replaced.contains(variable) || kernel.whole() == Expr::symbol(variable) {
            continue;
        }
        let (above, _) = fraction(&replaced);
        let Some(values) = polynomial_roots(&above, KERNEL) else {
            continue;
        };
        return through_kernel(&kernel, values, variable, depth).ok_or_else(|| no_method(factor))?;
    }
    Err(no_method(factor))
}

fn through_kernel(kernel: &Kernel, values: Vec<Root>, variable: &str, depth: usize) -> Option<Result<Roots>> {
    let mut found = Roots::default();
    for value in values {
        let Root::Exact(value) = value else {
            return None;
        };
        let (equations, principal) = kernel.inverted(variable, &value);
        if equations.is_empty() && !value.is_zero() {
            return None;
        }
        found.principal |= principal;
        for equation in equations.into_iter().filter(|equation| !equation.is_undefined()) {
            match unchecked(&equation, variable, depth + 1) {
                Ok(part) => {
                    found.list.extend(part.list);
                    found.principal |= part.principal;
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
    Some(Ok(found))
}

/// Sines as cosines and the other way round, so that one kernel is left.
fn trigonometric_forms(expanded: &Expr) -> Vec<Expr> {
    use crate::expression::{Function, function, power, product, replace, subtract};
    let swap = |from: Function, to: Function| {
        let swapped = replace(expanded, &|part| {
            let (base, exponent) = part.as_power();
            let count = exponent.as_integer().filter(|count| *count == 2)?;
            match base {
                Expr::Function(name, argument) if name == from => {
                    let square = power(function(to, *argument), Expr::integer(count));
                    Some(product([subtract(Expr::one(), square)]))
                }
                _ => None,
            }
        });
        expand(&swapped)
    };
    vec![swap(Function::Sin, Function::Cos), swap(Function::Cos, Function::Sin)]
}

/// `None` where the expression is no polynomial, or one without a formula.
fn polynomial_roots(expression: &Expr, variable: &str) -> Option<Vec<Root>> {
    if let Some(polynomial) = Polynomial::from_expression(expression, variable) {
        return (polynomial.degree() > 0).then(|| {
            let simplified = roots(&polynomial).into_iter().map(|root| match root {
                Root::Exact(expression) => Root::Exact(simplify(&expression)),
                other => other,
            });
            simplified.collect()
        });
    }
    let mut list = coefficients(expression, variable)?;
    let zeros = list.iter().take_while(|coefficient| coefficient.is_zero()).count();
    list.drain(..zeros);
    let mut found: Vec<Expr> = match list.as_slice() {
        [_] => Vec::new(),
        [last, first] => vec![negate(divide(last.clone(), first.clone()))],
        [last, middle, first] => quadratic(first.clone(), middle.clone(), last.clone()).to_vec(),
        _ => return None,
    };
    if zeros > 0 {
        found.push(Expr::zero());
    }
    Some(found.into_iter().map(|root| Root::Exact(simplify(&root))).collect())
}

/// How large the expression is at the root, relative to its terms. Other symbols get fixed values.
fn magnitude(expression: &Expr, variable: &str, root: &Root) -> Option<f64> {
    let symbols = expression.symbols();
    let mut values: Vec<(&str, Complex64)> = Vec::new();
    for (index, name) in symbols.iter().filter(|name| *name != variable).enumerate() {
        values.push((name, (0.734 + 0.291 * index as f64).into()));
    }
    let at = match root {
        Root::Exact(exact) => evaluate(exact, &values),
        Root::Approximate(value) => *value,
    };
    values.push((variable, at));
    let terms: Vec<Complex64> = expression.terms().iter().map(|term| evaluate(term, &values)).collect();
    let size: f64 = terms.iter().map(|term| term.norm()).sum();
    let total: Complex64 = terms.iter().sum();
    let ratio = if terms.len() < 2 { total.norm() } else { total.norm() / size.max(1e-300) };
    ratio.is_finite().then_some(ratio)
}

fn sort(list: &mut [Root]) {
    list.sort_by(order);
}

fn same(one: &Root, two: &Root) -> bool {
    match (value_of(one), value_of(two)) {
        (Some(a), Some(b)) => (a - b).norm() <= 1e-11 * a.norm().max(1e-6),
        _ => one == two,
    }
}

fn text(root: &Root) -> String {
    match root {
        Root::Exact(expression) => expression.to_string(),
        Root::Approximate(value) => value.to_string(),
    }
}
