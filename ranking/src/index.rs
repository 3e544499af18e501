//! The index of a view: which tools have a term, and how prominently.

use std::collections::HashMap;

use mcp_disclosure_core::{ToolName, UpstreamName, View, VisibleTool};
use strum::{EnumCount, IntoEnumIterator};

use crate::{
    Weights,
    fields::{Field, texts},
    words::{Part, each, is_stop_word, stem, words},
};

/// How much a long text counts less: BM25's b. One for all fields: a value for each measured the same.
const LENGTH: f32 = 0.5;

/// A term in a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posting {
    /// The tool, by its place in the view.
    pub(crate) tool: u32,
    /// How often the tool's fields have the term, in relation to their lengths, by weight. More than 0.
    pub(crate) frequency: f32,
}

/// A term and the tools that have it.
#[derive(Debug)]
pub(crate) struct Term {
    /// The tools, in the order of the view; at least one.
    pub(crate) postings: Box<[Posting]>,
    /// How much it says.
    pub(crate) information: f32,
}

/// A listed tool.
#[derive(Debug)]
pub(crate) struct Indexed {
    /// Its name in the view.
    pub(crate) name: ToolName,
    /// The upstream that executes it.
    pub(crate) upstream: UpstreamName,
    /// How much it can change, by its annotations: nothing (-1), something, or what was there before (1).
    pub(crate) effect: i8,
    /// Whether its title begins or ends with "deprecated", or its description begins with it.
    pub(crate) is_deprecated: bool,
    /// The tools of other upstreams that are defined alike.
    pub(crate) alike: Box<[u32]>,
    /// The name of its category.
    pub(crate) category: Option<Box<str>>,
}

impl Indexed {
    fn of(visible: VisibleTool<'_>, texts: &[String], category: Option<&str>) -> Self {
        let tool = visible.tool();
        let words = |field: Field| {
            let words = texts[field as usize].split(|next: char| !next.is_alphanumeric());
            words.filter(|word| !word.is_empty())
        };
        let mut title = words(Field::Title);
        let labels = [title.next(), title.next_back(), words(Field::Description).next()];
        let is_label = |word: &str| word.eq_ignore_ascii_case("deprecated");
        let is_deprecated = labels.into_iter().flatten().any(is_label);
        Self {
            name: visible.name().clone(),
            upstream: tool.upstream().clone(),
            effect: if tool.is_read_only() { -1 } else { i8::from(tool.is_destructive()) },
            is_deprecated,
            alike: Box::default(),
            category: category.map(Into::into),
        }
    }
}

/// Finds the tools of several upstreams that are defined alike.
fn find_alike(view: &View, tools: &mut [Indexed]) {
    let mut by_definition: HashMap<_, Vec<u32>> = HashMap::new();
    for (at, visible) in (0..).zip(view.tools()).take(tools.len()) {
        let tool = visible.tool();
        // A description file may say something else of one of them.
        let said = ["description", "inputSchema"].map(|key| tool.entry().member(key));
        let definition = (tool.original().text(), said);
        by_definition.entry(definition).or_default().push(at);
    }
    for same in by_definition.into_values().filter(|same| same.len() > 1) {
        for at in &same {
            let others = |other: &&u32| tools[**other as usize].upstream != tools[*at as usize].upstream;
            tools[*at as usize].alike = same.iter().filter(others).copied().collect();
        }
    }
}

/// The terms of the listed tools of a view, for some weights: a field that is not searched has no terms.
#[derive(Debug)]
pub(crate) struct Index {
    terms: HashMap<Box<str>, Term>,
    /// Tools by their names without case and punctuation.
    names: HashMap<Box<str>, Vec<u32>>,
    /// The terms of names by the words as written, which a misspelt one resembles more.
    written: HashMap<Box<str>, Box<str>>,
    /// The tools, by their places in the view.
    pub(crate) tools: Vec<Indexed>,
}

impl Index {
    /// Reads everything that the view lists.
    pub(crate) fn of(view: &View, weights: &Weights) -> Self {
        let mut reader = Reader::default();
        let mut names: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        let mut written = HashMap::new();
        let mut tools = Vec::new();
        let by_tool = categories(view);
        for (at, visible) in view.tools().enumerate() {
            let Ok(tool) = u32::try_from(at) else { break };
            let own = visible.tool();
            for name in [visible.name(), own.upstream_name(), own.qualified()] {
                let named = names.entry(normalized(name).into()).or_default();
                if named.last() != Some(&tool) {
                    named.push(tool);
                }
            }
            if weights.of(Field::Name) > 0.0 {
                let words = words(own.upstream_name()).into_iter();
                written.extend(words.map(|word| (word.written.into_boxed_str(), word.term.into_boxed_str())));
            }
            let category = by_tool.get(visible.name().as_str()).copied();
            let texts = texts(visible, category.unwrap_or_default());
            tools.push(Indexed::of(visible, &texts, category));
            let searched = Field::iter().zip(&texts).filter(|(field, _)| weights.of(*field) > 0.0);
            reader.read_tool(tool, searched);
        }
        find_alike(view, &mut tools);
        Self { terms: reader.finish(weights), names, written, tools }
    }

