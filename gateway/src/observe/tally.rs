//! What the tools of a list cost a model: counted once, and kept with the page that has the list.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;

/// Names of filtered lists that are kept while a list is counted: clients choose filters.
const MOST_NAMES: usize = 1_000;

/// Tokens of tools as they are listed, and of their complete definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// As they are served.
    pub listed: u64,
    /// With all definitions.
    pub full: u64,
}

/// What the tools of a list cost.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// The list, and the complete list of the same view.
    pub all: Cost,
    /// Each tool of the list, by its name.
    pub each: HashMap<String, Cost>,
}

impl Costs {
    /// The cost of all tools, or of those of these names. One that the list does not have costs nothing.
    fn of(&self, names: Option<&[String]>) -> Cost {
        let Some(names) = names else { return self.all };
        let found = names.iter().filter_map(|name| self.each.get(name));
        found.fold(Cost::default(), |sum, one| Cost {
            listed: sum.listed + one.listed,
            full: sum.full + one.full,
        })
    }
}

/// The costs of one list. Counting takes long, so it is done beside the workers that serve clients, while the list is sent to
/// others already.
#[derive(Debug)]
pub struct Tally(Mutex<State>);

#[derive(Debug)]
enum State {
    /// It is being counted, if it was sent at all.
    Uncounted(Times),
    Counted(Costs),
}

/// How often a list was sent: to which principal, as an observer labels it, and which tools of it.
type Times = BTreeMap<(Arc<str>, Option<Vec<String>>), u64>;

/// What an observer does when the list is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Count it, and call [`Tally::settle`] or [`Tally::give_up`].
    Count,
    /// Nothing: the count that is under way adds this time as well.
    Wait,
    /// Add this.
    Add(Cost),
    /// This time is not counted: too many different parts were sent while the list is counted.
    Lose,
}

impl Default for Tally {
    fn default() -> Self {
        Self(Mutex::new(State::Uncounted(Times::new())))
    }
}

impl Tally {
    /// The list was sent to someone, or the tools of these names.
    pub fn sent(&self, principal: &Arc<str>, names: Option<&[String]>) -> Step {
        let mut state = self.0.lock();
        let times = match &mut *state {
            State::Counted(costs) => return Step::Add(costs.of(names)),
            State::Uncounted(times) => times,
        };
        let kept = times.keys().map(|(_, names)| names.as_ref().map_or(0, Vec::len)).sum::<usize>();
        if names.is_some_and(|names| kept + names.len() > MOST_NAMES) {
            return Step::Lose;
        }
        let step = if times.is_empty() { Step::Count } else { Step::Wait };
        *times.entry((Arc::clone(principal), names.map(<[_]>::to_vec))).or_default() += 1;
        step
    }

    /// It was counted. Returns to whom it was sent until now, at which cost each time, and how often.
    pub fn settle(&self, costs: Costs) -> Vec<(Arc<str>, Cost, u64)> {
        let mut state = self.0.lock();
        let State::Uncounted(times) = &mut *state else { return Vec::new() };
        let times = std::mem::take(times).into_iter();
        let sent = times.map(|((principal, names), times)| (principal, costs.of(names.as_deref()), times));
        let sent = sent.collect();
        *state = State::Counted(costs);
        sent
    }

    /// It could not be counted; the next time may be luckier. Returns how often it was sent until now.
    pub fn give_up(&self) -> u64 {
        match &mut *self.0.lock() {
            State::Uncounted(times) => std::mem::take(times).values().sum(),
            State::Counted(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_each_time_is_added_once_whenever_the_count_comes() {
        let cost = |listed, full| Cost { listed, full };
        let each = [("a", cost(1, 10)), ("b", cost(2, 20)), ("c", cost(4, 40))];
        let each = each.map(|(name, cost)| (name.to_owned(), cost)).into();
        let (tally, costs) = (Tally::default(), Costs { all: cost(7, 99), each });
        let (one, other): (Arc<str>, Arc<str>) = ("one".into(), "other".into());
        let some = ["a", "b", "none"].map(str::to_owned);
        let many = vec![String::new(); MOST_NAMES];
        let steps = [
            tally.sent(&one, None),
            tally.sent(&other, Some(&some)),
            tally.sent(&one, None),
            tally.sent(&one, Some(&many)),
        ];
        assert_eq!(steps, [Step::Count, Step::Wait, Step::Wait, Step::Lose]);
        let added = [(Arc::clone(&one), cost(7, 99), 2), (other, cost(3, 30), 1)];
        assert_eq!(tally.settle(costs), added);
        assert_eq!(tally.sent(&one, None), Step::Add(cost(7, 99)));
        assert_eq!(tally.sent(&one, Some(&some)), Step::Add(cost(3, 30)));
        let tally = Tally::default();
        let (first, lost) = (tally.sent(&one, None), tally.give_up());
        assert_eq!((first, lost, tally.sent(&one, None)), (Step::Count, 1, Step::Count));
    }
}
