//! Pins that cost much, or that draw calls away from other tools.

use mcp_disclosure_core::{ListSize, Tool, nearest::are_alike};

use super::{Findings, Place, Rule, Severity, Subject};

/// Maximum number of pins that are not found to be many: a handful is what a model reads before each task.
const MOST: usize = 5;

/// Maximum number of look-alikes that are named.
const MOST_NAMED: usize = 3;

const MANY: Rule = Rule {
    code: "many-pins",
    severity: Severity::Warning,
    summary: "more than 5 tools are pinned, and each is listed completely to every client",
    hint: "pin what nearly every task needs, and leave the rest to the strategy",
};

const LOOK_ALIKE: Rule = Rule {
    code: "pin-look-alike",
    severity: Severity::Warning,
    summary: "a pinned tool has nearly the name of others, and a model takes the one that is listed completely",
    hint: "pin both or neither, or give one another name with rename, in [upstreams.NAME] of disclosure.toml",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    let (pinned, others): (Vec<&Tool>, Vec<&Tool>) =
        subject.tools().partition(|tool| tool.supplement().pinned);
    if pinned.len() > MOST {
        let tokens = ListSize::of(pinned.iter().map(|tool| tool.definition())).tokens();
        let (count, all) = (pinned.len(), ListSize::complete(&subject.view).tokens());
        findings.add(MANY, Place::default(), format!("{count} pins, about {tokens} of {all} tokens"));
    }
    for tool in pinned {
        let alike = |other: &&&Tool| are_alike(tool.upstream_name(), other.upstream_name());
        let alike: Vec<&str> = others.iter().filter(alike).map(|other| other.key().as_str()).collect();
        if !alike.is_empty() {
            findings.add(LOOK_ALIKE, Place::from(tool), named(&alike));
        }
    }
}

fn named(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_NAMED).map(|name| format!("'{name}'"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}
