//! The subject of a comparison: the tools of a source, and which of them are used.

use std::{collections::HashSet, str::FromStr};

use mcp_disclosure_core::{RawObject, brief::first_sentence, nearest::nearest};

use crate::{Error, sample, transcript::Call};

/// The tools of a source, as `full` lists them.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name of the source.
    pub source: String,
    /// The tools.
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
    /// The first example in its description file: its `input`, and in its `description` what it is for.
    pub example: Option<RawObject>,
}

/// The tools to use.
#[derive(Clone, Debug)]
pub enum Used {
    /// The first of [`Subject::order`], this many.
    Count(usize),
    /// Those of these names.
    Names(Vec<String>),
}

impl FromStr for Used {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(str::to_owned).collect();
        match text.trim().parse::<usize>() {
            Ok(0) => Err("at least one tool is required".to_owned()),
            Ok(count) => Ok(Self::Count(count)),
            Err(_) if names.is_empty() => Err("expected names, or a number".to_owned()),
            Err(_) => Ok(Self::Names(names)),
        }
    }
}

/// A model searches by a few words: this many of a description.
const MOST_WORDS: usize = 8;

impl Tool {
    /// A call of the tool: with the example's arguments, else with the minimum that its schema requires.
    pub(crate) fn call(&self) -> Call {
        let schema = self.definition.object("inputSchema").unwrap_or_default();
        let given = self.example.as_ref().and_then(|example| example.object("input"));
        let arguments = given.unwrap_or_else(|| sample::arguments(&schema));
        Call { tool: self.name.clone(), arguments, ..Call::default() }
    }

    /// The words by which a model searches for it: what its example is for, or else the beginning of its description. The
    /// name is not among them, since a model that searches does not know it.
    pub(crate) fn words(&self) -> String {
        let purpose = self.example.as_ref().and_then(|example| example.string("description"));
        let text = purpose.or_else(|| self.definition.string("description")).unwrap_or_default();
        let sentence = first_sentence(&text).unwrap_or(text);
        let words = sentence.split_whitespace().filter(|word| !word.contains(&self.name));
        words.take(MOST_WORDS).collect::<Vec<_>>().join(" ").trim_end_matches(['.', ',', ':']).to_owned()
    }
}

impl Subject {
    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The tool that a label names: by the name by which it is served, or by its upstream and the name there, with `:`,
    /// `/` or `__` between them.
    pub(crate) fn labelled(&self, label: &str) -> Option<&Tool> {
        let is_meant = |tool: &&Tool| is_label_of(label, &tool.origin.0, &tool.origin.1);
        self.tool(label).or_else(|| self.tools.iter().find(is_meant))
    }

    /// The tool and those of other upstreams that are defined alike, of which a search shows one.
    pub(crate) fn alike<'s>(&'s self, tool: &'s Tool) -> impl Iterator<Item = &'s Tool> {
        let definition = |tool: &Tool| tool.definition.with_value("name", &tool.origin.1);
        let own = definition(tool);
        self.tools.iter().filter(move |other| other.origin.1 == tool.origin.1 && definition(other) == own)
    }

    /// What is said of a name that no tool has.
    pub(crate) fn unknown(&self, name: &str) -> String {
        unknown_tool(name, self.tools.iter().map(|tool| tool.name.as_str()))
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

    /// The tools that are to be used.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] with all unknown names.
    pub fn used(&self, used: &Used) -> Result<Vec<&Tool>, Error> {
        match used {
            Used::Count(count) => Ok(self.sample(*count)),
            Used::Names(names) => self.named(names),
        }
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
                None => unknown.push(self.unknown(name)),
            }
        }
        if unknown.is_empty() { Ok(found) } else { Err(Error::UnknownTools(unknown)) }
    }
}

/// Whether a label names a tool by its upstream and the name there, with `:`, `/` or `__` between them.
pub fn is_label_of(label: &str, upstream: &str, own: &str) -> bool {
    let rest = label.strip_prefix(upstream);
    rest.is_some_and(|rest| [":", "/", "__"].iter().any(|between| rest.strip_prefix(between) == Some(own)))
}

/// What is said of a name that none of these tools has.
pub fn unknown_tool<'t>(name: &str, tools: impl Iterator<Item = &'t str>) -> String {
    match nearest(name, tools, 1).first() {
        Some(near) => format!("unknown tool '{name}'; did you mean '{near}'?"),
        None => format!("unknown tool '{name}'"),
    }
}

#[cfg(test)]
mod tests {
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
        for count in 0..300 {
            let mut order = subject(count).order();
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_model_searches_by_words_and_not_by_the_name() {
        let described =
            RawObject::empty().with_value("description", "\n  Use t0 to add two numbers, and more.\n  Fast.");
        let tool = Tool { definition: described, ..subject(1).tools[0].clone() };
        assert_eq!(tool.words(), "Use to add two numbers, and more");
        let example = Some(RawObject::empty().with_value("description", "The sum of a bill"));
        assert_eq!(Tool { example, ..tool }.words(), "The sum of a bill");
    }
}
