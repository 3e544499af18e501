//! What operators decide of tools: concerns that do nothing, and primitives that they hide for good; pins that cost much, or that
//! draw calls away from other tools.

use mcp_disclosure_core::{Concern, Kind, ListSize, Mapping, Tool, Values, nearest::are_alike};
use serde_json::Value;

use super::{Findings, Place, Subject, named, rules};

/// Maximum number of pins that are not found to be many: a handful is what a model reads before each task.
const MOST: usize = 5;

pub(super) fn concerns(subject: &Subject, findings: &mut Findings) {
    let concerns = &subject.view.about().concerns;
    let mappings = mappings(subject);
    for (place, mapping) in &mappings {
        for (name, value) in mapping.iter() {
            match concerns.iter().find(|concern| concern.name() == name) {
                None => findings.add(rules::UNDECLARED, place.clone(), format!("'{name}'")),
                Some(concern) if !can_be_shown(mapping, concern, value) => {
                    let message = format!("'{name}' is {value}, and may be {}", concern.values());
                    findings.add(rules::NEVER_SHOWN, place.clone(), message);
                }
                Some(_) => {}
            }
        }
    }
    for concern in concerns {
        let is_used =
            mappings.iter().any(|(_, mapping)| mapping.iter().any(|(name, _)| name == concern.name()));
        if !is_used {
            findings.add(rules::UNUSED, Place::default(), format!("'{}'", concern.name()));
        }
    }
}

pub(super) fn pins(subject: &Subject, findings: &mut Findings) {
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
            findings.add(rules::LOOK_ALIKE, Place::from(tool), named(alike.iter()));
        }
    }
}

/// What everything that can be listed is mapped to.
fn mappings(subject: &Subject) -> Vec<(Place, &Mapping)> {
    let tools = subject.tools().map(|tool| (Place::from(tool), tool.mapping()));
    let others = [Kind::Resources, Kind::Templates, Kind::Prompts].into_iter().flat_map(|kind| {
        let entries = subject.view.entries(kind);
        entries.map(move |entry| (Place::primitive(kind, entry.key()), entry.mapping()))
    });
    tools.chain(others).collect()
}

/// Whether some value of a concern leaves this listed.
fn can_be_shown(mapping: &Mapping, concern: &Concern, mapped: &Value) -> bool {
    match concern.values() {
        Values::Listed(values) => values.iter().any(|value| mapping.fits(concern, value)),
        Values::Range { min, max } => {
            // If any value fits, so does an end of the range or of the part.
            let ends = [Value::Number(min.clone()), Value::Number(max.clone())];
            let parts = mapped.as_array().into_iter().flatten().chain([mapped]);
            ends.iter().chain(parts).any(|value| concern.values().have(value) && mapping.fits(concern, value))
        }
    }
}
