//! What the principal of a session may use.

use mcp_disclosure_core::Permits;

/// What its principal was permitted at the last request. Changes of permissions are numbered.
#[derive(Debug)]
pub struct Admitted {
    permits: Permits,
    /// The last change that these permissions are no older than, once subscriptions follow them.
    at: u64,
    /// The last change that may concern it.
    changed: u64,
}

impl Admitted {
    /// As it is opened with these.
    pub(super) fn with(permits: Permits) -> Self {
        Self { permits, at: 0, changed: 0 }
    }

    /// The permissions.
    pub(super) fn permits(&self) -> &Permits {
        &self.permits
    }

    /// The permissions, unless they may have changed since the last request.
    pub(super) fn current(&self) -> Option<&Permits> {
        (self.at >= self.changed).then_some(&self.permits)
    }

    /// Subscriptions follow the permissions as of this change.
    pub fn follow(&mut self, at: u64) {
        self.at = self.at.max(at);
    }

    /// The permissions may have changed: until a request that was admitted after this change, nothing is sent about what the session is
    /// subscribed to.
    pub fn await_change(&mut self, change: u64) {
        self.changed = self.changed.max(change);
    }

    /// Takes over permissions as of a change, unless a later one is known. Whether they may differ, so that subscriptions have to
    /// follow them before [`follow`](Self::follow).
    pub fn take_over(&mut self, permits: &Permits, at: u64) -> bool {
        if at < self.at.max(self.changed) {
            return false;
        }
        let may_differ = at > self.at || self.permits != *permits;
        if may_differ {
            self.permits = permits.clone();
        }
        may_differ
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_request_that_was_admitted_before_a_change_takes_nothing_back() {
        let (before, after) = (Permits::of_tools(["a/*"]), Permits::of_tools(["b/*"]));
        let mut known = Admitted { permits: before.clone(), at: 0, changed: 0 };
        assert!(known.current().is_some() && !known.take_over(&before, 0));
        known.changed = 1;
        assert!(!known.take_over(&before, 0) && known.current().is_none());
        // What follows the change sees to the subscriptions, and until then each other one does.
        assert!(known.take_over(&after, 1) && known.take_over(&after, 1) && known.current().is_none());
        known.at = 1;
        assert!(known.current().is_some() && !known.take_over(&after, 1));
        assert!(!known.take_over(&before, 0));
        assert_eq!(known.permits, after);
        // Another token of the same caller may permit something else.
        assert!(known.take_over(&before, 1));
    }
}
