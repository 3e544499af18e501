//! Schemas that cannot be used as they are; and what shows a model how a tool is used (004, principle 3): examples, returns and
//! related tools.

use mcp_disclosure_core::{ArgumentProblem, Schema, Verdict, nearest::nearest};
use serde_json::{Value, json};

use super::{Findings, Place, Read, Subject, rules};

pub(super) fn look(subject: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let tool = read.tool;
    let schema = |member: &str| tool.definition().member(member).map(Schema::compile);
    let (input, output) = (schema("inputSchema"), schema("outputSchema"));
    if read.definition.get("inputSchema").and_then(|schema| schema.get("type")) != Some(&"object".into()) {
        findings.add(rules::UNTYPED, Place::from(tool), "");
    }
    for (member, schema) in [("inputSchema", &input), ("outputSchema", &output)] {
        let unjudged = schema.as_ref().map(|schema| schema.unjudged().join(", ")).unwrap_or_default();
        if !unjudged.is_empty() {
            findings.of_text(rules::UNCHECKED, tool, format!("{member}: {unjudged}"));
        }
    }
    let list = |key: &str| read.supplement.get(key).and_then(Value::as_array).map_or(&[][..], |list| list);
    let (examples, related) = (list("examples"), list("related"));
    let in_schema = schema_examples(read);
    if examples.is_empty() && in_schema.is_empty() {
        findings.add(rules::NO_EXAMPLE, Place::from(tool), "");
    }
    let is_said = read.supplement.get("returns").is_some_and(|returns| !returns.is_null());
    if !is_said && output.is_none() {
        findings.add(rules::NO_RETURNS, Place::from(tool), "");
    }
    if related.is_empty() && subject.snapshot.tool_count() > 1 {
        findings.add(rules::NO_RELATED, Place::from(tool), "");
    }
    for name in related.iter().filter_map(Value::as_str).filter(|name| subject.view.tool(name).is_none()) {
        let near = nearest(name, subject.tools().map(|tool| tool.key().as_str()), 1);
        let meant = near.first().map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        findings.add(rules::UNKNOWN_RELATED, Place::from(tool), format!("'{name}'{meant}"));
    }
    let misfits = misfits(examples, [input.as_ref(), output.as_ref()]);
    misfits.into_iter().chain(in_schema.into_iter().flatten()).for_each(|message| {
        findings.of_text(rules::WRONG_EXAMPLE, tool, message);
    });
}

/// What is wrong with the examples of a description file.
fn misfits(examples: &[Value], [input, output]: [Option<&Schema>; 2]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, example) in examples.iter().enumerate() {
        let given = example.get("input").map(Value::to_string);
        if let Some(Err(problems)) = input.zip(given).map(|(input, given)| input.apply(&given)) {
            found.push(format!("examples[{at}].input: {}", first(&problems)));
        }
        let result = example.get("output").filter(|output| output.is_object());
        if let Some(problem) = output.zip(result).and_then(|(output, result)| misfit(output, result)) {
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

/// The examples in the schemas of parameters, and what is wrong with them.
fn schema_examples(read: &Read<'_>) -> Vec<Option<String>> {
    let Some(schema) = read.definition.get("inputSchema") else { return Vec::new() };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let examples = properties.iter().flat_map(|(name, property)| {
        let given = property.get("examples").and_then(Value::as_array).into_iter().flatten();
        given.map(move |value| json!({name: value}))
    });
    // An example of one parameter need not be a whole call.
    let parts = ["$schema", "$defs", "definitions", "properties"];
    let parts = parts.iter().filter_map(|key| Some(((*key).to_owned(), schema.get(key)?.clone())));
    let alone = Schema::compile(&Value::from_iter(parts).to_string());
    let problem = |example: Value| Some(format!("an example of {}", misfit(&alone, &example)?));
    examples.map(problem).collect()
}
