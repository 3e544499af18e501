//! Schemas that cannot be used as they are.

use mcp_disclosure_core::arguments::{BoundedSchema, Unenforced};
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
    summary: "the schema has external references, which are not followed, so arguments are not checked against it",
    hint: "put what it points at under $defs in the tool's description file",
};

const EXPENSIVE: Rule = Rule {
    code: "schema-too-expensive",
    severity: Severity::Warning,
    summary: "checking against it could take too much time or memory, so nothing is checked against it",
    hint: "make it simpler in the tool's description file: fewer unions and references that apply to one value",
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
            let Some(text) = tool.definition().member(member) else { continue };
            let schema = schema(tool, member).unwrap_or_default();
            if member == "inputSchema" && schema.get("type") != Some(&Value::from("object")) {
                findings.add(UNTYPED, Place::from(tool), "");
            }
            let Err(why) = BoundedSchema::compile(text, subject.limits) else { continue };
            let (rule, message) = match (outside(&schema), why) {
                (Some(reference), _) => (OUTSIDE, format!("{member} points at {reference}")),
                (None, Unenforced::Invalid(error)) => (BROKEN, format!("{member}: {error}")),
                (None, Unenforced::Expensive(why)) => (EXPENSIVE, format!("{member}: {why}")),
                (None, _) => (BROKEN, format!("{member} is too deep to read")),
            };
            findings.add(rule, Place::from(tool), message);
        }
    }
}

/// More schemas with an `$id` than this in one document are not enforced anyway.
const MOST_IDS: usize = 100;

/// A reference that leads outside.
fn outside(schema: &Value) -> Option<&str> {
    let (mut found, mut rest, mut ids) = (Vec::new(), vec![schema], Vec::new());
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => {
                // Each reference is looked for among all of them.
                let id = members.get("$id").and_then(Value::as_str);
                ids.extend(id.filter(|_| ids.len() < MOST_IDS));
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
    found.into_iter().find(|reference| !is_local(reference))
}
