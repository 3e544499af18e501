//! Expressions in exact arithmetic: the common representation of the symbolic and numerical tools.
//!
//! An [`Expression`] is a sum of products of powers, and always in one form: terms and factors are sorted and collected,
//! numbers are fractions, roots of numbers are roots of primes. Sums are multiplied out on request only
//! ([`Expression::expanded`]), since that costs numerical precision and work.

mod calculus;
mod functions;
mod parse;
mod print;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

pub(crate) use functions::{Function, function};
pub(crate) use parse::{parse, parse_equation, shortened};

use crate::error::spend;

/// Powers of numbers longer than this many bits stay unevaluated.
const MAX_BITS: u64 = 8192;
/// Radicands are searched for prime factors up to here.
const MAX_TRIAL_DIVISOR: u64 = 20_000;
/// Powers of sums above this exponent are not multiplied out.
const MAX_EXPANDED_POWER: i64 = 64;

/// What powers are taken of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    /// A number whose power is no number, as in `sqrt(2)` and `2**x`.
    Number(BigRational),
    Pi,
    E,
    I,
    Symbol(String),
    Function(Function, Expression),
    Sum(Expression),
}

/// Bases and their exponents, none of which is 0.
pub(crate) type Product = BTreeMap<Base, Expression>;

/// Products and their coefficients, none of which is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expression(BTreeMap<Product, BigRational>);

impl Expression {
    pub(crate) fn number(value: BigRational) -> Self {
        Self::known(Product::new(), value)
    }

    pub(crate) fn integer(value: i64) -> Self {
        Self::number(BigRational::from_integer(value.into()))
    }

    pub(crate) fn ratio(numerator: i64, denominator: i64) -> Self {
        Self::number(BigRational::new(numerator.into(), denominator.into()))
    }

    pub(crate) fn one() -> Self {
        Self::integer(1)
    }

    pub(crate) fn symbol(name: &str) -> Self {
        Base::Symbol(name.to_owned()).into()
    }

    /// The product with its coefficient.
    pub(crate) fn term(product: Product, coefficient: BigRational) -> Self {
        normal(product, coefficient)
    }

    /// A product that is in its one form.
    fn known(product: Product, coefficient: BigRational) -> Self {
        let mut sum = Self::default();
        sum.add(product, coefficient);
        sum
    }

    pub(crate) fn terms(&self) -> impl DoubleEndedIterator<Item = (&Product, &BigRational)> {
        self.0.iter()
    }

    pub(crate) fn as_number(&self) -> Option<BigRational> {
        match self.single() {
            None => self.is_zero().then(BigRational::zero),
            Some((product, coefficient)) => product.is_empty().then(|| coefficient.clone()),
        }
    }

