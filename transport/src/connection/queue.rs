//! The queue of messages not yet read by the peer: ordered, and limited in bytes.
//!
//! Not a channel: an abandoned request is removed, so that a peer that never reads does not hold memory for
//! it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::RequestId;

/// The memory that a message takes beside its text.
const OVERHEAD: usize = 128;

/// Header names and values.
pub(crate) type Headers = Vec<(String, String)>;

/// An outgoing message.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) kind: Kind,
    /// One line of JSON, without a line terminator.
    pub(crate) text: Vec<u8>,
    /// The headers of a stateless request, which is cancelled by closing its stream.
    pub(crate) headers: Option<Headers>,
    /// Whose it is, if that has a share of the queue.
    pub(crate) owner: Option<Arc<str>>,
}

/// The kind of an outgoing message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request(RequestId),
    Notification(Cow<'static, str>),
    Response,
}

/// The sending half of a queue.
#[derive(Debug)]
pub(crate) struct Queue(Arc<Shared>);

/// The receiving half of a queue. Dropping it closes the queue and frees its contents.
#[derive(Debug)]
pub(crate) struct Queued(Arc<Shared>);

/// A dequeued message. Its bytes count until `room` is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) outgoing: Outgoing,
    pub(crate) room: Room,
}

/// The room of one message, which is free again when this is dropped. That locks the queue.
#[derive(Debug)]
pub(crate) struct Room {
    shared: Arc<Shared>,
    owner: Option<Arc<str>>,
    bytes: usize,
}

/// A message has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its owner has none left.
    Share,
    /// The queue has none left, and its owner would hold this many bytes of it.
    Queue { held: usize },
}

#[derive(Debug)]
struct Shared {
    most: usize,
    share: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    waiting: BTreeMap<u64, Taken>,
    /// The requests that were not dequeued, and their places. Those left when the queue is closed stay here, so
    /// that `remove` tells that they were never sent.
    requests: HashMap<RequestId, u64>,
    closed: bool,
    /// Bytes, in total and by owner.
    held: usize,
    held_by: HashMap<Arc<str>, usize>,
}

/// A queue of at most this many bytes, of which an owner has at most a share.
pub(crate) fn queue(most: usize, share: usize) -> (Queue, Queued) {
    let shared = Arc::new(Shared { most, share, state: Mutex::default(), changed: Notify::new() });
    (Queue(Arc::clone(&shared)), Queued(shared))
}

impl Queue {
    /// Reserves space for a message. An empty queue admits a message of any size. Where a full one has requests of an owner
    /// that holds more than this one would, those give way: they are removed, the last first, and returned.
    pub(crate) fn reserve(&self, outgoing: &Outgoing) -> (Result<Room, Full>, Vec<RequestId>) {
        let headers = outgoing.headers.iter().flatten();
        let headers: usize = headers.map(|(name, value)| name.len() + value.len()).sum();
        let bytes = OVERHEAD + outgoing.text.len() + headers;
        let mut given_way = Vec::new();
        loop {
            match Room::take(&self.0, bytes, outgoing.owner.as_ref()) {
                Err(full @ Full::Queue { held }) => match self.0.give_way(held) {
                    Some((request, _freed)) => given_way.push(request),
                    None => return (Err(full), given_way),
                },
                taken => return (taken, given_way),
            }
        }
    }

    /// Appends a message, with its reservation; `false` if the queue is closed because the transport is gone.
    pub(crate) fn push(&self, outgoing: Outgoing, room: Room) -> bool {
        let mut state = self.0.state.lock();
        if state.closed {
            return false;
        }
        state.last += 1;
        let place = state.last;
        if let Kind::Request(id) = outgoing.kind {
            state.requests.insert(id, place);
        }
        state.waiting.insert(place, Taken { outgoing, room });
        drop(state);
        self.0.changed.notify_one();
        true
    }

    /// Removes a request; `false` if it was dequeued, or never appended.
    pub(crate) fn remove(&self, request: RequestId) -> bool {
        let mut state = self.0.state.lock();
        let Some(place) = state.requests.remove(&request) else { return false };
        let freed = state.waiting.remove(&place);
        drop(state);
        drop(freed);
        true
    }
}

impl Shared {
    /// Removes the last request of the owner that holds the most, if that is more than this.
    fn give_way(&self, held: usize) -> Option<(RequestId, Taken)> {
        let mut state = self.state.lock();
        let holding = state.waiting.iter().filter_map(|(place, taken)| {
            let Kind::Request(id) = taken.outgoing.kind else { return None };
            Some((*state.held_by.get(taken.outgoing.owner.as_ref()?)?, *place, id))
        });
        let (_, place, id) = holding.max().filter(|(most, ..)| *most > held)?;
        state.requests.remove(&id);
        Some((id, state.waiting.remove(&place)?))
    }
}

impl Room {
    /// Takes room for a message. One that is alone may be of any size; it takes no more than a share from others.
    fn take(shared: &Arc<Shared>, bytes: usize, owner: Option<&Arc<str>>) -> Result<Self, Full> {
        let mut state = shared.state.lock();
        let own = owner.and_then(|owner| state.held_by.get(owner)).copied().unwrap_or(0);
        let is_alone = state.held == 0;
        if owner.is_some() && !is_alone && own + bytes > shared.share {
            return Err(Full::Share);
        }
        let bytes = if owner.is_some() { bytes.min(shared.share) } else { bytes };
        if !is_alone && state.held + bytes > shared.most {
            return Err(Full::Queue { held: own + bytes });
        }
        state.held += bytes;
        if let Some(owner) = owner {
            state.held_by.insert(Arc::clone(owner), own + bytes);
        }
        Ok(Self { shared: Arc::clone(shared), owner: owner.cloned(), bytes })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.held -= self.bytes;
        let Some(owner) = &self.owner else { return };
        let left = state.held_by.get(owner).map_or(0, |own| own - self.bytes);
        match left {
            0 => state.held_by.remove(owner),
            left => state.held_by.insert(Arc::clone(owner), left),
        };
    }
}

