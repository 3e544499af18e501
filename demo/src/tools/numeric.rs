//! The numerical tools, the transforms and the optimization.

use num_complex::Complex64;
use serde_json::{Map, Value, json};

use crate::error::{Result, wrong};
use crate::expression::{Expression, shortened};
use crate::json::{Arguments, as_number, number, numbers, rounded, with_digits};
use crate::matrix::Matrix;
use crate::numerical;
use crate::transforms;

/// Rows of a matrix to be inverted.
const MAX_ROWS: usize = 200;
/// Rows of a matrix whose eigenvalues are wanted, which takes longer.
const MAX_EIGEN_ROWS: usize = 100;
/// Points of a transform and of each side of a convolution.
const MAX_POINTS: usize = 65_536;
/// Variables of a minimization.
const MAX_VARIABLES: usize = 10;
/// The quadrature's tolerance, relative where the value is above 1.
const TOLERANCE: f64 = 1e-12;
/// Digits of a minimum's place: around it, values differ too little for more.
const PLACE_DIGITS: usize = 6;
/// Digits of the minimum itself.
const VALUE_DIGITS: usize = 8;

pub(crate) fn integrate(arguments: &Arguments) -> Result<Value> {
    let (expression, variable) = function_of_one(arguments)?;
    let (lower, upper) = (bound(arguments, "lower")?, bound(arguments, "upper")?);
    let f = |x: f64| expression.value(&[(&variable, x)]);
    let found = numerical::quadrature(&f, lower, upper, TOLERANCE)
        .or_else(|_| numerical::quadrature(&f, lower, upper, 1e-8))?;
    // A power of ten: the estimate's own digits differ from machine to machine.
    let error = found.error / found.value.abs().max(1.0);
    let error_bound = rounded(10f64.powi(error.max(TOLERANCE).log10().ceil() as i32), 1);
    Ok(json!({ "value": number(found.value, 1e-14)?, "error_bound": error_bound }))
}

pub(crate) fn linear_solve(arguments: &Arguments) -> Result<Value> {
    let matrix = square_matrix(arguments, MAX_ROWS)?;
    let right = arguments.numbers("right_hand_side", MAX_ROWS)?;
    if right.len() != matrix.size() {
        let (given, expected) =
            (format!("{} numbers", right.len()), format!("{}, one for each row", matrix.size()));
        return Err(wrong("right_hand_side", given, expected));
    }
    let solution = matrix
        .solve(&right)
        .ok_or_else(|| wrong("matrix", "a singular or nearly singular one", "an invertible one"))?;
    Ok(json!({ "solution": numbers(&solution, largest(&solution))? }))
}

pub(crate) fn matrix_eigenvalues(arguments: &Arguments) -> Result<Value> {
    let (values, symmetric) = square_matrix(arguments, MAX_EIGEN_ROWS)?.eigenvalues()?;
    let (real, imaginary) = parts(&values)?;
    Ok(json!({ "real": real, "imaginary": imaginary, "symmetric": symmetric }))
}

pub(crate) fn fft(arguments: &Arguments) -> Result<Value> {
    let values = arguments.array("values", MAX_POINTS)?.iter().map(complex).collect::<Result<Vec<_>>>()?;
    let (real, imaginary) = parts(&transforms::fft(&values, arguments.get("inverse") == Some(&json!(true))))?;
    Ok(json!({ "real": real, "imaginary": imaginary, "length": values.len() }))
}

pub(crate) fn convolve(arguments: &Arguments) -> Result<Value> {
    let (a, b) = (arguments.numbers("a", MAX_POINTS)?, arguments.numbers("b", MAX_POINTS)?);
    let full = transforms::convolve(&a, &b);
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    let kept = match arguments.text("mode").unwrap_or_default() {
        "same" => &full[(b.len() - 1) / 2..][..a.len()],
        "valid" => &full[short - 1..long],
        _ => &full[..],
    };
    Ok(json!({ "values": numbers(kept, largest(kept))?, "length": kept.len() }))
}

