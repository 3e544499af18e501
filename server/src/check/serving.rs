//! What `serve` would refuse or leave out, as found by the code that serves.

use std::sync::Arc;

use mcp_disclosure_core::{Objection, Warning, printable::few};
use mcp_disclosure_gateway::slot::Slot;

use super::{Finding, Findings, Place, Read, Subject, rules};
use crate::failure::Failure;

/// Why it would not start.
pub fn refusals(failure: &Failure, findings: &mut Findings) {
    match failure {
        Failure::Usage(problems) | Failure::Configuration(problems) => {
            findings.of_problems(rules::REFUSED, problems);
        }
        Failure::Upstreams(errors) => unreachable(errors, findings),
        other => findings.add(rules::REFUSED, Place::default(), other.to_string()),
    }
}

/// The upstreams that would be left out.
pub fn unreachable(errors: &[impl ToString], findings: &mut Findings) {
    errors.iter().for_each(|error| findings.add(rules::UNREACHABLE, Place::default(), error.to_string()));
}

/// Capabilities of upstreams that clients do not see. A method that the operator lets pass settles those of its vendor.
pub fn unpassed(slots: &[Arc<Slot>], findings: &mut Findings) {
    for slot in slots {
        let Some(introduction) = slot.status().introduction else { continue };
        let passes = &slot.configured.config.settings.pass;
        let vendor = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
        let is_settled = |id: &String| passes.iter().any(|passed| vendor(passed) == vendor(id));
        let left: Vec<String> = introduction.unpassed().into_iter().filter(|id| !is_settled(id)).collect();
        if let Some(name) = slot.name().filter(|_| !left.is_empty()) {
            findings.add(rules::NOT_PASSED, Place::default(), format!("{name}: {}", left.join(", ")));
        }
    }
}

/// What keeps a strategy from being offered, or would if it did not serve clients without being chosen: the first objection
/// stands for all.
pub fn objections(strategy: &str, is_required: bool, objections: &[Objection], findings: &mut Findings) {
    let rule = if is_required { rules::OBJECTS } else { rules::NOT_OFFERED };
    if let Some(Objection { hint, .. }) = objections.first() {
        let messages = objections.iter().map(|objection| &objection.message);
        let detail = format!("{strategy}: {}", few(messages, 1));
        findings.0.push(Finding { rule, place: Place::default(), detail, hint: Some(hint.to_string()) });
    }
}

pub(super) fn look(subject: &Subject, read: &Read<'_>, findings: &mut Findings) {
    if read.tool.needs_task() {
        findings.add(rules::NEEDS_TASKS, read.tool.into(), "");
    }
    if let Some(change) = subject.snapshot.drift(read.tool) {
        findings.add(rules::DRIFTED, read.tool.into(), change.to_string());
    }
}

pub(super) fn oddities(subject: &Subject, findings: &mut Findings) {
    for warning in subject.snapshot.warnings() {
        let rule = match warning {
            Warning::Unmatched { .. } | Warning::NothingMatches(_) => rules::IDLE,
            Warning::Held { .. } => rules::DRIFTED,
            // A finding about names.
            Warning::TooLong(_) => continue,
            _ => rules::ODD_LIST,
        };
        findings.add(rule, Place::default(), warning.to_string());
    }
}
