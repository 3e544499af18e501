//! How well tools are found by words: labelled queries, asked over real connections of the tool by which a strategy
//! finds tools.

use std::collections::{BTreeMap, BTreeSet};

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::{Finder, Hit};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Row, Subject,
    agent::{Purpose, Seen},
    baseline::Listed,
    connection::{Bench, ClientKind, Connection},
    seen,
};

/// A model reads about this many hits.
const FIRST: usize = 5;

/// A labelled query. Other members, such as those of labelled tasks, are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(expecting = "an object with 'query' and 'tools'")]
pub struct Query {
    /// Where it stands, for messages: its file and line.
    #[serde(skip)]
    pub place: String,
    /// The words.
    #[serde(rename = "query")]
    pub text: String,
    /// The tools that are right, as the labels name them; none if nothing should be found.
    pub tools: Vec<String>,
}

/// How well a strategy finds tools by words.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Retrieval {
    /// The row.
    pub strategy: String,
    /// The tool that was asked.
    pub tool: &'static str,
    /// Queries for which there is a right tool.
    pub possible: Possible,
    /// Queries for which nothing should be found.
    pub impossible: Asked,
    /// The median number of tokens of an answer.
    pub answer_tokens: u64,
    /// The words of possible queries without a right tool among the first five; first those that miss more often than
    /// others.
    pub missed_words: Vec<MissedWord>,
    /// These queries.
    pub missed: Vec<Missed>,
}

/// Queries, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// Their number.
    pub queries: usize,
    /// The number for which nothing was found.
    pub nothing_found: usize,
    /// The number for which all hits are marked as weak.
    pub only_weak: usize,
}

/// Queries for which there is a right tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Possible {
    /// What became of them.
    #[serde(flatten)]
    pub asked: Asked,
    /// The share for which the first hit is right; none if there is no such query.
    pub hit_at_1: Option<f64>,
    /// The share for which one of the first five is right.
    pub hit_at_5: Option<f64>,
}

/// A word of queries that missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissedWord {
    /// The word, in lower case.
    pub word: String,
    /// The number of possible queries with it that missed.
    pub missed: usize,
    /// The number of possible queries with it.
    pub queries: usize,
}

/// A query that missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// The words.
    pub query: String,
    /// The right tools.
    pub tools: Vec<String>,
    /// The first five hits instead.
    pub found: Vec<String>,
}

/// A query with the names by which its tools are served.
pub(crate) struct Labelled<'q> {
    text: &'q str,
    right: Vec<&'q str>,
}

/// The queries with the tools that their labels name.
///
/// # Errors
/// [`Error::UnknownLabels`] with all labels that name no tool.
pub(crate) fn resolved<'q>(subject: &'q Subject, queries: &'q [Query]) -> Result<Vec<Labelled<'q>>, Error> {
    let mut unknown = Vec::new();
    let mut right = |query: &'q Query| {
        let found = query.tools.iter().filter_map(|label| {
            let tool = subject.labelled(label);
            if tool.is_none() {
                unknown.push(format!("{}: {}", query.place, subject.unknown(label)));
            }
            tool
        });
        let found = found.flat_map(|tool| subject.alike(tool)).map(|tool| &*tool.name);
        Labelled { text: &query.text, right: found.collect() }
    };
    let asked = queries.iter().map(&mut right).collect();
    if unknown.is_empty() { Ok(asked) } else { Err(Error::UnknownLabels(unknown)) }
}

