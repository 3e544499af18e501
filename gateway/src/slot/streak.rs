//! Calls of an upstream that time out in a row.

use std::sync::Arc;

/// After this number of calls that timed out in a row, a connected upstream is pinged.
const TIMEOUTS: u32 = 3;

/// A call that timed out.
#[derive(Clone, Debug)]
pub struct Late {
    /// Whose it was.
    pub client: Arc<str>,
    /// Whether no other client uses the upstream, so that nobody else can say how it is.
    pub is_alone: bool,
}

/// Calls that timed out, and no request was answered in between.
#[derive(Clone, Debug)]
pub(super) struct Streak {
    last: Late,
    /// How many requests the connection had answered by then.
    answers: u64,
    count: u32,
    /// Whether they are of more than one client.
    is_of_several: bool,
}

impl Streak {
    /// These calls and one more; that one alone, if a request was answered in between.
    pub(super) fn with(before: Option<Self>, late: Late, answers: u64) -> Self {
        match before.filter(|before| before.answers == answers) {
            Some(before) => Self {
                count: before.count.saturating_add(1),
                is_of_several: before.is_of_several || before.last.client != late.client,
                last: late,
                answers,
            },
            None => Self { last: late, answers, count: 1, is_of_several: false },
        }
    }

    /// Whether the upstream is to be pinged. Calls of one client of several are no reason: they may be slow by what they ask for.
    pub(super) fn is_suspicious(&self) -> bool {
        self.count >= TIMEOUTS && (self.is_of_several || self.last.is_alone)
    }
}
