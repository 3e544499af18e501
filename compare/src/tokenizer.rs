//! Counting tokens.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use serde::Serialize;
use tiktoken_rs::CoreBPE;

use crate::{
    basis::Basis,
    vocabulary::{CL100K_BASE, O200K_BASE},
};

/// A tokenizer. All are embedded; none downloads anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::Display, strum::EnumString)]
#[serde(into = "&'static str")]
#[strum(serialize_all = "lowercase")]
pub enum Tokenizer {
    /// The vocabulary of GPT-4o and later models of OpenAI.
    #[default]
    #[strum(to_string = "o200k_base")]
    O200kBase,
    /// The vocabulary of GPT-4 and GPT-3.5.
    #[strum(to_string = "cl100k_base")]
    Cl100kBase,
    /// Delta-MCP's rule: a token is four characters, rounded up for each text.
    #[strum(to_string = "chars/4")]
    FourCharacters,
}

impl Tokenizer {
    /// The names of all tokenizers.
    pub const NAMES: [&'static str; 3] = ["o200k_base", "cl100k_base", "chars/4"];

    /// The basis of its counts: a rule of thumb only estimates.
    pub fn basis(self) -> Basis {
        match self {
            Self::O200kBase | Self::Cl100kBase => Basis::Measured,
            Self::FourCharacters => Basis::Estimated,
        }
    }

    /// Counts the tokens of a text as ordinary text, so that it cannot contain control tokens.
    ///
    /// The first count decodes the vocabulary, which takes 0.2 s.
    pub fn count(self, text: &str) -> u64 {
        let by = |vocabulary: &CoreBPE| vocabulary.encode_ordinary(text).len();
        let tokens = match self {
            Self::O200kBase => by(&O200K_BASE),
            Self::Cl100kBase => by(&CL100K_BASE),
            Self::FourCharacters => text.chars().count().div_ceil(4),
        };
        tokens as u64
    }
}

impl From<Tokenizer> for &'static str {
    fn from(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::O200kBase => "o200k_base",
            Tokenizer::Cl100kBase => "cl100k_base",
            Tokenizer::FourCharacters => "chars/4",
        }
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
        let counted = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counted().get(text).copied();
        known.unwrap_or_else(|| {
            let tokens = self.tokenizer.count(text);
            counted().insert(text.into(), tokens);
            tokens
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_other_programs_do() {
        // The counts of gpt-tokenizer 4 (npm) and tiktoken.
        let text = r#"{"name":"get-sum","description":"Returns the sum of two numbers"}"#;
        for (name, tokens) in [("o200k_base", 16), ("cl100k_base", 15), ("chars/4", 17)] {
            let tokenizer: Tokenizer = name.parse().unwrap();
            assert_eq!((tokenizer.count(text), tokenizer.to_string()), (tokens, name.to_owned()));
        }
        assert_eq!(Tokenizer::O200kBase.count("<|endoftext|>"), 7);
        assert_eq!(Tokenizer::FourCharacters.count("Übung"), 2);
    }

    #[test]
    fn every_name_is_one() {
        assert!(Tokenizer::NAMES.iter().all(|name| name.parse::<Tokenizer>().unwrap().to_string() == *name));
    }
}
