//! The ranker of this crate: words, weighed by where they stand, and how near they are as vectors.

use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use async_trait::async_trait;
use mcp_disclosure_core::{Context, View, brief::shorten};

use crate::{
    Hit, LexicalSettings, Match, Query, Ranker, Ranking, Weights,
    index::{Index, Term},
    spelling::{corrections, meant_name},
    thesaurus::Thesaurus,
    vectors::{Latest, Vectors, is_word},
    words::{Role, Word, beginning, is_change, is_stop_word, is_unspaced, words},
};

/// How much of a query is read, in bytes.
const LONGEST_QUERY: usize = 16_384;

/// How many different words of a query are looked for, those first that say most; and how many of those that nothing has are
/// in an answer.
const MOST_WORDS: usize = 64;

/// How many of a query's words that nothing here has count as something that it says: with more of them, as in a log that is pasted,
/// what is known would say nothing.
pub(crate) const MOST_UNKNOWN: u8 = 4;

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

/// The score of a tool is the sum of what its words say (BM25), of the share that they are of what the query says, and of how
/// near both are as vectors; with these weights.
const SAID: f32 = 0.7;
/// See [`SAID`].
const SHARE: f32 = 2.0;
/// See [`SAID`].
const NEARNESS: f32 = 6.0;

/// A hit is strong from this score on, and left out below the other: by words alone, and with nearness.
const BY_WORDS: (f32, f32) = (2.1, 0.3);
/// See [`BY_WORDS`].
const BY_NEARNESS: (f32, f32) = (3.6, 1.5);

/// How much of a score a step of [`effect`](crate::index::Indexed::effect) costs where a request asks for no change: among equals,
/// tools that read come first. At 0.5 a query of those of docs/BENCHMARKS.md loses its tool.
const EFFECT: f32 = 0.3;

/// How much less a deprecated tool scores.
const DEPRECATED: f32 = 2.0 * EFFECT;

/// Maximum number of words of a request that asks for each of them: one that nothing here has is what is missing. Longer
/// ones say more than any tool does.
const FEW: usize = 4;

/// The score of a misspelt name, in relation to the best other one.
const MEANT: f32 = 1.1;

/// Ranks by words (BM25F) and, where the program has the table of vectors, by how near the words of a query are to what a tool
/// is about: "folder" is near "directory". See the crate's documentation.
#[derive(Debug)]
pub struct BuiltIn {
    key: ReadingKey,
    thesaurus: Thesaurus,
}

/// What the reading of a view depends on besides the view: weights, and vectors where there are any.
type ReadingKey = (Weights, Option<Latest>);

/// What a view lists, as words and as vectors.
struct Reading {
    index: Arc<Index>,
    vectors: Option<Arc<Vectors>>,
}

impl Reading {
    fn of(view: &View, (weights, latest): &ReadingKey) -> Self {
        let vectors = latest.as_ref().map(|latest| Vectors::of(view, latest));
        Self { index: view.derived_with(weights, Index::of), vectors }
    }
}

/// A word of a query with the terms that it is looked for by.
struct Wanted<'q> {
    word: &'q Word,
    /// Its term, if a tool has it.
    own: Option<&'q Term>,
    /// Whether it is said as a part of another one that is looked for.
    is_part: bool,
    /// How much it says.
    information: f32,
    /// Terms with their weights.
    terms: Vec<(&'q Term, f32)>,
}

impl BuiltIn {
    /// A ranker with these settings.
    pub fn new(settings: &LexicalSettings) -> Self {
        Self { key: (settings.weights, Latest::of_table()), ..Self::by_words(settings) }
    }

    /// One that compares words alone.
    pub fn by_words(settings: &LexicalSettings) -> Self {
        let own = settings.synonyms.iter().map(|(word, others)| (word.as_str(), others.as_slice()));
        Self { key: (settings.weights, None), thesaurus: Thesaurus::with(own) }
    }

    /// Makes what [`rank_now`](Self::rank_now) needs for `cx.view`, beside the workers that serve clients.
    pub async fn prepare(&self, cx: &Context<'_>) {
        drop(cx.derive_with(&self.key, Reading::of).await);
    }

