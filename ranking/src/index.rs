//! The index of a view: which tools have a term, where, and how prominently.

use std::collections::HashMap;

use mcp_disclosure_core::View;
use strum::{EnumCount, IntoEnumIterator};

use crate::{
    fields::{Field, texts},
    words::words,
};

/// A term in a field of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    /// The tool, by its place in the view.
    pub(crate) tool: u32,
    /// The field.
    pub(crate) field: Field,
    /// How often the field has the term, in relation to the field's length.
    pub(crate) frequency: f32,
}

/// The terms of the listed tools of a view. It does not depend on settings, so that everything that ranks shares it.
#[derive(Debug)]
pub(crate) struct Index {
    terms: HashMap<Box<str>, Vec<Posting>>,
    /// Tools by their names without case and punctuation.
    names: HashMap<Box<str>, Vec<u32>>,
    tools: usize,
}

impl Index {
    /// Reads everything that the view lists.
    pub(crate) fn of(view: &View) -> Self {
        let mut terms: HashMap<Box<str>, Vec<Posting>> = HashMap::new();
        let mut names: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut lengths: Vec<[u32; Field::COUNT]> = Vec::new();
        let categories = categories(view);
        for (at, visible) in view.tools().enumerate() {
            let Ok(tool) = u32::try_from(at) else { break };
            let category = categories.get(visible.name().as_str()).copied().unwrap_or_default();
            let own = visible.tool();
            for name in [visible.name(), own.upstream_name(), own.qualified()].map(|name| normalized(name)) {
                let tools = names.entry(name.into()).or_default();
                if tools.last() != Some(&tool) {
                    tools.push(tool);
                }
            }
            let mut length = [0; Field::COUNT];
            for (field, text) in Field::iter().zip(texts(visible, category)) {
                let mut counts: HashMap<String, u32> = HashMap::new();
                for word in words(&text) {
                    *counts.entry(word.term).or_default() += 1;
                    length[field as usize] += 1;
                }
                for (term, count) in counts {
                    // Counts of words in 32 kB are exact in `f32`.
                    #[allow(clippy::cast_precision_loss)]
                    let posting = Posting { tool, field, frequency: count as f32 };
                    match terms.get_mut(&*term) {
                        Some(postings) => postings.push(posting),
                        None => drop(terms.insert(term.into(), vec![posting])),
                    }
                }
            }
            lengths.push(length);
        }
        relate(&mut terms, &lengths);
        Self { terms, names, tools: lengths.len() }
    }

    /// How many tools there are.
    pub(crate) fn tools(&self) -> usize {
        self.tools
    }

    /// Where a term stands, tool by tool.
    pub(crate) fn postings(&self, term: &str) -> &[Posting] {
        self.terms.get(term).map_or(&[], Vec::as_slice)
    }

    /// All terms.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().map(|term| &**term)
    }

    /// The tools of this name, with or without the upstream's, in whatever case and punctuation.
    pub(crate) fn named(&self, name: &str) -> &[u32] {
        self.names.get(&*normalized(name)).map_or(&[], Vec::as_slice)
    }

    /// How much a term says: the fewer tools have it, the more (BM25's idf). Between 0.1 and 10 for real catalogues.
    pub(crate) fn information(&self, term: &str) -> f32 {
        let mut having = 0_u32;
        let mut last = None;
        for posting in self.postings(term) {
            having += u32::from(last != Some(posting.tool));
            last = Some(posting.tool);
        }
        // Precision is of no matter here.
        #[allow(clippy::cast_precision_loss)]
        let (all, having) = (self.tools as f32, having as f32);
        ((all - having + 0.5) / (having + 0.5)).ln_1p()
    }
}

/// The names of categories by those of their tools.
fn categories(view: &View) -> HashMap<&str, &str> {
    let all = view.categories();
    all.flat_map(|category| category.tools().map(move |tool| (tool.name().as_str(), category.name()))).collect()
}

/// Divides frequencies by how long the tool's field is in relation to that of others.
fn relate(terms: &mut HashMap<Box<str>, Vec<Posting>>, lengths: &[[u32; Field::COUNT]]) {
    let mut means = [0.0_f32; Field::COUNT];
    for (field, mean) in means.iter_mut().enumerate() {
        let sum: u64 = lengths.iter().map(|length| u64::from(length[field])).sum();
        // Precision is of no matter here.
        #[allow(clippy::cast_precision_loss)]
        {
            *mean = (sum as f32 / lengths.len().max(1) as f32).max(1.0);
        }
    }
    for posting in terms.values_mut().flatten() {
        let (field, penalty) = (posting.field as usize, posting.field.length_penalty());
        // Precision is of no matter here.
        #[allow(clippy::cast_precision_loss)]
        let length = lengths[posting.tool as usize][field] as f32 / means[field];
        posting.frequency /= 1.0 - penalty + penalty * length;
    }
}

/// A name without case and punctuation.
fn normalized(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