    /// The value as a small integer, if it is one.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        self.as_number().filter(BigRational::is_integer).and_then(|number| number.to_integer().to_i64())
    }

    /// The only term.
    pub(crate) fn single(&self) -> Option<(&Product, &BigRational)> {
        self.0.first_key_value().filter(|_| self.0.len() == 1)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn is_one(&self) -> bool {
        self.as_number().is_some_and(|number| number.is_one())
    }

    /// Whether the symbol occurs anywhere.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.symbols().contains(name)
    }

    /// The names of all symbols.
    pub(crate) fn symbols(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (base, exponent) in self.0.keys().flatten() {
            found.append(&mut exponent.symbols());
            found.append(&mut base.symbols());
        }
        found
    }

    pub(crate) fn plus(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|(product, coefficient)| self.add(product.clone(), coefficient.clone()));
        self
    }

    pub(crate) fn minus(self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(crate) fn negated(&self) -> Self {
        self.scaled(&-BigRational::one())
    }

    pub(crate) fn scaled(&self, by: &BigRational) -> Self {
        let mut sum = Self::default();
        self.0.iter().for_each(|(product, coefficient)| sum.add(product.clone(), coefficient * by));
        sum
    }

    /// The product, in which sums stay factors unless the other side is a number.
    pub(crate) fn times(&self, other: &Self) -> Self {
        spend(1);
        if self.is_zero() || other.is_zero() {
            return Self::default();
        }
        let ((mut product, coefficient), (right, factor)) = (self.as_product(), other.as_product());
        for (base, exponent) in right {
            let own = product.entry(base).or_default();
            *own = std::mem::take(own).plus(&exponent);
        }
        normal(product, coefficient * factor)
    }

    /// The power; `None` where it is undefined, as for a negative power of 0.
    pub(crate) fn power(&self, exponent: &Self) -> Option<Self> {
        spend(1);
        if exponent.is_zero() || self.is_one() {
            return Some(Self::one());
        }
        let number = exponent.as_number();
        if self.is_zero() {
            return number.filter(Signed::is_positive).map(|_| Self::default());
        }
        let (product, coefficient) = self.as_product();
        let whole = number.as_ref().is_some_and(BigRational::is_integer);
        if whole || (coefficient.is_one() && is_simple(&product)) {
            let raised = product.into_iter().map(|(base, own)| (base, own.times(exponent))).collect();
            return Some(normal(raised, BigRational::one()).times(&number_power(&coefficient, exponent)));
        }
        if product.is_empty() {
            return Some(number_power(&coefficient, exponent));
        }
        // Positive coefficients can be taken out of a root, negative ones cannot.
        let rest = Self::term(product, coefficient.signum());
        let root = match is_simple(rest.single()?.0) && coefficient.is_positive() {
            true => rest.power(exponent)?,
            false => Self::known([(Base::Sum(rest), exponent.clone())].into(), BigRational::one()),
        };
        Some(root.times(&number_power(&coefficient.abs(), exponent)))
    }

    /// The quotient; `None` where the other side is 0.
    pub(crate) fn over(&self, other: &Self) -> Option<Self> {
        Some(self.times(&other.power(&Self::integer(-1))?))
    }

    pub(crate) fn sqrt(&self) -> Self {
        self.power(&Self::ratio(1, 2)).unwrap_or_default()
    }

    /// The expression with products of sums multiplied out.
    pub(crate) fn expanded(&self) -> Self {
        let mut sum = Self::default();
        for (product, coefficient) in self.terms() {
            let mut whole = Self::number(coefficient.clone());
            for (base, exponent) in product {
                let (factor, times) = match (base, exponent.as_integer()) {
                    (Base::Sum(inner), Some(times @ 1..=MAX_EXPANDED_POWER)) => (inner.expanded(), times),
                    _ => (Self::known([(base.clone(), exponent.clone())].into(), BigRational::one()), 1),
                };
                (0..times).for_each(|_| whole = whole.multiplied_out(&factor));
            }
            sum = sum.plus(&whole);
        }
        sum
    }

    /// The terms, each as the factors that depend on the variable, and the rest of it.
    pub(crate) fn parted(&self, variable: &str) -> Vec<(Product, Self)> {
        let parted = self.terms().map(|(product, coefficient)| {
            let (inside, outside): (Product, Product) =
                product.clone().into_iter().partition(|(base, exponent)| {
                    exponent.contains(variable) || base.symbols().contains(variable)
                });
            (inside, Self::term(outside, coefficient.clone()))
        });
        parted.collect()
    }

    /// The expression with a symbol replaced; `None` where that is undefined.
    pub(crate) fn substituted(&self, name: &str, value: &Self) -> Option<Self> {
        let mut sum = Self::default();
        for (product, coefficient) in self.terms() {
            let mut whole = Self::number(coefficient.clone());
            for (base, exponent) in product {
                let base = match base {
                    Base::Symbol(own) if own == name => value.clone(),
                    Base::Function(name_of, inner) => function(*name_of, inner.substituted(name, value)?)?,
                    Base::Sum(inner) => inner.substituted(name, value)?,
                    other => other.clone().into(),
                };
                whole = whole.times(&base.power(&exponent.substituted(name, value)?)?);
            }
            sum = sum.plus(&whole);
        }
        Some(sum)
    }

    fn multiplied_out(&self, other: &Self) -> Self {
        let mut sum = Self::default();
        for (left, factor) in self.terms() {
            let left = Self::known(left.clone(), factor.clone());
            for (right, factor) in other.terms() {
                sum = sum.plus(&left.times(&Self::known(right.clone(), factor.clone())));
            }
        }
        sum
    }

    fn as_product(&self) -> (Product, BigRational) {
        match self.single() {
            Some((product, coefficient)) => (product.clone(), coefficient.clone()),
            None if self.is_zero() => (Product::new(), BigRational::zero()),
            None => ([(Base::Sum(self.clone()), Self::one())].into(), BigRational::one()),
        }
    }

    fn add(&mut self, product: Product, coefficient: BigRational) {
        spend(1);
        let sum = match self.0.get(&product) {
            Some(own) => own + coefficient,
            None => coefficient,
        };
        if sum.is_zero() {
            self.0.remove(&product);
        } else {
            self.0.insert(product, sum);
        }
    }
}

