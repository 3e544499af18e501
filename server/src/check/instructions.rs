//! Texts for models that give them orders (tool poisoning): in tools, resources and prompts, and in what servers say of
//! themselves.

use mcp_disclosure_core::Kind;
use serde_json::Value;

use super::{Findings, Place, Rule, Severity, Subject, orders::orders};

const INSTRUCTS: Rule = Rule {
    code: "instructs-the-model",
    severity: Severity::Warning,
    summary: "a text that models read gives them orders or hides something, instead of saying what it is for",
    hint: "read it as the model does; do not serve it (hidden), or write your own in a description file, unless it is meant",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for tool in subject.tools() {
        let supplement = tool.supplement().parts.as_ref();
        for object in [Some(tool.definition()), supplement].into_iter().flatten() {
            note(findings, &Place::from(tool), object.text());
        }
    }
    for kind in [Kind::Resources, Kind::Templates, Kind::Prompts] {
        for entry in subject.view.entries(kind) {
            note(findings, &Place::primitive(kind, entry.key()), subject.view.text(entry).text());
        }
    }
    for (upstream, text) in subject.snapshot.own_instructions() {
        let place = Place { primitive: Some(format!("upstream {upstream}")), ..Place::default() };
        add(findings, &place, "instructions", text);
    }
}

/// Looks at every string of an object, and at its members' names.
fn note(findings: &mut Findings, place: &Place, object: &str) {
    let mut rest: Vec<(String, Value)> =
        serde_json::from_str(object).map(|value| (String::new(), value)).into_iter().collect();
    while let Some((at, value)) = rest.pop() {
        match value {
            Value::String(text) => add(findings, place, &at, &text),
            Value::Array(items) => rest.extend(items.into_iter().map(|item| (at.clone(), item))),
            Value::Object(members) => rest.extend(members.into_iter().map(|(name, value)| {
                add(findings, place, &format!("a name in {at}"), &name);
                (if at.is_empty() { name } else { format!("{at}.{name}") }, value)
            })),
            _ => {}
        }
    }
}

fn add(findings: &mut Findings, place: &Place, at: &str, text: &str) {
    for (what, piece) in orders(text) {
        findings.add(INSTRUCTS, place.clone(), format!("{at} {what}: {piece}"));
    }
}
