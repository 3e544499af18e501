//! The four symbolic tools.

use num_traits::ToPrimitive;
use serde_json::{Map, Value, json};

use crate::arguments::{Arguments, wrong};
use crate::error::{Error, Result};
use crate::expression::{Expr, parse, parse_equation, real_value};
use crate::number::{DIGITS, number, rounded};
use crate::symbolic::{
    Domain, Root, definite_integral, derivative, integral, simplify as simplified, solve_system,
};

/// Equations, and variables, in one call.
const MAX_EQUATIONS: usize = 10;
/// The highest derivative.
const MAX_ORDER: i64 = 10;

pub(super) fn solve(arguments: &Map<String, Value>) -> Result<Value> {
    let arguments = Arguments(arguments);
    arguments.only(&["equations", "variables", "domain"])?;
    let texts = arguments
        .texts("equations", MAX_EQUATIONS)?
        .ok_or_else(|| wrong("equations", "nothing", "a string or an array of strings"))?;
    let equations: Vec<Expr> =
        texts.iter().map(|text| parse_equation("equations", text)).collect::<Result<_>>()?;
    if equations.iter().any(Expr::is_undefined) {
        return Err(Error::Undefined { argument: "equations".to_owned(), text: texts.join(", ") });
    }
    let domain = match arguments.choice("domain", &["complex", "real", "positive", "integer"])? {
        "real" => Domain::Real,
        "positive" => Domain::Positive,
        "integer" => Domain::Integer,
        _ => Domain::Complex,
    };
    let variables = variables(&arguments, &equations)?;
    let found = solve_system(&equations, &variables, domain)?;
    let mut approximate = false;
    let mut list = Vec::new();
    for solution in &found.list {
        approximate |= solution.values().any(|root| matches!(root, Root::Approximate(_)));
        if let [variable] = variables.as_slice() {
            list.push(solution.get(variable).map_or(Ok(Value::Null), root_value)?);
            continue;
        }
        let mut object = Map::new();
        for (name, root) in variables.iter().filter_map(|name| Some((name, solution.get(name)?))) {
            object.insert(name.clone(), root_value(root)?);
        }
        list.push(Value::Object(object));
    }
    let mut output = json!({ "solutions": list, "variables": variables });
    if approximate {
        output["approximate"] = json!(true);
    }
    if found.principal && !list_is_empty(&output) {
        output["principal_only"] = json!(true);
    }
    Ok(output)
}

pub(super) fn differentiate(arguments: &Map<String, Value>) -> Result<Value> {
    let arguments = Arguments(arguments);
    arguments.only(&["expression", "variable", "order"])?;
    let mut expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    let order = arguments.integer("order", 1, 1, MAX_ORDER)?;
    for _ in 0..order {
        expression = simplified(&derivative(&expression, &variable));
    }
    Ok(json!({ "derivative": text(&expression)?, "variable": variable, "order": order }))
}

pub(super) fn integrate(arguments: &Map<String, Value>) -> Result<Value> {
    let arguments = Arguments(arguments);
    arguments.only(&["expression", "variable", "lower", "upper"])?;
    let expression = arguments.expression("expression")?;
    let variable = arguments.variable("variable", &expression)?;
    match (arguments.constant("lower")?, arguments.constant("upper")?) {
        (None, None) => {
            Ok(json!({ "integral": text(&integral(&expression, &variable)?)?, "variable": variable }))
        }
        (Some(lower), Some(upper)) => {
            for (name, bound) in [("lower", &lower), ("upper", &upper)] {
                if bound.contains(&variable) {
                    return Err(wrong(name, "a bound with the variable of integration in it", "a constant"));
                }
            }
            let value = definite_integral(&expression, &variable, &lower, &upper)?;
            let mut output = json!({ "integral": text(&value)?, "variable": variable });
            if value.symbols().is_empty() {
                output["value"] = number(real_value(&value, &[]), 1e-14)?;
            }
            Ok(output)
        }
        (Some(_), None) => Err(wrong("upper", "nothing", "a bound, as `lower` is given")),
        (None, Some(_)) => Err(wrong("lower", "nothing", "a bound, as `upper` is given")),
    }
}

pub(super) fn simplify(arguments: &Map<String, Value>) -> Result<Value> {
    let arguments = Arguments(arguments);
    arguments.only(&["expression"])?;
    let expression = simplified(&arguments.expression("expression")?);
    Ok(json!({ "simplified": text(&expression)? }))
}

fn variables(arguments: &Arguments, equations: &[Expr]) -> Result<Vec<String>> {
    let mut symbols: Vec<String> = equations.iter().flat_map(Expr::symbols).collect();
    symbols.sort();
    symbols.dedup();
    let expected = || match symbols.len() {
        0 => "equations with at least one variable".to_owned(),
        _ => format!("variables of the equations ({})", symbols.join(", ")),
    };
    let Some(texts) = arguments.texts("variables", MAX_EQUATIONS)? else {
        return match symbols.len() {
            0 if equations.iter().all(Expr::is_zero) => {
                Err(Error::AlwaysTrue { variables: "its variables".to_owned() })
            }
            0 => Err(wrong("equations", "no variable", &expected())),
            1..=MAX_EQUATIONS => Ok(symbols),
            many => {
                Err(wrong("equations", &format!("{many} variables"), &format!("at most {MAX_EQUATIONS}")))
            }
        };
    };
    let mut named = Vec::new();
    for text in &texts {
        match parse("variables", text)? {
            Expr::Symbol(name) if symbols.contains(&name) => {
                if !named.contains(&name) {
                    named.push(name);
                }
            }
            other => {
                return Err(wrong("variables", &format!("{:?}", other.to_string()), &expected()));
            }
        }
    }
    Ok(named)
}

/// A result as text; `undefined` is no result.
fn text(expression: &Expr) -> Result<String> {
    if expression.is_undefined() {
        return Err(Error::Undefined { argument: "expression".to_owned(), text: "the result".to_owned() });
    }
    Ok(expression.to_string())
}

/// Integers as JSON integers, other exact values as strings, approximations as numbers or strings.
fn root_value(root: &Root) -> Result<Value> {
    match root {
        Root::Exact(Expr::Number(exact)) if exact.is_integer() => {
            Ok(exact.to_integer().to_i64().map_or_else(|| json!(exact.to_string()), Value::from))
        }
        Root::Exact(expression) => Ok(json!(text(expression)?)),
        Root::Approximate(value) if value.im == 0.0 => number(value.re, 0.0),
        Root::Approximate(value) => {
            let (re, im) = (rounded(value.re, DIGITS), rounded(value.im.abs(), DIGITS));
            let sign = if value.im < 0.0 { "-" } else { "+" };
            Ok(json!(format!("{re} {sign} {im}*i")))
        }
    }
}

fn list_is_empty(output: &Value) -> bool {
    output["solutions"].as_array().is_none_or(Vec::is_empty)
}
