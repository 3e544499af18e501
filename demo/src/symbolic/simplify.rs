//! Simplification: several equal forms are made, and the shortest is taken.

use num_traits::Signed;

use super::polynomial::Polynomial;
use crate::expression::{Base, Expression, Function, Product, function};

/// The shortest of the equal forms that this module knows; the first of those of one length.
pub(crate) fn simplified(expression: &Expression) -> Expression {
    use Function::{Cos, Sin};
    let mut forms = vec![expression.clone(), cancelled(expression)];
    for (from, to) in [(Sin, Cos), (Cos, Sin)] {
        forms.extend(squares_swapped(expression, from, to).map(|form| cancelled(&form)));
    }
    forms.into_iter().min_by_key(|form| form.to_string().len()).unwrap_or_default()
}

/// The expression multiplied out, as one fraction, with common factors cancelled where it has one variable.
pub(super) fn cancelled(expression: &Expression) -> Expression {
    let (above, below) = fraction(expression);
    let (above, below) = (above.expanded(), below.expanded());
    let quotient = |above: &Expression, below: &Expression| above.over(below).unwrap_or_default();
    if below.single().is_some() {
        return quotient(&Expression::one(), &below).times(&above).expanded();
    }
    if let Some(base) = below.terms().find_map(|(product, _)| product.keys().next())
        && let (Some(one), Some(two)) = (Polynomial::of(&above, base), Polynomial::of(&below, base))
    {
        let common = one.gcd(&two);
        let reduced = |whole: Polynomial| whole.divide(&common).0.to_expression(base);
        return quotient(&reduced(one), &reduced(two));
    }
    quotient(&above, &below)
}

/// `(numerator, denominator)`, equal to the expression where the denominator is not zero.
pub(super) fn fraction(expression: &Expression) -> (Expression, Expression) {
    let (mut above, mut below) = (Expression::default(), Expression::one());
    for (product, coefficient) in expression.terms() {
        let negative =
            |exponent: &Expression| exponent.as_number().is_some_and(|number| number.is_negative());
        let (down, up): (Product, Product) =
            product.clone().into_iter().partition(|(base, exponent)| *base != Base::E && negative(exponent));
        let down = down.into_iter().map(|(base, exponent)| (base, exponent.negated())).collect();
        let down = Expression::term(down, coefficient.denom().clone().into());
        let up = Expression::term(up, coefficient.numer().clone().into());
        if down == below {
            above = above.plus(&up);
        } else {
            above = above.times(&down).plus(&up.times(&below));
            below = below.times(&down);
        }
    }
    (above, below)
}

/// The expression with squares of `from` written as `1 - to**2`; `None` where there are none.
fn squares_swapped(expression: &Expression, from: Function, to: Function) -> Option<Expression> {
    let expanded = expression.expanded();
    let mut swapped = Expression::default();
    for (product, coefficient) in expanded.terms() {
        let mut whole = Expression::number(coefficient.clone());
        for (base, exponent) in product {
            whole = whole.times(&match (base, exponent.as_integer()) {
                (Base::Function(name, inner), Some(count @ 2..=16)) if *name == from => {
                    let other = function(to, inner.clone())?;
                    let square = Expression::one().minus(&other.times(&other));
                    let rest = Expression::from(base.clone()).power(&Expression::integer(count % 2))?;
                    square.power(&Expression::integer(count / 2))?.times(&rest)
                }
                _ => Expression::from(base.clone()).power(exponent)?,
            });
        }
        swapped = swapped.plus(&whole);
    }
    Some(swapped).filter(|swapped| *swapped != expanded)
}
