//! What a client received, in order.

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;

use crate::soon;

/// All messages a client received, whatever stream they came by.
#[derive(Debug, Default)]
pub struct Inbox {
    messages: Mutex<Vec<String>>,
    news: Notify,
}

impl Inbox {
    /// Takes a message.
    pub fn put(&self, message: String) {
        self.messages.lock().push(message);
        self.news.notify_waiters();
    }

    /// How many came so far.
    pub fn count(&self) -> usize {
        self.messages.lock().len()
    }

    /// Those that came since.
    pub fn since(&self, from: usize) -> Vec<String> {
        self.messages.lock()[from..].to_vec()
    }

    /// The first since then that is wanted, and its place.
    pub async fn first(&self, from: usize, what: &str, wanted: impl Fn(&Value) -> bool) -> (usize, String) {
        let looking = async {
            let mut at = from;
            loop {
                let news = self.news.notified();
                let mut news = std::pin::pin!(news);
                news.as_mut().enable();
                for message in self.since(at) {
                    if serde_json::from_str(&message).is_ok_and(|value| wanted(&value)) {
                        return (at, message);
                    }
                    at += 1;
                }
                news.await;
            }
        };
        soon(what, looking).await
    }
}
