//! The `subscriptions/listen` stream (2026-07-28), reopened whenever it breaks.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::RawObject;
use tokio::time::Instant;

use super::Connection;
use crate::{CallError, http::Backoff};

const METHOD: &str = "subscriptions/listen";

/// Maximum delay before a stream is reopened.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The stream has no time-out.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Connection {
    /// Keeps a `subscriptions/listen` stream open until the connection ends or the peer rejects it. Each time
    /// the stream is reopened, [`Handler::lists_may_have_changed`](crate::Handler::lists_may_have_changed) is
    /// called.
    pub async fn listen(self: Arc<Self>, params: RawObject) {
        let mut backoff = Backoff::up_to(LONGEST_WAIT);
        let mut was_down = false;
        loop {
            let opened = Instant::now();
            let call = self.call(METHOD, params.clone());
            let listening = Arc::clone(&self).request(call, FOREVER);
            // Called after the request is sent, so that no change is missed.
            let lists_again = async {
                if was_down {
                    self.handler.lists_may_have_changed();
                }
            };
            let (ended, ()) = tokio::join!(biased; listening, lists_again);
            was_down = true;
            if self.is_ended() || matches!(ended, Err(CallError::Answered(_))) {
                return;
            }
            if opened.elapsed() > LONGEST_WAIT {
                backoff.reset();
            }
            tokio::time::sleep(backoff.next(None)).await;
        }
    }
}
