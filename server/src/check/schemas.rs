//! Schemas that cannot be used as they are.

use mcp_disclosure_core::Schema;
use serde_json::Value;

use super::{Findings, Place, Rule, Severity, Subject, schema};

const UNCHECKED: Rule = Rule {
    code: "schema-not-checked",
    severity: Severity::Warning,
    summary: "arguments are not checked against these parts of a schema: keywords that are not supported or in a wrong form, references to other documents",
    hint: "correct or simplify it in the tool's description file; the tool's server has its own check",
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
            let unjudged = Schema::compile(text).unjudged().join(", ");
            if !unjudged.is_empty() {
                findings.of_text(UNCHECKED, tool, format!("{member}: {unjudged}"));
            }
        }
    }
}
