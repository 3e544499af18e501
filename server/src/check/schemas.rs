//! Schemas that cannot be used as they are.

use serde_json::Value;

use super::{Findings, Place, Rule, Severity, Subject, schema};

const BROKEN: Rule = Rule {
    code: "schema-does-not-compile",
    severity: Severity::Warning,
    summary: "it is no valid JSON Schema, so nothing is checked against it",
    hint: "correct it in the tool's description file",
};

const OUTSIDE: Rule = Rule {
    code: "reference-outside",
    severity: Severity::Warning,
    summary: "the schema points outside itself, which nobody follows, so arguments are not checked against it",
    hint: "put what it points at under $defs in the tool's description file",
};

const UNTYPED: Rule = Rule {
    code: "schema-not-object",
    severity: Severity::Warning,
    summary: "the inputSchema is not of type object, for which hosts refuse the tool",
    hint: "give it \"type\": \"object\" in the tool's description file",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for tool in subject.tools() {
        for member in ["inputSchema", "outputSchema"] {
            let Some(schema) = schema(tool, member) else {
                if tool.definition().member(member).is_some() {
                    findings.add(BROKEN, Place::from(tool), format!("{member} is too deep to read"));
                }
                continue;
            };
            if member == "inputSchema" && schema.get("type") != Some(&Value::from("object")) {
                findings.add(UNTYPED, Place::from(tool), "");
            }
            let outside = outside(&schema);
            if let Some(reference) = outside.first() {
                findings.add(OUTSIDE, Place::from(tool), format!("{member} points at {reference}"));
            } else if let Err(error) = jsonschema::options().build(&schema) {
                findings.add(BROKEN, Place::from(tool), format!("{member}: {error}"));
            }
        }
    }
}

/// The references that lead outside.
fn outside(schema: &Value) -> Vec<&str> {
    let (mut found, mut rest, mut ids) = (Vec::new(), vec![schema], Vec::new());
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                ids.extend(members.get("$id").and_then(Value::as_str));
                found.extend(members.get("$ref").and_then(Value::as_str));
                // What stands in these is data, not schema.
                rest.extend(
                    members
                        .iter()
                        .filter(|(key, _)| !matches!(&***key, "enum" | "const" | "default" | "examples"))
                        .map(|(_, value)| value),
                );
            }
            _ => {}
        }
    }
    let is_local = |reference: &str| {
        let base = reference.split('#').next().unwrap_or_default();
        base.is_empty()
            || ids.iter().any(|id| id.ends_with(base))
            || base.starts_with("https://json-schema.org/")
    };
    found.retain(|reference| !is_local(reference));
    found
}
