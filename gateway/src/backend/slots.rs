//! The slots of a backend: its own, and those of the backend that it is like.

use std::sync::Arc;

use super::{Scope, follow::Follower};
use crate::{
    slot::{self, Slot},
    upstream::Configured,
};

impl Follower {
    /// Makes the upstreams in force the backend's: keeps those it has, starts new ones and stops the others.
    pub(super) fn replace_slots(&mut self) {
        let before = self.backend.slots();
        let upstreams = self.declared.upstreams.clone().unwrap_or_default();
        let slots: Vec<Arc<Slot>> = upstreams.iter().map(|one| self.slot_of(one, &before)).collect();
        if slots.iter().map(Arc::as_ptr).eq(before.iter().map(Arc::as_ptr)) {
            return;
        }
        for removed in self.own.extract_if(.., |own| !has(&slots, own)) {
            // The others follow the first.
            if self.like.is_none() {
                let is_its = |slot: &Arc<Slot>| slot.name().is_some() && slot.name() == removed.name();
                let why = if slots.iter().any(is_its) { "changed" } else { "was removed" };
                let upstream = removed.name().map(tracing::field::display);
                tracing::info!(upstream, "upstream is stopped, since its entry {why}");
            }
            tokio::spawn(async move { removed.stop().await });
        }
        let new: Vec<Arc<Slot>> = slots.iter().filter(|slot| !has(&before, slot)).cloned().collect();
        self.backend.progress.begin(new.iter().map(|slot| slot.number()));
        tokio::spawn(slot::name(new, upstreams));
        self.backend.audience.end_subscriptions(|name| slots.iter().any(|slot| slot.name() == Some(name)));
        *self.backend.slots.write() = slots.into();
    }

    /// The slot of an upstream: that of the backend that this one is like, or its own, which is started if there is none.
    fn slot_of(&mut self, configured: &Arc<Configured>, before: &[Arc<Slot>]) -> Arc<Slot> {
        let shared = self.like.as_ref().and_then(|like| like.slot_numbered(configured.number));
        let is_removed = shared.is_none();
        if let Some(shared) = shared.filter(|slot| self.can_share(slot)) {
            return shared;
        }
        // What is removed there will be declared here soon.
        let is_kept = |slot: &&Arc<Slot>| {
            Arc::ptr_eq(&slot.configured, configured) && (is_removed || has(&self.own, slot))
        };
        if let Some(kept) = before.iter().find(is_kept) {
            return Arc::clone(kept);
        }
        let is_replaced = |slot: &&Arc<Slot>| configured.name().is_some() && slot.name() == configured.name();
        let replaced = self.own.iter().find(is_replaced).map(|slot| &**slot);
        // What is listed for one session is not for the next run of the program.
        let is_remembered = self.scope_of(configured) == Scope::Shared;
        let started = self.supervisor.start(configured, is_remembered, replaced);
        self.own.push(Arc::clone(&started));
        started
    }

    /// Whether an upstream lists the same to the clients of the backend that this one is like.
    fn can_share(&self, slot: &Slot) -> bool {
        match self.backend.client {
            Some(_) => self.scope_of(&slot.configured) == Scope::Shared,
            // One that speaks both eras may list something else in each of them.
            None => !slot.introduction().is_some_and(|said| said.eras.session && said.eras.stateless),
        }
    }

    fn scope_of(&self, configured: &Configured) -> Scope {
        configured.config.settings.scope.unwrap_or(self.scope)
    }
}

pub(super) fn has(slots: &[Arc<Slot>], slot: &Arc<Slot>) -> bool {
    slots.iter().any(|one| Arc::ptr_eq(one, slot))
}
