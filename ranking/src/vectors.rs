//! Words as vectors that were learned for tools (`vectors/README.md`): what a request and a tool have in common that is
//! written in different words.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

use mcp_disclosure_core::{View, VisibleTool};

use crate::{
    lexical::MOST_UNKNOWN,
    words::{Part, each, is_stop_word},
};

/// The number of a vector's components.
const DIMENSIONS: usize = 100;

/// How many words of a text are read that the table has: what a tool does stands at the beginning.
const MOST_WORDS: u8 = 120;

/// The words and their vectors, read where the program lies: nothing is loaded. Without the feature there are none.
static TABLE: Table = Table {
    #[cfg(feature = "vectors")]
    bytes: include_bytes!("../vectors/words.bin"),
    #[cfg(not(feature = "vectors"))]
    bytes: &[],
};

type Vector = [f32; DIMENSIONS];

/// The file of `vectors/make.py`: the number of words n; for each, in the order of their bytes, the end of its letters and the
/// scale of its components; the letters; the components. Numbers are of 32 bits, little-endian, components of 8.
struct Table {
    bytes: &'static [u8],
}

impl Table {
    fn number(&self, at: usize) -> [u8; 4] {
        self.bytes.get(at * 4..at * 4 + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
    }

    fn len(&self) -> usize {
        u32::from_le_bytes(self.number(0)) as usize
    }

    /// Where a word's letters end, counted from the first word's.
    fn end(&self, word: usize) -> usize {
        u32::from_le_bytes(self.number(1 + word)) as usize
    }

    fn letters(&self, word: usize) -> &[u8] {
        let first = (1 + 2 * self.len()) * 4;
        let begin = if word == 0 { 0 } else { self.end(word - 1) };
        &self.bytes[first + begin..first + self.end(word)]
    }

    /// The place of a word in lower case.
    fn find(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.letters(middle).cmp(word.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn add(&self, word: usize, sum: &mut Vector) {
        let scale = f32::from_le_bytes(self.number(1 + self.len() + word));
        let first = self.bytes.len() - (self.len() - word) * DIMENSIONS;
        for (sum, component) in sum.iter_mut().zip(&self.bytes[first..first + DIMENSIONS]) {
            *sum += scale * f32::from(component.cast_signed());
        }
    }
}

/// Whether the table has a word in lower case.
pub(crate) fn is_word(word: &str) -> bool {
    TABLE.find(word).is_some()
}

/// Where the words of texts stand in the table. A catalogue has few words, many times: each is looked up once.
#[derive(Default)]
struct Reader(HashMap<Box<str>, Found>);

/// What the table says of a word.
#[derive(Clone, Copy)]
enum Found {
    /// It says nothing.
    Stop,
    Unknown,
    At(usize),
}

impl Reader {
    fn find(&mut self, word: &str) -> Found {
        if let Some(found) = self.0.get(word) {
            return *found;
        }
        let found = match TABLE.find(word) {
            _ if is_stop_word(word) => Found::Stop,
            Some(at) => Found::At(at),
            None => Found::Unknown,
        };
        self.0.insert(word.into(), found);
        found
    }

    /// The direction of a text, of length 1, and the share of its words that the table has. Without any it has no direction. Who asks
    /// for `HubSpot` means what is called so, of which its parts say nothing; a tool that is called `FileReader` reads files.
    fn direction(&mut self, text: &str, is_query: bool) -> (Vector, f32) {
        let (mut sum, mut known, mut unknown) = ([0.0; DIMENSIONS], 0_u8, 0_u8);
        let mut has_parts = true;
        each(text, |part| {
            let found = match part {
                Part::Word(word) => self.find(word),
                Part::Whole { word, is_name } => {
                    has_parts = !(is_query && is_name);
                    match self.find(word) {
                        Found::Unknown if has_parts => Found::Stop,
                        found => found,
                    }
                }
                Part::OfWhole(word) if has_parts => self.find(word),
                Part::OfWhole(_) => Found::Stop,
                Part::Pair { .. } => Found::Unknown,
            };
            match found {
                Found::At(word) if known < MOST_WORDS => {
                    known += 1;
                    TABLE.add(word, &mut sum);
                }
                Found::Unknown if unknown < MOST_UNKNOWN => unknown += 1,
                _ => {}
            }
        });
        let length = sum.iter().map(|component| component * component).sum::<f32>().sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|component| *component /= length);
        }
        (sum, f32::from(known) / f32::from((known + unknown).max(1)))
    }

    /// Of several texts, all of which count the same.
    fn mean(&mut self, texts: &[String; 2]) -> Vector {
        let [one, other] = texts.each_ref().map(|text| self.direction(text, false).0);
        std::array::from_fn(|at| f32::midpoint(one[at], other[at]))
    }
}

/// The vectors of the listed tools of a view, in its order.
#[derive(Debug)]
pub(crate) struct Vectors {
    /// Digests of what the vectors were made from.
    digests: Vec<u64>,
    components: Vec<Vector>,
}

/// The vectors of the list that a ranker read last: where one tool changes, the others' are taken from there. As a key of what is
/// derived from a view, it is equal to itself alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest(Arc<Mutex<Option<Arc<Vectors>>>>);

impl PartialEq for Latest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Latest {
    /// That of a new ranker; `None` if the program has no vectors.
    pub(crate) fn of_table() -> Option<Self> {
        (TABLE.len() > 0).then(Self::default)
    }
}

impl Vectors {
    pub(crate) fn of(view: &View, Latest(latest): &Latest) -> Arc<Self> {
        let latest = || latest.lock().unwrap_or_else(PoisonError::into_inner);
        let before = latest().clone();
        let known: HashMap<u64, &Vector> =
            before.iter().flat_map(|before| before.digests.iter().copied().zip(&before.components)).collect();
        let (mut digests, mut components, mut reader) = (Vec::new(), Vec::new(), Reader::default());
        for tool in view.tools() {
            let texts = of_tool(tool);
            let mut digest = DefaultHasher::new();
            texts.hash(&mut digest);
            digests.push(digest.finish());
            components.push(known.get(&digest.finish()).map_or_else(|| reader.mean(&texts), |known| **known));
        }
        let read = Arc::new(Self { digests, components });
        *latest() = Some(Arc::clone(&read));
        read
    }

