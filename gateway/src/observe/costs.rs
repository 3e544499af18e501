//! What a list costs a model: counted once, and kept with the page that has the list.

use std::{collections::HashMap, sync::OnceLock};

/// Tokens of a list, and of the complete list of the same view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The list as it is served.
    pub listed: u64,
    /// The list with all definitions.
    pub full: u64,
}

/// What a list costs, once that was counted. Counting takes long, so it is done beside the workers that serve clients.
#[derive(Debug, Default)]
pub struct Costs {
    /// All of it.
    pub whole: OnceLock<Cost>,
    /// Each tool of it, for clients that are sent some of them. Clients choose which, so parts of a list are not counted
    /// themselves.
    pub tools: OnceLock<HashMap<String, Cost>>,
}

impl Costs {
    /// The cost of these tools together, or of all; `None` before it was counted. One that the list does not have costs nothing.
    pub fn of(&self, names: Option<&[String]>) -> Option<Cost> {
        let Some(names) = names else { return self.whole.get().copied() };
        let costs = self.tools.get()?;
        let found = names.iter().filter_map(|name| costs.get(name));
        Some(found.fold(Cost::default(), |sum, one| Cost {
            listed: sum.listed + one.listed,
            full: sum.full + one.full,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_a_part_of_a_list_costs_what_its_tools_cost() {
        let costs = Costs::default();
        let names = ["a", "b", "none"].map(str::to_owned);
        assert_eq!((costs.of(Some(&names)), costs.of(None)), (None, None));
        let cost = |listed, full| Cost { listed, full };
        let tools = [("a", cost(1, 10)), ("b", cost(2, 20)), ("c", cost(4, 40))];
        costs.tools.set(tools.map(|(name, cost)| (name.to_owned(), cost)).into()).unwrap();
        assert_eq!((costs.of(Some(&names)), costs.of(Some(&[]))), (Some(cost(3, 30)), Some(cost(0, 0))));
    }
}
