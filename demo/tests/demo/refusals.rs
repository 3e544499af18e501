//! Refusals, and the limit of work.

use mcp_disclosure_demo::MathServer;
use serde_json::{Map, json};

use super::call;

#[test]
fn malformed_expressions_are_refused() {
    let long =
        ["(".repeat(10_000), format!("{}x{}", "(".repeat(900), ")".repeat(900)), vec!["2"; 900].join("**")];
    let cut = ["", " ", "x +", "((((", "sin(", "sin()", "1..2", "x = = 2", ")", "*x"];
    let unknown = ["2x", "x y", "α + 1", "foo(x)", "😀", "\u{0}", "1/0", "ln(0)", "1e99999", "1/(x - x)"];
    for case in cut.into_iter().chain(unknown).chain(long.iter().map(String::as_str)) {
        for tool in
            ["symbolic_diff", "symbolic_integrate", "symbolic_simplify", "numerical_integrate", "find_root"]
        {
            let mut arguments = json!({"expression": case});
            if !tool.starts_with("symbolic") {
                (arguments["lower"], arguments["upper"]) = (json!(0), json!(1));
            }
            let error = call(tool, arguments).unwrap_err();
            assert!(error.contains("`expression`"), "{tool} {case:.20}: {error}");
        }
        let error = call("symbolic_solve", json!({"equations": case})).unwrap_err();
        assert!(error.contains("`equations`"), "{case:.20}: {error}");
    }
}

/// The error of a call that reached the limit of steps.
const LIMIT: &str = "reached its limit of work";

#[test]
fn heavy_input_ends_within_the_limit_of_work() {
    for (tool, expression, expected) in [
        ("symbolic_simplify", "(a + b + c + d + f + g + h)**40", LIMIT),
        ("symbolic_simplify", "((((x + 1)**60)**60)**60 + y)**60", "(y + (x + 1)**216000)**60"),
        ("symbolic_diff", "sin(sin(sin(sin(sin(sin(sin(x**x)))))))", LIMIT),
        ("symbolic_solve", "(x + 1)**60 - (x - 3)**59 + sin(x)**50", "symbolic_solve has no method for"),
        ("symbolic_simplify", "9**9**9**9", "9**(9**387420489)"),
        ("symbolic_integrate", "(x + 1)**60*sin(x)**40*exp(x)", "symbolic_integrate has no method for"),
        ("minimize", "x**3", "unbounded below"),
    ] {
        let arguments = match tool {
            "symbolic_solve" => json!({"equations": expression}),
            "symbolic_diff" => json!({"expression": expression, "order": 10}),
            "minimize" => json!({"expression": expression, "start": {"x": 1}}),
            _ => json!({"expression": expression}),
        };
        let outcome = call(tool, arguments).map_or_else(|error| error, |result| result.to_string());
        assert!(outcome.contains(expected), "{tool} {expression}: {outcome:.300}");
    }
}

#[test]
fn the_deepest_nesting_fits_the_stack() {
    // Test threads have the same 2 MiB as tokio's blocking ones.
    let nested = format!("{}x{}", "sin(".repeat(60), ")".repeat(60));
    for tool in ["symbolic_diff", "symbolic_simplify", "symbolic_integrate"] {
        let ended =
            call(tool, json!({"expression": nested})).map_or_else(|error| error, |result| result.to_string());
        let expected = [LIMIT, "cos(", &*nested, "symbolic_integrate has no method for"];
        assert!(expected.iter().any(|part| ended.contains(part)), "{tool}: {ended}");
    }
}

#[test]
fn oversized_and_mistyped_arguments_are_named() {
    let long = "x+".repeat(1500) + "x";
    let wide = vec![0.5; 65_537];
    let square = |size: usize| json!(vec![vec![1.0; size]; size]);
    for (tool, arguments, argument) in [
        ("symbolic_simplify", json!({"expression": long}), "expression"),
        ("symbolic_simplify", json!({"expression": "x", "more": 1}), "more"),
        ("symbolic_solve", json!({"equations": vec!["x"; 11]}), "equations"),
        ("symbolic_solve", json!({"equations": "x", "variables": "z"}), "variables"),
        ("symbolic_diff", json!({"expression": "x", "order": 11}), "order"),
        ("symbolic_integrate", json!({"expression": "x", "lower": 0}), "upper"),
        ("linear_solve", json!({"matrix": square(201), "right_hand_side": [1]}), "matrix"),
        ("linear_solve", json!({"matrix": [[1, 2]], "right_hand_side": [1]}), "matrix"),
        ("matrix_eigenvalues", json!({"matrix": square(101)}), "matrix"),
        ("fft", json!({"values": wide}), "values"),
        ("convolve", json!({"a": wide, "b": [1]}), "a"),
        ("find_root", json!({"expression": "x", "lower": 1, "upper": 0}), "upper"),
    ] {
        let error = call(tool, arguments).unwrap_err();
        assert!(error.contains(&format!("argument `{argument}")), "{tool}: {error}");
    }
    let at_a_pole = call("find_root", json!({"expression": "1/x", "lower": -1, "upper": 2})).unwrap_err();
    assert!(at_a_pole.contains("without a root, as at a pole or a jump"), "{at_a_pole}");
    assert!(MathServer.call("nothing", &Map::new()).is_none());
}
