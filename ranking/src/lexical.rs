//! The ranker of this crate: words, weighed by where they stand.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use mcp_disclosure_core::{ListedCategory, View, brief::shorten};
use serde::Deserialize;

use crate::{
    Hit, Match, Query, Ranker, Ranking, Weights,
    index::Index,
    spelling::corrections,
    stop_words,
    thesaurus::Thesaurus,
    words::{Word, beginning, is_unspaced, words},
};

/// How much of a query is read, in bytes, and how many different words of it.
const LONGEST_QUERY: usize = 4_096;
/// See [`LONGEST_QUERY`].
const MOST_WORDS: usize = 64;

/// Maximum number of unknown words of a query that are corrected: each is compared with all words of all tools.
const MOST_CORRECTED: usize = 8;

/// Maximum length of an unmatched word in an answer, in characters.
const LONGEST_UNMATCHED: usize = 60;

/// How soon further occurrences of a term stop counting: BM25's k1.
const SATURATION: f32 = 1.2;

/// The weight of a synonym, in relation to the word itself.
const SYNONYM: f32 = 0.5;

/// The weight of a correction, in relation to the word itself.
const CORRECTION: f32 = 0.7;

/// A hit is strong if it covers at least this share of what the query says.
const STRONG: f32 = 0.55;

/// A hit that covers less is left out.
const LEAST: f32 = 0.1;

/// The settings of [`Lexical`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LexicalSettings {
    /// The weight of a word by the place where a tool has it.
    pub weights: Weights,
    /// Words, and the words that can stand for them, beside the built-in ones.
    pub synonyms: HashMap<String, Vec<String>>,
}

/// Ranks by words (BM25F). See the crate's documentation.
#[derive(Debug)]
pub struct Lexical {
    weights: Weights,
    thesaurus: Thesaurus,
}

/// A word of a query with the terms that it is looked for by.
struct Wanted<'q> {
    word: &'q Word,
    /// Whether a tool has it.
    is_known: bool,
    /// How much it says.
    information: f32,
    /// Terms with their weights.
    terms: Vec<(String, f32)>,
}

impl Lexical {
    /// A ranker with these settings.
    pub fn new(settings: &LexicalSettings) -> Self {
        let own = settings.synonyms.iter().map(|(word, others)| (word.as_str(), others.as_slice()));
        Self { weights: settings.weights, thesaurus: Thesaurus::with(own) }
    }

    /// [`Ranker::rank`], which never waits. The first query of a view reads its tools.
    pub fn rank_now(&self, view: &View, query: &Query<'_>) -> Ranking {
        let index = view.derived(Index::of);
        let text = beginning(query.text, LONGEST_QUERY);
        let words = meaningful(words(text));
        let mut corrected = MOST_CORRECTED;
        let wanted: Vec<Wanted<'_>> =
            words.iter().map(|word| self.wanted(&index, word, &mut corrected)).collect();
        let mut found = self.score(&index, &wanted);
        let exact: HashSet<u32> = index.named(text).iter().copied().collect();
        exact.iter().for_each(|tool| {
            found.entry(*tool).or_default();
        });
        let tools: Vec<_> = view.tools().collect();
        let within: Option<HashSet<&str>> = query.category.map(|category| {
            let tools = view.category(category).into_iter().flat_map(ListedCategory::tools);
            tools.map(|tool| tool.name().as_str()).collect()
        });
        let mut hits: Vec<(u32, Hit)> = found
            .into_iter()
            .filter_map(|(at, (score, coverage))| {
                let tool = tools.get(at as usize)?;
                let is_exact = exact.contains(&at);
                let is_wanted = within.as_ref().is_none_or(|within| within.contains(tool.name().as_str()));
                let matched = match coverage {
                    _ if is_exact => Match::Exact,
                    _ if coverage >= STRONG => Match::Strong,
                    _ => Match::Weak,
                };
                let hit = || Hit { name: tool.name().clone(), matched, score };
                (is_wanted && (is_exact || coverage >= LEAST)).then(|| (at, hit()))
            })
            .collect();
        let is_exact = |hit: &Hit| hit.matched == Match::Exact;
        hits.sort_by(|(at, a), (other, b)| {
            is_exact(b).cmp(&is_exact(a)).then(b.score.total_cmp(&a.score)).then(at.cmp(other))
        });
        hits.truncate(query.limit);
        let unmatched = if exact.is_empty() { unmatched(&wanted) } else { Vec::new() };
        Ranking { hits: hits.into_iter().map(|(_, hit)| hit).collect(), unmatched }
    }

