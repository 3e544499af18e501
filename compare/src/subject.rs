//! The subject of a comparison: the tools of a source, and which of them are used.

use std::collections::HashSet;

use mcp_disclosure_core::{RawObject, nearest::nearest};

use crate::{Error, agent::Task, sample};

/// The tools of a source, as `full` lists them.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name of the source.
    pub source: String,
    /// Its tools.
    pub tools: Vec<Tool>,
}

/// One tool of a source.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The name by which it is served.
    pub name: String,
    /// The upstream, and its name for the tool.
    pub origin: (String, String),
    /// The category under strategies with categories.
    pub category: String,
    /// The complete definition.
    pub definition: RawObject,
    /// The arguments of an example in its description file.
    pub example: Option<RawObject>,
}

impl Tool {
    /// A call of the tool: with the example's arguments, else with the minimum that its schema requires.
    pub(crate) fn task(&self) -> Task {
        let schema = self.definition.object("inputSchema").unwrap_or_default();
        let arguments = self.example.clone().unwrap_or_else(|| sample::arguments(&schema));
        Task { tool: self.name.clone(), arguments }
    }
}

impl Subject {
    /// The tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The tool that a label names: by the name by which it is served, or by its upstream and the name there, with `:`,
    /// `/` or `__` between them.
    pub(crate) fn labelled(&self, label: &str) -> Option<&Tool> {
        let is_meant = |tool: &&Tool| {
            let (upstream, name) = &tool.origin;
            let rest = label.strip_prefix(&**upstream);
            rest.is_some_and(|rest| {
                [":", "/", "__"].iter().any(|between| rest.strip_prefix(between) == Some(name))
            })
        };
        self.tool(label).or_else(|| self.tools.iter().find(is_meant))
    }

    /// The name of a tool that is most similar to this one.
    pub(crate) fn nearest(&self, name: &str) -> Option<String> {
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        nearest(name, names, 1).into_iter().next().map(str::to_owned)
    }

    /// Positions of all tools in the order of sampling: the middle of the list, the quarters, the eighths, and so on
    /// (van der Corput sequence). Every sample is spread over the whole list, and a larger sample contains the smaller
    /// ones, so that their costs are comparable.
    pub fn order(&self) -> Vec<usize> {
        let count = self.tools.len();
        let slots = count.next_power_of_two();
        let unused = usize::BITS - slots.trailing_zeros();
        let mut seen = HashSet::new();
        // The sequence is the binary numbers with their digits reversed.
        let mirrored = (1..=slots).map(|number| number.reverse_bits().checked_shr(unused).unwrap_or(0));
        mirrored.map(|slot| slot * count / slots).filter(|at| *at < count && seen.insert(*at)).collect()
    }

    /// The first `count` tools in that order, or all if there are fewer.
    pub(crate) fn sample(&self, count: usize) -> Vec<&Tool> {
        self.order().into_iter().take(count).map(|at| &self.tools[at]).collect()
    }

    /// The tools of these names, each once.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] with all unknown names.
    pub(crate) fn named(&self, names: &[String]) -> Result<Vec<&Tool>, Error> {
        let (mut found, mut unknown): (Vec<&Tool>, Vec<String>) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for name in names.iter().filter(|name| seen.insert(name.as_str())) {
            match self.tool(name) {
                Some(tool) => found.push(tool),
                None => unknown.push(name.clone()),
            }
        }
        let available = || self.tools.iter().map(|tool| tool.name.as_str());
        if unknown.is_empty() { Ok(found) } else { Err(Error::unknown(unknown, available())) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn subject(count: usize) -> Subject {
        let tool = |at: usize| Tool {
            name: format!("t{at}"),
            origin: ("u".to_owned(), format!("t{at}")),
            category: String::new(),
            definition: RawObject::empty(),
            example: None,
        };
        Subject { source: String::new(), tools: (0..count).map(tool).collect() }
    }

    #[test]
    fn a_sample_is_spread_over_the_list() {
        assert_eq!(subject(8).order(), [4, 2, 6, 1, 5, 3, 7, 0]);
        assert_eq!(subject(11).order()[..3], [5, 2, 8]);
        assert_eq!(subject(1).order(), [0]);
        assert!(subject(0).order().is_empty());
    }

    #[test]
    fn names_are_found_once_and_unknown_ones_reported_together() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let subject = subject(3);
        let found = subject.named(&names(&["t2", "t0", "t2"])).unwrap();
        assert_eq!(found.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["t2", "t0"]);
        let message = subject.named(&names(&["t9", "t1", "x"])).unwrap_err().to_string();
        assert!(
            message.contains("'t9'") && message.contains("'x'") && !message.contains("'t1'"),
            "{message}"
        );
    }

    proptest! {
        #[test]
        fn every_tool_comes_once(count in 0usize..300) {
            let mut order = subject(count).order();
            order.sort_unstable();
            prop_assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }
}
