//! Derivatives.

use crate::expression::{
    Constant, Expr, Function, divide, function, negate, power, product, sqrt, subtract, sum,
};

/// The derivative with respect to `variable`, as the rules give it.
pub(crate) fn derivative(expression: &Expr, variable: &str) -> Expr {
    if !expression.contains(variable) {
        return Expr::zero();
    }
    match expression {
        Expr::Symbol(_) => Expr::one(),
        Expr::Sum(terms) => sum(terms.iter().map(|term| derivative(term, variable))),
        Expr::Product(factors) => sum((0..factors.len()).map(|index| {
            let others = factors
                .iter()
                .enumerate()
                .map(|(at, factor)| if at == index { derivative(factor, variable) } else { factor.clone() });
            product(others)
        })),
        Expr::Power(base, exponent) => power_derivative(base, exponent, variable),
        Expr::Function(name, argument) => product([outer(*name, argument), derivative(argument, variable)]),
        Expr::Undefined | Expr::Number(_) | Expr::Constant(_) => Expr::zero(),
    }
}

fn power_derivative(base: &Expr, exponent: &Expr, variable: &str) -> Expr {
    let whole = power(base.clone(), exponent.clone());
    let inner = derivative(base, variable);
    if !exponent.contains(variable) {
        let lowered = power(base.clone(), subtract(exponent.clone(), Expr::one()));
        return product([exponent.clone(), lowered, inner]);
    }
    let growth = derivative(exponent, variable);
    if matches!(base, Expr::Constant(Constant::E)) {
        return product([growth, whole]);
    }
    let by_exponent = product([growth, function(Function::Ln, base.clone())]);
    let by_base = divide(product([exponent.clone(), inner]), base.clone());
    product([whole, sum([by_exponent, by_base])])
}

/// The derivative of a function at `u`.
fn outer(name: Function, u: &Expr) -> Expr {
    let u = u.clone();
    let two = Expr::integer(2);
    let square = power(u.clone(), two.clone());
    let one = Expr::one();
    match name {
        Function::Sin => function(Function::Cos, u),
        Function::Cos => negate(function(Function::Sin, u)),
        Function::Tan => sum([one, power(function(Function::Tan, u), two)]),
        Function::Asin => divide(one.clone(), sqrt(subtract(one, square))),
        Function::Acos => divide(Expr::integer(-1), sqrt(subtract(one, square))),
        Function::Atan => divide(one.clone(), sum([one, square])),
        Function::Sinh => function(Function::Cosh, u),
        Function::Cosh => function(Function::Sinh, u),
        Function::Tanh => subtract(one, power(function(Function::Tanh, u), two)),
        Function::Ln => divide(one, u),
        Function::Abs => divide(u.clone(), function(Function::Abs, u)),
    }
}
