//! Messages between replicas, as JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message to the holders of a session, or to one of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Letter {
    /// The process that sent it.
    #[serde(rename = "f")]
    pub from: Arc<str>,
    /// Its number there, if the sender waits for [`News::Received`].
    #[serde(rename = "n")]
    pub number: u64,
    /// The session.
    #[serde(rename = "s")]
    pub session: Arc<str>,
    /// What happened.
    #[serde(rename = "w")]
    pub news: News,
}

/// What a letter says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum News {
    /// The letter of this number was received, and copies of its session are not used any more.
    Received,
    /// The session changed: copies must be read again.
    Changed,
    /// The session ended.
    Ended,
    /// The client cancelled a request of its own, by its id as JSON text.
    Cancelled(String),
    /// The client's roots changed.
    Roots,
    /// The client is served by another replica too, which lists differ from those that it knows.
    Moved,
    /// The client goes on with this event stream elsewhere. It is confirmed if it is here, and all of it that was sent is in
    /// the store.
    Followed {
        /// Its number.
        stream: u64,
        /// Whether a connection that sends it here is of no use any more.
        moves: bool,
    },
    /// The client's response to a request that the receiver sent: a JSON-RPC message.
    Answer(String),
}

impl Letter {
    /// Reads a letter; `None` if it is none. News that this version does not know is a change: a copy that is read again, and a
    /// sender that does not wait in vain, are right whatever it is.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Envelope {
            f: Arc<str>,
            n: u64,
            s: Arc<str>,
            w: Box<RawValue>,
        }
        let Envelope { f: from, n: number, s: session, w } = serde_json::from_slice(text).ok()?;
        let news = serde_json::from_str(w.get()).unwrap_or(News::Changed);
        Some(Self { from, number, session, news })
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
    fn k1_a_letter_is_the_same_after_the_way_and_unknown_news_is_a_change() {
        let letter = Letter {
            from: "ab12".into(),
            number: 7,
            session: "s".into(),
            news: News::Cancelled("\"x\"".into()),
        };
        let read = Letter::read(&letter.text()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{letter:?}"));
        for news in [r#""later""#, r#"{"later":{"a":[1]}}"#, "7"] {
            let text = format!(r#"{{"f":"ab12","n":7,"s":"s","w":{news},"new":1}}"#);
            let read = Letter::read(text.as_bytes()).unwrap();
            assert!(matches!(read.news, News::Changed), "{news}");
            assert_eq!((&*read.from, read.number, &*read.session), ("ab12", 7, "s"));
        }
        for text in ["", "nonsense", "{}", r#"{"f":"a","n":-1,"s":"s","w":"ended"}"#] {
            assert!(Letter::read(text.as_bytes()).is_none(), "{text}");
        }
    }
}
