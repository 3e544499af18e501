//! Expressions as text, in the syntax that the parser reads, always in the same order.

use std::cmp::Reverse;
use std::fmt;

use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::{Base, Expression, Product};

impl fmt::Display for Expression {
    /// Highest degree first, numbers last, as polynomials are written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return formatter.write_str("0");
        }
        let texts = self.terms().map(|(product, coefficient)| {
            let text = term(product, &coefficient.abs());
            ((product.is_empty(), Reverse(degree(product)), text), coefficient.is_negative())
        });
        let mut ordered: Vec<_> = texts.collect();
        ordered.sort();
        for (index, ((_, _, text), negative)) in ordered.into_iter().enumerate() {
            formatter.write_str(match (index, negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            })?;
            formatter.write_str(&text)?;
        }
        Ok(())
    }
}

fn degree(product: &Product) -> i64 {
    let symbols = product.iter().filter(|(base, _)| matches!(base, Base::Symbol(_)));
    symbols.filter_map(|(_, exponent)| exponent.as_number()?.to_f64()).sum::<f64>() as i64
}

fn term(product: &Product, coefficient: &BigRational) -> String {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let mut square_roots = BigRational::one();
    for (base, exponent) in product {
        let number = exponent.as_number();
        match base {
            // Kept apart as primes inside, written as one root.
            Base::Number(prime) if *exponent == Expression::ratio(1, 2) => square_roots *= prime,
            _ if number.is_some_and(|number| number.is_negative()) && *base != Base::E => {
                below.push((rank(base, exponent), power(base, &exponent.negated())));
            }
            _ => above.push((rank(base, exponent), power(base, exponent))),
        }
    }
    if !square_roots.is_one() {
        above.push((1, format!("sqrt({square_roots})")));
    }
    if !coefficient.numer().is_one() {
        above.push((0, coefficient.numer().to_string()));
    }
    if !coefficient.denom().is_one() {
        below.push((0, coefficient.denom().to_string()));
    }
    let joined = |mut parts: Vec<(u8, String)>| {
        parts.sort();
        parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("*")
    };
    let (several, whole) = (below.len() > 1, !below.is_empty());
    let above = if above.is_empty() { "1".to_owned() } else { joined(above) };
    match joined(below) {
        _ if !whole => above,
        below if several => format!("{above}/({below})"),
        below => format!("{above}/{below}"),
    }
}

/// The order of factors in a product: numbers, roots, constants, symbols, functions, sums.
fn rank(base: &Base, exponent: &Expression) -> u8 {
    match base {
        Base::Number(_) => 1,
        Base::Pi => 2,
        Base::E if exponent.is_one() => 2,
        Base::I => 3,
        Base::Symbol(_) => 4,
        Base::Function(..) => 5,
        Base::E => 6,
        Base::Sum(_) => 7,
    }
}

fn power(base: &Base, exponent: &Expression) -> String {
    let text = match base {
        Base::Number(number) => number.to_string(),
        Base::Pi => "pi".to_owned(),
        Base::E => "e".to_owned(),
        Base::I => "i".to_owned(),
        Base::Symbol(name) => name.clone(),
        Base::Function(name, argument) => format!("{}({argument})", name.name()),
        Base::Sum(sum) => sum.to_string(),
    };
    let simple = match base {
        Base::Number(number) => number.is_integer() && !number.is_negative(),
        Base::Sum(_) => false,
        _ => true,
    };
    match base {
        Base::E if !exponent.is_one() => return format!("exp({exponent})"),
        _ if *exponent == Expression::ratio(1, 2) => return format!("sqrt({text})"),
        _ => {}
    }
    let text = if simple { text } else { format!("({text})") };
    match exponent.single() {
        Some(_) if exponent.is_one() => text,
        Some((product, _)) if is_atom(exponent, product) => format!("{text}**{exponent}"),
        _ => format!("{text}**({exponent})"),
    }
}

/// Whether the exponent needs no parentheses.
fn is_atom(exponent: &Expression, product: &Product) -> bool {
    match exponent.as_number() {
        Some(number) => number.is_integer() && !number.is_negative(),
        None => super::is_simple(product) && exponent.single().is_some_and(|(_, one)| one.is_one()),
    }
}
