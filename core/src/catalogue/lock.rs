//! The definitions of tools that someone reviewed, by digests, and what differs from them.
//!
//! A record holds no texts: it is one short line of a file, and still says which members changed.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound::{Excluded, Unbounded},
    str::FromStr,
};

use crate::{
    catalogue::pattern::SEPARATOR,
    digest::{Digest, hex},
    name::UpstreamName,
    raw::RawObject,
};

/// Bytes of a part's digest. Parts only name what changed; whether anything did is decided by the digest of the whole.
const PART_BYTES: usize = 4;

/// The members with a digest of their own, and the name of all others together: an upstream chooses how many there are.
const PARTS: [&str; 6] = ["annotations", "description", "inputSchema", "outputSchema", "title", OTHERS];
const OTHERS: &str = "others";

/// The tools of an upstream as it listed them, by their own names.
pub type Definitions = BTreeMap<String, RawObject>;

/// The record of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The digest of the complete `Tool` object as the upstream listed it.
    pub definition: Digest,
    /// The beginnings of the digests of its parts, in the order of their names; `None` for a part that it does not have.
    parts: [Option<[u8; PART_BYTES]>; PARTS.len()],
}

impl Record {
    /// The record of a definition.
    pub fn of(definition: &RawObject) -> Self {
        let part = |name: &str| {
            let digest = match name {
                OTHERS => {
                    let others = definition.retain(|key| key != "name" && !PARTS.contains(&key));
                    (!others.is_empty()).then(|| others.digest())
                }
                member => definition.member(member).map(Digest::of),
            };
            digest.and_then(|digest| digest.as_bytes().first_chunk().copied())
        };
        Self { definition: definition.digest(), parts: PARTS.map(part) }
    }

    /// Whether it is that of this definition.
    fn is(&self, definition: &RawObject) -> bool {
        self.definition == definition.digest()
    }

    /// The parts that differ in another record.
    fn differing(&self, other: &Self) -> Vec<&'static str> {
        let parts = self.parts.iter().zip(&other.parts);
        PARTS
            .into_iter()
            .zip(parts)
            .filter(|(_, (own, others))| own != others)
            .map(|(name, _)| name)
            .collect()
    }
}

impl fmt::Display for Record {
    /// The digest of the whole, then each part as `name:digits`, on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.definition)?;
        let parts = PARTS.iter().zip(&self.parts);
        let mut parts = parts.filter_map(|(name, part)| Some((name, hex(part.as_ref()?))));
        parts.try_for_each(|(name, digits)| write!(formatter, " {name}:{digits}"))
    }
}

impl FromStr for Record {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let definition = words.next().unwrap_or_default().parse().map_err(|error| format!("{error}"))?;
        let part = |word: &str| {
            let (name, digits) = word.split_once(':')?;
            let at = PARTS.iter().position(|part| *part == name)?;
            let is_hex =
                digits.len() == 2 * PART_BYTES && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let bytes = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?.to_be_bytes();
            Some((at, bytes))
        };
        let mut parts = [None; PARTS.len()];
        for word in words {
            let (at, bytes) = part(word)
                .ok_or_else(|| format!("expected a part such as 'description:0123abcd', not '{word}'"))?;
            parts[at] = Some(bytes);
        }
        Ok(Self { definition, parts })
    }
}

/// The records of tools by `upstream/tool`. `upstream/` alone stands for an upstream that was reviewed, whatever it listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, Option<Record>>);