    /// How near each tool is to a query, from -1 to 1; `None` if none of its words is known. What is said in unknown words
    /// counts as far from everything.
    pub(crate) fn nearness(&self, query: &str) -> Option<Vec<f32>> {
        let (query, known) = Reader::default().direction(query, true);
        (known > 0.0).then(|| self.components.iter().map(|tool| known * product(&query, tool)).collect())
    }
}

/// What a tool is about, in short and at length: both count the same.
fn of_tool(tool: VisibleTool<'_>) -> [String; 2] {
    let own = tool.tool();
    let description = own.definition().string("description").unwrap_or_default();
    [own.brief(), &description].map(|text| format!("{} {text}", own.upstream_name()))
}

/// Four sums at once: one alone would wait for itself, and a small build has no wider ones.
fn product(one: &Vector, other: &Vector) -> f32 {
    let mut sums = [0.0; 4];
    for (one, other) in one.chunks_exact(4).zip(other.chunks_exact(4)) {
        for at in 0..4 {
            sums[at] += one[at] * other[at];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "vectors")]
    fn the_table_is_sorted_and_has_directions() {
        assert!((1..TABLE.len()).all(|word| TABLE.letters(word - 1) < TABLE.letters(word)));
        assert_eq!(TABLE.find("zzzzzzzz"), None);
        let near = |one: &str, other: &str| {
            product(&Reader::default().direction(one, true).0, &Reader::default().direction(other, false).0)
        };
        assert!(near("remove a folder", "delete directory") > near("remove a folder", "send mail"));
        assert!((near("directory", "directory") - 1.0).abs() < 1e-3);
        assert_eq!(Reader::default().direction("天気 xyzzyq", true), ([0.0; DIMENSIONS], 0.0));
    }
}