    /// [`Ranker::rank`] in place, where no other client waits: the first query of a view reads its tools here.
    pub fn rank_now(&self, view: &View, query: &Query<'_>) -> Ranking {
        self.rank_near(view, query, None)
    }

    /// The same with what a model says of how near each tool is, where it does: it counts as much as the vectors here, which know
    /// what tools are called.
    pub(crate) fn rank_near(&self, view: &View, query: &Query<'_>, near: Option<Vec<f32>>) -> Ranking {
        let Reading { index, vectors } = &*view.derived_with(&self.key, Reading::of);
        let own = vectors.as_ref().and_then(|all| all.nearness(beginning(query.text, LONGEST_QUERY)));
        let near = match (near, own) {
            (Some(near), Some(own)) => {
                Some(near.iter().zip(&own).map(|(one, other)| f32::midpoint(*one, *other)).collect())
            }
            (near, own) => near.or(own),
        };
        self.rank_in(index, query, near.as_deref())
    }

    /// Ranks by words and, where it is known, by how near each tool is to the query (-1 to 1).
    fn rank_in(&self, index: &Index, query: &Query<'_>, near: Option<&[f32]>) -> Ranking {
        let text = beginning(query.text, LONGEST_QUERY);
        let words = words(text);
        let mut wanted = self.wanted(index, &words);
        let exact = index.named(text);
        let unmatched = if exact.is_empty() { unmatched(&wanted) } else { Vec::new() };
        if wanted.len() > MOST_WORDS {
            let said =
                |wanted: &Wanted<'_>| (!wanted.terms.is_empty(), wanted.own.is_some(), wanted.information);
            wanted.sort_by(|one, other| said(other).partial_cmp(&said(one)).unwrap_or(Ordering::Equal));
            wanted.truncate(MOST_WORDS);
        }
        let (strong, least) = if near.is_some() { BY_NEARNESS } else { BY_WORDS };
        let step = if words.iter().any(|word| is_change(&word.term)) { 0.0 } else { EFFECT };
        let mut scores = score(index, &wanted);
        let is_lacking =
            |wanted: &Wanted<'_>| wanted.terms.is_empty() && !wanted.word.term.contains(is_unspaced);
        let asked: Vec<&Wanted<'_>> = wanted.iter().filter(|wanted| !wanted.is_part).collect();
        let is_unheard_of = asked.len() <= FEW && wanted.iter().any(is_lacking);
        let meant = misspelt_name(index, text, &words, &wanted).filter(|_| exact.is_empty());
        for (at, (score, tool)) in scores.iter_mut().zip(&index.tools).enumerate() {
            *score += near.and_then(|near| near.get(at)).map_or(0.0, |near| NEARNESS * near);
            if *score > 0.0 {
                *score -= step * f32::from(tool.effect) + if tool.is_deprecated { DEPRECATED } else { 0.0 };
            }
        }
        if let Some(at) = meant {
            scores[at as usize] = scores.iter().fold(strong, |best, score| best.max(*score)) * MEANT;
        }
        let hit = |(at, score): (usize, f32)| {
            let is_exact = u32::try_from(at).is_ok_and(|at| exact.contains(&at));
            let matched = match is_exact {
                true => Match::Exact,
                false if score >= strong && !is_unheard_of => Match::Strong,
                false => Match::Weak,
            };
            let is_wanted =
                query.category.is_none_or(|category| index.tools[at].category.as_deref() == Some(category));
            (is_wanted && (is_exact || score >= least)).then_some((matched, score, at))
        };
        let mut found: Vec<(Match, f32, usize)> = scores.into_iter().enumerate().filter_map(hit).collect();
        found.sort_unstable_by(|(matched, score, at), (other, less, after)| {
            matched.cmp(other).then(less.total_cmp(score)).then(at.cmp(after))
        });
        Ranking { hits: hits(index, found, query.limit), unmatched }
    }

