//! What shows a model how a tool is used (004, principle 3): examples, returns and related tools.

use mcp_disclosure_core::{ArgumentProblem, Schema, Tool, Verdict, nearest::nearest};
use serde_json::Value;

use super::{Findings, Place, Rule, Severity, Subject, schema};

const NO_EXAMPLE: Rule = Rule {
    code: "no-example",
    severity: Severity::Note,
    summary: "no example of a call",
    hint: "add examples to the tool's description file: [{\"description\": …, \"input\": {…}, \"output\": …}]",
};

const NO_RETURNS: Rule = Rule {
    code: "no-returns",
    severity: Severity::Note,
    summary: "nothing says what a call returns",
    hint: "add returns, or an outputSchema, to the tool's description file",
};

const NO_RELATED: Rule = Rule {
    code: "no-related",
    severity: Severity::Note,
    summary: "no related tools are named",
    hint: "add related to the tool's description file: the names of tools that are used before, after or instead",
};

const WRONG_EXAMPLE: Rule = Rule {
    code: "example-does-not-fit",
    severity: Severity::Warning,
    summary: "an example does not fit the schema, so a model that follows it is refused",
    hint: "correct the example, or the schema",
};

const UNKNOWN_RELATED: Rule = Rule {
    code: "unknown-related",
    severity: Severity::Warning,
    summary: "a related tool does not exist",
    hint: "correct the name, or leave it out",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    let names: Vec<&str> = subject.tools().map(|tool| tool.key().as_str()).collect();
    for tool in subject.tools() {
        let part = |key: &str| tool.supplement().part(key).and_then(|text| serde_json::from_str(text).ok());
        let list = |key: &str| match part(key) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let examples = list("examples");
        let in_schema = schema_examples(tool);
        if examples.is_empty() && in_schema.is_empty() {
            findings.add(NO_EXAMPLE, Place::from(tool), "");
        }
        let is_said = part("returns").is_some_and(|returns| !returns.is_null());
        if !is_said && tool.definition().member("outputSchema").is_none() {
            findings.add(NO_RETURNS, Place::from(tool), "");
        }
        let related = list("related");
        if related.is_empty() && names.len() > 1 {
            findings.add(NO_RELATED, Place::from(tool), "");
        }
        for name in related.iter().filter_map(Value::as_str).filter(|name| !names.contains(name)) {
            let near = nearest(name, names.iter().copied(), 1);
            let meant = near.first().map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            findings.add(UNKNOWN_RELATED, Place::from(tool), format!("'{name}'{meant}"));
        }
        let misfits = misfits(tool, &examples).into_iter().chain(in_schema.into_iter().flatten());
        misfits.for_each(|message| findings.of_text(WRONG_EXAMPLE, tool, message));
    }
}

/// What is wrong with the examples of a description file.
fn misfits(tool: &Tool, examples: &[Value]) -> Vec<String> {
    let output = tool.definition().member("outputSchema").map(Schema::compile);
    let mut found = Vec::new();
    let check = tool.argument_check();
    for (at, example) in examples.iter().enumerate() {
        let given = example.get("input").map(Value::to_string);
        if let Some(Err(problems)) = given.map(|given| check.apply(&given)) {
            found.push(format!("examples[{at}].input: {}", first(&problems)));
        }
        let result = example.get("output").filter(|output| output.is_object());
        if let Some(problem) = output.as_ref().zip(result).and_then(|(output, result)| misfit(output, result))
        {
            found.push(format!("examples[{at}].output: {problem}"));
        }
    }
    found
}

/// The first thing that is wrong with a value.
fn misfit(schema: &Schema, value: &Value) -> Option<String> {
    let Verdict::DoesNotFit(problems) = schema.check(value) else { return None };
    let problem = problems.first()?;
    let place =
        if problem.argument == "arguments" { String::new() } else { format!("{}: ", problem.argument) };
    Some(format!("{place}{}, expected {}", problem.given, problem.expected))
}

fn first(problems: &[ArgumentProblem]) -> String {
    let problem =
        problems.first().map(|problem| format!("{}: expected {}", problem.argument, problem.expected));
    problem.unwrap_or_default()
}

/// The most bytes that are compiled for the parameters of one tool.
const MOST_BYTES: usize = 16_000_000;

/// The examples and defaults in the schema of each parameter, and what is wrong with them.
fn schema_examples(tool: &Tool) -> Vec<Option<String>> {
    let Some(schema) = schema(tool, "inputSchema") else { return Vec::new() };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let mut seen = Vec::new();
    // Definitions are compiled with every parameter.
    let mut room = MOST_BYTES;
    for (name, property) in properties {
        let examples = property.get("examples").and_then(Value::as_array).into_iter().flatten();
        let given: Vec<&Value> = examples.collect();
        if given.is_empty() {
            continue;
        }
        // References of a parameter lead to the whole schema's definitions.
        let mut alone = property.clone();
        for key in ["$defs", "definitions"] {
            if let (Some(definitions), Some(alone)) = (schema.get(key), alone.as_object_mut()) {
                alone.insert(key.to_owned(), definitions.clone());
            }
        }
        let alone = alone.to_string();
        let Some(left) = room.checked_sub(alone.len()) else { break };
        room = left;
        let alone = Schema::compile(&alone);
        seen.extend(given.into_iter().map(|value| {
            let problem = misfit(&alone, value);
            problem.map(|problem| format!("an example of {name}: {problem}"))
        }));
    }
    seen
}
