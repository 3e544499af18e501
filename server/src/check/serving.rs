//! What `serve` would refuse or leave out, as found by the code that serves.

use mcp_disclosure_core::{Objection, Warning};
use mcp_disclosure_gateway::Problem;

use super::{Finding, Findings, Place, Rule, Severity, Subject};
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

const ODD_LIST: Rule = Rule {
    code: "odd-list",
    severity: Severity::Warning,
    summary: "an upstream lists something that cannot be served as it is",
    hint: "correct it in the server",
};

pub(super) const IDLE_RULE: Rule = Rule {
    code: "matches-nothing",
    severity: Severity::Warning,
    summary: "a file has a rule for something that no upstream lists",
    hint: "correct the name or pattern, or leave it out",
};

/// Why it would not start.
pub fn refusals(failure: &Failure) -> Findings {
    match failure {
        Failure::Usage(problems) | Failure::Configuration(problems) => {
            Findings(problems.iter().map(|problem| found(REFUSED, problem)).collect())
        }
        Failure::Upstreams(errors) => unreachable(errors),
        other => {
            let mut findings = Findings::default();
            findings.add(REFUSED, Place::default(), other.to_string());
            findings
        }
    }
}

/// The servers of hosts' files that are left out.
pub fn left_out(problems: &[Problem]) -> Findings {
    Findings(problems.iter().map(|problem| found(LEFT_OUT, problem)).collect())
}

fn found(rule: Rule, problem: &Problem) -> Finding {
    let place = problem.place().map(|place| Place {
        file: Some(place.file.to_string()),
        line: Some(place.line),
        column: Some(place.column),
        ..Place::default()
    });
    Finding {
        rule,
        place: place.unwrap_or_default(),
        detail: problem.message().to_owned(),
        hint: problem.remedy().map(str::to_owned),
    }
}

/// The upstreams that would be left out.
pub fn unreachable(errors: &[impl ToString]) -> Findings {
    let mut findings = Findings::default();
    errors.iter().for_each(|error| findings.add(UNREACHABLE, Place::default(), error.to_string()));
    findings
}

/// Tools that cannot be served beside others.
pub fn unserved(problems: &[Problem]) -> Findings {
    Findings(problems.iter().map(|problem| found(NOT_SERVED, problem)).collect())
}

/// What keeps a strategy from being offered, or would if it did not serve clients without being chosen: the first objection
/// stands for all.
pub fn objections(strategy: &str, is_required: bool, objections: &[Objection]) -> Findings {
    let mut findings = Findings::default();
    let rule = if is_required { OBJECTS } else { NOT_OFFERED };
    if let Some(Objection { message, hint }) = objections.first() {
        let others = match objections.len() - 1 {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        let detail = format!("{strategy}: {message}{others}");
        findings.0.push(Finding { rule, place: Place::default(), detail, hint: Some(hint.to_string()) });
    }
    findings
}

pub(super) fn oddities(subject: &Subject, findings: &mut Findings) {
    for warning in subject.snapshot.warnings() {
        let rule = match warning {
            Warning::Unmatched { .. } | Warning::NothingMatches { .. } => IDLE_RULE,
            Warning::Held { .. } => super::drift::DRIFTED,
            // A finding about names.
            Warning::TooLong { .. } => continue,
            _ => ODD_LIST,
        };
        findings.add(rule, Place::default(), warning.to_string());
    }
}
