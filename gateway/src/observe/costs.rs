//! What the tools of a list cost a model: counted once, and kept with the page that has the list.

use std::collections::HashMap;

/// Tokens of tools as they are listed, and of their complete definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// As they are served.
    pub listed: u64,
    /// With all definitions.
    pub full: u64,
}

/// What the tools of a list cost. Counting takes long, so it is done beside the workers that serve clients.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// The list, and the complete list of the same view.
    pub all: Cost,
    /// Each tool of the list, by its name.
    pub each: HashMap<String, Cost>,
}

impl Costs {
    /// The cost of all tools, or of those of these names. One that the list does not have costs nothing.
    pub fn of(&self, names: Option<&[String]>) -> Cost {
        let Some(names) = names else { return self.all };
        let found = names.iter().filter_map(|name| self.each.get(name));
        found.fold(Cost::default(), |sum, one| Cost {
            listed: sum.listed + one.listed,
            full: sum.full + one.full,
        })
    }
}
