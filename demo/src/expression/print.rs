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
                below.push(power(base, &exponent.negated()));
            }
            _ => above.push(power(base, exponent)),
        }
    }
    if !square_roots.is_one() {
        above.push((1, format!("sqrt({square_roots})")));
    }
    for (number, factors) in [(coefficient.numer(), &mut above), (coefficient.denom(), &mut below)] {
        if !number.is_one() {
            factors.push((0, number.to_string()));
        }
    }
    let joined = |mut factors: Vec<(u8, String)>| {
        factors.sort();
        factors.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("*")
    };
    let above = if above.is_empty() { "1".to_owned() } else { joined(above) };
    match below.len() {
        0 => above,
        1 => format!("{above}/{}", joined(below)),
        _ => format!("{above}/({})", joined(below)),
    }
}

/// A power, and its place among factors: numbers, roots, constants, symbols, functions, sums.
fn power(base: &Base, exponent: &Expression) -> (u8, String) {
    let (rank, text) = match base {
        Base::Number(number) => (1, number.to_string()),
        Base::Pi => (2, "pi".to_owned()),
        Base::E if exponent.is_one() => (2, "e".to_owned()),
        Base::E => return (6, format!("exp({exponent})")),
        Base::I => (3, "i".to_owned()),
        Base::Symbol(name) => (4, name.clone()),
        Base::Function(name, argument) => (5, format!("{}({argument})", name.name())),
        Base::Sum(sum) => (7, sum.to_string()),
    };
    if *exponent == Expression::ratio(1, 2) {
        return (rank, format!("sqrt({text})"));
    }
    let closed = |text: String| if is_word(&text) { text } else { format!("({text})") };
    let text = if rank == 5 { text } else { closed(text) };
    (rank, if exponent.is_one() { text } else { format!("{text}**{}", closed(exponent.to_string())) })
}

fn is_word(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
