//! Names that hosts and models have trouble with.

use super::{
    Findings, Place, Read, Subject,
    rules::{CLASH, ODD, OVER_48, OVER_60},
};

pub(super) fn look(_: &Subject, read: &Read<'_>, findings: &mut Findings) {
    let tool = read.tool;
    let name = tool.key().as_str();
    let length = name.chars().count();
    if length > 60 {
        findings.add(OVER_60, Place::from(tool), format!("{length} characters"));
    } else if length > 48 {
        findings.add(OVER_48, Place::from(tool), format!("{length} characters"));
    }
    let odd = |character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-');
    if let Some(character) = name.chars().find(|character| odd(*character)) {
        findings.add(ODD, Place::from(tool), format!("{character:?}"));
    }
    if tool.key() == tool.qualified() {
        findings.add(CLASH, Place::from(tool), format!("'{}' of {}", tool.upstream_name(), tool.upstream()));
    }
}
