//! Expressions as text, in the syntax that the parser reads, always in the same order.

use std::cmp::Reverse;
use std::fmt;

use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::{Constant, Expr, negate, power};

impl fmt::Display for Expr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&print(self))
    }
}

fn print(expression: &Expr) -> String {
    match expression {
        Expr::Undefined => "undefined".to_owned(),
        Expr::Number(number) => number.to_string(),
        Expr::Constant(Constant::Pi) => "pi".to_owned(),
        Expr::Constant(Constant::E) => "e".to_owned(),
        Expr::Constant(Constant::I) => "i".to_owned(),
        Expr::Symbol(name) => name.clone(),
        Expr::Function(name, argument) => format!("{}({})", name.name(), print(argument)),
        Expr::Sum(terms) => print_sum(terms),
        Expr::Product(_) => print_product(expression),
        Expr::Power(base, exponent) => {
            let inverse = exponent.as_number().is_some_and(Signed::is_negative);
            if inverse && !is_e(base) { print_product(expression) } else { print_power(base, exponent) }
        }
    }
}

/// Highest degree first, numbers last, as polynomials are written.
fn print_sum(terms: &[Expr]) -> String {
    let mut ordered: Vec<&Expr> = terms.iter().collect();
    ordered.sort_by_cached_key(|term| {
        let unsigned = if term.is_negated() { negate((*term).clone()) } else { (*term).clone() };
        (term.as_number().is_some(), Reverse(degree(term)), print(&unsigned))
    });
    let mut text = String::new();
    for (index, term) in ordered.into_iter().enumerate() {
        let negative = term.is_negated();
        match (index, negative) {
            (0, _) => text.push_str(&print(term)),
            (_, true) => {
                text.push_str(" - ");
                text.push_str(&print(&negate(term.clone())));
            }
            (_, false) => {
                text.push_str(" + ");
                text.push_str(&print(term));
            }
        }
    }
    text
}

fn degree(term: &Expr) -> i64 {
    match term {
        Expr::Symbol(_) => 1,
        Expr::Product(factors) => factors.iter().map(degree).fold(0, i64::saturating_add),
        Expr::Power(base, exponent) => {
            let factor = exponent.as_number().and_then(ToPrimitive::to_f64).unwrap_or(0.0);
            (degree(base) as f64 * factor) as i64
        }
        _ => 0,
    }
}

fn print_product(expression: &Expr) -> String {
    let (coefficient, rest) = expression.split_coefficient();
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut below: Vec<(u8, String)> = Vec::new();
    let mut square_roots = BigRational::one();
    for factor in rest.factors() {
        if factor.is_one() {
            continue;
        }
        let (base, exponent) = factor.as_power();
        let half = exponent == Expr::ratio(1, 2);
        if let (Expr::Number(number), true) = (&base, half) {
            // Kept apart as primes inside, written as one root.
            square_roots *= number;
            continue;
        }
        let inverse = exponent.as_number().is_some_and(Signed::is_negative) && !is_e(&base);
        if inverse {
            let flipped = power(base, negate(exponent));
            below.push((rank(&flipped), parenthesized(&flipped)));
        } else {
            above.push((rank(&factor), parenthesized(&factor)));
        }
    }
    if !square_roots.is_one() {
        above.push((1, format!("sqrt({square_roots})")));
    }
    if !coefficient.numer().abs().is_one() {
        above.push((0, coefficient.numer().abs().to_string()));
    }
    if !coefficient.denom().is_one() {
        below.push((0, coefficient.denom().to_string()));
    }
    above.sort();
    below.sort();
    let join =
        |parts: &[(u8, String)]| parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("*");
    let sign = if coefficient.is_negative() { "-" } else { "" };
    let above = if above.is_empty() { "1".to_owned() } else { join(&above) };
    match below.len() {
        0 => format!("{sign}{above}"),
        1 => format!("{sign}{above}/{}", join(&below)),
        _ => format!("{sign}{above}/({})", join(&below)),
    }
}

/// The order of factors in a product: numbers, roots, constants, symbols, functions, sums.
fn rank(factor: &Expr) -> u8 {
    match factor {
        Expr::Undefined | Expr::Number(_) => 0,
        Expr::Constant(Constant::I) => 3,
        Expr::Constant(_) => 2,
        Expr::Symbol(_) => 4,
        Expr::Power(base, _) if is_e(base) => 6,
        Expr::Power(base, _) => rank(base).max(1),
        Expr::Function(..) => 5,
        Expr::Product(_) | Expr::Sum(_) => 7,
    }
}

fn print_power(base: &Expr, exponent: &Expr) -> String {
    if is_e(base) {
        return format!("exp({})", print(exponent));
    }
    if *exponent == Expr::ratio(1, 2) {
        return format!("sqrt({})", print(base));
    }
    let simple_base = match base {
        Expr::Number(number) => number.is_integer() && !number.is_negative(),
        Expr::Symbol(_) | Expr::Constant(_) | Expr::Function(..) => true,
        _ => false,
    };
    let simple_exponent = match exponent {
        Expr::Number(number) => number.is_integer() && !number.is_negative(),
        Expr::Symbol(_) | Expr::Constant(_) | Expr::Function(..) => true,
        _ => false,
    };
    let wrap = |expression: &Expr, simple| {
        if simple { print(expression) } else { format!("({})", print(expression)) }
    };
    format!("{}**{}", wrap(base, simple_base), wrap(exponent, simple_exponent))
}

fn parenthesized(factor: &Expr) -> String {
    match factor {
        Expr::Sum(_) | Expr::Product(_) => format!("({})", print(factor)),
        Expr::Number(number) if !number.is_integer() || number.is_negative() => {
            format!("({number})")
        }
        other => print(other),
    }
}

fn is_e(base: &Expr) -> bool {
    matches!(base, Expr::Constant(Constant::E))
}
