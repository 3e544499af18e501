//! The vocabularies, in the compact form that `build.rs` writes.

use std::sync::LazyLock;

use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

static O200K_TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base"));
static CL100K_TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base"));

// Bits of a rank, and of a pair of them.
const RANK: usize = 18;
const PAIR: usize = 2 * RANK;

/// Where texts are cut before tokens are looked for; the crate has it, but not by a name.
const CL100K_BASE_PAT_STR: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
);

/// The tokenizer of o200k_base for ordinary text: it has no control tokens.
pub(crate) static O200K_BASE: LazyLock<CoreBPE> =
    LazyLock::new(|| ordinary(O200K_TOKENS, O200K_BASE_PAT_STR));

/// The tokenizer of cl100k_base, likewise.
pub(crate) static CL100K_BASE: LazyLock<CoreBPE> =
    LazyLock::new(|| ordinary(CL100K_TOKENS, CL100K_BASE_PAT_STR));

fn ordinary(vocabulary: &[u8], pattern: &str) -> CoreBPE {
    let ranks = tokens(vocabulary).into_iter().zip(0..).collect();
    CoreBPE::new(ranks, Default::default(), pattern).expect("the pattern is valid")
}

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
    use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

    use super::*;

    #[test]
    fn w2_the_compact_vocabularies_are_the_crate_s() {
        same(O200K_TOKENS, 199_998, &O200K_BASE, o200k_base_singleton());
        same(CL100K_TOKENS, 100_256, &CL100K_BASE, cl100k_base_singleton());
    }

    fn same(vocabulary: &[u8], count: usize, compact: &CoreBPE, whole: &CoreBPE) {
        let tokens = tokens(vocabulary);
        assert_eq!(tokens.len(), count);
        for (rank, token) in (0..).zip(tokens) {
            assert_eq!(whole.decode_bytes(&[rank]).unwrap(), token, "{rank}");
        }
        // Capitals, contractions, digits and scripts are where patterns differ.
        for text in [
            include_str!("../../docs/CONTRACT.md"),
            "I'M SURE they'd've  12345 \u{a0}\r\n\n Übung 東京タワー \t?!\n ",
        ] {
            assert_eq!(compact.encode_ordinary(text), whole.encode_ordinary(text));
        }
    }
}
