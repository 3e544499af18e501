//! The ranker of this crate: words, weighed by where they stand.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use mcp_disclosure_core::{Context, View, brief::shorten};
use serde::Deserialize;

use crate::{
    Hit, Match, Query, Ranker, Ranking, Weights,
    index::{Index, Term},
    spelling::{corrections, meant_name},
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

/// The score of a tool whose name was misspelt, in relation to the best other one.
const FIRST: f32 = 1.1;

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
    terms: Vec<(&'q Term, f32)>,
}

impl Lexical {
    /// A ranker with these settings.
    pub fn new(settings: &LexicalSettings) -> Self {
        let own = settings.synonyms.iter().map(|(word, others)| (word.as_str(), others.as_slice()));
        Self { weights: settings.weights, thesaurus: Thesaurus::with(own) }
    }

    /// Makes what [`rank_now`](Self::rank_now) needs for `cx.view`, beside the workers that serve clients.
    pub async fn prepare(&self, cx: &Context<'_>) {
        drop(cx.derive_with(&self.weights, Index::of).await);
    }

    /// [`Ranker::rank`] where nobody else is served: the first query of a view reads its tools here.
    pub fn rank_now(&self, view: &View, query: &Query<'_>) -> Ranking {
        self.ranked(&view.derived_with(&self.weights, Index::of), query)
    }

    fn ranked(&self, index: &Index, query: &Query<'_>) -> Ranking {
        let text = beginning(query.text, LONGEST_QUERY);
        let words = meaningful(words(text));
        let mut corrected = MOST_CORRECTED;
        let wanted: Vec<Wanted<'_>> =
            words.iter().map(|word| self.wanted(index, word, &mut corrected)).collect();
        let mut found = score(index, &wanted);
        let exact = index.named(text);
        exact.iter().for_each(|tool| {
            found.entry(*tool).or_default();
        });
        if let Some(at) = misspelt_name(index, text).filter(|_| exact.is_empty()) {
            let best = found.values().map(|(score, _)| *score).fold(1.0, f32::max);
            found.insert(at, (best * FIRST, 1.0));
        }
        let mut hits: Vec<(u32, Hit)> = found
            .into_iter()
            .filter_map(|(at, (score, coverage))| {
                let tool = &index.tools()[at as usize];
                let is_exact = exact.binary_search(&at).is_ok();
                let is_wanted = query.category.is_none_or(|category| index.is_within(tool, category));
                let matched = match coverage {
                    _ if is_exact => Match::Exact,
                    _ if coverage >= STRONG => Match::Strong,
                    _ => Match::Weak,
                };
                let hit = || Hit { name: tool.name.clone(), matched, score };
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
        let index = view.derived_with(&self.weights, Index::of);
        let words = meaningful(words(beginning(query, LONGEST_QUERY)));
        let mut corrected = MOST_CORRECTED;
        let has = |term: &Term| term.postings.iter().any(|posting| posting.tool as usize == at);
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
    fn wanted<'q>(&self, index: &'q Index, word: &'q Word, corrected: &mut usize) -> Wanted<'q> {
        let own = index.term(&word.term);
        let synonyms = self.thesaurus.of(&word.term).iter().filter_map(|synonym| index.term(synonym));
        let mut terms: Vec<(&Term, f32)> = own.into_iter().map(|term| (term, 1.0)).collect();
        terms.extend(synonyms.map(|term| (term, SYNONYM)));
        if terms.is_empty() && *corrected > 0 && !word.term.chars().any(is_unspaced) {
            *corrected -= 1;
            // The stem of a misspelt word may have lost what is right about it.
            let corrections = corrections(&word.written, index.vocabulary());
            terms.extend(corrections.into_iter().map(|term| (term, CORRECTION)));
        }
        let information = own.map_or_else(|| index.information_of_unknown(), |term| term.information);
        Wanted { word, is_known: own.is_some(), information, terms }
    }
}

/// Score and coverage by tool.
fn score(index: &Index, wanted: &[Wanted<'_>]) -> HashMap<u32, (f32, f32)> {
    let sum: f32 = wanted.iter().map(|wanted| wanted.information).sum();
    let mut found: HashMap<u32, (f32, f32)> = HashMap::new();
    // For one word: the score of its best term and that term's weight, by tool; and the tools that have any.
    let mut best = vec![(0.0_f32, 0.0_f32); index.tools().len()];
    let mut having: Vec<u32> = Vec::new();
    for wanted in wanted {
        for (term, weight) in &wanted.terms {
            let information = wanted.information.min(term.information) * weight;
            for posting in &term.postings {
                let score = information * posting.frequency / (posting.frequency + SATURATION);
                let best = &mut best[posting.tool as usize];
                if best.0 == 0.0 {
                    having.push(posting.tool);
                }
                if score > best.0 {
                    *best = (score, *weight);
                }
            }
        }
        for tool in having.drain(..) {
            let (score, weight) = std::mem::take(&mut best[tool as usize]);
            let entry = found.entry(tool).or_default();
            entry.0 += score;
            entry.1 += weight * wanted.information / sum;
        }
    }
    found
}

/// The tool whose name a query was probably meant to be, if it looks like a name.
fn misspelt_name(index: &Index, query: &str) -> Option<u32> {
    let query = query.trim();
    let is_name = query.contains(['_', '-', '.', '/']) && !query.contains(char::is_whitespace);
    let names = (0..).zip(index.tools()).map(|(at, tool)| (tool.name.as_str(), at));
    is_name.then(|| meant_name(query, names))?
}

#[async_trait]
impl Ranker for Lexical {
    async fn rank(&self, cx: &Context<'_>, query: &Query<'_>) -> Ranking {
        self.ranked(&*cx.derive_with(&self.weights, Index::of).await, query)
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

/// The different words of a query that say something.
fn meaningful(words: Vec<Word>) -> Vec<Word> {
    let mut seen = HashSet::new();
    let mut different = words;
    different.retain(|word| !stop_words::contains(&word.written) && seen.insert(word.term.clone()));
    different.truncate(MOST_WORDS);
    different
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
