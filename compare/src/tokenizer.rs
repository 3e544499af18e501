//! Counting tokens.

use std::{collections::HashMap, sync::LazyLock};

use parking_lot::Mutex;
use serde::Serialize;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

/// A tokenizer. All are embedded; none downloads anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[serde(into = "&'static str")]
pub enum Tokenizer {
    /// The vocabulary of GPT-4o and later models of OpenAI.
    #[default]
    #[strum(to_string = "o200k_base")]
    O200kBase,
    /// Delta-MCP's rule: a token is four characters, rounded up for each text.
    #[strum(to_string = "chars/4")]
    FourCharacters,
}

impl Tokenizer {
    /// Counts the tokens of a text as ordinary text, so that it cannot contain control tokens.
    ///
    /// The first count decodes the vocabulary, which takes 0.2 s.
    pub fn count(self, text: &str) -> u64 {
        let tokens = match self {
            Self::O200kBase => O200K_BASE.encode_ordinary(text).len(),
            Self::FourCharacters => text.chars().count().div_ceil(4),
        };
        tokens as u64
    }
}

/// A tokenizer with a cache: runs with growing numbers of tools count the same texts repeatedly.
#[derive(Debug)]
pub(crate) struct Counter {
    tokenizer: Tokenizer,
    counted: Mutex<HashMap<Box<str>, u64>>,
}

impl Counter {
    pub(crate) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, counted: Mutex::default() }
    }

    pub(crate) fn count(&self, text: &str) -> u64 {
        let known = self.counted.lock().get(text).copied();
        known.unwrap_or_else(|| {
            let tokens = self.tokenizer.count(text);
            self.counted.lock().insert(text.into(), tokens);
            tokens
        })
    }
}

/// The vocabulary as pairs: each token is two earlier ones, as byte pair encoding found it. In the crate it is text, in
/// base64, and four times as large. The file is made by the test below, with `UPDATE_VOCABULARIES=1`: a build script would
/// compile the crate a second time.
static O200K_TOKENS: &[u8] = include_bytes!("../vocabularies/o200k_base.pairs");

// Bits of a rank, and of a pair of them.
const RANK: usize = 18;
const PAIR: usize = 2 * RANK;

/// The tokenizer for ordinary text: it has no control tokens.
static O200K_BASE: LazyLock<CoreBPE> = LazyLock::new(|| {
    let ranks = tokens(O200K_TOKENS).into_iter().zip(0..).collect();
    CoreBPE::new(ranks, Default::default(), O200K_BASE_PAT_STR).expect("the pattern is valid")
});

/// The tokens in the order of their ranks. After the single bytes, each is a pair of earlier ones, by their ranks.
fn tokens(vocabulary: &[u8]) -> Vec<Vec<u8>> {
    let (single, pairs) = vocabulary.split_at(256);
    let mut tokens: Vec<Vec<u8>> = single.iter().map(|byte| vec![*byte]).collect();
    // Eight bytes beyond the last pair are not part of one.
    for number in 0..(pairs.len() - 8) * 8 / PAIR {
        let at = number * PAIR;
        let word = pairs[at / 8..].first_chunk().expect("eight bytes follow each pair");
        let pair = u64::from_le_bytes(*word) >> (at % 8);
        let part = |shift: usize| &tokens[(pair >> shift) as usize & ((1 << RANK) - 1)];
        let token = [part(0).as_slice(), part(RANK)].concat();
        tokens.push(token);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path};

    use tiktoken_rs::o200k_base_singleton;

    use super::*;

    #[test]
    fn counts_as_other_programs_do() {
        // The counts of gpt-tokenizer 4 (npm) and tiktoken.
        let text = r#"{"name":"get-sum","description":"Returns the sum of two numbers"}"#;
        for (name, tokens) in [("o200k_base", 16), ("chars/4", 17)] {
            let tokenizer: Tokenizer = name.parse().unwrap();
            assert_eq!((tokenizer.count(text), <&str>::from(tokenizer)), (tokens, name));
        }
        assert_eq!(Tokenizer::O200kBase.count("<|endoftext|>"), 7);
        assert_eq!(Tokenizer::FourCharacters.count("Übung"), 2);
    }

    #[test]
    fn w2_the_compact_vocabulary_is_the_crate_s() {
        let whole = o200k_base_singleton();
        if env::var_os("UPDATE_VOCABULARIES").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vocabularies/o200k_base.pairs");
            return fs::write(file, pairs(whole)).unwrap();
        }
        assert_eq!((O200K_TOKENS, tokens(O200K_TOKENS).len()), (pairs(whole).as_slice(), 199_998));
        // Capitals, contractions, digits and scripts are where patterns differ.
        for text in [
            include_str!("../../docs/CONTRACT.md"),
            "I'M SURE they'd've  12345 \u{a0}\r\n\n Übung 東京タワー \t?!\n ",
        ] {
            assert_eq!(O200K_BASE.encode_ordinary(text), whole.encode_ordinary(text));
        }
    }

    /// The 256 single bytes in the order of their ranks, then the ranks of both parts of each other token, the lowest bits
    /// first and without gaps. Eight bytes follow, so that eight can be read wherever a pair begins.
    fn pairs(vocabulary: &CoreBPE) -> Vec<u8> {
        // Ranks are consecutive; the first that is missing is that of a control token.
        let tokens: Vec<Vec<u8>> = (0..).map_while(|rank| vocabulary.decode_bytes(&[rank]).ok()).collect();
        let ranks: HashMap<&[u8], u64> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
        let (single, others) = tokens.split_at(256);
        let mut bytes = single.concat();
        assert_eq!(bytes.len(), 256, "the first tokens are the bytes");
        let (mut pending, mut bits) = (0_u64, 0);
        for (token, rank) in others.iter().zip(256..) {
            let is_earlier = |part: &[u8]| ranks.get(part).copied().filter(|part| *part < rank);
            let pair =
                (1..token.len()).find_map(|at| Some((is_earlier(&token[..at])?, is_earlier(&token[at..])?)));
            let (left, right) = pair.expect("a token is made of two earlier ones");
            pending |= (left | right << RANK) << bits;
            bits += PAIR;
            while bits >= 8 {
                bytes.push(pending.to_le_bytes()[0]);
                pending >>= 8;
                bits -= 8;
            }
        }
        bytes.push(pending.to_le_bytes()[0]);
        bytes.extend([0; 8]);
        bytes
    }
}
