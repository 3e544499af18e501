//! The four symbolic tools.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use serde_json::{Map, Value, json};

use crate::error::{Result, wrong};
use crate::expression::{Expression, parse_equation, shortened};
use crate::json::{Arguments, DIGITS, number, rounded};
use crate::symbolic::{
    Root, always_true, definite_integral, integral, simplified, solve as solve_one, solve_linear,
};

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
    let (mut found, principal) = match (equations.as_slice(), variables.as_slice()) {
        ([equation], [variable]) => {
            let (roots, principal) = solve_one(equation, variable)?;
            let found = roots.into_iter().map(|root| BTreeMap::from([(variable.clone(), root)]));
            (found.collect(), principal)
        }
        _ => (solve_linear(&equations, &variables)?.into_iter().collect::<Vec<_>>(), false),
    };
    found.retain(|solution| solution.values().all(|root| root.is_in(domain)));
    let value = |solution: &BTreeMap<String, Root>| match variables.as_slice() {
        [variable] => solution.get(variable).map_or(Ok(Value::Null), root_value),
        _ => {
            let members = solution.iter().map(|(name, root)| Ok((name.clone(), root_value(root)?)));
            members.collect::<Result<Map<_, _>>>().map(Value::Object)
        }
    };
    let solutions = found.iter().map(value).collect::<Result<Vec<_>>>()?;
    let mut output = json!({ "solutions": solutions, "variables": variables });
    if found.iter().flat_map(BTreeMap::values).any(|root| root.exact.is_none()) {
        output["approximate"] = json!(true);
    }
    if principal && !found.is_empty() {
        output["principal_only"] = json!(true);
    }
    Ok(output)
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
    match (arguments.constant("lower")?, arguments.constant("upper")?) {
        (None, None) => {
            Ok(json!({ "integral": integral(&expression, &variable)?.to_string(), "variable": variable }))
        }
        (Some(lower), Some(upper)) => {
            for (name, bound) in [("lower", &lower), ("upper", &upper)] {
                if bound.contains(&variable) {
                    return Err(wrong(name, "a bound with the variable of integration in it", "a constant"));
                }
            }
            let value = definite_integral(&expression, &variable, &lower, &upper)?;
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

/// Integers as JSON integers, other exact values as strings, approximations as numbers or strings.
fn root_value(root: &Root) -> Result<Value> {
    if let Some(exact) = &root.exact {
        return Ok(exact.as_integer().map_or_else(|| json!(exact.to_string()), Value::from));
    }
    let value = root.value.unwrap_or_default();
    if value.im == 0.0 {
        return number(value.re, 0.0);
    }
    let (re, im) = (rounded(value.re, DIGITS), rounded(value.im.abs(), DIGITS));
    Ok(json!(format!("{re} {} {im}*i", if value.im < 0.0 { "-" } else { "+" })))
}
