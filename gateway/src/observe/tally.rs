//! What a list costs a model: counted once, and kept with the page that has the list.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;

/// Tokens of a list, and of the complete list of the same view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The list as it is served.
    pub listed: u64,
    /// The list with all definitions.
    pub full: u64,
}

/// The cost of one list. Counting takes long, so it is done beside the workers that serve clients, while the list is sent to
/// others already.
#[derive(Debug, Default)]
pub struct Tally(Mutex<State>);

/// How often a list was sent, by the principal as an observer labels it.
pub type Times = BTreeMap<Arc<str>, u64>;

#[derive(Debug, Default)]
enum State {
    #[default]
    Uncounted,
    /// It is being counted, and was sent so often meanwhile.
    Counting(Times),
    Counted(Cost),
}

/// What an observer does when the list is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Count it, and call [`Tally::settle`] or [`Tally::give_up`].
    Count,
    /// Nothing: the count that is under way adds this time as well.
    Wait,
    /// Add this.
    Add(Cost),
}

impl Tally {
    /// The list was sent to someone.
    pub fn sent(&self, principal: &Arc<str>) -> Step {
        let mut state = self.0.lock();
        match &mut *state {
            State::Uncounted => {
                *state = State::Counting(Times::from([(Arc::clone(principal), 1)]));
                Step::Count
            }
            State::Counting(times) => {
                *times.entry(Arc::clone(principal)).or_default() += 1;
                Step::Wait
            }
            State::Counted(cost) => Step::Add(*cost),
        }
    }

    /// It was counted. Returns how often it was sent until now.
    pub fn settle(&self, cost: Cost) -> Times {
        self.0.lock().leave(State::Counted(cost))
    }

    /// It could not be counted; the next time may be luckier. Returns how often it was sent until now.
    pub fn give_up(&self) -> u64 {
        self.0.lock().leave(State::Uncounted).values().sum()
    }
}

impl State {
    fn leave(&mut self, next: Self) -> Times {
        match std::mem::replace(self, next) {
            Self::Counting(times) => times,
            Self::Uncounted | Self::Counted(_) => Times::new(),
        }
    }
}

/// What each tool of a list costs, for clients that are sent some of them. Clients choose which, so parts of a list are not
/// counted themselves.
#[derive(Debug, Default)]
pub struct ToolCosts(OnceLock<HashMap<String, Cost>>);

impl ToolCosts {
    /// The cost of these tools together; `None` before they were counted. One that the list does not have costs nothing.
    pub fn of(&self, names: &[String]) -> Option<Cost> {
        let costs = self.0.get()?;
        let found = names.iter().filter_map(|name| costs.get(name));
        Some(found.fold(Cost::default(), |sum, one| Cost {
            listed: sum.listed + one.listed,
            full: sum.full + one.full,
        }))
    }

    /// Counts each tool, if that was not done before.
    pub fn settle(&self, count: impl FnOnce() -> HashMap<String, Cost>) {
        self.0.get_or_init(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_each_time_is_added_once_whenever_the_count_comes() {
        let (tally, cost) = (Tally::default(), Cost { listed: 3, full: 7 });
        let (one, other): (Arc<str>, Arc<str>) = ("one".into(), "other".into());
        assert_eq!([&one, &other, &one].map(|who| tally.sent(who)), [Step::Count, Step::Wait, Step::Wait]);
        assert_eq!(tally.settle(cost), Times::from([(Arc::clone(&one), 2), (other, 1)]));
        assert_eq!(tally.sent(&one), Step::Add(cost));
        let tally = Tally::default();
        assert_eq!((tally.sent(&one), tally.give_up(), tally.sent(&one)), (Step::Count, 1, Step::Count));
    }
}
