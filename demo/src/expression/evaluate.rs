//! Numerical values of expressions.

use num_complex::Complex64;
use num_traits::ToPrimitive;

use super::{Constant, Expr, Function};

/// The value for these symbols; NaN if a symbol is missing.
pub(crate) fn evaluate(expression: &Expr, values: &[(&str, Complex64)]) -> Complex64 {
    match expression {
        Expr::Undefined => Complex64::new(f64::NAN, 0.0),
        Expr::Number(number) => Complex64::new(number.to_f64().unwrap_or(f64::NAN), 0.0),
        Expr::Constant(Constant::Pi) => std::f64::consts::PI.into(),
        Expr::Constant(Constant::E) => std::f64::consts::E.into(),
        Expr::Constant(Constant::I) => Complex64::I,
        Expr::Symbol(name) => values
            .iter()
            .find(|(own, _)| own == name)
            .map_or(Complex64::new(f64::NAN, 0.0), |(_, value)| *value),
        Expr::Sum(terms) => terms.iter().map(|term| evaluate(term, values)).sum(),
        Expr::Product(factors) => factors.iter().map(|factor| evaluate(factor, values)).product(),
        Expr::Power(base, exponent) => raise(base, evaluate(base, values), evaluate(exponent, values)),
        Expr::Function(name, argument) => apply(*name, evaluate(argument, values)),
    }
}

/// The value at a real point; NaN if it is not real.
pub(crate) fn real_value(expression: &Expr, values: &[(&str, f64)]) -> f64 {
    let values: Vec<(&str, Complex64)> =
        values.iter().map(|(name, value)| (*name, (*value).into())).collect();
    let value = evaluate(expression, &values);
    if value.im.abs() <= 1e-9 * value.re.abs().max(1e-3) { value.re } else { f64::NAN }
}

fn raise(symbolic: &Expr, base: Complex64, exponent: Complex64) -> Complex64 {
    if matches!(symbolic, Expr::Constant(Constant::E)) {
        return if exponent.im == 0.0 { exponent.re.exp().into() } else { exponent.exp() };
    }
    if exponent.im == 0.0 {
        let whole = exponent.re;
        if base.im == 0.0 && (base.re >= 0.0 || whole.fract() == 0.0) {
            return base.re.powf(whole).into();
        }
        if whole.fract() == 0.0 && whole.abs() <= 1024.0 {
            return base.powi(whole as i32);
        }
        if whole == 0.5 {
            return base.sqrt();
        }
    }
    if base == Complex64::ZERO {
        return if exponent.re > 0.0 { Complex64::ZERO } else { Complex64::new(f64::NAN, 0.0) };
    }
    base.powc(exponent)
}

/// Real arguments use the real functions, which are exact at 0 and have no imaginary rounding errors.
fn apply(name: Function, z: Complex64) -> Complex64 {
    let real = z.im == 0.0;
    let x = z.re;
    match name {
        Function::Sin if real => x.sin().into(),
        Function::Cos if real => x.cos().into(),
        Function::Tan if real => x.tan().into(),
        Function::Asin if real && x.abs() <= 1.0 => x.asin().into(),
        Function::Acos if real && x.abs() <= 1.0 => x.acos().into(),
        Function::Atan if real => x.atan().into(),
        Function::Sinh if real => x.sinh().into(),
        Function::Cosh if real => x.cosh().into(),
        Function::Tanh if real => x.tanh().into(),
        Function::Ln if real && x > 0.0 => x.ln().into(),
        Function::Sin => z.sin(),
        Function::Cos => z.cos(),
        Function::Tan => z.tan(),
        Function::Asin => z.asin(),
        Function::Acos => z.acos(),
        Function::Atan => z.atan(),
        Function::Sinh => z.sinh(),
        Function::Cosh => z.cosh(),
        Function::Tanh => z.tanh(),
        Function::Ln => z.ln(),
        Function::Abs => z.norm().into(),
    }
}
