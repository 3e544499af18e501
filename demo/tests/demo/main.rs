//! The demonstration: documented examples, exact results, clear refusals.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod refusals;

use mcp_disclosure_demo::{DESCRIPTION_FILES, MathServer};
use rmcp::ServerHandler;
use serde_json::{Value, json};

/// The `structuredContent`, or the text of the error.
fn call(tool: &str, arguments: Value) -> Result<Value, String> {
    let result = MathServer.call(tool, arguments.as_object().unwrap()).expect("a known tool");
    let text = result.content[0].as_text().unwrap().text.clone();
    if result.is_error == Some(true) {
        return Err(text);
    }
    let structured = result.structured_content.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), structured);
    Ok(structured)
}

fn solutions(equations: Value, domain: &str) -> Value {
    call("symbolic_solve", json!({ "equations": equations, "domain": domain })).unwrap()["solutions"].clone()
}

#[test]
fn description_files_are_complete() {
    for (file_name, text) in DESCRIPTION_FILES {
        let file: Value = serde_json::from_str(text).unwrap();
        let name = file["name"].as_str().unwrap();
        assert_eq!(*file_name, format!("{name}.json"));
        assert!(file["brief"].as_str().unwrap().len() <= 60, "{name}");
        for part in ["title", "description", "usage_guidance", "error_guidance", "returns"] {
            assert!(!file[part].is_null(), "{name} {part}");
        }
        let tool = MathServer.get_tool(name).unwrap();
        assert_eq!(json!(*tool.input_schema), file["inputSchema"]);
        assert_eq!(json!(tool.output_schema.unwrap()), file["outputSchema"]);
    }
}

#[test]
fn equations_are_solved_exactly() {
    let cases = [
        (json!("x**2 + 1"), "complex", json!(["-i", "i"])),
        (json!("(2*x - 1)*(x - 3)"), "integer", json!([3])),
        (json!("(x**2 - 1)/(x - 1)"), "complex", json!([-1])),
        (json!("1/x"), "complex", json!([])),
        (json!(["x + y = 1", "x + y = 2"]), "real", json!([])),
        (json!(["x + y = 1"]), "real", json!([{"x": "-y + 1"}])),
        (json!("x**4 - 5*x**2 + 6"), "positive", json!(["sqrt(2)", "sqrt(3)"])),
        (json!("x**3 = 1"), "complex", json!([1, "-sqrt(3)*i/2 - 1/2", "sqrt(3)*i/2 - 1/2"])),
        (json!("x**4 + x**2 + 1"), "real", json!([])),
    ];
    for (equations, domain, expected) in cases {
        assert_eq!(solutions(equations.clone(), domain), expected, "{equations}");
    }
    let formula = json!({"equations": "F = m*a", "variables": "a"});
    assert_eq!(call("symbolic_solve", formula).unwrap()["solutions"], json!(["F/m"]));
}

#[test]
fn what_has_no_method_is_refused_with_what_has_one() {
    for equations in ["x = cos(x)", "2**x = 8", "x**5 - x - 1", "x**4 = 2", "sqrt(x) = x - 2"] {
        let error = call("symbolic_solve", json!({ "equations": equations })).unwrap_err();
        let known = ["symbolic_solve has no method for", "; it solves ", "find_root"];
        assert!(known.iter().all(|part| error.contains(part)), "{equations}: {error}");
    }
    for expression in ["exp(-x**2)", "sin(x)/x", "x**x", "1/(x**2 - 1)", "1/x"] {
        let error = call("symbolic_integrate", json!({ "expression": expression })).unwrap_err();
        let known = ["symbolic_integrate has no method for", "; it integrates ", "numerical_integrate"];
        assert!(known.iter().all(|part| error.contains(part)), "{expression}: {error}");
    }
}

const FUNCTIONS: [&str; 11] = [
    "sin(x)*exp(x)",
    "x**x",
    "ln(x)/x",
    "tan(x/3)",
    "atan(x**2)",
    "asin(x/4)",
    "x*cos(x)**2",
    "tanh(x)",
    "2**x",
    "abs(x)*x",
    "sec(x/4)",
];

fn definite(expression: &str, lower: f64, upper: f64) -> f64 {
    let arguments = json!({"expression": expression, "lower": lower, "upper": upper});
    call("numerical_integrate", arguments).unwrap()["value"].as_f64().unwrap()
}

/// The value of an expression in `x`: the integral over a unit interval of an integrand without the variable.
fn value(expression: &str, x: f64) -> f64 {
    let x = format!("({x})");
    let constant = expression.replace('x', &x).replace(&format!("e{x}p"), "exp");
    definite(&format!("{constant}+0*t"), 0.0, 1.0)
}

fn derivative(expression: &str) -> String {
    let found = call("symbolic_diff", json!({"expression": expression, "variable": "x"})).unwrap();
    found["derivative"].as_str().unwrap().to_owned()
}

#[test]
fn derivatives_integrate_to_differences() {
    for expression in FUNCTIONS {
        let slope = derivative(expression);
        let difference = value(expression, 1.5) - value(expression, 1.1);
        assert!((definite(&slope, 1.1, 1.5) - difference).abs() < 1e-9, "{expression}: {slope}");
    }
}
