//! The events of one stream that can be sent again, and which of them other replicas can read.

use std::collections::{BTreeMap, VecDeque};

use mcp_disclosure_transport::{Budget, Id, Share};

use crate::session::{
    Place, Text,
    store::{Changes, END, NO_RESPONSE, REQUEST},
};

/// Maximum bytes kept per stream. The last event is kept regardless of its size while the stream is open, if
/// the session's budget allows it.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// Maximum size of an event that other replicas can read. Instead of a longer response, a client that resumes its stream elsewhere
/// gets an error.
pub(super) const MAX_SHARED: usize = 4 * 1024 * 1024;

/// The events of a stream.
#[derive(Debug, Default)]
pub(super) struct Log {
    next: u64,
    events: VecDeque<Kept>,
    pub(super) bytes: usize,
    /// Whether the response was recorded.
    pub(super) has_ended: bool,
    /// Whether the client got an error instead of the response that may follow.
    pub(super) is_given_up: bool,
    /// The fields that other replicas do not know yet; `None` for those that they should no longer know.
    unwritten: BTreeMap<Vec<u8>, Option<Text>>,
}

#[derive(Debug)]
struct Kept {
    sequence: u64,
    data: Text,
    counted: Counted,
}

/// What the bytes of an event count against.
#[derive(Debug)]
enum Counted {
    /// What the client has not read, until the event is sent.
    Unread { _place: Place },
    /// What is kept of this session, and of its peer.
    Sent { _shares: (Share, Share) },
}

impl Log {
    /// The last event is the response.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.unwritten.insert(END.to_vec(), Some(field(self.next.saturating_sub(1)).into()));
    }

    /// No response will follow.
    pub(super) fn end_without_response(&mut self) {
        self.unwritten.insert(END.to_vec(), Some(NO_RESPONSE.to_vec().into()));
    }

    /// The events were sent. A response that is too large, or for which the budgets have no room, is not kept then.
    pub(super) fn sent(&mut self, [session, peer]: &[Budget; 2]) {
        while self.has_ended && self.bytes > MAX_BYTES && self.forget_first() {}
        while self.has_unread() {
            let Some(last) = self.events.back_mut() else { return };
            match session.take_one(last.data.len()).zip(peer.take(last.data.len())) {
                Some(shares) => last.counted = Counted::Sent { _shares: shares },
                None => {
                    self.forget_first();
                }
            }
        }
    }

    /// The events that are kept after this one.
    pub(super) fn after(&self, sequence: u64) -> impl Iterator<Item = (u64, Text)> {
        let later = self.events.iter().filter(move |kept| kept.sequence > sequence);
        later.map(|kept| (kept.sequence, kept.data.clone()))
    }

    /// It answers this request.
    pub(super) fn answers(&mut self, request: &Id) {
        self.unwritten.insert(REQUEST.to_vec(), Some(request.as_str().as_bytes().to_vec().into()));
    }

    /// Whether other replicas do not know all of it.
    pub(super) fn has_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// What other replicas cannot read yet, or should no longer.
    pub(super) fn changes(&self) -> Changes {
        let bytes = |text: &Text| text.whole().into();
        self.unwritten.iter().map(|(name, value)| (name.clone(), value.as_ref().map(bytes))).collect()
    }

    /// These changes were written.
    pub(super) fn written(&mut self, names: Vec<Vec<u8>>) {
        for name in names {
            if self.unwritten.remove(&name).is_none() {
                // Evicted meanwhile.
                self.unwritten.insert(name, None);
            }
        }
    }

    /// Records an event, and keeps it, evicting older ones of this stream. It is not kept if the budget is used up by other
    /// streams. Returns its number.
    pub(super) fn keep(&mut self, data: &Text, [session, peer]: &[Budget; 2]) -> u64 {
        let sequence = self.next;
        self.next += 1;
        while self.bytes + data.len() > MAX_BYTES && self.forget_first() {}
        let share = loop {
            let taken = session.take_one(data.len()).zip(peer.take(data.len()));
            match taken {
                Some(shares) => break shares,
                None if self.forget_first() => {}
                None => return sequence,
            }
        };
        self.push(sequence, data.clone(), Counted::Sent { _shares: share });
        sequence
    }

    /// Records a response that no connection sends. It is kept, however large it is, as part of the client's unread bytes.
    pub(super) fn keep_unread(&mut self, data: Text, place: Place) {
        let sequence = self.next;
        self.next += 1;
        self.push(sequence, data, Counted::Unread { _place: place });
    }

    /// Whether the response was not sent yet.
    pub(super) fn has_unread(&self) -> bool {
        self.events.back().is_some_and(|last| matches!(last.counted, Counted::Unread { .. }))
    }

    fn push(&mut self, sequence: u64, data: Text, counted: Counted) {
        self.bytes += data.len();
        if (1..=MAX_SHARED).contains(&data.len()) {
            self.unwritten.insert(field(sequence), Some(data.clone()));
        }
        self.events.push_back(Kept { sequence, data, counted });
    }

    /// Evicts the oldest event; `false` if there is none.
    fn forget_first(&mut self) -> bool {
        let Some(first) = self.events.pop_front() else { return false };
        self.bytes -= first.data.len();
        let name = field(first.sequence);
        if self.unwritten.remove(&name).is_none() {
            self.unwritten.insert(name, None);
        }
        true
    }
}

/// The name of an event's field.
fn field(sequence: u64) -> Vec<u8> {
    sequence.to_string().into_bytes()
}