impl From<Base> for Expression {
    fn from(base: Base) -> Self {
        Self::known([(base, Self::one())].into(), BigRational::one())
    }
}

impl Base {
    fn symbols(&self) -> BTreeSet<String> {
        match self {
            Self::Symbol(name) => [name.clone()].into(),
            Self::Function(_, inner) | Self::Sum(inner) => inner.symbols(),
            _ => BTreeSet::new(),
        }
    }
}

/// Whether any power of the product is the power of its only base.
fn is_simple(product: &Product) -> bool {
    product.len() == 1 && product.values().all(Expression::is_one)
}

/// The product in its one form: evaluated, and a sum where nothing but a number stands before it.
fn normal(product: Product, mut coefficient: BigRational) -> Expression {
    let mut kept = Product::new();
    for (base, exponent) in product {
        spend(1);
        match (&base, exponent.as_number()) {
            (_, Some(none)) if none.is_zero() => {}
            (Base::Number(number), Some(power)) => {
                let Some(evaluated) = evaluated(number, &power.floor().to_integer()) else {
                    kept.insert(base, exponent);
                    continue;
                };
                coefficient *= evaluated;
                if !power.is_integer() {
                    kept.insert(base, Expression::number(&power - power.floor()));
                }
            }
            (Base::I, Some(power)) if power.is_integer() => {
                let turns = power.to_integer().mod_floor(&BigInt::from(4)).to_i64().unwrap_or_default();
                if turns >= 2 {
                    coefficient = -coefficient;
                }
                if turns % 2 == 1 {
                    kept.insert(base, Expression::one());
                }
            }
            _ => {
                kept.insert(base, exponent);
            }
        }
    }
    match kept.first_key_value() {
        Some((Base::Sum(sum), exponent)) if kept.len() == 1 && exponent.is_one() => sum.scaled(&coefficient),
        _ => Expression::known(kept, coefficient),
    }
}

fn evaluated(number: &BigRational, power: &BigInt) -> Option<BigRational> {
    let bits = number.numer().bits() + number.denom().bits();
    let power = power.to_i32().filter(|power| u64::from(power.unsigned_abs()) * bits <= MAX_BITS)?;
    Some(number.pow(power))
}

/// A power of a number other than 0, with roots as products of roots of primes.
fn number_power(number: &BigRational, exponent: &Expression) -> Expression {
    if number.is_one() {
        return Expression::one();
    }
    let of = |number: BigRational, exponent: Expression| {
        normal([(Base::Number(number), exponent)].into(), BigRational::one())
    };
    let Some(power) = exponent.as_number().filter(|power| !power.is_integer()) else {
        return of(number.clone(), exponent.clone());
    };
    let half = BigRational::new(1.into(), 2.into());
    if number.is_negative() {
        if (&power - &half).is_integer() {
            let root = number_power(&number.abs(), exponent);
            return normal([(Base::I, Expression::number(power / half))].into(), BigRational::one())
                .times(&root);
        }
        return of(number.clone(), exponent.clone());
    }
    let (Some(above), Some(below)) = (number.numer().to_u64(), number.denom().to_u64()) else {
        return of(number.clone(), exponent.clone());
    };
    let factors = [(above, power.clone()), (below, -power)].into_iter().flat_map(|(value, power)| {
        prime_factors(value).into_iter().map(move |prime| (prime, Expression::number(power.clone())))
    });
    factors.fold(Expression::one(), |whole, (prime, power)| {
        whole.times(&of(BigRational::from_integer(prime.into()), power))
    })
}

fn prime_factors(mut value: u64) -> Vec<u64> {
    let (mut found, mut divisor) = (Vec::new(), 2);
    while divisor <= MAX_TRIAL_DIVISOR && divisor * divisor <= value {
        if value.is_multiple_of(divisor) {
            value /= divisor;
            found.push(divisor);
        } else {
            divisor += 1;
        }
    }
    found.extend(Some(value).filter(|rest| *rest > 1));
    found
}
