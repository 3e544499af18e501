//! Results that clients have not read. All of them together are bounded: beyond that, the peer that holds the most loses its
//! oldest, so that a client that does not read costs others nothing.
//!
//! A result can be lost wherever it waits: in the queue of its stream, in the log of a stream that can be resumed, or half
//! written to a connection. Who holds it has a share in it, and finds it gone.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;

/// Smaller messages are not counted here. As many as there may be connections take no more than the bound.
pub(crate) const LARGE: usize = 64 * 1024;

/// The text of a message to a client. Clones share it.
#[derive(Clone, Debug)]
pub enum Text {
    /// At most [`LARGE`] bytes, or of another replica.
    Small(Bytes),
    /// A result that may be lost.
    Large(Arc<Unread>),
}

/// A large result that may be lost before its client has read it.
#[derive(Debug)]
pub struct Unread {
    length: usize,
    slot: Slot,
    /// The response in its place, if nothing of it was sent.
    instead: Bytes,
    number: u64,
    peer: Arc<str>,
    results: Arc<Results>,
}

/// The text; `None` once it is lost.
type Slot = Arc<Mutex<Option<Bytes>>>;

/// All large results that were not read.
#[derive(Debug)]
pub(super) struct Results {
    most: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    last: u64,
    total: usize,
    by_peer: HashMap<Arc<str>, OfPeer>,
}

/// Those of one peer, the oldest first.
#[derive(Debug, Default)]
struct OfPeer {
    bytes: usize,
    results: BTreeMap<u64, (usize, Slot)>,
}

impl Results {
    /// At most this number of bytes.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Keeps a result for a peer. `instead` is the response that is sent where it is lost before its first byte was.
    pub(super) fn keep(self: &Arc<Self>, peer: &Arc<str>, text: Bytes, instead: Bytes) -> Arc<Unread> {
        let (length, slot) = (text.len(), Arc::new(Mutex::new(Some(text))));
        let mut lost = Vec::new();
        let mut held = self.held.lock();
        held.last += 1;
        let number = held.last;
        held.total += length;
        let own = held.by_peer.entry(Arc::clone(peer)).or_default();
        own.bytes += length;
        own.results.insert(number, (length, Arc::clone(&slot)));
        while held.total > self.most
            && let Some((peer, oldest)) = held.giving_way(number)
        {
            tracing::warn!(%peer, "client lost its oldest result that was not read (limits.unread_bytes)");
            lost.extend(held.remove(&peer, oldest).and_then(|slot| slot.lock().take()));
        }
        drop(held);
        // Freed beside the lock.
        drop(lost);
        Arc::new(Unread { length, slot, instead, number, peer: Arc::clone(peer), results: Arc::clone(self) })
    }
}

impl Held {
    /// The peer that holds the most, and the oldest of what it holds, except for this one, which just came.
    fn giving_way(&self, new: u64) -> Option<(Arc<str>, u64)> {
        let oldest = |own: &OfPeer| own.results.keys().next().copied().filter(|oldest| *oldest != new);
        let holding = self.by_peer.iter().filter_map(|(peer, own)| Some((own.bytes, peer, oldest(own)?)));
        let (_, peer, oldest) = holding.max()?;
        Some((Arc::clone(peer), oldest))
    }

    fn remove(&mut self, peer: &Arc<str>, number: u64) -> Option<Slot> {
        let own = self.by_peer.get_mut(peer)?;
        let (bytes, slot) = own.results.remove(&number)?;
        own.bytes -= bytes;
        self.total -= bytes;
        if own.results.is_empty() {
            self.by_peer.remove(peer);
        }
        Some(slot)
    }
}

impl Unread {
    /// A copy of at most this many bytes from here on; `None` if it is lost. A copy, since a part would keep the whole.
    pub fn piece(&self, from: usize, most: usize) -> Option<Bytes> {
        let text = self.slot.lock();
        let text = text.as_ref()?;
        let end = text.len().min(from + most);
        Some(Bytes::copy_from_slice(&text[from.min(end)..end]))
    }

    /// The length of the whole text.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The whole text, or what is sent instead.
    fn whole(&self) -> Bytes {
        self.slot.lock().clone().unwrap_or_else(|| self.instead.clone())
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _freed = self.results.held.lock().remove(&self.peer, self.number);
    }
}

impl Text {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Small(text) => text.len(),
            Self::Large(result) => result.length,
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole text; of a result that is lost, the error instead.
    pub fn whole(&self) -> Bytes {
        match self {
            Self::Small(text) => text.clone(),
            Self::Large(result) => result.whole(),
        }
    }

    /// The same, which counts as read from now on.
    pub fn into_line(self) -> Vec<u8> {
        match self {
            Self::Small(text) => text.into(),
            Self::Large(result) => {
                let text = result.slot.lock().take();
                text.unwrap_or_else(|| result.instead.clone()).into()
            }
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::Small(Bytes::new())
    }
}

impl From<Vec<u8>> for Text {
    fn from(text: Vec<u8>) -> Self {
        Self::Small(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_copies() {
        let results = Results::new(10);
        let result = results.keep(&"a".into(), vec![1, 2, 3, 4, 5].into(), Bytes::new());
        assert_eq!(&*result.piece(0, 2).unwrap(), [1, 2]);
        assert_eq!(&*result.piece(4, 2).unwrap(), [5]);
        assert!(result.piece(5, 2).unwrap().is_empty());
        let _other = results.keep(&"b".into(), vec![0; 4].into(), Bytes::new());
        let _third = results.keep(&"b".into(), vec![0; 3].into(), Bytes::new());
        assert!(result.piece(0, 2).is_some(), "the other holds more");
    }
}
