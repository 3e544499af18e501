//! How an upstream that is its client's alone follows the client's choices of concerns, and what it leaves out for them.

use std::sync::{Arc, atomic::Ordering};

use mcp_disclosure_core::UpstreamLists;
use tokio::time::Instant;

use super::{
    supervision::FIRST_DELAY,
    supervisor::{Connected, Task},
};
use crate::{
    session::Chosen,
    upstream::{Told, Upstream},
};

impl Task {
    /// Tells by the method what a handshake said. Returns whether the upstream is still there.
    pub(super) async fn repeat_choices(&self, upstream: &Upstream) -> bool {
        let has_ended =
            !self.ends_when_told.load(Ordering::Relaxed) && upstream.repeat().await == Told::Ended;
        self.ends_when_told.fetch_or(has_ended, Ordering::Relaxed);
        !has_ended
    }

    /// The lists with what the upstream listed before, and leaves out for its client's choices.
    pub(super) fn with_excluded(&self, upstream: &Upstream, lists: UpstreamLists) -> UpstreamLists {
        let known = self.slot.status.borrow().lists.clone();
        upstream.with_excluded(lists, known.as_deref())
    }

    /// Waits until its client has made other choices than those that its lists follow.
    pub(super) async fn chosen_anew(&self) -> Chosen {
        let Some(client) = &self.connector.client else { return std::future::pending().await };
        let followed = self.slot.status.borrow().followed;
        let mut chosen = client.chosen();
        // The client is there, so there will be an answer.
        let anew = chosen.wait_for(|chosen| chosen.number > followed).await;
        anew.map(|chosen| chosen.clone()).unwrap_or_default()
    }

    /// Lets the upstream follow its client's choices. One that reads choices in its handshake only is connected anew, as its
    /// source demands; what it is working on ends before the former connection does. Returns the connection from now on.
    pub(super) async fn choose(&self, upstream: Arc<Upstream>, chosen: &Chosen) -> Arc<Upstream> {
        let by_method = !self.ends_when_told.load(Ordering::Relaxed);
        match upstream.tell(&chosen.values, by_method).await {
            Told::Nothing => {}
            Told::Taken => {
                if !self.list_again(&upstream).await {
                    upstream.refuses("the lists that follow them were not answered");
                    self.declare(&upstream);
                }
            }
            Told::Refused => self.declare(&upstream),
            told @ (Told::ByHandshake | Told::Ended) => {
                self.ends_when_told.fetch_or(told == Told::Ended, Ordering::Relaxed);
                self.next_replacement().await;
                match self.connect(true).await {
                    Ok(connected) => {
                        let lists = self.with_excluded(&connected.upstream, connected.lists);
                        return self.connected(Connected { lists, ..connected });
                    }
                    Err(error) => {
                        upstream.refuses(&error.to_string());
                        self.declare(&upstream);
                    }
                }
            }
        }
        upstream
    }

    /// Waits until the connection may be replaced again: a client that changes its mind all the time starts no more processes than
    /// an upstream that ends all the time.
    async fn next_replacement(&self) {
        let last = *self.replaced.lock();
        if let Some(last) = last {
            tokio::time::sleep_until(last + FIRST_DELAY).await;
        }
        *self.replaced.lock() = Some(Instant::now());
    }

    /// Says anew by which concerns its clients can choose.
    fn declare(&self, upstream: &Upstream) {
        self.change(|status| {
            let lists = status.lists.as_deref().cloned();
            status.lists = lists.map(|lists| Arc::new(upstream.choosable(lists)));
        });
    }
}
