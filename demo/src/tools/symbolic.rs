//! The four symbolic tools.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use serde_json::{Value, json};

use crate::error::{Result, wrong};
use crate::expression::{Expression, parse_equation, shortened};
use crate::json::{Arguments, number};
use crate::symbolic::{always_true, integral, is_in, simplified, solve as solve_one, solve_linear};

/// Equations, and variables, in one call.
const MAX_EQUATIONS: usize = 10;
/// The highest derivative.
const MAX_ORDER: f64 = 10.0;

pub(crate) fn solve(arguments: &Arguments) -> Result<Value> {
    let texts = texts(arguments, "equations");
    let equations: Vec<Expression> =
        texts.iter().map(|text| parse_equation("equations", text)).collect::<Result<_>>()?;
    let domain = arguments.text("domain").unwrap_or_default();
    let variables = variables(arguments, &equations)?;
    let mut found: Vec<_> = match (equations.as_slice(), variables.as_slice()) {
        ([equation], [variable]) => {
            let roots = solve_one(equation, variable)?.into_iter();
            roots.map(|root| BTreeMap::from([(variable.clone(), root)])).collect()
        }
        _ => solve_linear(&equations, &variables)?.into_iter().collect(),
    };
    found.retain(|solution| solution.values().all(|root| is_in(root, domain)));
    // Integers as JSON integers, all else as text.
    let value = |root: &Expression| root.as_integer().map_or_else(|| json!(root.to_string()), Value::from);
    let solution = |values: BTreeMap<String, Expression>| match variables.as_slice() {
        [variable] => values.get(variable).map_or(Value::Null, value),
        _ => values.iter().map(|(name, root)| (name.clone(), value(root))).collect(),
    };
    Ok(json!({ "solutions": found.into_iter().map(solution).collect::<Vec<_>>(), "variables": variables }))
}

pub(crate) fn differentiate(arguments: &Arguments) -> Result<Value> {
    let mut expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    let order = arguments.get("order").and_then(Value::as_f64).unwrap_or(1.0).min(MAX_ORDER) as u64;
    for _ in 0..order {
        expression = simplified(&expression.derivative(&variable));
    }
    Ok(json!({ "derivative": expression.to_string(), "variable": variable, "order": order }))
}

pub(crate) fn integrate(arguments: &Arguments) -> Result<Value> {
    let expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    let whole = integral(&expression, &variable)?;
    match (arguments.constant("lower")?, arguments.constant("upper")?) {
        (None, None) => Ok(json!({ "integral": whole.to_string(), "variable": variable })),
        (Some(lower), Some(upper)) => {
            for (name, bound) in [("lower", &lower), ("upper", &upper)] {
                if bound.contains(&variable) {
                    return Err(wrong(name, "a bound with the variable of integration in it", "a constant"));
                }
            }
            let undefined =
                || wrong("expression", "an integral that is undefined at a bound", "one with a value");
            let at = |bound| whole.substituted(&variable, bound).ok_or_else(undefined);
            let value = simplified(&at(&upper)?.minus(&at(&lower)?));
            let mut output = json!({ "integral": value.to_string(), "variable": variable });
            if value.symbols().is_empty() {
                output["value"] = number(value.value(&[]), 1e-14)?;
            }
            Ok(output)
        }
        (Some(_), None) => Err(wrong("upper", "nothing", "a bound, as `lower` is given")),
        (None, Some(_)) => Err(wrong("lower", "nothing", "a bound, as `upper` is given")),
    }
}

pub(crate) fn simplify(arguments: &Arguments) -> Result<Value> {
    Ok(json!({ "simplified": simplified(&arguments.expression("expression")?).to_string() }))
}

fn variables(arguments: &Arguments, equations: &[Expression]) -> Result<Vec<String>> {
    let symbols: BTreeSet<String> = equations.iter().flat_map(Expression::symbols).collect();
    let mut named: Vec<String> = Vec::new();
    for text in texts(arguments, "variables").into_iter().map(str::trim) {
        if !symbols.contains(text) {
            let known = symbols.into_iter().collect::<Vec<_>>().join(", ");
            let expected = format!("variables of the equations ({known})");
            return Err(wrong("variables", format!("{:?}", shortened(text)), expected));
        }
        if !named.iter().any(|name| name == text) {
            named.push(text.to_owned());
        }
    }
    match symbols.len() {
        _ if !named.is_empty() => Ok(named),
        0 if equations.iter().all(Expression::is_zero) => Err(always_true()),
        1..=MAX_EQUATIONS => Ok(symbols.into_iter().collect()),
        count => {
            let expected = format!("equations with 1 to {MAX_EQUATIONS} of them");
            Err(wrong("equations", format!("{count} variables"), expected))
        }
    }
}

/// The strings of a string or an array of strings.
fn texts<'a>(arguments: &'a Arguments, name: &str) -> Vec<&'a str> {
    let list = arguments
        .get(name)
        .map_or(&[][..], |value| value.as_array().map_or(slice::from_ref(value), Vec::as_slice));
    list.iter().take(MAX_EQUATIONS).filter_map(Value::as_str).collect()
}