impl Lock {
    /// The records, in order; none for an upstream as such.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&Record>)> {
        self.0.iter().map(|(name, record)| (&**name, record.as_ref()))
    }

    /// Takes a record, or an upstream as such; whether there was none of this name.
    pub fn insert(&mut self, name: String, record: Option<Record>) -> bool {
        self.0.insert(name, record).is_none()
    }

    /// The records of both; where both have one, that of `other` counts.
    pub fn with(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().map(|(name, record)| (name.clone(), *record)));
        self
    }

    /// Forgets an upstream.
    pub fn forget(&mut self, upstream: &str) {
        let begin = qualified(upstream, "");
        self.0.retain(|name, _| !name.starts_with(&begin));
    }

    /// Whether anything of an upstream was reviewed.
    pub fn knows(&self, upstream: &str) -> bool {
        let begin = qualified(upstream, "");
        self.0.contains_key(&begin) || self.of(&begin).next().is_some()
    }

    /// The record of a tool by its own name.
    pub fn record(&self, upstream: &str, tool: &str) -> Option<&Record> {
        self.0.get(&qualified(upstream, tool))?.as_ref()
    }

    /// What differs in the definition of a tool, which may be new; `None` if it is as it was reviewed.
    pub fn change(&self, upstream: &str, tool: &str, now: &RawObject) -> Option<DefinitionChange> {
        let before = self.record(upstream, tool).copied();
        if before.is_some_and(|record| record.is(now)) {
            return None;
        }
        Some(DefinitionChange { tool: tool.to_owned(), before, now: Some(Record::of(now)) })
    }

    /// What differs in an upstream's definitions from its records.
    pub fn changes(&self, upstream: &str, now: &Definitions) -> Vec<DefinitionChange> {
        let begin = qualified(upstream, "");
        let records: BTreeMap<&str, &Record> = self.of(&begin).collect();
        changes(&records, now, |record, now| record.is(now), |record| **record)
    }

    /// Records every tool of an upstream that none is recorded of.
    pub fn add(&mut self, upstream: &str, definitions: &Definitions) {
        self.0.insert(qualified(upstream, ""), None);
        for (tool, definition) in definitions {
            self.0.entry(qualified(upstream, tool)).or_insert_with(|| Some(Record::of(definition)));
        }
    }

    /// Records these changes as reviewed.
    pub fn accept(&mut self, upstream: &str, changes: &[DefinitionChange]) {
        self.0.insert(qualified(upstream, ""), None);
        for change in changes {
            let name = qualified(upstream, &change.tool);
            match &change.now {
                Some(now) => drop(self.0.insert(name, Some(*now))),
                None => drop(self.0.remove(&name)),
            }
        }
    }

    /// The records of an upstream, by its tools' own names.
    fn of<'a>(&'a self, begin: &'a str) -> impl Iterator<Item = (&'a str, &'a Record)> {
        let after = self.0.range::<str, _>((Excluded(begin), Unbounded));
        let own = after.map_while(move |(name, record)| Some((name.strip_prefix(begin)?, record)));
        own.filter_map(|(tool, record)| Some((tool, record.as_ref()?)))
    }
}

/// `upstream/tool`.
pub fn qualified(upstream: &str, tool: &str) -> String {
    format!("{upstream}{SEPARATOR}{tool}")
}

/// A definition that came, went or is another one than it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionChange {
    /// The tool, by the upstream's own name.
    pub tool: String,
    /// What it was; `None` for a new one.
    pub before: Option<Record>,
    /// What it is; `None` for one that is gone.
    pub now: Option<Record>,
}

impl DefinitionChange {
    /// `added`, `changed` or `removed`.
    pub fn kind(&self) -> &'static str {
        match (&self.before, &self.now) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// The members of the definition as it is now that are new or changed; all but the name where it is new, or no part tells.
    pub fn news(&self, now: &RawObject) -> RawObject {
        let parts = match (&self.before, &self.now) {
            (Some(before), Some(now)) => before.differing(now),
            _ => Vec::new(),
        };
        let part = |key: &str| PARTS.into_iter().find(|part| *part == key).unwrap_or(OTHERS);
        now.retain(|key| key != "name" && (parts.is_empty() || parts.contains(&part(key))))
    }
}

impl fmt::Display for DefinitionChange {
    /// One line, such as `changed: description (sha256:0123456789ab, was sha256:cdef01234567)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind())?;
        let digest = |record: &Record| format!("sha256:{}", hex(&record.definition.as_bytes()[..6]));
        match (&self.before, &self.now) {
            (Some(before), Some(now)) => {
                let parts = before.differing(now);
                let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
                write!(formatter, "{parts} ({}, was {})", digest(now), digest(before))
            }
            (Some(one), None) | (None, Some(one)) => write!(formatter, " ({})", digest(one)),
            (None, None) => Ok(()),
        }
    }
}

/// What differs between two lists of an upstream.
pub fn changes_between(before: &Definitions, now: &Definitions) -> Vec<DefinitionChange> {
    let before = before.iter().map(|(tool, definition)| (&**tool, definition)).collect();
    // Nearly always nothing changed, to the byte.
    let is_same = |was: &&RawObject, now: &RawObject| *was == now || was.digest() == now.digest();
    changes(&before, now, is_same, |was| Record::of(was))
}

/// What differs from what was there `before`.
fn changes<B>(
    before: &BTreeMap<&str, B>,
    now: &Definitions,
    is_same: impl Fn(&B, &RawObject) -> bool,
    record: impl Fn(&B) -> Record,
) -> Vec<DefinitionChange> {
    let came = now.iter().filter_map(|(tool, definition)| {
        let was = before.get(&**tool);
        let is_new = was.is_none_or(|was| !is_same(was, definition));
        is_new.then(|| DefinitionChange {
            tool: tool.clone(),
            before: was.map(&record),
            now: Some(Record::of(definition)),
        })
    });
    let gone = before.iter().filter(|(tool, _)| !now.contains_key(**tool));
    let gone = gone.map(|(tool, was)| DefinitionChange {
        tool: (*tool).to_owned(),
        before: Some(record(was)),
        now: None,
    });
    came.chain(gone).collect()
}

