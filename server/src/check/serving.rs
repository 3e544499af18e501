//! What `serve` would refuse or leave out, as found by the code that serves.

use std::sync::Arc;

use mcp_disclosure_core::{Objection, Warning};
use mcp_disclosure_gateway::{Problem, slot::Slot};

use super::{Finding, Findings, Place, Read, Rule, Severity, Subject};
use crate::failure::Failure;

const REFUSED: Rule = Rule {
    code: "refused",
    severity: Severity::Error,
    summary: "serve would not start",
    hint: "correct this first; the rest is checked afterwards",
};

const UNREACHABLE: Rule = Rule {
    code: "unreachable-upstream",
    severity: Severity::Error,
    summary: "an upstream cannot be used, and its tools are not served",
    hint: "run it by itself to see why, or leave it out",
};

const LEFT_OUT: Rule = Rule {
    code: "left-out",
    severity: Severity::Warning,
    summary: "a server of a host's file cannot be used as it is, and is left out",
    hint: "correct it in the host's file, or declare it in disclosure.toml",
};

const NOT_OFFERED: Rule = Rule {
    code: "strategy-not-offered",
    severity: Severity::Note,
    summary: "a strategy cannot serve these tools, so clients cannot choose it",
    hint: "correct what it objects to, or leave it out with --offer",
};

const OBJECTS: Rule = Rule {
    code: "strategy-objects",
    severity: Severity::Error,
    summary: "the strategy that serves clients cannot serve these tools as it should",
    hint: "correct what it objects to, or serve with another strategy",
};

const NOT_SERVED: Rule = Rule {
    code: "not-served",
    severity: Severity::Error,
    summary: "a tool is not served, since its name is taken",
    hint: "give its upstream another name or a prefix",
};

const NOT_PASSED: Rule = Rule {
    code: "not-passed",
    severity: Severity::Note,
    summary: "an upstream has capabilities beyond MCP, which its clients do not see",
    hint: "name the methods that they need with pass, in [upstreams.NAME] of disclosure.toml",
};

const ODD_LIST: Rule = Rule {
    code: "odd-list",
    severity: Severity::Warning,
    summary: "an upstream lists something that cannot be served as it is",
    hint: "correct it in the server",
};

const NEEDS_TASKS: Rule = Rule {
    code: "needs-tasks",
    severity: Severity::Note,
    summary: "a tool runs as a task only, and is not listed to clients that run none: those of revisions up to 2025-06-18, and of 2026-07-28 without the extension",
    hint: "see whether your hosts run tasks (2025-11-25, or io.modelcontextprotocol/tasks)",
};

const DRIFTED: Rule = Rule {
    code: "drifted-definition",
    severity: Severity::Warning,
    summary: "the upstream's definition is not the one that was reviewed",
    hint: "see what the tool is now, and accept it: mcp-disclosure accept --dry-run NAME, then without --dry-run",
};

pub(super) const IDLE_RULE: Rule = Rule {
    code: "matches-nothing",
    severity: Severity::Warning,
    summary: "a file has a rule for something that no upstream lists",
    hint: "correct the name or pattern, or leave it out",
};

/// Why it would not start.
pub fn refusals(failure: &Failure, findings: &mut Findings) {
    match failure {
        Failure::Usage(problems) | Failure::Configuration(problems) => add(REFUSED, problems, findings),
        Failure::Upstreams(errors) => unreachable(errors, findings),
        other => findings.add(REFUSED, Place::default(), other.to_string()),
    }
}

/// The servers of hosts' files that are left out.
pub fn left_out(problems: &[Problem], findings: &mut Findings) {
    add(LEFT_OUT, problems, findings);
}

fn add(rule: Rule, problems: &[Problem], findings: &mut Findings) {
    findings.0.extend(problems.iter().map(|problem| Finding {
        rule,
        place: problem.place().map(Place::from).unwrap_or_default(),
        detail: problem.message().to_owned(),
        hint: problem.remedy().map(str::to_owned),
    }));
}

/// The upstreams that would be left out.
pub fn unreachable(errors: &[impl ToString], findings: &mut Findings) {
    errors.iter().for_each(|error| findings.add(UNREACHABLE, Place::default(), error.to_string()));
}

/// Capabilities of upstreams that clients do not see. A method that the operator lets pass settles those of its vendor.
pub fn unpassed(slots: &[Arc<Slot>], findings: &mut Findings) {
    for slot in slots {
        let Some(introduction) = slot.status().introduction else { continue };
        let passes = &slot.configured().config().settings.pass;
        let vendor = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
        let is_settled = |id: &String| passes.iter().any(|passed| vendor(passed) == vendor(id));
        let left: Vec<String> = introduction.unpassed().into_iter().filter(|id| !is_settled(id)).collect();
        if let Some(name) = slot.name().filter(|_| !left.is_empty()) {
            findings.add(NOT_PASSED, Place::default(), format!("{name}: {}", left.join(", ")));
        }
    }
}

/// Tools that cannot be served beside others.
pub fn unserved(problems: &[Problem], findings: &mut Findings) {
    add(NOT_SERVED, problems, findings);
}

/// What keeps a strategy from being offered, or would if it did not serve clients without being chosen: the first objection
/// stands for all.
pub fn objections(strategy: &str, is_required: bool, objections: &[Objection], findings: &mut Findings) {
    let rule = if is_required { OBJECTS } else { NOT_OFFERED };
    if let Some(Objection { message, hint }) = objections.first() {
        let others = match objections.len() - 1 {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        let detail = format!("{strategy}: {message}{others}");
        findings.0.push(Finding { rule, place: Place::default(), detail, hint: Some(hint.to_string()) });
    }
}

pub(super) fn look(subject: &Subject, read: &Read<'_>, findings: &mut Findings) {
    if read.tool.needs_task() {
        findings.add(NEEDS_TASKS, read.tool.into(), "");
    }
    if let Some(change) = subject.snapshot.drift(read.tool) {
        findings.add(DRIFTED, read.tool.into(), change.to_string());
    }
}

pub(super) fn oddities(subject: &Subject, findings: &mut Findings) {
    for warning in subject.snapshot.warnings() {
        let rule = match warning {
            Warning::Unmatched { .. } | Warning::NothingMatches(_) => IDLE_RULE,
            Warning::Held { .. } => DRIFTED,
            // A finding about names.
            Warning::TooLong(_) => continue,
            _ => ODD_LIST,
        };
        findings.add(rule, Place::default(), warning.to_string());
    }
}
