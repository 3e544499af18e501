//! The check of arguments: any schema of an upstream and any arguments of a client.
//!
//! Beside what is asserted here, no input may take the time and the memory that `run.sh` sets.

use mcp_disclosure_core::{Schema, Verdict};
use serde_json::Value;

/// Reads the input as a schema and arguments, in two lines, and checks them. Schemas that are made of few keywords are tried by the
/// tests of `core`, beside the same oracle.
///
/// # Panics
/// Where a property does not hold.
pub fn check(input: &[u8]) {
    let lines = std::str::from_utf8(input).ok().and_then(|text| text.trim_end().split_once('\n'));
    let Some((schema, arguments)) = lines else { return };
    let (Ok(parsed), Ok(arguments)) = (serde_json::from_str(schema), serde_json::from_str(arguments)) else {
        return;
    };
    let fits = match Schema::compile(schema).check(&arguments) {
        Verdict::NotJudged => return,
        Verdict::Fits => true,
        Verdict::DoesNotFit(problems) => {
            assert!((1..=10).contains(&problems.len()));
            for problem in &problems {
                let longest = problem.argument.chars().count().max(problem.given.chars().count());
                assert!(longest <= 600 && problem.expected.len() <= 10_000);
            }
            false
        }
    };
    // The oracle is slow for what is large.
    if schema.len() < 10_000 && arguments.to_string().len() < 2_000 {
        agree(&parsed, &arguments, fits);
    }
}

/// The verdict is that of the oracle.
fn agree(schema: &Value, arguments: &Value, fits: bool) {
    if is_endless(schema, schema, &mut Vec::new()) {
        return;
    }
    let built = jsonschema::options().offline().should_validate_formats(false).build(schema);
    let Ok(validator) = built else { return };
    assert_eq!(validator.is_valid(arguments), fits, "{schema} {arguments}");
}

/// Whether a part of a schema refers to itself without a value in between, or so that it takes the oracle too long.
fn is_endless<'s>(schema: &'s Value, root: &'s Value, above: &mut Vec<&'s Value>) -> bool {
    if above.len() > 16 || above.iter().any(|one| std::ptr::eq(*one, schema)) {
        return true;
    }
    above.push(schema);
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    let target = reference.and_then(|pointer| root.pointer(pointer));
    let found = target.is_some_and(|target| is_endless(target, root, above))
        || match schema {
            Value::Array(items) => items.iter().any(|one| is_endless(one, root, above)),
            Value::Object(members) => members.values().any(|one| is_endless(one, root, above)),
            _ => false,
        };
    above.pop();
    found
}
