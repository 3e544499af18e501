//! The check of arguments: schemas of upstreams and arguments of clients, whoever wrote them.
//!
//! Beside what is asserted here, no input may take the time and the memory that `run.sh` sets.

use std::{cell::Cell, thread};

use mcp_disclosure_core::{ArgumentCheck, CheckLimits, Misfit, ToolName, Unchecked, arguments::STACK_BYTES};
use serde_json::Value;

use crate::schemas;

/// Fewer steps than by default, so that more inputs are tried.
const LIMITS: CheckLimits =
    CheckLimits { schema_bytes: 100_000, bytes: 1_000_000, depth: 64, steps: 1_000_000, memory: 64_000_000 };

/// `stop` is asked at least this often, in steps, but for the price of one value.
const PATIENCE: usize = 4_096;

/// Reads the input as a schema and arguments, in two lines, or makes a schema and arguments of its bytes; and checks them.
///
/// # Panics
/// Where a property does not hold.
pub fn check(input: &[u8]) {
    let written = std::str::from_utf8(input).ok().and_then(|text| {
        let (schema, arguments) = text.trim_end().split_once('\n')?;
        let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        (is_json(schema) && is_json(arguments)).then(|| (schema.to_owned(), arguments.to_owned()))
    });
    let (schema, arguments) = written.unwrap_or_else(|| schemas::make(input));
    let checked =
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || check_one(&schema, &arguments));
    let result = checked.expect("a thread").join();
    result.expect("the properties hold");
}

fn check_one(schema: &str, arguments: &str) {
    let name = ToolName::parse("t").expect("it is not empty");
    let check = ArgumentCheck::compile(&name, schema, LIMITS);
    let asked = Cell::new(0);
    let slow = check.apply(arguments, &|| {
        asked.set(asked.get() + 1);
        false
    });
    // The validity, and the errors twice.
    assert!(asked.get() <= 3 * (LIMITS.steps / PATIENCE + 1), "{} questions", asked.get());
    // A check that was not asked to stop was not stopped.
    let ended = |why: &Unchecked| matches!(why, Unchecked::Stopped | Unchecked::Failed);
    match &slow {
        Ok(checked) => {
            assert!(!checked.unchecked.as_ref().is_some_and(ended), "{checked:?}");
            assert!(check.is_enforced() || checked.unchecked.is_some());
        }
        Err(Misfit::Wrong(problems)) => {
            assert!((1..=10).contains(&problems.len()));
            let longest = |problem: &mcp_disclosure_core::ArgumentProblem| {
                problem.argument.chars().count().max(problem.given.chars().count())
            };
            assert!(
                problems.iter().all(|problem| longest(problem) <= 600 && problem.expected.len() <= 10_000)
            );
        }
        Err(Misfit::Unreadable(_)) => {}
    }
    if let Some(quick) = check.apply_quickly(arguments) {
        let slow = slow.as_ref().expect("what is known to go on goes on");
        assert_eq!(
            quick.repaired.as_ref().map(|text| text.get()),
            slow.repaired.as_ref().map(|text| text.get())
        );
        assert_eq!(quick.unchecked, slow.unchecked);
    }
    // Few steps: the validator can do it without being counted, and must come to the same.
    let is_cheap =
        asked.get() == 0 && schema.len() < 10_000 && arguments.len() < 10_000 && check.is_enforced();
    let is_known = !matches!(&slow, Ok(checked) if checked.unchecked.is_some() || checked.repaired.is_some());
    if is_cheap && is_known && !matches!(slow, Err(Misfit::Unreadable(_))) {
        agree(schema, arguments, slow.is_ok());
    }
}

fn agree(schema: &str, arguments: &str, fits: bool) {
    let (schema, arguments): (Value, Value) =
        match (serde_json::from_str(schema), serde_json::from_str(arguments)) {
            (Ok(schema), Ok(arguments)) => (schema, arguments),
            _ => return,
        };
    // Text that stands for an object is understood before anything is checked.
    if !arguments.is_object() || holds_text(&arguments) {
        return;
    }
    let validator = jsonschema::options().offline().build(&schema).expect("it compiled");
    assert_eq!(validator.is_valid(&arguments), fits, "{schema} {arguments}");
}

fn holds_text(arguments: &Value) -> bool {
    let is_container = |value: &Value| value.as_str().is_some_and(|text| text.starts_with(['{', '[']));
    arguments.as_object().is_some_and(|members| members.values().any(is_container))
}
