//! Subscriptions and the log level of an upstream, restored on each new connection.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Weak},
};

use mcp_disclosure_transport::{ErrorText, LoggingLevel};
use parking_lot::Mutex;
use scopeguard::ScopeGuard;
use tokio::{runtime::Handle, sync::Mutex as AsyncMutex, time::Instant};

use super::Slot;
use crate::{
    error::upstream_failed,
    upstream::{CallError, Upstream},
};

/// What each new connection is asked for.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    resources: Mutex<HashMap<String, Wish>>,
    log_level: Mutex<Option<LoggingLevel>>,
}

/// A resource that has subscribers, or had some until the upstream was asked to unsubscribe.
#[derive(Debug, Default)]
struct Wish {
    /// Also those for whom the upstream is being asked.
    subscribers: usize,
    turn: Arc<Turn>,
}

/// Locked while a request about one resource is in progress at the upstream, so that requests are sent in order.
type Turn = AsyncMutex<Subscribed>;

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
    fn has(&self, turn: &Arc<Turn>) -> bool {
        Arc::ptr_eq(&self.turn, turn)
    }

    /// Whether it has this turn, and no subscribers.
    fn is_over(&self, turn: &Arc<Turn>) -> bool {
        self.subscribers == 0 && self.has(turn)
    }
}

impl Wishes {
    /// Adds a subscriber.
    fn add(&self, uri: &str) -> Arc<Turn> {
        let mut resources = self.resources.lock();
        let wish = resources.entry(uri.to_owned()).or_default();
        wish.subscribers += 1;
        Arc::clone(&wish.turn)
    }

    /// Removes a subscriber. `true` if it was the last one.
    fn remove(&self, uri: &str, turn: &Arc<Turn>) -> bool {
        let mut resources = self.resources.lock();
        let Some(wish) = resources.get_mut(uri).filter(|wish| wish.has(turn)) else { return false };
        wish.subscribers = wish.subscribers.saturating_sub(1);
        wish.subscribers == 0
    }

    fn turn(&self, uri: &str) -> Option<Arc<Turn>> {
        self.resources.lock().get(uri).map(|wish| Arc::clone(&wish.turn))
    }

    /// Whether the wish of this turn has subscribers.
    fn is_wanted(&self, uri: &str, turn: &Arc<Turn>) -> bool {
        self.resources.lock().get(uri).is_some_and(|wish| wish.subscribers > 0 && wish.has(turn))
    }

    /// Whether the wish of this turn has no subscribers.
    fn is_over(&self, uri: &str, turn: &Arc<Turn>) -> bool {
        self.resources.lock().get(uri).is_some_and(|wish| wish.is_over(turn))
    }

    /// Removes a wish of which this is true.
    fn forget_if(&self, uri: &str, goes: impl FnOnce(&Wish) -> bool) {
        let mut resources = self.resources.lock();
        if resources.get(uri).is_some_and(goes) {
            resources.remove(uri);
        }
    }
}

impl Slot {
    /// Adds a subscriber to a resource; the first one subscribes at the upstream.
    ///
    /// # Errors
    /// The upstream's error; -32000 if it is not connected.
    pub async fn subscribe(self: &Arc<Self>, uri: &str) -> Result<(), ErrorText> {
        let turn = self.wishes.add(uri);
        // Removed again, unless the upstream takes it.
        let asking = scopeguard::guard((), |()| self.remove(uri, &turn));
        let mut subscribed = turn.lock().await;
        match &*subscribed {
            Subscribed::At(_) => {}
            Subscribed::Refused(error) => return Err(error.clone()),
            Subscribed::Nowhere | Subscribed::Asked(_) => {
                if let Err(error) = self.ask_for(uri, &mut subscribed).await {
                    self.wishes.forget_if(uri, |wish| wish.has(&turn));
                    *subscribed = Subscribed::Refused(error.clone());
                    return Err(error);
                }
            }
        }
        ScopeGuard::into_inner(asking);
        Ok(())
    }

    /// Whether a resource has subscribers.
    pub fn has_subscribers(&self, uri: &str) -> bool {
        self.wishes.resources.lock().get(uri).is_some_and(|wish| wish.subscribers > 0)
    }

