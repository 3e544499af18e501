//! A session as fields of a store. Names are short, since there may be a million sessions:
//!
//! ```text
//! .                     how it was opened: JSON
//! mTOOL                 the digest of the definition that was delivered: 32 bytes
//! nSTRATEGY\0NOTE       a strategy's note: JSON
//! b                     the client uses filters' own methods
//! l                     the minimum log level
//! sURI                  a subscription
//! ```

use mcp_disclosure_core::{Digest, Effect, Grant, Memory, Notes, Permits, RawObject, ToolName};
use mcp_disclosure_transport::LoggingLevel;
use serde::{Deserialize, Serialize};

use super::{Changes, Fields, OPENED};
use crate::{dialect::Offer, lineage::Chain, session::Location};

/// Maximum size of a field, with its name. Of what a session has, only what its client says of itself may be long, up to
/// `client_info_bytes`. A longer field is neither written nor used.
const LONGEST_FIELD: usize = 1024 * 1024;

/// How a session was opened, which never changes. What is as usual is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Opened {
    /// The negotiated revision.
    #[serde(rename = "r")]
    pub revision: String,
    /// The strategy that serves it.
    #[serde(rename = "y")]
    pub chosen: String,
    /// The URL path.
    #[serde(rename = "l", skip_serializing_if = "is_usual")]
    pub location: Location,
    /// The principal's id.
    #[serde(rename = "p", skip_serializing_if = "is_usual")]
    pub principal: Option<String>,
    /// The strategies that the principal was permitted then; `None` for all. What it may use now, its requests say.
    #[serde(rename = "t", skip_serializing_if = "is_usual")]
    pub permitted: Option<Vec<String>>,
    /// What the client calls itself.
    #[serde(rename = "n", skip_serializing_if = "is_usual")]
    pub client: String,
    /// What the client offered. Of the extensions that it declared it has those that any strategy has.
    #[serde(rename = "o", skip_serializing_if = "is_usual")]
    pub offer: Offer,
    /// The capabilities that allow requests to the client.
    #[serde(rename = "c", skip_serializing_if = "is_usual")]
    pub capabilities: RawObject,
    /// The gateways that it came through.
    #[serde(rename = "g", skip_serializing_if = "is_usual")]
    pub chain: Chain,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Opened {
    /// The fields of a session that was opened so, with what was recorded of it since.
    pub(crate) fn fields(&self, recorded: &Delta) -> Fields {
        let opened = serde_json::to_vec(self).unwrap_or_default();
        let recorded = recorded.changes().into_iter().filter_map(|(name, value)| Some((name, value?)));
        [(OPENED.to_vec(), opened)].into_iter().chain(recorded).collect()
    }

    /// The permissions that its strategy was chosen by.
    pub(crate) fn permits(&self) -> Permits {
        match &self.permitted {
            None => Permits::all(),
            permitted => Permits::of([Grant { strategies: permitted.clone(), ..Grant::default() }]),
        }
    }
}

/// What was recorded of a session beside what is delivered and subscribed to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// With a store, the number of the reading that it is as of. It grows from reading to reading, as they begin: one of a higher
    /// number has every change that was answered before one of a lower number began.
    pub as_of: u64,
    /// What strategies recorded.
    pub memory: Memory,
    /// Whether the client uses filters' own methods.
    pub native: bool,
    /// The minimum log level.
    pub log_level: Option<LoggingLevel>,
}

/// A session as it was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// How it was opened.
    pub opened: Opened,
    /// What was delivered.
    pub marks: Vec<(ToolName, Digest)>,
    /// What else was recorded.
    pub recorded: Recorded,
    /// What it is subscribed to.
    pub subscriptions: Vec<String>,
}

impl Read {
    /// Reads fields. Those that cannot be read are ignored, but for [`OPENED`]; `None` if that is not there.
    pub(crate) fn of(fields: &Fields, number: u64) -> Option<Self> {
        let fields = fields.iter().filter(|(name, value)| name.len() + value.len() <= LONGEST_FIELD);
        let (_, opened) = fields.clone().find(|(name, _)| name == OPENED)?;
        let recorded = Recorded { as_of: number, ..Recorded::default() };
        let mut read = Self { opened: serde_json::from_slice(opened).ok()?, recorded, ..Self::default() };
        for (name, value) in fields {
            // An unreadable mark is a missing one, which costs a fetch.
            let _unreadable = read.take(name, value);
        }
        Some(read)
    }

