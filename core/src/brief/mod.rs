//! Briefs: the short text by which a model selects a tool, derived if the operator wrote none.
//!
//! The way from a description to a brief, in steps that are a file each:
//!
//! 1. `prose`: the description as sentences, without markup, parameters, examples;
//! 2. `sentence`: what each sentence is about, without its opening;
//! 3. `mark`: what must not be lost, in a few words;
//! 4. `draft` and `shown`: the order of the sentences, the product in front, and all of it fitted into a length;
//! 5. `listed`: what depends on the other tools of a list: no two briefs are equal.
//!
//! The rules are tables of words (`tables`, `verbs`). They are English; where they find nothing, in whatever language,
//! the order of the description is kept.

mod cut;
mod draft;
mod headline;
mod listed;
mod mark;
mod product;
mod prose;
mod sentence;
mod shown;
mod tables;
mod verbs;

pub(crate) use draft::Draft;
pub(crate) use headline::name_words;
pub(crate) use listed::{Briefs, listed};
pub use product::Product;
pub(crate) use verbs::{Verb, is_verb_in_names, is_verb_only};

use crate::cap::Cap;

/// The maximum length of a derived brief.
pub const LONGEST: Cap = Cap::characters(160);

/// The maximum length of a brief in lists of names and short texts (delta-mcp "The 60-character description cap").
pub const SHORT: Cap = Cap::utf16(60);

/// What a brief is derived from.
///
/// ```
/// use mcp_disclosure_core::brief::{LONGEST, SHORT, Source};
/// let tool = Source {
///     name: "remove_repo",
///     description: "⚠️ Requires confirmation. This tool allows you to delete a repository, e.g. one of a team. Args: id",
///     ..Source::default()
/// };
/// assert_eq!(tool.brief(LONGEST), "Delete a repository, e.g. one of a team. [requires confirmation]");
/// assert_eq!(tool.brief(SHORT), "Delete a repository, e.g. one… [requires confirmation]");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    /// The upstream's name of the tool.
    pub name: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its description.
    pub description: &'a str,
    /// The product that it belongs to.
    pub product: Option<&'a Product>,
}

impl Source<'_> {
    /// The brief within a length. Never empty.
    pub fn brief(&self, cap: Cap) -> String {
        Draft::of(self).within(cap)
    }
}

/// Cuts text to at most `longest` characters, as [`Cap::shorten`] does.
pub fn shorten(text: &str, longest: usize) -> String {
    Cap::characters(longest).shorten(text)
}

/// A text as it was written, trimmed, if it is one line of information within a length.
pub(crate) fn as_written(text: &str, cap: Cap) -> Option<&str> {
    let line = text.trim();
    (cap.holds(line) && !line.contains(['\n', '\r']) && prose::is_informative(line)).then_some(line)
}

/// The first sentence of a text that says what something is or does, for the description of a category.
pub(crate) fn first_statement(text: &str) -> Option<String> {
    let sentences = prose::Prose::of(text).sentences;
    let mut sentences = sentences.iter().flat_map(|written| sentence::Sentence::all(written));
    // Fewer words are a heading.
    let says = |sentence: &sentence::Sentence| {
        sentence.about < sentence::About::Advice && sentence.text.split_whitespace().count() > 4
    };
    sentences.find(says).map(|sentence| sentence.without_colon().text)
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
