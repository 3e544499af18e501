//! The vocabularies as pairs: each token is two earlier ones, as byte pair encoding found it. In the crate they are text, in
//! base64, and four times as large. The files are made by the test below, with `UPDATE_VOCABULARIES=1`: a build script would
//! compile the crate a second time.

use std::sync::LazyLock;

use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

static O200K_TOKENS: &[u8] = include_bytes!("../vocabularies/o200k_base.pairs");
static CL100K_TOKENS: &[u8] = include_bytes!("../vocabularies/cl100k_base.pairs");

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
    use std::{collections::HashMap, env, fs, path::Path};

    use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

    use super::*;

    #[test]
    fn w2_the_compact_vocabularies_are_the_crate_s() {
        same("o200k_base", O200K_TOKENS, 199_998, &O200K_BASE, o200k_base_singleton());
        same("cl100k_base", CL100K_TOKENS, 100_256, &CL100K_BASE, cl100k_base_singleton());
    }

    fn same(name: &str, packed: &[u8], count: usize, compact: &CoreBPE, whole: &CoreBPE) {
        if env::var_os("UPDATE_VOCABULARIES").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("vocabularies/{name}.pairs"));
            return fs::write(file, pairs(whole)).unwrap();
        }
        assert_eq!((packed, tokens(packed).len()), (pairs(whole).as_slice(), count));
        // Capitals, contractions, digits and scripts are where patterns differ.
        for text in [
            include_str!("../../docs/CONTRACT.md"),
            "I'M SURE they'd've  12345 \u{a0}\r\n\n Übung 東京タワー \t?!\n ",
        ] {
            assert_eq!(compact.encode_ordinary(text), whole.encode_ordinary(text));
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
