//! What decisions about a tool were made from: a record of the upstream's definition, and what changed since.
//!
//! A record holds digests, not texts: it is small enough to stand beside each decision, and still says which members
//! and which parameters changed.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::{
    digest::{Digest, hex},
    name::ToolName,
    raw::RawObject,
};

/// Bytes of a part's digest. Parts only name what changed; whether anything did is decided by the digest of the whole.
const PART_BYTES: usize = 4;

/// Maximum number of names in a list of changes.
const MAX_NAMES: usize = 5;

/// A record of an upstream's definition, as description files and `disclosure.toml` hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "made_from must be an object with 'definition', 'members' and 'parameters', as export writes it"
)]
pub struct MadeFrom {
    /// The digest of the complete `Tool` object as the upstream listed it.
    pub definition: Digest,
    /// The beginning of the digest of each member but `name`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub members: BTreeMap<String, String>,
    /// The beginning of the digest of each parameter in `inputSchema`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

impl MadeFrom {
    /// The record of a definition.
    pub fn of(definition: &RawObject) -> Self {
        let properties = definition.object("inputSchema").and_then(|schema| schema.object("properties"));
        Self {
            definition: Digest::of(definition.text()),
            members: parts(definition.iter().filter(|(key, _)| *key != "name")),
            parameters: parts(properties.unwrap_or_default().iter()),
        }
    }

    /// What differs in a definition from the recorded one; `None` if it is the same.
    pub fn changes_in(&self, definition: &RawObject) -> Option<Changes> {
        if Digest::of(definition.text()) == self.definition {
            return None;
        }
        let now = Self::of(definition);
        if self.members.is_empty() {
            // The record is a digest alone.
            return Some(Changes::default());
        }
        let mut members = Difference::between(&self.members, &now.members);
        let parameters = Difference::between(&self.parameters, &now.parameters);
        if !parameters.is_empty() {
            // The parameters say it more precisely.
            members.changed.retain(|member| member != "inputSchema");
        }
        Some(Changes { members, parameters })
    }

    /// Whether a text is the value that a member of the recorded definition had.
    pub fn had(&self, member: &str, text: &str) -> bool {
        self.members.get(member).is_some_and(|digest| *digest == part(text))
    }
}

fn parts<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, String> {
    members.map(|(key, text)| (key.to_owned(), part(text))).collect()
}

fn part(text: &str) -> String {
    hex(&Digest::of(text).as_bytes()[..PART_BYTES])
}

/// A record and the file or section that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The file, or the place in one.
    pub place: String,
    /// The record.
    pub made_from: MadeFrom,
}

/// A tool whose upstream's definition is not the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The tool, by its name in the snapshot.
    pub tool: ToolName,
    /// Where the record stands.
    pub place: String,
    /// What differs.
    pub changes: Changes,
}

impl fmt::Display for Drift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.tool, self.changes)
    }
}

/// What differs between a recorded definition and the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    members: Difference,
    parameters: Difference,
}

impl fmt::Display for Changes {
    /// One line, such as `changed: description; parameters added: head`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("changed: ", &self.members.changed),
            ("added: ", &self.members.added),
            ("removed: ", &self.members.removed),
            ("parameters changed: ", &self.parameters.changed),
            ("parameters added: ", &self.parameters.added),
            ("parameters removed: ", &self.parameters.removed),
        ];
        let phrases = lists.into_iter().filter(|(_, names)| !names.is_empty());
        let phrases: Vec<String> = phrases.map(|(what, names)| format!("{what}{}", few(names))).collect();
        match phrases.as_slice() {
            [] => formatter.write_str("the definition changed"),
            phrases => formatter.write_str(&phrases.join("; ")),
        }
    }
}

fn few(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Names that are in only one of two maps, or have another digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Difference {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
}

impl Difference {
    fn between(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Self {
        let only_in = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            one.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
        };
        let changed =
            now.iter().filter(|(name, digest)| before.get(*name).is_some_and(|before| before != *digest));
        Self {
            added: only_in(now, before),
            removed: only_in(before, now),
            changed: changed.map(|(name, _)| name.clone()).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    fn changes(before: &str, now: &str) -> Option<String> {
        MadeFrom::of(&object(before)).changes_in(&object(now)).map(|changes| changes.to_string())
    }

    const BEFORE: &str = r#"{"name":"t","description":"D","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{}}},"annotations":{"readOnlyHint":true}}"#;

    #[test]
    fn u10_layout_and_order_are_no_change() {
        let now = r#"{ "annotations": {"readOnlyHint": true}, "name": "t", "inputSchema":
            {"properties": {"b": {}, "a": {"type": "string"}}, "type": "object"}, "description": "\u0044" }"#;
        assert_eq!(changes(BEFORE, now), None);
    }

    #[test]
    fn u10_changes_are_named_by_member_and_parameter() {
        let now = r#"{"name":"t","description":"E","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"c":{}}},"outputSchema":{},"annotations":{"readOnlyHint":false}}"#;
        assert_eq!(
            changes(BEFORE, now).as_deref(),
            Some(
                "changed: annotations, description; added: outputSchema; parameters changed: a; parameters added: c; \
                 parameters removed: b"
            )
        );
        let required = BEFORE.replace(r#""type":"object","#, r#""type":"object","required":["a"],"#);
        assert_eq!(changes(BEFORE, &required).as_deref(), Some("changed: inputSchema"));
        let properties: Vec<String> = (0..9).map(|number| format!(r#""p{number}":1"#)).collect();
        let many = format!(r#"{{"inputSchema":{{"properties":{{"p":1,{}}}}}}}"#, properties.join(","));
        assert_eq!(
            changes(r#"{"inputSchema":{"properties":{"p":1}}}"#, &many).as_deref(),
            Some("parameters added: p0, p1, p2, p3, p4 and 4 more")
        );
    }

    #[test]
    fn u10_a_digest_alone_is_a_record() {
        let digest = Digest::of(BEFORE);
        let record: MadeFrom = serde_json::from_str(&format!(r#"{{"definition":"{digest}"}}"#)).unwrap();
        assert_eq!(record.changes_in(&object(BEFORE)), None);
        let changes = record.changes_in(&object("{}")).unwrap();
        assert_eq!(changes.to_string(), "the definition changed");
    }

    #[test]
    fn u10_a_record_is_what_was_written() {
        let record = MadeFrom::of(&object(BEFORE));
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<MadeFrom>(&text).unwrap(), record);
        for wrong in [r#""sha256:00""#, "{}", r#"{"definition":"sha256:0"}"#, r#"{"definition":1}"#] {
            assert!(serde_json::from_str::<MadeFrom>(wrong).is_err(), "{wrong}");
        }
        let error = serde_json::from_str::<MadeFrom>("1").unwrap_err().to_string();
        assert!(error.contains("as export writes it"), "{error}");
    }
}