    /// Removes a subscriber from a resource; after the last one, the upstream is asked to unsubscribe.
    pub fn unsubscribe(self: &Arc<Self>, uri: &str) {
        if let Some(turn) = self.wishes.turn(uri) {
            self.remove(uri, &turn);
        }
    }

    /// Waits until the upstream was asked to unsubscribe, if it is being asked.
    pub async fn unsubscribed(&self, uri: &str) {
        let turn = self.wishes.turn(uri);
        while let Some(turn) = &turn
            && self.wishes.is_over(uri, turn)
        {
            drop(turn.lock().await);
            tokio::task::yield_now().await;
        }
    }

    fn remove(self: &Arc<Self>, uri: &str, turn: &Arc<Turn>) {
        let is_last = self.wishes.remove(uri, turn);
        // There is no runtime when the program ends.
        if is_last && let Ok(runtime) = Handle::try_current() {
            let (slot, uri, turn) = (Arc::clone(self), uri.to_owned(), Arc::clone(turn));
            runtime.spawn(async move { slot.let_go(&uri, &turn).await });
        }
    }

    async fn ask_for(&self, uri: &str, subscribed: &mut Subscribed) -> Result<(), ErrorText> {
        let upstream = self.connected(None, Instant::now()).await?;
        let at = Arc::downgrade(&upstream);
        // The subscriber may give up while it waits.
        *subscribed = Subscribed::Asked(Weak::clone(&at));
        upstream.subscribe(uri).await.map_err(|error| match error {
            CallError::Answered(error) => error,
            failed => {
                tracing::warn!(upstream = %upstream.name(), error = failed.in_full(), "could not subscribe");
                upstream_failed(upstream.name(), failed)
            }
        })?;
        *subscribed = Subscribed::At(at);
        Ok(())
    }

    /// Unsubscribes at the upstream, unless a new subscriber came meanwhile.
    async fn let_go(&self, uri: &str, turn: &Arc<Turn>) {
        let mut subscribed = turn.lock().await;
        if !self.wishes.is_over(uri, turn) {
            return;
        }
        if let Subscribed::At(upstream) | Subscribed::Asked(upstream) = mem::take(&mut *subscribed)
            && !self.is_stopping()
            && let Some(upstream) = upstream.upgrade()
            && let Err(error) = upstream.unsubscribe(uri).await
        {
            tracing::debug!(upstream = %upstream.name(), uri, error = error.in_full(), "could not unsubscribe");
        }
        // Unless a new subscriber waits for it.
        self.wishes.forget_if(uri, |wish| wish.is_over(turn));
    }

    /// Sets the minimum level of log messages.
    pub fn set_log_level(&self, least: LoggingLevel) {
        *self.wishes.log_level.lock() = Some(least);
        if let Some(upstream) = self.upstream() {
            upstream.set_log_level(least);
        }
    }

    /// Asks a new connection for everything that the last one was asked for.
    pub(super) fn restore(self: &Arc<Self>, upstream: &Arc<Upstream>) {
        if let Some(least) = *self.wishes.log_level.lock() {
            upstream.set_log_level(least);
        }
        let wished = |(uri, wish): (&String, &Wish)| (uri.clone(), Arc::clone(&wish.turn));
        let wished: Vec<(String, Arc<Turn>)> = self.wishes.resources.lock().iter().map(wished).collect();
        if wished.is_empty() {
            return;
        }
        let (slot, upstream) = (Arc::clone(self), Arc::clone(upstream));
        tokio::spawn(async move {
            for (uri, turn) in wished {
                slot.restore_one(&upstream, &uri, &turn).await;
            }
        });
    }

    /// Subscribes on a new connection, unless that was done meanwhile or there are no subscribers any more.
    async fn restore_one(&self, upstream: &Arc<Upstream>, uri: &str, turn: &Arc<Turn>) {
        let mut subscribed = turn.lock().await;
        let now = Arc::downgrade(upstream);
        let is_done = match &*subscribed {
            Subscribed::At(at) => at.ptr_eq(&now),
            Subscribed::Refused(_) => true,
            Subscribed::Nowhere | Subscribed::Asked(_) => false,
        };
        if is_done || !self.wishes.is_wanted(uri, turn) {
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
