//! The events of one stream that can be sent again, and which of them other replicas can read.

use std::collections::VecDeque;

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
    ended: bool,
    is_given_up: bool,
    unwritten: Unwritten,
}

/// What other replicas do not know yet, besides events.
#[derive(Debug, Default)]
struct Unwritten {
    request: Option<Vec<u8>>,
    end: Option<Vec<u8>>,
    /// Events that they can read, and that are not kept any more.
    gone: Vec<u64>,
}

#[derive(Debug)]
struct Kept {
    sequence: u64,
    data: Text,
    /// Whether other replicas can read it, or need not.
    is_written: bool,
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

impl Kept {
    fn is_unread(&self) -> bool {
        matches!(self.counted, Counted::Unread { .. })
    }
}

impl Log {
    /// Whether the response was recorded.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The last event is the response.
    pub(super) fn end(&mut self) {
        self.ended = true;
        self.unwritten.end = Some(self.next.saturating_sub(1).to_string().into_bytes());
    }

    /// No response will follow.
    pub(super) fn end_without_response(&mut self) {
        self.unwritten.end = Some(NO_RESPONSE.to_vec());
    }

    /// The events were sent. A response that is too large, or for which the budgets have no room, is not kept then.
    pub(super) fn sent(&mut self, [session, peer]: &[Budget; 2]) {
        while self.ended && self.bytes > MAX_BYTES && self.forget_first() {}
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
        self.unwritten.request = Some(request.as_str().as_bytes().to_vec());
    }

    /// Whether other replicas do not know all of it.
    pub(super) fn has_unwritten(&self) -> bool {
        let Unwritten { request, end, gone } = &self.unwritten;
        request.is_some()
            || end.is_some()
            || !gone.is_empty()
            || self.events.iter().any(|kept| !kept.is_written)
    }

    /// What other replicas cannot read yet, or should no longer.
    pub(super) fn changes(&self) -> Changes {
        let Unwritten { request, end, gone } = &self.unwritten;
        let named = |sequence: u64| sequence.to_string().into_bytes();
        let request = request.iter().map(|request| (REQUEST.to_vec(), Some(request.clone())));
        let end = end.iter().map(|end| (END.to_vec(), Some(end.clone())));
        let gone = gone.iter().map(|sequence| (named(*sequence), None));
        let events = self.events.iter().filter(|kept| !kept.is_written);
        let events = events.map(|kept| (named(kept.sequence), Some(kept.data.whole().into())));
        request.chain(events).chain(gone).chain(end).collect()
    }

    /// These changes were written.
    pub(super) fn written(&mut self, names: &[Vec<u8>]) {
        for name in names {
            let sequence = std::str::from_utf8(name).ok().and_then(|name| name.parse::<u64>().ok());
            match sequence {
                None if name == REQUEST => self.unwritten.request = None,
                None => self.unwritten.end = None,
                Some(sequence) => self.event_written(sequence),
            }
        }
    }

    /// An event was written or, if it was known to be gone, removed.
    fn event_written(&mut self, sequence: u64) {
        match self.events.binary_search_by_key(&sequence, |kept| kept.sequence) {
            Ok(at) => self.events[at].is_written = true,
            Err(_) if self.unwritten.gone.contains(&sequence) => {
                self.unwritten.gone.retain(|gone| *gone != sequence);
            }
            // Evicted meanwhile.
            Err(_) => self.unwritten.gone.push(sequence),
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

    /// The client got an error instead of the response that may follow.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = !self.ended;
    }

    /// Whether the client may still ask for the response.
    pub(super) fn is_awaited(&self) -> bool {
        !self.is_given_up
    }

    /// Whether the response was not sent yet.
    pub(super) fn has_unread(&self) -> bool {
        self.events.back().is_some_and(Kept::is_unread)
    }

    fn push(&mut self, sequence: u64, data: Text, counted: Counted) {
        self.bytes += data.len();
        let is_written = data.is_empty() || data.len() > MAX_SHARED;
        self.events.push_back(Kept { sequence, data, is_written, counted });
    }

    /// Evicts the oldest event; `false` if there is none.
    fn forget_first(&mut self) -> bool {
        let first = self.events.pop_front();
        self.unwritten.gone.extend(first.iter().filter(|kept| kept.is_written).map(|kept| kept.sequence));
        self.bytes -= first.as_ref().map_or(0, |kept| kept.data.len());
        first.is_some()
    }
}
