//! Definitions that changed upstream since an operator decided on them.

use super::{Findings, Place, Rule, Severity, Subject};

pub(super) const DRIFTED: Rule = Rule {
    code: "drifted-definition",
    severity: Severity::Warning,
    summary: "the upstream's definition is not the one that was reviewed",
    hint: "review what the tool is now, then accept it: mcp-disclosure accept NAME",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for tool in subject.tools() {
        if let Some(change) = subject.snapshot.drift(tool) {
            findings.add(DRIFTED, Place::from(tool), change.to_string());
        }
    }
}