/// What is done about new and changed definitions of an upstream's tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum OnChange {
    /// They are served, which the log says.
    #[default]
    Serve,
    /// They are served, and each is a warning.
    Warn,
    /// They do not exist for clients until they are accepted.
    Hold,
}

/// What is done about upstreams whose definitions change, and what was reviewed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// What was reviewed.
    pub lock: Lock,
    /// The upstreams with a setting.
    pub on_change: BTreeMap<UpstreamName, OnChange>,
}

impl Review {
    /// What is done about a change of an upstream's definitions.
    pub fn on_change(&self, upstream: &str) -> OnChange {
        self.on_change.get(upstream).copied().unwrap_or_default()
    }

    /// The upstreams whose new and changed tools are held.
    pub fn holding(&self) -> impl Iterator<Item = &UpstreamName> {
        self.on_change.iter().filter(|(_, setting)| **setting == OnChange::Hold).map(|(name, _)| name)
    }

    /// Why a tool does not exist until it is accepted.
    pub(crate) fn holds(&self, upstream: &str, tool: &str, now: &RawObject) -> Option<DefinitionChange> {
        let is_held = self.on_change(upstream) == OnChange::Hold;
        is_held.then(|| self.lock.change(upstream, tool, now)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions(tools: &[(&str, &str)]) -> Definitions {
        tools.iter().map(|(name, text)| ((*name).to_owned(), RawObject::parse(*text).unwrap())).collect()
    }

    const BEFORE: &str = r#"{"name":"t","description":"D","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;

    fn said(before: &str, now: &str) -> Vec<String> {
        let changes = changes_between(&definitions(&[("t", before)]), &definitions(&[("t", now)]));
        changes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn u10_layout_and_order_are_no_change() {
        let now = r#"{ "annotations": {"readOnlyHint": true}, "name": "t", "inputSchema": {"type": "object"}, "description": "\u0044" }"#;
        assert!(said(BEFORE, now).is_empty());
    }

    #[test]
    fn u10_a_change_names_the_parts_and_both_digests() {
        let now = r#"{"name":"t","description":"E","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"readOnlyHint":true},"x":1}"#;
        let digest = |text| Digest::of(text).to_string()[..19].to_owned();
        let expected =
            format!("changed: description, outputSchema, others ({}, was {})", digest(now), digest(BEFORE));
        assert_eq!(said(BEFORE, now), [expected]);
        let all = changes_between(&definitions(&[("a", BEFORE)]), &definitions(&[("b", BEFORE)]));
        assert_eq!(all.iter().map(DefinitionChange::kind).collect::<Vec<_>>(), ["added", "removed"]);
        let [change] =
            changes_between(&definitions(&[("t", BEFORE)]), &definitions(&[("t", now)])).try_into().unwrap();
        let now = RawObject::parse(now).unwrap();
        assert_eq!(change.news(&now).text(), r#"{"description":"E","outputSchema":{},"x":1}"#);
        let doubled = r#"{"name":"t","description":"evil","description":"good"}"#;
        let [change] = changes_between(
            &definitions(&[("t", r#"{"name":"t","description":"good"}"#)]),
            &definitions(&[("t", doubled)]),
        )
        .try_into()
        .unwrap();
        assert_eq!(
            change.news(&RawObject::parse(doubled).unwrap()).text(),
            r#"{"description":"evil","description":"good"}"#
        );
        assert_eq!(all[0].news(&now).text(), now.retain(|key| key != "name").text());
    }

    #[test]
    fn u10_a_record_is_read_as_it_was_written() {
        let record = Record::of(&RawObject::parse(BEFORE).unwrap());
        assert_eq!(record.to_string().parse(), Ok(record));
        let digest = record.definition.to_string();
        for wrong in
            ["", "sha256:00", "description:00000000", &format!("{digest} x"), &format!("{digest} title:0")]
        {
            assert!(wrong.parse::<Record>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn u10_an_upstream_is_known_by_its_own_records_alone() {
        let mut lock = Lock::default();
        lock.insert("a/x".to_owned(), Some(Record::of(&RawObject::empty())));
        lock.insert("b/".to_owned(), None);
        let known = ["a", "b", "ab", "", "a/x"].map(|upstream| lock.knows(upstream));
        assert_eq!(known, [true, true, false, false, false]);
        assert_eq!(lock.changes("a", &Definitions::new()).len(), 1);
        assert!(lock.changes("b", &Definitions::new()).is_empty());
    }
}
