//! Schemas that cannot be used as they are.

use mcp_disclosure_core::arguments::Schema;
use serde_json::Value;

use super::{Findings, Place, Rule, Severity, Subject, schema};

const UNCHECKED: Rule = Rule {
    code: "schema-not-checked",
    severity: Severity::Warning,
    summary: "arguments are not checked against these parts of a schema: keywords that are not supported, or in a wrong form",
    hint: "correct or simplify it in the tool's description file; the tool's server has its own check",
};

const OUTSIDE: Rule = Rule {
    code: "reference-outside",
    severity: Severity::Warning,
    summary: "the schema has external references, which are not followed, so arguments are not checked against it",
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
            let Some(text) = tool.definition().member(member) else { continue };
            let schema = schema(tool, member).unwrap_or_default();
            if member == "inputSchema" && schema.get("type") != Some(&Value::from("object")) {
                findings.add(UNTYPED, Place::from(tool), "");
            }
            let parts: Option<Vec<String>> =
                Schema::compile(text).map(|schema| schema.unjudged().map(str::to_owned).collect());
            let (rule, message) = match (outside(&schema), parts) {
                (Some(reference), _) => (OUTSIDE, format!("{member} points at {reference}")),
                (None, None) => (UNCHECKED, format!("{member}: it is too large or too deep")),
                (None, Some(parts)) if parts.is_empty() => continue,
                (None, Some(parts)) => (UNCHECKED, format!("{member}: {}", parts.join(", "))),
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