    /// A term, if a tool has it.
    pub(crate) fn term(&self, term: &str) -> Option<&Term> {
        self.terms.get(term)
    }

    /// All terms, and the words of names as written; each with its term.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = (&str, &Term)> {
        let written = self.written.iter().filter_map(|(word, term)| Some((&**word, self.term(term)?)));
        self.terms.iter().map(|(term, found)| (&**term, found)).chain(written)
    }

    /// The tools of this name, with or without the upstream's, in whatever case and punctuation.
    pub(crate) fn named(&self, name: &str) -> &[u32] {
        self.names.get(&*normalized(name)).map_or(&[], Vec::as_slice)
    }

    /// How much a term says that no tool has.
    pub(crate) fn information_of_unknown(&self) -> f32 {
        information(self.tools.len(), 0)
    }
}

/// How much a term says: the fewer tools have it, the more (BM25's idf). Between 0.1 and 10 for real catalogues.
fn information(all: usize, having: usize) -> f32 {
    // Precision is of no matter here.
    #[allow(clippy::cast_precision_loss)]
    let (all, having) = (all as f32, having as f32);
    ((all - having + 0.5) / (having + 0.5)).ln_1p()
}

/// A term in a field of a tool.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    tool: u32,
    field: Field,
    count: f32,
}

/// Reads texts, tool by tool.
#[derive(Debug, Default)]
struct Reader {
    /// The places of terms in `occurrences`.
    terms: HashMap<Box<str>, u32>,
    occurrences: Vec<Vec<Occurrence>>,
    /// The places of words that were read before, none of stop words: a catalogue has few words, many times.
    known: HashMap<Box<str>, Option<u32>>,
    /// The number of words of each tool's fields.
    lengths: Vec<[u32; Field::COUNT]>,
}

impl Reader {
    fn read_tool<'t>(&mut self, tool: u32, texts: impl Iterator<Item = (Field, &'t String)>) {
        let mut length = [0; Field::COUNT];
        texts.for_each(|(field, text)| length[field as usize] = self.read(tool, field, text));
        self.lengths.push(length);
    }

    /// Reads a field and returns its number of words.
    fn read(&mut self, tool: u32, field: Field, text: &str) -> u32 {
        let mut length = 0;
        each(text, |part| {
            let term = match part {
                Part::Pair { term, .. } => Some(self.place(term)),
                Part::Word(word) | Part::Whole { word, .. } | Part::OfWhole(word) => {
                    match self.known.get(word) {
                        Some(term) => *term,
                        None => {
                            let term = (!is_stop_word(word)).then(|| self.place(&stem(word)));
                            self.known.insert(word.into(), term);
                            term
                        }
                    }
                }
            };
            let Some(term) = term else { return };
            // A whole is said with its parts.
            length += u32::from(!matches!(part, Part::Whole { .. }));
            let occurrences = &mut self.occurrences[term as usize];
            match occurrences.last_mut() {
                Some(last) if (last.tool, last.field) == (tool, field) => last.count += 1.0,
                _ => occurrences.push(Occurrence { tool, field, count: 1.0 }),
            }
        });
        length
    }

    /// The place of a term; a new one if there is none.
    fn place(&mut self, term: &str) -> u32 {
        if let Some(place) = self.terms.get(term) {
            return *place;
        }
        // 10,000 tools have less than 100,000 terms.
        let place = u32::try_from(self.occurrences.len()).unwrap_or(u32::MAX);
        self.occurrences.push(Vec::new());
        self.terms.insert(term.into(), place);
        place
    }

    /// The terms: occurrences weighed by field, and normalized by how long the field is in relation to that of other tools.
    fn finish(mut self, weights: &Weights) -> HashMap<Box<str>, Term> {
        let means = self.mean_lengths();
        let prominence = |occurrence: &Occurrence| {
            let field = occurrence.field as usize;
            // Precision is of no matter here.
            #[allow(clippy::cast_precision_loss)]
            let length = self.lengths[occurrence.tool as usize][field] as f32 / means[field];
            weights.of(occurrence.field) * occurrence.count / (1.0 - LENGTH + LENGTH * length)
        };
        let finished = self.terms.drain().map(|(term, place)| {
            let by_tool = self.occurrences[place as usize].chunk_by(|one, other| one.tool == other.tool);
            let posting = |all: &[Occurrence]| Posting {
                tool: all[0].tool,
                frequency: all.iter().map(prominence).sum(),
            };
            let postings: Box<[Posting]> = by_tool.map(posting).collect();
            let information = information(self.lengths.len(), postings.len());
            (term, Term { postings, information })
        });
        finished.collect()
    }

    fn mean_lengths(&self) -> [f32; Field::COUNT] {
        let mean = |field: usize| {
            let sum: u64 = self.lengths.iter().map(|length| u64::from(length[field])).sum();
            // Precision is of no matter here.
            #[allow(clippy::cast_precision_loss)]
            let mean = sum as f32 / self.lengths.len().max(1) as f32;
            mean.max(1.0)
        };
        std::array::from_fn(mean)
    }
}

/// The names of categories by the names of their tools.
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
