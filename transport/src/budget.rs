//! Limits on what one peer, or one queue, may hold at a time: bounds, and budgets of bytes or items.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A limit, and the setting that changes it, if there is one. Errors name both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The maximum.
    pub most: usize,
    /// The setting, such as `limits.message_depth`; empty if it cannot be set.
    pub setting: &'static str,
}

impl Bound {
    /// The setting as errors end with it.
    pub fn in_brackets(self) -> String {
        if self.setting.is_empty() { String::new() } else { format!(" ({})", self.setting) }
    }
}

/// The limits of one connection. The owner sets them: this crate has no defaults.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Size of one message from the peer: a line, a body or an event.
    pub message_bytes: Bound,
    /// Nesting depth of a message, in either direction.
    pub message_depth: Bound,
    /// Messages in one batch of the peer (2025-03-26).
    pub batch_messages: Bound,
    /// Bytes of messages not yet read by the peer.
    pub queue_bytes: Bound,
    /// Of these, the requests of one [owner](crate::Call::owner).
    pub queue_share_bytes: Bound,
    /// Lines of stderr logged per minute, and lines about output that is not as it should be.
    pub stderr_lines: usize,
    /// Characters kept of a line of stderr.
    pub stderr_characters: usize,
    /// The longest delay before an event stream is resumed, and how long attempts may fail.
    pub resume_wait: Duration,
}

/// A budget of bytes or items. Clones share it.
#[derive(Clone, Debug)]
pub struct Budget {
    used: Arc<AtomicUsize>,
    most: usize,
}

/// A reserved part of a budget, released on drop.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    amount: usize,
}

impl Budget {
    /// A budget of `most` bytes or items.
    pub fn new(most: usize) -> Self {
        Self { used: Arc::default(), most }
    }

    /// The size of the budget.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The amount in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Acquire)
    }

    /// Reserves an amount; `None` if less is available.
    pub fn take(&self, amount: usize) -> Option<Share> {
        self.take_if(amount, |used| used.checked_add(amount).is_some_and(|sum| sum <= self.most))
    }

    /// Like `take`, but an empty budget admits one share of any size. For messages, whose own size is limited
    /// elsewhere: one larger than the queue must still pass through it.
    pub fn take_one(&self, amount: usize) -> Option<Share> {
        self.take_if(amount, |used| used == 0 || used.saturating_add(amount) <= self.most)
    }

    /// Reserves an amount even if it exceeds the budget.
    pub fn take_anyway(&self, amount: usize) -> Share {
        self.used.fetch_add(amount, Ordering::AcqRel);
        Share { budget: self.clone(), amount }
    }

    fn take_if(&self, amount: usize, fits: impl Fn(usize) -> bool) -> Option<Share> {
        self.adds(amount, fits).then(|| Share { budget: self.clone(), amount })
    }

    fn adds(&self, amount: usize, fits: impl Fn(usize) -> bool) -> bool {
        let add = |used| fits(used).then(|| used.saturating_add(amount));
        self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, add).is_ok()
    }
}

impl Share {
    /// Extends the reservation; `false` if that exceeds the budget, unless this share is the only one.
    pub fn grow(&mut self, amount: usize) -> bool {
        let (own, most) = (self.amount, self.budget.most);
        let grows = self.budget.adds(amount, |used| used == own || used.saturating_add(amount) <= most);
        self.amount += if grows { amount } else { 0 };
        grows
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.amount, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back_when_it_is_dropped() {
        let budget = Budget::new(10);
        let first = budget.take(7).unwrap();
        assert!(budget.take(4).is_none() && budget.take_one(4).is_none());
        let second = budget.take(3).unwrap();
        assert_eq!(budget.used(), 10);
        drop(first);
        assert_eq!(budget.used(), 3);
        assert!(budget.take(usize::MAX).is_none(), "sums do not wrap");
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn one_that_is_larger_passes_alone() {
        let budget = Budget::new(10);
        assert!(budget.take(11).is_none());
        let large = budget.take_one(1000).unwrap();
        assert!(budget.take_one(1).is_none());
        drop(large);
        let mut growing = budget.take_one(0).unwrap();
        assert!(growing.grow(8) && growing.grow(8), "alone it may pass the bound");
        drop(growing);
        let mut growing = budget.take_one(4).unwrap();
        let other = budget.take_one(4).unwrap();
        assert!(growing.grow(2) && !growing.grow(1) && growing.amount == 6);
        drop((growing, other));
        assert_eq!(budget.used(), 0);
    }
}