    /// The words of a query that a tool lacks, as written and each once; none if the view does not list it.
    pub fn lacking(&self, view: &View, tool: &str, query: &str) -> Vec<String> {
        let Some(at) = view.tools().position(|listed| **listed.name() == *tool) else { return Vec::new() };
        let index = view.derived(Index::of);
        let words = meaningful(words(beginning(query, LONGEST_QUERY)));
        let mut corrected = MOST_CORRECTED;
        let has = |term: &str| index.postings(term).iter().any(|posting| posting.tool as usize == at);
        let mut lacks = |word: &Word| {
            let wanted = self.wanted(&index, word, &mut corrected);
            !wanted.terms.iter().any(|(term, _)| has(term))
        };
        let lacking = words.iter().filter(|word| lacks(word));
        let mut lacking: Vec<String> =
            lacking.map(|word| shorten(&word.written, LONGEST_UNMATCHED)).collect();
        lacking.dedup();
        lacking
    }

    /// What to look for. `corrected` is how many more words can be corrected.
    fn wanted<'q>(&self, index: &Index, word: &'q Word, corrected: &mut usize) -> Wanted<'q> {
        let is_known = |term: &str| !index.postings(term).is_empty();
        let mut terms = Vec::new();
        if is_known(&word.term) {
            terms.push((word.term.clone(), 1.0));
        }
        let synonyms = self.thesaurus.of(&word.term);
        terms.extend(synonyms.iter().filter(|term| is_known(term)).map(|term| (term.clone(), SYNONYM)));
        if terms.is_empty() && *corrected > 0 && !word.term.chars().any(is_unspaced) {
            *corrected -= 1;
            // The stem of a misspelt word may have lost what is right about it.
            let corrections = corrections(&word.written, index.vocabulary());
            terms.extend(corrections.into_iter().map(|term| (term.to_owned(), CORRECTION)));
        }
        Wanted { word, is_known: is_known(&word.term), information: index.information(&word.term), terms }
    }

    /// Score and coverage by tool.
    fn score(&self, index: &Index, wanted: &[Wanted<'_>]) -> HashMap<u32, (f32, f32)> {
        let sum: f32 = wanted.iter().map(|wanted| wanted.information).sum();
        let mut found: HashMap<u32, (f32, f32)> = HashMap::new();
        let (mut best, mut covered) = (vec![0.0_f32; index.tools()], vec![0.0_f32; index.tools()]);
        for wanted in wanted {
            best.fill(0.0);
            covered.fill(0.0);
            for (term, weight) in &wanted.terms {
                let information = wanted.information.min(index.information(term)) * weight;
                for postings in index.postings(term).chunk_by(|a, b| a.tool == b.tool) {
                    let frequency: f32 = postings
                        .iter()
                        .map(|posting| self.weights.of(posting.field) * posting.frequency)
                        .sum();
                    let score = information * frequency / (frequency + SATURATION);
                    let tool = postings[0].tool as usize;
                    if score > best[tool] {
                        (best[tool], covered[tool]) = (score, *weight);
                    }
                }
            }
            for (tool, score) in (0..).zip(&best).filter(|(_, score)| **score > 0.0) {
                let entry = found.entry(tool).or_default();
                entry.0 += score;
                entry.1 += covered[tool as usize] * wanted.information / sum;
            }
        }
        found
    }
}

#[async_trait]
impl Ranker for Lexical {
    async fn rank(&self, view: &View, query: &Query<'_>) -> Ranking {
        self.rank_now(view, query)
    }
}

/// The words that no tool has, as written and each once.
fn unmatched(wanted: &[Wanted<'_>]) -> Vec<String> {
    let known: HashSet<&str> =
        wanted.iter().filter(|wanted| wanted.is_known).map(|wanted| &*wanted.word.written).collect();
    let mut unmatched: Vec<&str> = wanted.iter().map(|wanted| &*wanted.word.written).collect();
    // A run of a script without spaces is several terms.
    unmatched.dedup();
    unmatched.retain(|word| !known.contains(word));
    unmatched.into_iter().map(|word| shorten(word, LONGEST_UNMATCHED)).collect()
}

/// The different words of a query, without those that say nothing unless there are no others.
fn meaningful(words: Vec<Word>) -> Vec<Word> {
    let mut seen = HashSet::new();
    let mut different = words;
    different.retain(|word| seen.insert(word.term.clone()));
    let says = |word: &Word| !stop_words::contains(&word.written);
    if different.iter().any(says) {
        different.retain(says);
    }
    different.truncate(MOST_WORDS);
    different
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
