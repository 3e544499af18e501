//! How an upstream that is its client's alone follows the client's choices of concerns, and what it leaves out for them.

use std::sync::Arc;

use mcp_disclosure_core::Era;

use super::supervisor::{Connected, Task};
use crate::{
    session::Chosen,
    upstream::{Told, Upstream},
};

impl Task {
    /// The lists of a first connection with what the upstream leaves out, which a connection without choices lists.
    pub(super) async fn with_left_out(
        &self,
        Connected { upstream, lists, followed }: Connected,
        only: &mut Option<Era>,
    ) -> Connected {
        let latest = self.slot.connection.lock().clone();
        let whole = self.connect(only, false).await;
        *self.slot.connection.lock() = latest;
        let lists = match whole {
            Ok(whole) => upstream.with_excluded(lists, &whole.lists),
            Err(error) => {
                tracing::debug!(%error, "what it leaves out for its client's choices is not known");
                lists
            }
        };
        Connected { upstream, lists, followed }
    }

    /// The lists with what the upstream listed before, and leaves out for its client's choices.
    pub(super) fn with_excluded(&self, Connected { upstream, lists, followed }: Connected) -> Connected {
        let known = self.slot.status.borrow().lists.clone();
        let lists = match known {
            Some(known) => upstream.with_excluded(lists, &known),
            None => lists,
        };
        Connected { upstream, lists, followed }
    }

    /// Waits until its client has made other choices than those that its lists follow.
    pub(super) async fn chosen_anew(&self) -> Chosen {
        let Some(client) = &self.client else { return std::future::pending().await };
        let followed = self.slot.status.borrow().followed;
        let mut chosen = client.chosen();
        // The client is there, so there will be an answer.
        let anew = chosen.wait_for(|chosen| chosen.number > followed).await;
        anew.map(|chosen| chosen.clone()).unwrap_or_default()
    }

    /// Lets the upstream follow its client's choices. One that reads choices in its handshake only is connected anew, as its
    /// source demands; what it is working on ends before the former connection does. Returns the connection from now on.
    pub(super) async fn choose(&self, upstream: Arc<Upstream>, chosen: &Chosen) -> Arc<Upstream> {
        match upstream.tell(&chosen.values).await {
            Told::Nothing => {}
            Told::Taken => self.list_again(&upstream).await,
            Told::Refused => self.declare(&upstream),
            Told::ByHandshake => {
                let former = self.slot.connection.lock().clone();
                match self.connect(&mut None, true).await {
                    Ok(connected) => return self.connected(self.with_excluded(connected)),
                    Err(error) => {
                        *self.slot.connection.lock() = former;
                        upstream.refuses(&error.to_string());
                        self.declare(&upstream);
                    }
                }
            }
        }
        upstream
    }

    /// Says anew by which concerns its clients can choose.
    fn declare(&self, upstream: &Upstream) {
        self.change(|status| {
            let lists = status.lists.as_deref().cloned();
            status.lists = lists.map(|lists| Arc::new(upstream.choosable(lists)));
        });
    }
}