    fn take(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let (kind, rest) = name.split_first()?;
        let rest = std::str::from_utf8(rest).ok()?;
        match kind {
            b'm' => {
                let mark = (ToolName::parse(rest).ok()?, Digest::from_bytes(value.try_into().ok()?));
                self.marks.push(mark);
            }
            b'n' => {
                let (strategy, note) = rest.split_once('\0')?;
                let notes = Notes::from([(note.to_owned(), serde_json::from_slice(value).ok()?)]);
                self.recorded.memory = self.recorded.memory.with(strategy, notes);
            }
            b'b' => self.recorded.native = true,
            b'l' => self.recorded.log_level = std::str::from_utf8(value).ok()?.parse().ok(),
            b's' => self.subscriptions.push(rest.to_owned()),
            _ => {}
        }
        Some(())
    }
}

/// A change of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delta {
    /// Definitions that are delivered.
    pub marks: Vec<(ToolName, Digest)>,
    /// Changes of notes, by strategy; `null` removes a note.
    pub notes: Vec<(String, Notes)>,
    /// Whether the client began to use filters' own methods.
    pub native: bool,
    /// A new minimum log level.
    pub log_level: Option<LoggingLevel>,
    /// A new subscription.
    pub subscribed: Option<String>,
    /// A subscription that ended.
    pub unsubscribed: Option<String>,
}

impl Extend<Effect> for Delta {
    fn extend<I: IntoIterator<Item = Effect>>(&mut self, effects: I) {
        for effect in effects {
            match effect {
                Effect::Delivered { tool, digest } => self.marks.push((tool, digest)),
                Effect::Remember { strategy, changes } => self.notes.push((strategy, changes)),
                Effect::Native => self.native = true,
                // No session knows of calls in others.
                Effect::CalledUnread { .. } | Effect::Noted(_) | Effect::Refused(_) => {}
            }
        }
    }
}