    /// The words of a query that a tool lacks, as written and each once; none if the view does not list it.
    pub fn lacking(&self, view: &View, tool: &str, query: &str) -> Vec<String> {
        let Some(at) = view.tools().position(|listed| **listed.name() == *tool) else { return Vec::new() };
        let index = &view.derived_with(&self.key, Reading::of).index;
        let words = words(beginning(query, LONGEST_QUERY));
        let has = |term: &Term| term.postings.iter().any(|posting| posting.tool as usize == at);
        let lacks = |wanted: &Wanted<'_>| !wanted.is_part && !wanted.terms.iter().any(|(term, _)| has(term));
        let lacking = self.wanted(index, &words).into_iter().filter(lacks);
        let mut lacking: Vec<String> =
            lacking.map(|wanted| shorten(&wanted.word.written, LONGEST_UNMATCHED)).collect();
        lacking.dedup();
        lacking
    }

    /// The different words of a query that say something, with what they are looked for by. A part of a word in mixed case that
    /// nothing here has, as `hub` of `GitHub`, says nothing where something has the whole.
    fn wanted<'q>(&self, index: &'q Index, words: &'q [Word]) -> Vec<Wanted<'q>> {
        let others = words.iter().filter(|word| word.role != Role::Part);
        let others: HashSet<&str> = others.map(|word| &*word.term).collect();
        // Whether they were found, by their terms; and whether the last whole was, if it is looked for.
        let (mut seen, mut whole) = (HashMap::new(), None);
        let (mut corrected, mut none, mut all) = (MOST_CORRECTED, 0, Vec::new());
        for word in words {
            let is_part = word.role == Role::Part;
            let is_repeated = seen.contains_key(&*word.term) || (is_part && others.contains(&*word.term));
            if !is_repeated && !is_stop_word(&word.written) {
                let whole = whole.filter(|_| is_part);
                let has_whole = whole == Some(true);
                let wanted = self.look_up(index, word, if has_whole { &mut none } else { &mut corrected });
                let is_found = !wanted.terms.is_empty();
                // A number that no tool has is a value, and the parts of an identifier say what it is.
                let says_something = word.term.contains(char::is_alphabetic) && word.role != Role::Identifier;
                if is_found || (says_something && !has_whole) {
                    seen.insert(&*word.term, is_found);
                    all.push(Wanted { is_part: whole.is_some(), ..wanted });
                }
            }
            if !is_part {
                whole = seen.get(&*word.term).copied();
            }
        }
        all
    }

    /// What to look for. `corrected` is how many more words can be corrected.
    fn look_up<'q>(&self, index: &'q Index, word: &'q Word, corrected: &mut usize) -> Wanted<'q> {
        let own = index.term(&word.term);
        let synonyms = self.thesaurus.of(&word.term).filter_map(|synonym| index.term(synonym));
        let mut terms: Vec<(&Term, f32)> = own.into_iter().map(|term| (term, 1.0)).collect();
        terms.extend(synonyms.map(|term| (term, SYNONYM)));
        if terms.is_empty() && *corrected > 0 && !word.term.chars().any(is_unspaced) && !is_spelt(word) {
            *corrected -= 1;
            // The stem of a misspelt word may have lost what is right about it.
            // What follows the beginning of a word in mixed case is no ending.
            let has_forms = !matches!(word.role, Role::Name | Role::Identifier);
            let corrections = corrections(&word.written, has_forms, index.vocabulary());
            terms.extend(corrections.into_iter().map(|term| (term, CORRECTION)));
        }
        let information = own.map_or_else(|| index.information_of_unknown(), |term| term.information);
        Wanted { word, own, is_part: false, information, terms }
    }
}

