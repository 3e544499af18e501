//! Messages between replicas, as JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message to the holders of a session, or to one of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReplicaMessage {
    /// The process that sent it.
    #[serde(rename = "f")]
    pub from: Arc<str>,
    /// Its number there, if the sender waits for [`MessageKind::Received`].
    #[serde(rename = "n")]
    pub number: u64,
    /// The session.
    #[serde(rename = "s")]
    pub session: Arc<str>,
    /// What happened.
    #[serde(rename = "w")]
    pub kind: MessageKind,
}

/// What a message says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageKind {
    /// The message of this number was handled. If it concerned a copy, the copy is no longer used.
    Received,
    /// The session changed: copies must be read again.
    Changed,
    /// The session ended.
    Ended,
    /// The client cancelled a request of its own, by its id as JSON text.
    Cancelled(String),
    /// The client's roots changed.
    Roots,
    /// Another replica serves the client now, with upstreams of its own: all lists may have changed.
    Moved,
    /// The client resumed this event stream at the sender. Confirmed only if the stream is here, and all of it that was sent is
    /// in the store.
    Followed {
        /// Its number.
        stream: u64,
        /// How far it is.
        progress: Progress,
    },
    /// The client's response to a request that the receiver sent: a JSON-RPC message.
    Answer(String),
}

/// How far a replica is that sends another one's event stream to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Progress {
    /// It begins: a connection that sends the stream elsewhere must stop.
    Begins,
    /// It goes on.
    GoesOn,
    /// It has sent the last event.
    Ended,
}

impl ReplicaMessage {
    /// Parses a message; `None` if it is malformed. An unknown kind is read as [`MessageKind::Changed`], which is always safe: the copy
    /// is read again, and a sender that waits gets its confirmation.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Envelope {
            f: Arc<str>,
            n: u64,
            s: Arc<str>,
            w: Box<RawValue>,
        }
        let Envelope { f: from, n: number, s: session, w } = serde_json::from_slice(text).ok()?;
        let kind = serde_json::from_str(w.get()).unwrap_or(MessageKind::Changed);
        Some(Self { from, number, session, kind })
    }

    /// The text.
    pub(crate) fn text(&self) -> Vec<u8> {
        // It consists of strings and a number.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k1_a_message_is_read_as_it_was_sent_and_an_unknown_kind_is_a_change() {
        let message = ReplicaMessage {
            from: "ab12".into(),
            number: 7,
            session: "s".into(),
            kind: MessageKind::Cancelled("\"x\"".into()),
        };
        let read = ReplicaMessage::read(&message.text()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
        for kind in [r#""later""#, r#"{"later":{"a":[1]}}"#, "7"] {
            let text = format!(r#"{{"f":"ab12","n":7,"s":"s","w":{kind},"new":1}}"#);
            let read = ReplicaMessage::read(text.as_bytes()).unwrap();
            assert!(matches!(read.kind, MessageKind::Changed), "{kind}");
            assert_eq!((&*read.from, read.number, &*read.session), ("ab12", 7, "s"));
        }
        for text in ["", "nonsense", "{}", r#"{"f":"a","n":-1,"s":"s","w":"ended"}"#] {
            assert!(ReplicaMessage::read(text.as_bytes()).is_none(), "{text}");
        }
    }
}
