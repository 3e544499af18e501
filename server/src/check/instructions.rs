//! Texts for models that give them orders (tool poisoning): in tools, resources and prompts, and in what servers say of
//! themselves.

use super::{Findings, Place, Read, Subject, each_text_of, orders::orders, rules::INSTRUCTS};
use mcp_disclosure_core::Kind;

pub(super) fn look(_: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let place = Place::from(read.tool);
    read.each_text(|path, text, is_name| add(findings, &place, path, text, is_name));
}

pub(super) fn look_at_others(subject: &Subject, findings: &mut Findings) {
    for kind in [Kind::Resources, Kind::Templates, Kind::Prompts] {
        for entry in subject.view.entries(kind) {
            let place = Place::primitive(kind, entry.key());
            let text = serde_json::from_str(subject.view.text(entry).text()).unwrap_or_default();
            each_text_of(&text, &mut Vec::new(), &mut |path, text, is_name| {
                add(findings, &place, path, text, is_name);
            });
        }
    }
    for (upstream, text) in subject.snapshot.own_instructions() {
        let place = Place { primitive: Some(format!("upstream {upstream}")), ..Place::default() };
        add(findings, &place, &["instructions"], text, false);
    }
}

fn add(findings: &mut Findings, place: &Place, path: &[&str], text: &str, is_name: bool) {
    for (what, piece) in orders(text) {
        let name = if is_name { "a name in " } else { "" };
        findings.add(INSTRUCTS, place.clone(), format!("{name}{} {what}: {piece}", path.join(".")));
    }
}
