//! Answer streams that other replicas can read: what is sent is written first, and what no connection sends is written too.

use std::sync::Arc;

use mcp_disclosure_transport::Id;

use super::{Purpose, ReplayBuffer, Turn};
use crate::session::store::{Archive, Progress};

/// It is in the store no longer than here.
impl Drop for ReplayBuffer {
    fn drop(&mut self) {
        if let Some((archive, number)) = self.shared() {
            archive.remove(number);
        }
    }
}

impl ReplayBuffer {
    /// Where other replicas can read it, and its number there.
    pub(super) fn shared(&self) -> Option<(&Archive, u64)> {
        self.archive.as_ref().filter(|_| self.purpose == Purpose::Answer).zip(self.number)
    }

    /// It answers this request.
    pub fn answers(&self, request: &Id) {
        self.log.lock().answers(request);
    }

    /// Waits until other replicas can read what was recorded. `false` if they cannot.
    pub async fn written(self: &Arc<Self>) -> bool {
        if self.shared().is_none() || !self.log.lock().has_unwritten() {
            return true;
        }
        let buffer = Arc::clone(self);
        // In a task of its own: it goes on when the connection is gone.
        tokio::spawn(async move { buffer.write().await }).await.unwrap_or(false)
    }

    async fn write(&self) -> bool {
        let Some((archive, number)) = self.shared() else { return true };
        let _turn = self.writing.lock().await;
        let changes = self.log.lock().changes();
        let names: Vec<Vec<u8>> = changes.iter().map(|(name, _)| name.clone()).collect();
        let is_written = names.is_empty() || archive.write(number, changes).await;
        if is_written {
            self.log.lock().written(names);
        }
        is_written
    }

    /// Goes on with a stream that other replicas read and no connection sends any more.
    pub(super) fn go_on(self: &Arc<Self>, turn: Turn) {
        let is_done = || self.has_ended() && !self.log.lock().has_unwritten();
        if self.shared().is_none() || is_done() {
            return;
        }
        // There is none when the program ends.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let buffer = Arc::clone(self);
        runtime.spawn(async move {
            buffer.written().await;
            while !buffer.has_ended() && buffer.keep_next(&turn).await.is_some() {
                buffer.written().await;
            }
            buffer.is_finished().await;
        });
    }

    /// Another replica sends the stream to the client.
    pub(crate) async fn moved(self: &Arc<Self>, progress: Progress) {
        match progress {
            Progress::Begins => self.go_on(self.take_turn()),
            Progress::GoesOn => {}
            Progress::Ended => {
                self.all_sent();
                let mut log = self.log.lock();
                log.is_given_up = !log.has_ended;
            }
        }
        self.written().await;
    }

    /// Notes that no response will follow, if none will.
    pub async fn is_finished(self: &Arc<Self>) {
        if !self.has_ended() && self.is_over() {
            self.log.lock().end_without_response();
            self.written().await;
        }
    }
}
