//! Writes the vocabulary of o200k_base as bytes: in the crate it is text, in base64, and more than twice as large.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let vocabulary = tiktoken_rs::o200k_base().expect("the crate's own vocabulary is valid");
    let mut bytes = Vec::new();
    // Ranks are consecutive; the first that is missing is that of a control token.
    for token in (0..).map_while(|rank| vocabulary.decode_bytes(&[rank]).ok()) {
        bytes.push(u8::try_from(token.len()).expect("tokens have at most 128 bytes"));
        bytes.extend(token);
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&folder).join("o200k_base"), bytes).expect("cargo made the folder");
}
