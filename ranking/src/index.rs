//! The index of a view: which tools have a term, where, and how prominently.

use std::collections::HashMap;

use mcp_disclosure_core::View;
use strum::{EnumCount, IntoEnumIterator};

use crate::{
    fields::{Field, texts},
    words::{Part, each, stem},
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
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The places of terms in `postings`.
    terms: HashMap<Box<str>, u32>,
    postings: Vec<Vec<Posting>>,
    /// Tools by their names without case and punctuation.
    names: HashMap<Box<str>, Vec<u32>>,
    tools: usize,
}

impl Index {
    /// Reads everything that the view lists.
    pub(crate) fn of(view: &View) -> Self {
        let mut index = Self::default();
        let mut lengths: Vec<[u32; Field::COUNT]> = Vec::new();
        let mut known = HashMap::new();
        let categories = categories(view);
        for (at, visible) in view.tools().enumerate() {
            let Ok(tool) = u32::try_from(at) else { break };
            let own = visible.tool();
            [visible.name(), own.upstream_name(), own.qualified()]
                .into_iter()
                .for_each(|name| index.name(tool, name));
            let category = categories.get(visible.name().as_str()).copied().unwrap_or_default();
            let texts = Field::iter().zip(texts(visible, category));
            let mut length = [0; Field::COUNT];
            texts.for_each(|(field, text)| {
                length[field as usize] = index.read(tool, field, &text, &mut known)
            });
            lengths.push(length);
        }
        index.tools = lengths.len();
        index.relate(&lengths);
        index
    }

    fn name(&mut self, tool: u32, name: &str) {
        let tools = self.names.entry(normalized(name).into()).or_default();
        if tools.last() != Some(&tool) {
            tools.push(tool);
        }
    }

    /// Reads a field and returns its number of words. `known` has the terms of words that were read before: a catalogue has
    /// few words, many times.
    fn read(&mut self, tool: u32, field: Field, text: &str, known: &mut HashMap<Box<str>, u32>) -> u32 {
        let mut length = 0;
        each(text, |part| {
            length += 1;
            let term = match part {
                Part::Pair { term, .. } => self.term(term),
                Part::Word(word) => match known.get(word) {
                    Some(term) => *term,
                    None => {
                        let term = self.term(&stem(word));
                        known.insert(word.into(), term);
                        term
                    }
                },
            };
            let postings = &mut self.postings[term as usize];
            match postings.last_mut() {
                Some(last) if (last.tool, last.field) == (tool, field) => last.frequency += 1.0,
                _ => postings.push(Posting { tool, field, frequency: 1.0 }),
            }
        });
        length
    }

    /// The place of a term; a new one if there is none.
    fn term(&mut self, term: &str) -> u32 {
        if let Some(place) = self.terms.get(term) {
            return *place;
        }
        // 10,000 tools have less than 100,000 terms.
        let place = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
        self.postings.push(Vec::new());
        self.terms.insert(term.into(), place);
        place
    }

    /// Divides frequencies by how long the tool's field is in relation to that of others.
    fn relate(&mut self, lengths: &[[u32; Field::COUNT]]) {
        let mut means = [0.0_f32; Field::COUNT];
        for (field, mean) in means.iter_mut().enumerate() {
            let sum: u64 = lengths.iter().map(|length| u64::from(length[field])).sum();
            // Precision is of no matter here.
            #[allow(clippy::cast_precision_loss)]
            {
                *mean = (sum as f32 / lengths.len().max(1) as f32).max(1.0);
            }
        }
        for postings in &mut self.postings {
            postings.shrink_to_fit();
            for posting in postings {
                let (field, penalty) = (posting.field as usize, posting.field.length_penalty());
                // Precision is of no matter here.
                #[allow(clippy::cast_precision_loss)]
                let length = lengths[posting.tool as usize][field] as f32 / means[field];
                posting.frequency /= 1.0 - penalty + penalty * length;
            }
        }
    }

    /// How many tools there are.
    pub(crate) fn tools(&self) -> usize {
        self.tools
    }

    /// Where a term stands, tool by tool.
    pub(crate) fn postings(&self, term: &str) -> &[Posting] {
        self.terms.get(term).map_or(&[], |place| &self.postings[*place as usize])
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
    all.flat_map(|category| category.tools().map(move |tool| (tool.name().as_str(), category.name())))
        .collect()
}

/// A name without case and punctuation, unless it has nothing else.
fn normalized(name: &str) -> String {
    let letters: String =
        name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { name.to_owned() } else { letters }
}