/// What the words of a query say of each tool.
fn score(index: &Index, wanted: &[Wanted<'_>]) -> Vec<f32> {
    let (known, unknown): (Vec<_>, Vec<_>) = wanted.iter().partition(|wanted| !wanted.terms.is_empty());
    let sum: f32 =
        known.iter().chain(unknown.iter().take(MOST_UNKNOWN.into())).map(|wanted| wanted.information).sum();
    let mut scores = vec![0.0; index.tools.len()];
    // For one word: what its best term adds, by tool; and the tools that have any.
    let mut best = vec![0.0_f32; index.tools.len()];
    let mut having: Vec<u32> = Vec::new();
    for wanted in known {
        for (term, weight) in &wanted.terms {
            let said = SAID * wanted.information.min(term.information);
            let share = SHARE * wanted.information / sum;
            for posting in &term.postings {
                let score = weight * (said * posting.frequency / (posting.frequency + SATURATION) + share);
                let best = &mut best[posting.tool as usize];
                if *best == 0.0 {
                    having.push(posting.tool);
                }
                *best = best.max(score);
            }
        }
        for tool in having.drain(..) {
            scores[tool as usize] += std::mem::take(&mut best[tool as usize]);
        }
    }
    scores
}

/// The first of what was found, best first. What is defined alike at several upstreams is one hit, and an exact name has no
/// weak hits beside it.
fn hits(index: &Index, mut found: Vec<(Match, f32, usize)>, limit: usize) -> Vec<Hit> {
    if found.first().is_some_and(|(matched, ..)| *matched == Match::Exact) {
        found.retain(|(matched, ..)| *matched != Match::Weak);
    }
    let mut hits: Vec<Hit> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for (matched, score, at) in found {
        let tool = &index.tools[at];
        let others = || tool.alike.iter().map(|at| *at as usize);
        if hits.len() < limit && !others().any(|other| places.contains(&other)) {
            let upstreams = others().map(|other| index.tools[other].upstream.clone());
            let servers = [tool.upstream.clone()].into_iter().chain(upstreams).collect();
            hits.push(Hit { name: tool.name.clone(), matched, score, servers });
            places.push(at);
        }
    }
    hits
}

/// The tool whose name a query was probably meant to be, if it looks like a name or is one word that nothing has. A word that is
/// no misspelt one makes another name of it: who asks for `get_users` does not mean `set_users`.
fn misspelt_name(index: &Index, query: &str, asked: &[Word], wanted: &[Wanted<'_>]) -> Option<u32> {
    let query = query.trim();
    let is_unknown = || wanted.iter().all(|wanted| wanted.terms.is_empty());
    let is_name = !wanted.is_empty()
        && !query.contains(char::is_whitespace)
        && (query.contains(['_', '-', '.', '/']) || is_unknown());
    let is_right = |word: &Word| {
        index.term(&word.term).is_some()
            || is_stop_word(&word.written)
            || is_change(&word.term)
            || is_spelt(word)
    };
    let right: Vec<&Word> = asked.iter().filter(|word| is_right(word)).collect();
    let is_another = |name: &str| {
        let own = words(name);
        right.iter().any(|word| !own.iter().any(|own| own.term == word.term))
    };
    let names = (0..).zip(&index.tools).map(|(at, tool)| (tool.name.as_str(), at));
    is_name.then(|| meant_name(query, names, is_another))?
}

/// Whether a word is one as it is written. What is short is as often a misspelt one.
fn is_spelt(word: &Word) -> bool {
    word.written.len() > 3 && is_word(&word.written)
}

#[async_trait]
impl Ranker for BuiltIn {
    async fn rank(&self, cx: &Context<'_>, query: &Query<'_>) -> Ranking {
        self.prepare(cx).await;
        self.rank_now(cx.view, query)
    }
}

/// The words that no tool has, as written and each once.
fn unmatched(wanted: &[Wanted<'_>]) -> Vec<String> {
    let known: HashSet<&str> =
        wanted.iter().filter(|wanted| wanted.own.is_some()).map(|wanted| &*wanted.word.written).collect();
    // The parts of a name are said with it.
    let said = wanted.iter().filter(|wanted| !wanted.is_part);
    let mut unmatched: Vec<&str> = said.map(|wanted| &*wanted.word.written).collect();
    // A run of a script without spaces is several terms.
    unmatched.dedup();
    unmatched.retain(|word| !known.contains(word));
    unmatched.into_iter().take(MOST_WORDS).map(|word| shorten(word, LONGEST_UNMATCHED)).collect()
}

#[cfg(test)]
#[path = "lexical_tests.rs"]
mod tests;
