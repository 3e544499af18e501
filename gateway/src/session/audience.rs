//! Recipients of a backend's notifications: the sessions and listeners that it serves.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use mcp_disclosure_core::{Kind, Permits, RawObject, UpstreamName};
use mcp_disclosure_transport::{LoggingLevel, Notification};
use parking_lot::Mutex;

use super::{Listeners, Session, Watched, list_changed};
use crate::catalogue::Published;

/// The sessions and listeners of one backend.
#[derive(Debug, Default)]
pub struct Audience {
    sessions: Mutex<HashMap<Arc<str>, Weak<Session>>>,
    /// The `subscriptions/listen` streams of the stateless era.
    pub listeners: Listeners,
}

impl Audience {
    /// Adds a session.
    pub fn join(&self, session: &Arc<Session>) {
        self.sessions.lock().insert(Arc::clone(session.id()), Arc::downgrade(session));
    }

    /// Removes a session.
    pub fn leave(&self, session: &Session) {
        self.sessions.lock().remove(session.id());
    }

    /// Sends a `list_changed` notification for each of the kinds that differ between two catalogues for who has these permissions,
    /// and those of strategies' own lists. What differs is asked once for each set of permissions.
    pub fn notify_changed(
        &self,
        before: &Published,
        now: &Published,
        differ: impl Fn(&Permits) -> Vec<Kind>,
    ) {
        let mut known = HashMap::new();
        let mut news = |permits: &Permits| -> Vec<(Kind, Notification)> {
            known.entry(permits.clone()).or_insert_with(|| list_changed(&differ(permits))).clone()
        };
        for session in self.sessions() {
            // A session whose permissions may have changed was sent that all lists did.
            let permits = session.admitted.lock().current().cloned();
            let changed = permits.iter().flat_map(&mut news).map(|(_, news)| news);
            let all = changed.chain(session.viewer().news(before, now));
            all.for_each(|news| session.client.outbox().notify(&news));
        }
        self.listeners.notify_changed(before, now, news);
    }

    /// Sends `notifications/resources/updated` to the subscribers of the upstream's resource.
    pub fn notify_updated(&self, updated: &Watched, params: RawObject) {
        // Other members may name what a client may not have.
        let bare = params.retain(|key| matches!(key, "uri" | "_meta"));
        let [whole, bare] =
            [params, bare].map(|params| Notification::new("notifications/resources/updated", params));
        let news = |permits: &Permits| if permits.see_all() { &whole } else { &bare };
        for session in self.sessions().iter().filter(|session| session.is_subscribed(updated)) {
            let permits = session.admitted.lock().current().cloned();
            permits.iter().for_each(|permits| session.client.outbox().notify(news(permits)));
        }
        self.listeners.notify_updated(updated, news);
    }

    /// Ends the subscriptions of sessions to resources of upstreams that are not there any more: one of the same name that comes
    /// later was asked for none of them.
    pub fn end_subscriptions(&self, is_there: impl Fn(&UpstreamName) -> bool) {
        for session in self.sessions() {
            drop(session.keep_subscriptions(|watched| is_there(&watched.upstream)));
        }
    }

    /// The capabilities that all clients with sessions declare alike, of those that allow no requests to them: what upstreams
    /// that they share may know.
    pub fn common_capabilities(&self) -> RawObject {
        let sessions = self.sessions();
        let extensions = sessions.iter().map(|session| session.client.capabilities().object("extensions"));
        let common = extensions.map(Option::unwrap_or_default).reduce(|common, other| {
            let is_common = |id: &str| common.member(id) == other.member(id);
            common.retain(is_common)
        });
        let common = common.filter(|common| !common.is_empty());
        common.map_or_else(RawObject::empty, |common| RawObject::assemble([("extensions", common.text())]))
    }

    /// The lowest log level that any session asked for.
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.sessions().iter().filter_map(|session| session.log_level()).min()
    }

    fn sessions(&self) -> Vec<Arc<Session>> {
        self.sessions.lock().values().filter_map(Weak::upgrade).collect()
    }
}
