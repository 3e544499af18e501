//! The four symbolic tools.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::expression::{Expression, parse_equation, shortened};
use crate::json::{Arguments, DIGITS, number, rounded, wrong};
use crate::symbolic::{
    Domain, Root, definite_integral, integral, simplified, solve as solve_one, solve_linear,
};

/// Equations, and variables, in one call.
const MAX_EQUATIONS: usize = 10;
/// The highest derivative.
const MAX_ORDER: i64 = 10;

pub(super) fn solve(arguments: &Arguments) -> Result<Value> {
    let texts = arguments.texts("equations", MAX_EQUATIONS)?;
    let texts = texts.ok_or_else(|| wrong("equations", "nothing", "a string or an array of strings"))?;
    let equations: Vec<Expression> =
        texts.iter().map(|text| parse_equation("equations", text)).collect::<Result<_>>()?;
    let domain = match arguments.choice("domain", &["complex", "real", "positive", "integer"])? {
        "real" => Domain::Real,
        "positive" => Domain::Positive,
        "integer" => Domain::Integer,
        _ => Domain::Complex,
    };
    let variables = variables(arguments, &equations)?;
    if let ([equation], [variable]) = (equations.as_slice(), variables.as_slice()) {
        let (mut roots, principal) = solve_one(equation, variable)?;
        roots.retain(|root| domain.admits(root));
        let list = roots.iter().map(root_value).collect::<Result<Vec<_>>>()?;
        let mut output = json!({ "solutions": list, "variables": variables });
        if roots.iter().any(|root| matches!(root, Root::Approximate(_))) {
            output["approximate"] = json!(true);
        }
        if principal && !roots.is_empty() {
            output["principal_only"] = json!(true);
        }
        return Ok(output);
    }
    let solution = solve_linear(&equations, &variables)?;
    let solution = solution.filter(|found| found.values().all(|root| domain.admits(root)));
    let list = solution.iter().map(|found| match variables.as_slice() {
        [variable] => found.get(variable).map_or(Ok(Value::Null), root_value),
        _ => {
            let members = found.iter().map(|(name, root)| Ok((name.clone(), root_value(root)?)));
            members.collect::<Result<Map<_, _>>>().map(Value::Object)
        }
    });
    Ok(json!({ "solutions": list.collect::<Result<Vec<_>>>()?, "variables": variables }))
}

pub(super) fn differentiate(arguments: &Arguments) -> Result<Value> {
    let mut expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    let order = arguments.integer("order", 1, 1, MAX_ORDER)?;
    for _ in 0..order {
        expression = simplified(&expression.derivative(&variable));
    }
    Ok(json!({ "derivative": expression.to_string(), "variable": variable, "order": order }))
}

pub(super) fn integrate(arguments: &Arguments) -> Result<Value> {
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

pub(super) fn simplify(arguments: &Arguments) -> Result<Value> {
    Ok(json!({ "simplified": simplified(&arguments.expression("expression")?).to_string() }))
}

fn variables(arguments: &Arguments, equations: &[Expression]) -> Result<Vec<String>> {
    let symbols: BTreeSet<String> = equations.iter().flat_map(Expression::symbols).collect();
    let known = symbols.iter().cloned().collect::<Vec<_>>().join(", ");
    let Some(texts) = arguments.texts("variables", MAX_EQUATIONS)? else {
        return match symbols.len() {
            0 if equations.iter().all(Expression::is_zero) => {
                Err(Error::AlwaysTrue { variables: "its variables".to_owned() })
            }
            1..=MAX_EQUATIONS => Ok(symbols.into_iter().collect()),
            count => {
                let expected = format!("equations with 1 to {MAX_EQUATIONS} of them");
                Err(wrong("equations", &format!("{count} variables"), &expected))
            }
        };
    };
    let mut named: Vec<String> = Vec::new();
    for text in texts.into_iter().map(str::trim) {
        if !symbols.contains(text) {
            let expected = format!("variables of the equations ({known})");
            return Err(wrong("variables", &format!("{:?}", shortened(text)), &expected));
        }
        if !named.iter().any(|name| name == text) {
            named.push(text.to_owned());
        }
    }
    Ok(named)
}

/// Integers as JSON integers, other exact values as strings, approximations as numbers or strings.
fn root_value(root: &Root) -> Result<Value> {
    match root {
        Root::Exact(exact, _) => Ok(exact.as_integer().map_or_else(|| json!(exact.to_string()), Value::from)),
        Root::Approximate(value) if value.im == 0.0 => number(value.re, 0.0),
        Root::Approximate(value) => {
            let (re, im) = (rounded(value.re, DIGITS), rounded(value.im.abs(), DIGITS));
            let sign = if value.im < 0.0 { "-" } else { "+" };
            Ok(json!(format!("{re} {sign} {im}*i")))
        }
    }
}
