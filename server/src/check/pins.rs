//! Pins that cost much, or that draw calls away from other tools.

use mcp_disclosure_core::{ListSize, Tool, nearest::are_alike, printable::few};

use super::{Findings, MOST_NAMED, Place, Subject, rules};

/// Maximum number of pins that are not found to be many: a handful is what a model reads before each task.
const MOST: usize = 5;

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    let (pinned, others): (Vec<&Tool>, Vec<&Tool>) =
        subject.tools().partition(|tool| tool.supplement().pinned);
    if pinned.len() > MOST {
        let tokens = ListSize::of(pinned.iter().map(|tool| tool.definition())).tokens();
        let (count, all) = (pinned.len(), ListSize::complete(&subject.view).tokens());
        findings.add(rules::MANY, Place::default(), format!("{count} pins, about {tokens} of {all} tokens"));
    }
    for tool in pinned {
        let alike = |other: &&&Tool| are_alike(tool.upstream_name(), other.upstream_name());
        let alike: Vec<String> =
            others.iter().filter(alike).map(|other| format!("'{}'", other.key())).collect();
        if !alike.is_empty() {
            findings.add(rules::LOOK_ALIKE, Place::from(tool), few(alike.iter(), MOST_NAMED));
        }
    }
}
