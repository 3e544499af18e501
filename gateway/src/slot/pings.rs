//! Pings to an upstream whose calls time out.

use std::sync::Arc;

use futures::{StreamExt, stream::FuturesUnordered};

use super::{State, Status, supervisor::Task};
use crate::upstream::{Upstream, Why};

impl Task {
    /// Pings a connection on which calls time out, until it answers or ends.
    pub(super) async fn ping_when_asked(&self) {
        let mut statuses = self.slot.status.subscribe();
        let is_asked = |status: &Status| status.supervision.state() == State::Pinged;
        while let Ok(Some(upstream)) = statuses.wait_for(is_asked).await.map(|status| status.upstream.clone())
        {
            self.ping(&upstream).await;
        }
    }

    /// Pings again and again until there is a sign of life. One that is answered late is one as well: over HTTP nothing else
    /// would see it.
    async fn ping(&self, upstream: &Arc<Upstream>) {
        let (patience, mut signs) = (upstream.patience(), upstream.signs_of_life());
        let mut pings = FuturesUnordered::new();
        loop {
            // Each is waited for longer than until the next one, so that there always is one.
            pings.push(upstream.ping());
            let answered = async { while let Some(false) = pings.next().await {} };
            tokio::select! {
                () = answered => break,
                _ = signs.changed() => break,
                () = tokio::time::sleep(patience) => {}
            }
            let error = upstream.failed(Why::Hung { waited: patience });
            let is_news = self.turn(|status| {
                let is_news = status.supervision.unanswered();
                if is_news {
                    status.error = Some(Arc::new(error));
                }
                is_news
            });
            if is_news {
                tracing::warn!(upstream = %upstream.name(), "upstream answers neither calls nor a ping; calls fail at once until it does");
            }
        }
        drop(pings);
        let mut was_silent = false;
        self.turn(|status| {
            let is_news = status.supervision.answered();
            was_silent = is_news && status.error.take().is_some();
            is_news
        });
        if was_silent && !upstream.connection().is_ended() {
            tracing::info!(upstream = %upstream.name(), "upstream answers again");
        }
    }
}
