//! `subscriptions/listen` streams of the stateless era.

use std::{
    ops::Not,
    sync::{Arc, Weak},
};

use mcp_disclosure_core::{Kind, Permits, RawObject, RawText};
use mcp_disclosure_transport::{Id, Notification, meta::SUBSCRIPTION_ID};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::{Outlet, Viewer, Watched};
use crate::catalogue::Published;

/// The notifications that a listener subscribes to. The acknowledgement has it without what is not selected.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
pub struct Filter {
    #[serde(skip_serializing_if = "Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "Not::not")]
    resources_list_changed: bool,
    /// The URIs of resources to watch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resource_subscriptions: Vec<String>,
    /// The tasks to follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) task_ids: Vec<String>,
    /// The resources, by upstream, that were subscribed to.
    #[serde(skip)]
    pub(crate) watched: Vec<Watched>,
    /// The id of its strategy's extension, if it asks for the notifications of that. The draft names no member for it
    /// (docs/drafts.md, gap 2).
    #[serde(skip)]
    pub(crate) extension: Option<&'static str>,
}

impl Filter {
    fn acknowledged(&self) -> RawObject {
        let own = RawObject::of(&RawText::of(self)).unwrap_or_default();
        self.extension.iter().fold(own, |own, id| own.with(id, "true"))
    }

    fn wants(&self, kind: Kind) -> bool {
        match kind {
            Kind::Tools => self.tools_list_changed,
            Kind::Prompts => self.prompts_list_changed,
            Kind::Resources | Kind::Templates => self.resources_list_changed,
        }
    }
}

/// All open listeners, each for as long as it is kept elsewhere.
#[derive(Debug, Default)]
pub struct Listeners(Mutex<Vec<Weak<Listener>>>);

/// An open listener; dropping it closes it.
#[derive(Debug)]
pub struct Listener {
    id: Id,
    filter: Filter,
    viewer: Viewer,
    outlet: Outlet,
}

impl Listeners {
    /// Opens a listener, after sending it the acknowledgement.
    pub fn open(&self, id: &Id, filter: Filter, viewer: Viewer, outlet: Outlet) -> Arc<Listener> {
        let params = RawObject::empty().with("notifications", filter.acknowledged().text());
        // What changes after the acknowledgement must find it.
        let mut open = self.0.lock();
        open.retain(|listener| listener.strong_count() > 0);
        outlet.notify(&Notification::new("notifications/subscriptions/acknowledged", tagged(params, id)));
        let listener = Arc::new(Listener { id: id.clone(), filter, viewer, outlet });
        open.push(Arc::downgrade(&listener));
        listener
    }

    /// Notifies subscribers of the kinds of lists that changed for who has their permissions, and those that asked for the
    /// notifications of their strategy's extension, if its list differs between two catalogues.
    pub fn notify_changed(
        &self,
        before: &Published,
        now: &Published,
        mut news: impl FnMut(&Permits) -> Vec<(Kind, Notification)>,
    ) {
        for listener in self.all() {
            let changed = news(listener.viewer.principal.permits()).into_iter();
            let wanted = changed.filter(|(kind, _)| listener.filter.wants(*kind)).map(|(_, news)| news);
            let announced = listener.filter.extension.and_then(|_| listener.viewer.news(before, now));
            wanted.chain(announced).for_each(|news| listener.notify(&news));
        }
    }

    /// Notifies subscribers of this resource, in the words for who has their permissions.
    pub fn notify_updated<'n>(&self, updated: &Watched, news: impl Fn(&Permits) -> &'n Notification) {
        let subscribed = self.all().into_iter().filter(|listener| listener.filter.watched.contains(updated));
        subscribed.for_each(|listener| listener.notify(news(listener.viewer.principal.permits())));
    }

    fn all(&self) -> Vec<Arc<Listener>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

impl Listener {
    /// Notifies it.
    pub fn notify(&self, notification: &Notification) {
        let params = tagged(notification.params.clone(), &self.id);
        self.outlet.notify(&Notification { method: notification.method.clone(), params });
    }

    /// The result that closes the stream gracefully.
    pub fn final_result(&self) -> RawObject {
        tagged(RawObject::empty().with("resultType", "\"complete\""), &self.id)
    }
}

fn tagged(params: RawObject, id: &Id) -> RawObject {
    let meta = params.meta().cloned().unwrap_or_default();
    params.with("_meta", meta.with(SUBSCRIPTION_ID, id.as_str()).text())
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Wake, Waker},
    };

    use mcp_disclosure_core::{Era, Memory, Principal};

    use super::*;
    use crate::{
        dialect::Offer,
        limits::Limits,
        negotiation::{Strategies, StrategyOptions},
        session::Peer,
        strategies::builtin,
    };

    /// Looks at the listeners as soon as the acknowledgement can be read, as a change at that moment would.
    struct Changes {
        listeners: Arc<Listeners>,
        /// How many there were, or `None` if they had to be waited for.
        found: Mutex<Vec<Option<usize>>>,
    }

    impl Wake for Changes {
        fn wake(self: Arc<Self>) {
            self.found.lock().push(self.listeners.0.try_lock().map(|open| open.len()));
        }
    }

    #[test]
    fn f3_no_change_is_lost_between_the_acknowledgement_and_the_listener() {
        let strategies = Strategies::build(&builtin(), &StrategyOptions::default()).unwrap();
        let offer = Offer::read(&RawObject::empty());
        let choice = strategies.choose(None, &Permits::all(), &offer, Era::Stateless);
        let viewer = Viewer { principal: Principal::anonymous(), choice, memory: Memory::default() };
        let limits = Limits::default();
        let (outlet, mut frames) = Outlet::new(&Peer::new("test", &limits), &limits);
        let listeners = Arc::new(Listeners::default());
        let changes = Arc::new(Changes { listeners: Arc::clone(&listeners), found: Mutex::default() });
        let waker = Waker::from(Arc::clone(&changes));
        let mut context = Context::from_waker(&waker);
        assert!(pin!(frames.recv()).poll(&mut context).is_pending());
        let _listener = listeners.open(&Id::number(1), Filter::default(), viewer, outlet);
        assert_eq!(
            *changes.found.lock(),
            [None],
            "a change waits until this listener is among those that it is sent to"
        );
        assert_eq!(listeners.all().len(), 1);
    }
}
