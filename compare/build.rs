//! Writes the vocabularies as pairs: each token is two earlier ones, as byte pair encoding found it. In the crate they are
//! text, in base64, and four times as large.

use std::{collections::HashMap, env, fs, path::Path};

use tiktoken_rs::{CoreBPE, cl100k_base, o200k_base};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    let write = |name: &str, vocabulary: CoreBPE| {
        fs::write(Path::new(&folder).join(name), pairs(&vocabulary)).expect("cargo made the folder");
    };
    write("o200k_base", o200k_base().expect("the crate's own vocabulary is valid"));
    write("cl100k_base", cl100k_base().expect("the crate's own vocabulary is valid"));
}

/// The 256 single bytes in the order of their ranks, then the ranks of both parts of each other token: 18 bits each, the lowest
/// first, without gaps. Eight bytes follow, so that eight can be read wherever a pair begins.
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
        pending |= (left | right << 18) << bits;
        bits += 36;
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
