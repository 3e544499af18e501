//! Subscriptions and the log level of an upstream, restored on each new connection.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use mcp_disclosure_transport::{ErrorText, LoggingLevel};
use parking_lot::Mutex;
use tokio::{runtime::Handle, sync::Mutex as AsyncMutex, time::Instant};

use super::Slot;
use crate::upstream::Upstream;

/// What each new connection is asked for.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    resources: Mutex<HashMap<String, Arc<Wish>>>,
    log_level: Mutex<Option<LoggingLevel>>,
}

/// A resource that has subscribers, or had some until the upstream was asked to unsubscribe.
#[derive(Debug, Default)]
struct Wish {
    /// Also those for whom the upstream is being asked.
    subscribers: AtomicUsize,
    /// Locked while a request about the resource is in progress at the upstream, so that requests are sent in order.
    subscribed: AsyncMutex<Subscribed>,
}

#[derive(Debug, Default)]
enum Subscribed {
    #[default]
    Nowhere,
    /// This connection was asked, and its answer has not been read.
    Asked(Weak<Upstream>),
    /// On this connection, or on one that replaces it.
    At(Weak<Upstream>),
    /// Those who waited share the error; the wish is gone, so that later ones ask again.
    Refused(ErrorText),
}

impl Wish {
    fn is_wanted(&self) -> bool {
        self.subscribers.load(Ordering::Acquire) > 0
    }
}

impl Wishes {
    fn of(&self, uri: &str) -> Option<Arc<Wish>> {
        self.resources.lock().get(uri).cloned()
    }

    /// Unsubscribes at the upstream, unless a new subscriber came meanwhile.
    async fn let_go(&self, uri: &str, wish: &Arc<Wish>) {
        let mut subscribed = wish.subscribed.lock().await;
        if wish.is_wanted() {
            return;
        }
        if let Subscribed::At(upstream) | Subscribed::Asked(upstream) = mem::take(&mut *subscribed)
            && let Some(upstream) = upstream.upgrade()
            && !upstream.connection().closing().is_cancelled()
            && let Err(error) = upstream.unsubscribe(uri).await
        {
            tracing::debug!(upstream = %upstream.name(), uri, error = error.in_full(), "could not unsubscribe");
        }
        // Unless a new subscriber waits for it.
        self.forget_if(uri, |known| Arc::ptr_eq(known, wish) && !wish.is_wanted());
    }

    /// Removes a wish of which this is true.
    fn forget_if(&self, uri: &str, goes: impl FnOnce(&Arc<Wish>) -> bool) {
        let mut resources = self.resources.lock();
        if resources.get(uri).is_some_and(goes) {
            resources.remove(uri);
        }
    }
}

/// A subscriber to a resource, until this is dropped. After the last one, the upstream is asked to unsubscribe.
#[derive(Debug)]
pub struct Subscription {
    wishes: Arc<Wishes>,
    uri: String,
    wish: Arc<Wish>,
}

impl Subscription {
    fn new(wishes: &Arc<Wishes>, uri: &str) -> Self {
        let mut resources = wishes.resources.lock();
        let wish = Arc::clone(resources.entry(uri.to_owned()).or_default());
        // While it is locked, so that the wish is not forgotten.
        wish.subscribers.fetch_add(1, Ordering::AcqRel);
        Self { wishes: Arc::clone(wishes), uri: uri.to_owned(), wish }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let is_last = self.wish.subscribers.fetch_sub(1, Ordering::AcqRel) == 1;
        // There is no runtime when the program ends.
        if is_last && let Ok(runtime) = Handle::try_current() {
            let (wishes, wish) = (Arc::clone(&self.wishes), Arc::clone(&self.wish));
            let uri = mem::take(&mut self.uri);
            runtime.spawn(async move { wishes.let_go(&uri, &wish).await });
        }
    }
}

impl Slot {
    /// Adds a subscriber to a resource; the first one subscribes at the upstream.
    ///
    /// # Errors
    /// The upstream's error; -32000 if it is not connected.
    pub async fn subscribe(&self, uri: &str) -> Result<Subscription, ErrorText> {
        // Dropped again, unless the upstream takes it.
        let subscription = Subscription::new(&self.wishes, uri);
        let mut subscribed = subscription.wish.subscribed.lock().await;
        match &*subscribed {
            Subscribed::At(_) => {}
            Subscribed::Refused(error) => return Err(error.clone()),
            Subscribed::Nowhere | Subscribed::Asked(_) => {
                if let Err(error) = self.ask_for(uri, &mut subscribed).await {
                    self.wishes.forget_if(uri, |wish| Arc::ptr_eq(wish, &subscription.wish));
                    *subscribed = Subscribed::Refused(error.clone());
                    return Err(error);
                }
            }
        }
        drop(subscribed);
        Ok(subscription)
    }

    /// Whether a resource has subscribers.
    pub fn has_subscribers(&self, uri: &str) -> bool {
        self.wishes.of(uri).is_some_and(|wish| wish.is_wanted())
    }

    async fn ask_for(&self, uri: &str, subscribed: &mut Subscribed) -> Result<(), ErrorText> {
        let upstream = self.connected(None, Instant::now()).await?;
        let at = Arc::downgrade(&upstream);
        // The subscriber may give up while it waits.
        *subscribed = Subscribed::Asked(Weak::clone(&at));
        let refused = |error| upstream.no_result("resources/subscribe", error);
        upstream.subscribe(uri).await.map_err(refused)?;
        *subscribed = Subscribed::At(at);
        Ok(())
    }

    /// Sets the minimum level of log messages.
    pub fn set_log_level(&self, least: LoggingLevel) {
        *self.wishes.log_level.lock() = Some(least);
        if let Some(upstream) = self.upstream() {
            upstream.set_log_level(least);
        }
    }

    /// Asks a new connection for everything that the last one was asked for.
    pub(super) fn restore(&self, upstream: &Arc<Upstream>) {
        if let Some(least) = *self.wishes.log_level.lock() {
            upstream.set_log_level(least);
        }
        let wished = self.wishes.resources.lock().clone();
        if wished.is_empty() {
            return;
        }
        let upstream = Arc::clone(upstream);
        tokio::spawn(async move {
            for (uri, wish) in wished {
                wish.restore(&upstream, &uri).await;
            }
        });
    }
}

impl Wish {
    /// Subscribes on a new connection, unless that was done meanwhile or there are no subscribers any more.
    async fn restore(&self, upstream: &Arc<Upstream>, uri: &str) {
        let mut subscribed = self.subscribed.lock().await;
        let now = Arc::downgrade(upstream);
        let is_done = match &*subscribed {
            Subscribed::At(at) => at.ptr_eq(&now),
            Subscribed::Refused(_) => true,
            Subscribed::Nowhere | Subscribed::Asked(_) => false,
        };
        if is_done || !self.is_wanted() {
            return;
        }
        *subscribed = match upstream.subscribe(uri).await {
            Ok(()) => Subscribed::At(now),
            Err(error) => {
                let error = error.in_full();
                tracing::warn!(upstream = %upstream.name(), uri, error, "could not subscribe again");
                // The next subscriber asks again, and the next connection is asked again.
                Subscribed::Nowhere
            }
        };
    }
}

#[cfg(test)]
mod tests;