/// Asks all queries under a strategy that finds tools by words.
pub(crate) async fn of(
    bench: &Bench<'_>,
    row: &Row,
    finder: Finder,
    asked: &[Labelled<'_>],
) -> Result<Retrieval, Error> {
    let connection = Connection::open(bench, row, ClientKind::Ordinary, Concerns::new()).await?;
    let listed = Listed::new(connection.tools().await?, &bench.baseline);
    drop(connection.fresh());
    let mut tally = Tally::default();
    for query in asked {
        // A registry refuses finders without arguments.
        let arguments = finder.arguments(query.text).unwrap_or_default();
        let result = connection.host.call_unprepared(finder.tool(), &arguments).await;
        let result = result.map_err(|source| connection.failed("finding tools", source))?;
        let step = seen::tokens(&connection.moves(), &bench.counter);
        let hits = finder.hits(&Seen::of(&result, Purpose::Learn).content);
        let right: Vec<&str> = query.right.iter().map(|name| listed.served_name(name)).collect();
        tally.count(query.text, &right, &hits, step.answer_tokens);
    }
    connection.host.close().await;
    Ok(tally.retrieval(row, finder))
}

/// Counts of queries so far.
#[derive(Default)]
struct Tally {
    /// Without what is worked out of all queries.
    found: Retrieval,
    first: usize,
    among_five: usize,
    answers: Vec<u64>,
    /// How many queries with a word missed, and how many there are.
    words: BTreeMap<String, (usize, usize)>,
}

impl Tally {
    /// Counts the answer to these words, for which these tools are right.
    fn count(&mut self, text: &str, right: &[&str], hits: &[Hit], answer_tokens: u64) {
        self.answers.push(answer_tokens);
        let found = &mut self.found;
        let asked = if right.is_empty() { &mut found.impossible } else { &mut found.possible.asked };
        asked.queries += 1;
        asked.nothing_found += usize::from(hits.is_empty());
        asked.only_weak += usize::from(!hits.is_empty() && hits.iter().all(|hit| hit.is_weak));
        if right.is_empty() {
            return;
        }
        let rank = hits.iter().take(FIRST).position(|hit| right.iter().any(|name| names(&hit.name, name)));
        self.first += usize::from(rank == Some(0));
        self.among_five += usize::from(rank.is_some());
        for word in words(text).collect::<BTreeSet<_>>() {
            let (missed, queries) = self.words.entry(word).or_default();
            *queries += 1;
            *missed += usize::from(rank.is_none());
        }
        if rank.is_none() {
            self.found.missed.push(Missed {
                query: text.to_owned(),
                tools: right.iter().map(|name| (*name).to_owned()).collect(),
                found: hits.iter().take(FIRST).map(|hit| hit.name.clone()).collect(),
            });
        }
    }

    fn retrieval(mut self, row: &Row, finder: Finder) -> Retrieval {
        let queries = self.found.possible.asked.queries;
        let share = |count: usize| (queries > 0).then(|| (count as f64 / queries as f64 * 1e4).round() / 1e4);
        self.answers.sort_unstable();
        let words = self.words.into_iter().filter(|(_, (missed, _))| *missed > 0);
        let mut missed_words: Vec<MissedWord> =
            words.map(|(word, (missed, queries))| MissedWord { word, missed, queries }).collect();
        // A word that is in every query misses as often as queries do. The sort is stable: else by alphabet.
        let rate = 1.0 - share(self.among_five).unwrap_or(0.0);
        let surplus = |word: &MissedWord| word.missed as f64 - rate * word.queries as f64;
        missed_words.sort_by(|one, other| surplus(other).total_cmp(&surplus(one)));
        let (hit_at_1, hit_at_5) = (share(self.first), share(self.among_five));
        Retrieval {
            strategy: row.name.clone(),
            tool: finder.tool(),
            possible: Possible { hit_at_1, hit_at_5, ..self.found.possible },
            answer_tokens: self.answers.get(self.answers.len() / 2).copied().unwrap_or(0),
            missed_words,
            ..self.found
        }
    }
}

/// Whether a hit names this tool; `tool:` distinguishes a tool from a category of the same name.
fn names(hit: &str, tool: &str) -> bool {
    hit == tool || hit.strip_prefix("tool:") == Some(tool)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q5_ranks_misses_and_words_are_counted() {
        let finder = Finder::new("find", r#"{"query": "{query}"}"#, &["tools"]);
        let hit = |name: &str, is_weak| Hit { name: name.to_owned(), is_weak };
        let mut tally = Tally::default();
        tally.count("add two numbers", &["add"], &[hit("add", false)], 10);
        tally.count("Add, or sub", &["sub"], &[hit("add", false), hit("tool:sub", false)], 20);
        let five = ["a", "b", "c", "d", "e", "add"].map(|name| hit(name, true));
        tally.count("sum numbers, numbers", &["add"], &five, 30);
        tally.count("send a letter", &[], &[], 40);
        tally.count("book a flight", &[], &[hit("add", true)], 50);
        let found = tally.retrieval(&Row::of("search"), finder);
        assert_eq!(
            found.possible,
            Possible {
                asked: Asked { queries: 3, nothing_found: 0, only_weak: 1 },
                hit_at_1: Some(0.3333),
                hit_at_5: Some(0.6667)
            }
        );
        assert_eq!(found.impossible, Asked { queries: 2, nothing_found: 1, only_weak: 1 });
        assert_eq!((found.answer_tokens, found.missed.len(), found.missed[0].found.len()), (30, 1, 5));
        let missed: Vec<_> =
            found.missed_words.iter().map(|word| (&*word.word, word.missed, word.queries)).collect();
        assert_eq!(missed, [("sum", 1, 1), ("numbers", 1, 2)]);
        assert_eq!(Tally::default().retrieval(&Row::of("search"), finder).possible.hit_at_1, None);
    }
}