impl Delta {
    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty() && !self.concerns_streams()
    }

    /// Whether what streams of the session carry depends on it.
    pub(crate) fn concerns_streams(&self) -> bool {
        !self.notes.is_empty()
            || self.native
            || self.log_level.is_some()
            || self.subscribed.is_some()
            || self.unsubscribed.is_some()
    }

    /// The memory with these notes.
    pub(crate) fn noted_in(&self, memory: &Memory) -> Memory {
        let notes = self.notes.iter();
        notes.fold(memory.clone(), |memory, (strategy, notes)| memory.with(strategy, notes.clone()))
    }

    /// The fields that change.
    pub(crate) fn changes(&self) -> Changes {
        let named = |kind: u8, name: &str| [&[kind], name.as_bytes()].concat();
        let marks = self
            .marks
            .iter()
            .map(|(tool, digest)| (named(b'm', tool.as_str()), Some(digest.as_bytes().to_vec())));
        let notes = self.notes.iter().flat_map(|(strategy, notes)| {
            notes.iter().map(move |(note, value)| {
                let value = (!value.is_null()).then(|| value.to_string().into_bytes());
                (named(b'n', &format!("{strategy}\0{note}")), value)
            })
        });
        let native = self.native.then(|| (b"b".to_vec(), Some(Vec::new())));
        let level = self.log_level.map(|level| (b"l".to_vec(), Some(level.to_string().into_bytes())));
        let subscribed = self.subscribed.iter().map(|uri| (named(b's', uri), Some(Vec::new())));
        let unsubscribed = self.unsubscribed.iter().map(|uri| (named(b's', uri), None));
        let all = marks.chain(notes).chain(native).chain(level).chain(subscribed).chain(unsubscribed);
        all.filter(|(name, value)| name.len() + value.as_ref().map_or(0, Vec::len) <= LONGEST_FIELD).collect()
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_drafts::variants::VariantHints;
    use serde_json::json;

    use super::*;

    fn opened() -> Opened {
        Opened {
            revision: "2025-11-25".into(),
            chosen: "info".into(),
            location: Location { profile: Some("web".into()), strategy: None },
            principal: Some("p\u{e9}".into()),
            permitted: Some(vec!["describe".into(), "info".into()]),
            client: "host 1".into(),
            offer: Offer {
                strategies: vec!["info".into()],
                omit_input_schema: true,
                shortest: true,
                complete: true,
                variants: Some(VariantHints { context_sizes: vec!["compact".into()] }),
                settings: RawObject::parse(r#"{"a":1}"#).unwrap(),
                extensions: vec!["known".into()],
            },
            capabilities: RawObject::parse(r#"{"roots":{}}"#).unwrap(),
            chain: ["other"].into_iter().collect(),
        }
    }

    #[test]
    fn k1_a_session_is_the_same_after_the_store() {
        let opened = opened();
        let notes = Notes::from([("cost".into(), json!("low"))]);
        let mark = (ToolName::parse("a/b").unwrap(), Digest::of("1"));
        let recorded = Delta {
            marks: vec![mark.clone()],
            notes: vec![("concerns".into(), notes.clone())],
            native: true,
            log_level: Some("error".parse().unwrap()),
            ..Delta::default()
        };
        let read = Read::of(&opened.fields(&recorded), 1).unwrap();
        assert_eq!(read.opened, opened);
        assert_eq!(read.opened.permits().strategies(), Some(vec!["describe", "info"]));
        assert_eq!(Opened::default().permits(), Permits::all());
        let memory = Memory::default().with("concerns", notes);
        let recorded = read.recorded;
        assert_eq!((read.marks, recorded.memory, recorded.native), (vec![mark], memory, true));
        assert_eq!(recorded.log_level.map(|level| level.to_string()).as_deref(), Some("error"));
    }

    #[test]
    fn k1_what_stores_have_of_an_opening_changes_with_the_version_in_their_keys_only() {
        let written = concat!(
            r#"{"r":"2025-11-25","y":"info","l":{"p":"web"},"p":"pé","t":["describe","info"],"n":"host 1","#,
            r#""o":{"s":["info"],"i":true,"h":true,"c":true,"v":["compact"],"o":{"a":1},"e":["known"]},"#,
            r#""c":{"roots":{}},"g":["other"]}"#,
        );
        assert_eq!(serde_json::to_string(&opened()).unwrap(), written);
    }

    #[test]
    fn k1_fields_that_cannot_be_read_are_ignored_and_one_that_is_no_session_is_none() {
        let field = |name: &[u8], value: &[u8]| (name.to_vec(), value.to_vec());
        assert!(Read::of(&vec![field(b"mtool", &[0; 32]), field(b"b", b"")], 1).is_none());
        assert!(Read::of(&vec![field(b".", b"nonsense")], 1).is_none());
        let odd = [field(b"mtool", b"short"), field(b"n\xff", b"1"), field(b"na\0b", b"{"), field(b"", b"")];
        let fields = [field(b".", br#"{"r":"2025-11-25","new":1}"#)].into_iter().chain(odd).collect();
        let read = Read::of(&fields, 1).unwrap();
        assert!(read.marks.is_empty() && read.recorded.memory.is_empty());
    }

    #[test]
    fn k1_a_field_that_is_too_long_is_neither_written_nor_used() {
        let long = "x".repeat(LONGEST_FIELD);
        let mark = |name: &str| (ToolName::parse(name).unwrap(), Digest::of("1"));
        let delta = Delta { marks: vec![mark("tool"), mark(&long)], ..Delta::default() };
        assert_eq!(delta.changes().len(), 1);
        let opened = (OPENED.to_vec(), b"{}".to_vec());
        let written = [&b"m"[..], long.as_bytes()].concat();
        let fields = vec![opened, (written, vec![0; 32]), (b"mtool".to_vec(), vec![0; 32])];
        assert_eq!(Read::of(&fields, 1).unwrap().marks.len(), 1);
        assert!(Read::of(&vec![(OPENED.to_vec(), vec![b' '; LONGEST_FIELD])], 1).is_none());
    }

    #[test]
    fn k1_a_note_that_is_removed_is_a_field_that_is_removed() {
        let notes = Notes::from([("a".into(), json!(null)), ("b".into(), json!([1]))]);
        let delta = Delta { notes: vec![("s".into(), notes)], ..Delta::default() };
        assert!(delta.concerns_streams());
        assert_eq!(delta.changes(), [(b"ns\0a".to_vec(), None), (b"ns\0b".to_vec(), Some(b"[1]".to_vec()))]);
    }
}
