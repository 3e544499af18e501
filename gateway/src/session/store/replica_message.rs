//! Messages between replicas, as JSON: about streams, requests in progress and upstreams, which are not in the store.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A message about a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReplicaMessage {
    /// The process that sent it.
    #[serde(rename = "f")]
    pub from: Arc<str>,
    /// What stores know of the session's id.
    #[serde(rename = "s")]
    pub session: Arc<str>,
    /// What happened.
    #[serde(rename = "w")]
    pub kind: MessageKind,
}

/// What a message says. The last two are for one replica, the others for all.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageKind {
    /// The session changed: an open stream may have to carry that, or updates of other resources.
    Changed,
    /// The session ended.
    Ended,
    /// The client cancelled a request of its own, by its id as JSON text.
    Cancelled(String),
    /// The client's roots changed.
    Roots,
    /// Another replica serves the client now, with upstreams of its own: all lists may have changed.
    Moved,
    /// The client resumed this event stream at the sender.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k1_a_message_is_read_as_it_was_sent() {
        let message = ReplicaMessage {
            from: "ab12".into(),
            session: "s".into(),
            kind: MessageKind::Cancelled("\"x\"".into()),
        };
        let text = serde_json::to_vec(&message).unwrap();
        let read: ReplicaMessage = serde_json::from_slice(&text).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
        for text in ["", "nonsense", "{}", r#"{"f":"a","s":"s","w":"later"}"#] {
            assert!(serde_json::from_str::<ReplicaMessage>(text).is_err(), "{text}");
        }
    }
}
