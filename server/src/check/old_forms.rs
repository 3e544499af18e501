//! What files say in the way of an older release, which is still read (docs/moving.md).

use mcp_disclosure_core::Warning;

use super::{Findings, Place, Rule, Severity, Subject};

const OLD_FORM: Rule = Rule {
    code: "old-form",
    severity: Severity::Note,
    summary: "a file says it in the way of an older release, which is still read",
    hint: "write it in the new way; docs/moving.md says what changed",
};

pub(super) fn look(subject: &Subject, findings: &mut Findings) {
    for warning in subject.snapshot.warnings() {
        let Warning::LongerForm { place, pattern, now, .. } = warning else { continue };
        let (place, key) = placed(place);
        let detail = format!("{key}: '{pattern}' is now written '{now}'");
        findings.add(OLD_FORM, place.unwrap_or_default(), detail);
    }
}

/// The place at the beginning of where a rule is written, and what follows it.
fn placed(written: &str) -> (Option<Place>, &str) {
    let ends = written.match_indices(": ").map(|(at, _)| at);
    let mut placed = ends.filter_map(|end| {
        let (rest, column) = written[..end].rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        let place =
            Place { file: Some(file.to_owned()), line: Some(line), column: Some(column), ..Place::default() };
        Some((Some(place), &written[end + 2..]))
    });
    placed.next().unwrap_or((None, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w4_a_place_is_read_from_what_a_rule_says_of_itself() {
        for (written, file, key) in [
            ("a.toml:3:1: tools.\"a__x\"", Some("a.toml:3:1"), "tools.\"a__x\""),
            (r"C:\a: b\c.toml:12:5: pins.tools", Some(r"C:\a: b\c.toml:12:5"), "pins.tools"),
            ("a.toml:3:1: tools.\"b:1:2: c\"", Some("a.toml:3:1"), "tools.\"b:1:2: c\""),
            ("--pin", None, "--pin"),
        ] {
            let (place, rest) = placed(written);
            assert_eq!((place.and_then(|place| place.shown()).as_deref(), rest), (file, key));
        }
    }
}
