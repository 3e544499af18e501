//! Writes the canonical form of the JSON text on its standard input, as the portable suite asks for: see
//! `tests/portable/adapter.mjs`.

#![allow(clippy::unwrap_used, reason = "a program of the tests, whose failure is its message")]

use std::io::{Read, Write};

use mcp_disclosure_core::digest::canonical;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let Some(form) = canonical(&text) else { panic!("{text} has no canonical form") };
    std::io::stdout().write_all(&form).unwrap();
}
