//! Concerns that do nothing, and primitives that they hide for good.

use mcp_disclosure_core::{Concern, Kind, Mapping, Values};
use serde_json::Value;

use super::{Findings, Place, Subject, rules};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
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
