//! The bytes of a queue, and of its owners in it.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;

/// The bytes that are queued, in total and by owner.
#[derive(Debug)]
pub(super) struct Rooms {
    most: usize,
    share: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_owner: HashMap<Arc<str>, usize>,
}

/// A message has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its owner has none left.
    Share,
    /// The queue has none left, and its owner would hold this much of it.
    Queue {
        /// Bytes.
        held: usize,
    },
}

/// The room of one message, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    rooms: Arc<Rooms>,
    owner: Option<Arc<str>>,
    bytes: usize,
}

impl Rooms {
    pub(super) fn new(most: usize, share: usize) -> Arc<Self> {
        Arc::new(Self { most, share, held: Mutex::default() })
    }

    /// Takes room for a message. One that is alone may be of any size; it takes no more than a share from others.
    pub(super) fn take(self: &Arc<Self>, bytes: usize, owner: Option<&Arc<str>>) -> Result<Room, Full> {
        let Held { total, by_owner } = &mut *self.held.lock();
        let owned = owner.map(|owner| by_owner.entry(Arc::clone(owner)));
        let own = if let Some(Entry::Occupied(own)) = &owned { *own.get() } else { 0 };
        let is_alone = *total == 0;
        if owner.is_some() && !is_alone && own + bytes > self.share {
            return Err(Full::Share);
        }
        let bytes = if owner.is_some() { bytes.min(self.share) } else { bytes };
        if !is_alone && *total + bytes > self.most {
            return Err(Full::Queue { held: own + bytes });
        }
        *total += bytes;
        if let Some(owned) = owned {
            *owned.or_default() += bytes;
        }
        Ok(Room { rooms: Arc::clone(self), owner: owner.cloned(), bytes })
    }

    /// What an owner holds.
    pub(super) fn held_by(&self, owner: &Arc<str>) -> usize {
        self.held.lock().by_owner.get(owner).copied().unwrap_or(0)
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.held.lock().total
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut held = self.rooms.held.lock();
        held.total -= self.bytes;
        let Some(owner) = &self.owner else { return };
        if let Some(own) = held.by_owner.get_mut(owner) {
            *own -= self.bytes;
            if *own == 0 {
                held.by_owner.remove(owner);
            }
        }
    }
}
