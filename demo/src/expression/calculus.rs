//! Derivatives, and values at real places.

use num_traits::ToPrimitive;

use super::{Base, Expression, Function, Product, function};

impl Expression {
    /// The derivative with respect to `variable`.
    pub(crate) fn derivative(&self, variable: &str) -> Self {
        let mut sum = Self::default();
        for (product, coefficient) in self.terms() {
            for (base, exponent) in product {
                let mut others = product.clone();
                others.remove(base);
                let others = Self::term(others, coefficient.clone());
                sum = sum.plus(&others.times(&power_derivative(base, exponent, variable)));
            }
        }
        sum
    }

    /// The value at a real place; NaN where it is not real, or a symbol has no value.
    pub(crate) fn value(&self, places: &[(&str, f64)]) -> f64 {
        let product = |product: &Product| -> f64 {
            product
                .iter()
                .map(|(base, exponent)| {
                    let exponent = exponent.value(places);
                    match base.value(places) {
                        _ if matches!(base, Base::E) => exponent.exp(),
                        base if exponent == 1.0 => base,
                        base => base.powf(exponent),
                    }
                })
                .product()
        };
        let terms = self.terms();
        terms.map(|(term, coefficient)| coefficient.to_f64().unwrap_or(f64::NAN) * product(term)).sum()
    }
}

impl Base {
    fn value(&self, places: &[(&str, f64)]) -> f64 {
        match self {
            Self::Number(number) => number.to_f64().unwrap_or(f64::NAN),
            Self::Pi => std::f64::consts::PI,
            Self::E => std::f64::consts::E,
            Self::I => f64::NAN,
            Self::Symbol(name) => {
                places.iter().find(|(own, _)| own == name).map_or(f64::NAN, |(_, value)| *value)
            }
            Self::Function(name, argument) => name.at(argument.value(places)),
            Self::Sum(sum) => sum.value(places),
        }
    }

    fn derivative(&self, variable: &str) -> Expression {
        match self {
            Self::Symbol(name) if name == variable => Expression::one(),
            Self::Function(name, argument) if argument.contains(variable) => {
                slope(*name, argument).times(&argument.derivative(variable))
            }
            Self::Sum(sum) => sum.derivative(variable),
            _ => Expression::default(),
        }
    }
}

/// The derivative of `base**exponent`. Bases are not 0, so that their powers and logarithms are defined.
fn power_derivative(base: &Base, exponent: &Expression, variable: &str) -> Expression {
    let (whole, inner) = (Expression::from(base.clone()), base.derivative(variable));
    let power = |exponent: &Expression| whole.power(exponent).unwrap_or_default();
    let lowered = exponent.times(&power(&exponent.clone().minus(&Expression::one()))).times(&inner);
    let growth = exponent.derivative(variable);
    if growth.is_zero() {
        return lowered;
    }
    let logarithm = function(Function::Ln, whole.clone()).unwrap_or_default();
    lowered.plus(&power(exponent).times(&growth).times(&logarithm))
}

/// The derivative of a function at `u`.
fn slope(name: Function, u: &Expression) -> Expression {
    use Function::{Abs, Acos, Asin, Atan, Cos, Cosh, Ln, Sin, Sinh, Tan, Tanh};
    let one = Expression::one();
    let of = |name| function(name, u.clone()).unwrap_or_default();
    let square = |value: &Expression| value.times(value);
    let inverse = |value: &Expression| Expression::one().over(value).unwrap_or_default();
    match name {
        Sin => of(Cos),
        Cos => of(Sin).negated(),
        Tan => one.plus(&square(&of(Tan))),
        Asin => inverse(&one.minus(&square(u)).sqrt()),
        Acos => slope(Asin, u).negated(),
        Atan => inverse(&one.plus(&square(u))),
        Sinh => of(Cosh),
        Cosh => of(Sinh),
        Tanh => one.minus(&square(&of(Tanh))),
        Ln => inverse(u),
        Abs => u.times(&inverse(&of(Abs))),
    }
}
