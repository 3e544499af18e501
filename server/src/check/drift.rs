//! Definitions that changed upstream since an operator decided on them.

use super::{Findings, Place, Rule, Severity, Subject};

const DRIFTED: Rule = Rule {
    code: "drifted-definition",
    severity: Severity::Warning,
    summary: "the upstream's definition is not the one that was recorded when it was decided on",
    hint: "review what the tool is now, then record it with export --out DIR --accept-drift=NAME",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for tool in subject.tools() {
        let Some(drift) = tool.drift() else { continue };
        let detail = format!("{} (recorded in {})", drift.changes, drift.place);
        findings.add(DRIFTED, Place::from(tool), detail);
    }
}
