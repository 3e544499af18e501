//! The definitions of tools that someone reviewed, by digests, and what differs from them.
//!
//! A record holds no texts: it is one short line of a file, and still says which members changed.

use std::{
    borrow::Cow,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The digest of the complete `Tool` object as the upstream listed it.
    pub definition: Digest,
    /// The beginnings of the digests of its parts, where it has them.
    parts: BTreeMap<&'static str, String>,
}

impl Record {
    /// The record of a definition.
    pub fn of(definition: &RawObject) -> Self {
        let part = |name: &'static str| {
            let others = || definition.retain(|key| key != "name" && !PARTS.contains(&key));
            let text = match name {
                OTHERS => {
                    Some(others()).filter(|others| !others.is_empty()).map(|others| others.text().to_owned())
                }
                member => definition.member(member).map(str::to_owned),
            };
            Some((name, hex(&Digest::of(&text?).as_bytes()[..PART_BYTES])))
        };
        Self {
            definition: Digest::of(definition.text()),
            parts: PARTS.into_iter().filter_map(part).collect(),
        }
    }

    /// Whether it is that of this definition.
    fn is(&self, definition: &RawObject) -> bool {
        self.definition == Digest::of(definition.text())
    }

    /// The parts that differ in another record.
    fn differing(&self, other: &Self) -> Vec<&'static str> {
        PARTS.into_iter().filter(|part| self.parts.get(part) != other.parts.get(part)).collect()
    }
}

impl fmt::Display for Record {
    /// The digest of the whole, then each part as `name:digits`, on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.definition)?;
        self.parts.iter().try_for_each(|(name, digits)| write!(formatter, " {name}:{digits}"))
    }
}

impl FromStr for Record {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let definition = words.next().unwrap_or_default().parse().map_err(|error| format!("{error}"))?;
        let part = |word: &str| {
            let (name, digits) = word.split_once(':')?;
            let name = PARTS.into_iter().find(|part| *part == name)?;
            let is_hex =
                digits.len() == 2 * PART_BYTES && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| (name, digits.to_owned()))
        };
        let parts = words.map(|word| {
            part(word).ok_or_else(|| format!("expected a part such as 'description:0123abcd', not '{word}'"))
        });
        Ok(Self { definition, parts: parts.collect::<Result<_, _>>()? })
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
        self.0.extend(other.0.iter().map(|(name, record)| (name.clone(), record.clone())));
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

    /// What differs in the definition of a tool that is recorded.
    pub fn change(&self, upstream: &str, tool: &str, now: &RawObject) -> Option<DefinitionChange> {
        let record = self.record(upstream, tool).filter(|record| !record.is(now))?;
        let (before, now) = (Some(record.clone()), Some(Record::of(now)));
        Some(DefinitionChange { tool: tool.to_owned(), before, now })
    }

    /// What differs in an upstream's definitions from its records.
    pub fn changes(&self, upstream: &str, now: &Definitions) -> Vec<DefinitionChange> {
        let begin = qualified(upstream, "");
        let records = self.of(&begin).collect();
        changes(&records, now)
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
                Some(now) => drop(self.0.insert(name, Some(now.clone()))),
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

    /// Why a tool does not exist until it is accepted; `None` if it is as it was reviewed.
    fn holds(&self, upstream: &str, tool: &str, definition: &RawObject) -> Option<Held> {
        match self.record(upstream, tool) {
            Some(record) if record.is(definition) => None,
            Some(_) => Some(Held::Changed),
            None => Some(Held::New),
        }
    }
}

/// `upstream/tool`.
pub fn qualified(upstream: &str, tool: &str) -> String {
    format!("{upstream}{SEPARATOR}{tool}")
}

/// Why a tool is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Held {
    /// Nothing is recorded of it.
    New,
    /// It is not what was recorded.
    Changed,
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

/// What a definition is compared with.
trait Before {
    fn is(&self, now: &RawObject) -> bool;
    fn record(&self) -> Cow<'_, Record>;
}

impl Before for &Record {
    fn is(&self, now: &RawObject) -> bool {
        Record::is(self, now)
    }

    fn record(&self) -> Cow<'_, Record> {
        Cow::Borrowed(self)
    }
}

impl Before for &RawObject {
    fn is(&self, now: &RawObject) -> bool {
        // Nearly always nothing changed, to the byte.
        self.text() == now.text() || Digest::of(self.text()) == Digest::of(now.text())
    }

    fn record(&self) -> Cow<'_, Record> {
        Cow::Owned(Record::of(self))
    }
}

/// What differs between two lists of an upstream.
pub fn changes_between(before: &Definitions, now: &Definitions) -> Vec<DefinitionChange> {
    changes(&before.iter().map(|(tool, definition)| (&**tool, definition)).collect(), now)
}

fn changes<B: Before>(before: &BTreeMap<&str, B>, now: &Definitions) -> Vec<DefinitionChange> {
    let came = now.iter().filter_map(|(tool, definition)| {
        let was = before.get(&**tool);
        let is_same = was.is_some_and(|was| was.is(definition));
        (!is_same).then(|| DefinitionChange {
            tool: tool.clone(),
            before: was.map(|was| was.record().into_owned()),
            now: Some(Record::of(definition)),
        })
    });
    let gone = before.iter().filter(|(tool, _)| !now.contains_key(**tool));
    let gone = gone.map(|(tool, was)| DefinitionChange {
        tool: (*tool).to_owned(),
        before: Some(was.record().into_owned()),
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
    pub(crate) fn holds(&self, upstream: &str, tool: &str, definition: &RawObject) -> Option<Held> {
        let is_held = self.on_change(upstream) == OnChange::Hold;
        is_held.then(|| self.lock.holds(upstream, tool, definition)).flatten()
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
    }

    #[test]
    fn u10_a_record_is_read_as_it_was_written() {
        let record = Record::of(&RawObject::parse(BEFORE).unwrap());
        assert_eq!(record.to_string().parse(), Ok(record.clone()));
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
