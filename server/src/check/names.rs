//! Names that hosts and models have trouble with.

use super::{Findings, Place, Read, Rule, Severity, Subject};

const OVER_60: Rule = Rule {
    code: "name-over-60",
    severity: Severity::Warning,
    summary: "names of over 60 characters are cut or refused by many hosts",
    hint: "give it a shorter name with rename, in [upstreams.NAME] of disclosure.toml; where names clash, give the upstream one",
};

const OVER_48: Rule = Rule {
    code: "name-over-48",
    severity: Severity::Note,
    summary: "names of over 48 characters pass the usual bound of 64 once a host puts a server's name before them",
    hint: "give the server a short name in the host's configuration",
};

const ODD: Rule = Rule {
    code: "odd-name",
    severity: Severity::Warning,
    summary: "names with anything but letters, digits, '_' and '-' are refused by many models' interfaces",
    hint: "give it another name with rename, in [upstreams.NAME] of disclosure.toml",
};

const CLASH: Rule = Rule {
    code: "name-clash",
    severity: Severity::Note,
    summary: "another tool has the same name, so it is served under its upstream's",
    hint: "give one of the upstreams a prefix in disclosure.toml, or hide what is not wanted with hidden = true",
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