impl Queued {
    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Taken {
        loop {
            if let Some(taken) = self.try_next() {
                return taken;
            }
            // A message appended meanwhile has left a permit.
            self.0.changed.notified().await;
        }
    }

    /// The next message, if there is one.
    pub(crate) fn try_next(&mut self) -> Option<Taken> {
        let mut state = self.0.state.lock();
        let (_, taken) = state.waiting.pop_first()?;
        if let Kind::Request(id) = taken.outgoing.kind {
            state.requests.remove(&id);
        }
        Some(taken)
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.closed = true;
        let freed = std::mem::take(&mut state.waiting);
        drop(state);
        drop(freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: u64, bytes: usize) -> Outgoing {
        Outgoing { kind: Kind::Request(RequestId(id)), text: vec![b'x'; bytes], headers: None, owner: None }
    }

    fn held(queue: &Queue) -> usize {
        queue.0.state.lock().held
    }

    fn of(owner: &str, id: u64, bytes: usize) -> Outgoing {
        Outgoing { owner: Some(owner.into()), ..request(id, bytes) }
    }

    fn push(queue: &Queue, outgoing: Outgoing) -> bool {
        queue.reserve(&outgoing).0.is_ok_and(|room| queue.push(outgoing, room))
    }

    fn id(taken: &Taken) -> u64 {
        match taken.outgoing.kind {
            Kind::Request(id) => id.0,
            ref other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn messages_leave_in_order_and_what_was_removed_does_not() {
        let (queue, mut queued) = queue(1 << 20, 1 << 20);
        assert!((1..=4).all(|number| push(&queue, request(number, 10))));
        assert!(queue.remove(RequestId(2)));
        assert!(!queue.remove(RequestId(2)) && !queue.remove(RequestId(9)));
        let first = queued.next().await;
        assert_eq!(id(&first), 1);
        assert!(!queue.remove(RequestId(1)), "what was taken out is not in it any more");
        assert_eq!((id(&queued.next().await), id(&queued.next().await)), (3, 4));
        assert!(queued.try_next().is_none());
        let waiting = tokio::spawn(async move { id(&queued.next().await) });
        assert!(push(&queue, request(5, 10)));
        assert_eq!(waiting.await.unwrap(), 5);
    }

    #[tokio::test]
    async fn bytes_are_bounded_and_released_on_removal() {
        let (queue, mut queued) = queue(3_000, 3_000);
        assert!(push(&queue, request(1, 1_000)) && push(&queue, request(2, 1_000)));
        assert!(!push(&queue, request(3, 1_000)));
        assert!(queue.remove(RequestId(2)));
        assert!(push(&queue, request(4, 1_000)));
        let being_sent = queued.next().await;
        assert!(!push(&queue, request(5, 1_000)), "what is being sent counts");
        drop(being_sent);
        assert!(push(&queue, request(6, 1_000)));
        drop(queued);
        assert_eq!(held(&queue), 0, "what waited is freed");
        assert!(!push(&queue, request(7, 1)));
        assert!(queue.remove(RequestId(6)), "it is known that what waited was never sent");
        assert!(!queue.remove(RequestId(1)) && !queue.remove(RequestId(6)));
    }

    #[test]
    fn a_message_larger_than_the_queue_passes_through_it_alone() {
        let (queue, mut queued) = queue(100, 100);
        assert!(push(&queue, request(1, 5_000)));
        assert!(!push(&queue, request(2, 1)));
        drop(queued.try_next().unwrap());
        assert!(push(&queue, request(3, 5_000)));
    }

    #[test]
    fn p7_an_owner_has_its_share_or_one_larger_message_alone() {
        let (queue, mut queued) = queue(10_000, 3_000);
        let full = |outgoing: &Outgoing| queue.reserve(outgoing).0.unwrap_err();
        assert!(push(&queue, of("a", 1, 9_000)), "nothing else is there");
        assert_eq!(full(&of("a", 2, 10)), Full::Share);
        assert_eq!(full(&of("b", 3, 9_000)), Full::Share);
        assert!(push(&queue, of("b", 4, 2_500)) && push(&queue, of("c", 5, 10)), "others have theirs");
        assert_eq!(full(&of("b", 6, 500)), Full::Share);
        drop(queued.try_next().unwrap());
        assert!(push(&queue, of("a", 7, 2_500)));
        drop(queued);
        assert_eq!(held(&queue), 0);
    }

    #[test]
    fn p7_in_a_full_queue_the_owner_that_holds_the_most_gives_way() {
        let (queue, mut queued) = queue(10_000, 4_000);
        for (owner, ids) in [("a", 1..=3), ("b", 4..=6), ("c", 7..=8)] {
            assert!(ids.into_iter().all(|id| push(&queue, of(owner, id, 1_000))), "{owner}");
        }
        let (room, given_way) = queue.reserve(&of("d", 9, 1_500));
        assert!(room.is_ok());
        assert_eq!(given_way, [RequestId(6)], "the last of those who hold the most");
        assert!(!queue.remove(RequestId(6)));
        let (refused, given_way) = queue.reserve(&of("a", 10, 2_000));
        assert!(matches!(refused, Err(Full::Share | Full::Queue { .. })) && given_way.is_empty());
        let order: Vec<u64> = std::iter::from_fn(|| queued.try_next()).map(|taken| id(&taken)).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 7, 8]);
    }
}
