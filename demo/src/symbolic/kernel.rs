//! Kernels: the one part of an expression through which the variable enters, such as `exp(x)`.

use crate::expression::{Constant, Expr, Function, divide, function, negate, power, replace, subtract};

/// A part `base**exponent` that holds the variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kernel {
    pub(crate) base: Expr,
    pub(crate) exponent: Expr,
}

impl Kernel {
    /// The kernel whose whole powers make up all occurrences of `variable`, where there is one.
    pub(crate) fn find(expression: &Expr, variable: &str) -> Option<Self> {
        let mut all = Vec::new();
        collect(expression, variable, &mut all);
        let candidates = all.iter().flat_map(|kernel| {
            // exp(-x) alone may stand for exp(x): try the kernel and its inverse.
            let inverse = Self { base: kernel.base.clone(), exponent: negate(kernel.exponent.clone()) };
            [kernel.clone(), inverse]
        });
        candidates
            .filter(|candidate| {
                all.iter().all(|other| candidate.multiple(&other.base, &other.exponent).is_some())
            })
            .min_by_key(|kernel| kernel.exponent.is_negated())
    }

    pub(crate) fn whole(&self) -> Expr {
        power(self.base.clone(), self.exponent.clone())
    }

    /// The expression with the kernel written as the symbol `name`.
    pub(crate) fn replaced(&self, expression: &Expr, name: &str) -> Expr {
        replace(expression, &|part| {
            let (base, exponent) = part.as_power();
            let count = self.multiple(&base, &exponent)?;
            Some(power(Expr::symbol(name), Expr::integer(count)))
        })
    }

    /// Equations `= 0`, one of which holds wherever the kernel takes `value`, and whether solutions
    /// beyond the principal ones exist.
    pub(crate) fn inverted(&self, variable: &str, value: &Expr) -> (Vec<Expr>, bool) {
        if self.exponent.contains(variable) {
            if value.is_zero() || self.base.contains(variable) {
                return (Vec::new(), false);
            }
            let logarithm =
                divide(function(Function::Ln, value.clone()), function(Function::Ln, self.base.clone()));
            return (vec![subtract(self.exponent.clone(), logarithm)], true);
        }
        if !self.exponent.is_one() {
            let root = power(value.clone(), power(self.exponent.clone(), Expr::integer(-1)));
            return (vec![subtract(self.base.clone(), root)], false);
        }
        let Expr::Function(name, argument) = &self.base else {
            return (Vec::new(), false);
        };
        let (values, periodic) = inverse_values(*name, value);
        (values.into_iter().map(|one| subtract((**argument).clone(), one)).collect(), periodic)
    }

    fn multiple(&self, base: &Expr, exponent: &Expr) -> Option<i64> {
        if *base != self.base {
            return None;
        }
        divide(exponent.clone(), self.exponent.clone()).as_integer()
    }
}

fn collect(expression: &Expr, variable: &str, found: &mut Vec<Kernel>) {
    if !expression.contains(variable) {
        return;
    }
    if let Expr::Sum(parts) | Expr::Product(parts) = expression {
        parts.iter().for_each(|part| collect(part, variable, found));
        return;
    }
    let (base, exponent) = expression.as_power();
    if matches!(base, Expr::Sum(_)) && exponent.as_integer().is_some_and(|count| count > 0) {
        collect(&base, variable, found);
        return;
    }
    let exponent = match exponent.as_integer() {
        // x**2 and x**3 are both whole powers of x, not of x**2.
        Some(_) => Expr::one(),
        None => exponent,
    };
    let kernel = Kernel { base, exponent };
    if !found.contains(&kernel) {
        found.push(kernel);
    }
}

fn inverse_values(name: Function, value: &Expr) -> (Vec<Expr>, bool) {
    let value = value.clone();
    let pi = Expr::Constant(Constant::Pi);
    let of = |name| function(name, value.clone());
    match name {
        Function::Sin => (vec![of(Function::Asin), subtract(pi, of(Function::Asin))], true),
        Function::Cos => (vec![of(Function::Acos), negate(of(Function::Acos))], true),
        Function::Tan => (vec![of(Function::Atan)], true),
        Function::Asin => (vec![of(Function::Sin)], false),
        Function::Acos => (vec![of(Function::Cos)], false),
        Function::Atan => (vec![of(Function::Tan)], false),
        Function::Ln => (vec![power(Expr::Constant(Constant::E), value)], false),
        Function::Abs => (vec![value.clone(), negate(value)], false),
        // Their inverses are logarithms; the expression can be written with exp instead.
        Function::Sinh | Function::Cosh | Function::Tanh => (Vec::new(), false),
    }
}