pub(crate) fn minimize(arguments: &Arguments) -> Result<Value> {
    let expression = arguments.expression("expression")?;
    let (names, start) = start(arguments, &expression)?;
    let f = |place: &[f64]| {
        let values: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(place.iter().copied()).collect();
        expression.value(&values)
    };
    let place = numerical::minimum(&f, &start)?;
    let mut minimizer = Map::new();
    for (name, value) in names.iter().zip(&place) {
        minimizer.insert(name.clone(), with_digits(*value, 1e-7, PLACE_DIGITS)?);
    }
    Ok(json!({ "minimizer": minimizer, "minimum": with_digits(f(&place), 1e-12, VALUE_DIGITS)? }))
}

pub(crate) fn find_root(arguments: &Arguments) -> Result<Value> {
    let (expression, variable) = function_of_one(arguments)?;
    let (lower, upper) = (bound(arguments, "lower")?, bound(arguments, "upper")?);
    if lower >= upper {
        return Err(wrong("upper", upper.to_string(), format!("a number above `lower` ({lower})")));
    }
    let root = numerical::root(&|x| expression.value(&[(&variable, x)]), lower, upper)?;
    Ok(json!({ "root": number(root, 1e-14)?, "variable": variable }))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// The real and the imaginary parts.
fn parts(values: &[Complex64]) -> Result<(Vec<Value>, Vec<Value>)> {
    let largest = values.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let (real, imaginary): (Vec<f64>, Vec<f64>) = values.iter().map(|value| (value.re, value.im)).unzip();
    Ok((numbers(&real, largest)?, numbers(&imaginary, largest)?))
}

fn function_of_one(arguments: &Arguments) -> Result<(Expression, String)> {
    let expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    match expression.symbols().into_iter().find(|name| *name != variable) {
        Some(other) => {
            let given = format!("the symbol {other:?} without a value");
            Err(wrong("expression", given, format!("no symbol but the variable {variable:?}")))
        }
        None => Ok((expression, variable)),
    }
}

fn bound(arguments: &Arguments, name: &str) -> Result<f64> {
    let value = arguments.constant(name)?.map_or(f64::NAN, |bound| bound.value(&[]));
    let expected = "a finite number or a constant expression such as \"pi/2\"";
    let refused = || wrong(name, arguments.get(name).unwrap_or_default().to_string(), expected);
    value.is_finite().then_some(value).ok_or_else(refused)
}

fn square_matrix(arguments: &Arguments, most: usize) -> Result<Matrix> {
    let rows = arguments.array("matrix", most)?;
    let row_of = |(index, row): (usize, &Value)| {
        let cells = row.as_array().filter(|cells| cells.len() == rows.len()).ok_or_else(|| {
            wrong(
                "matrix",
                format!("{} numbers in row {index}", row.as_array().map_or(0, Vec::len)),
                format!("{0} rows of {0} numbers each", rows.len()),
            )
        })?;
        cells.iter().map(|cell| as_number("matrix", cell)).collect()
    };
    rows.iter().enumerate().map(row_of).collect::<Result<_>>().map(Matrix)
}

/// A number, or `[real, imaginary]`.
fn complex(value: &Value) -> Result<Complex64> {
    match value.as_array().map(Vec::as_slice) {
        Some([re, im]) => Ok(Complex64::new(as_number("values", re)?, as_number("values", im)?)),
        _ => as_number("values", value).map(Complex64::from),
    }
}

fn start(arguments: &Arguments, expression: &Expression) -> Result<(Vec<String>, Vec<f64>)> {
    let symbols: Vec<String> = expression.symbols().into_iter().collect();
    let object = arguments.get("start").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_given = object.len() == symbols.len() && symbols.iter().all(|name| object.contains_key(name));
    if !is_given || !(1..=MAX_VARIABLES).contains(&symbols.len()) {
        let given =
            object.keys().take(MAX_VARIABLES).map(|name| shortened(name)).collect::<Vec<_>>().join(", ");
        let expected = format!("one for each of the 1 to {MAX_VARIABLES} variables ({})", symbols.join(", "));
        return Err(wrong("start", format!("an object with the keys ({given})"), expected));
    }
    let places = symbols.iter().map(|name| as_number("start", &object[name])).collect::<Result<_>>()?;
    Ok((symbols, places))
}
