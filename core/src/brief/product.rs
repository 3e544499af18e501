//! The product that a tool belongs to: the title of its upstream, tidied.

use std::collections::HashMap;

use super::headline::name_words;
use super::{prose::capitalized, sentence, tables::SERVER_WORDS, verbs::is_same};
use crate::cap::Cap;

/// The longest title in front of a brief.
const LONGEST: Cap = Cap::characters(40);

/// The longest title in front of a short brief.
const SHORT: Cap = Cap::utf16(20);

/// A product, as its upstream is titled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    title: String,
    short: String,
    /// Its significant words, in lower case.
    words: Vec<String>,
    /// Whether it is the name of a package, which can have its author's name in it.
    is_package: bool,
}

impl Product {
    /// The product of an upstream: the `title` of its `serverInfo`, or else its `name` if that has capitals, or else the
    /// name that the operator gave it, or else the `name` of its `serverInfo`. `None` if these say no more than that it is a server.
    pub fn of(title: Option<&str>, given: Option<&str>, name: Option<&str>) -> Option<Self> {
        // A name with capitals is a title.
        let titled = name.filter(|name| name.chars().any(char::is_uppercase));
        let said = [title, titled, given].into_iter().flatten().find_map(Self::tidied);
        said.or_else(|| Self::tidied(name?).map(|product| Self { is_package: true, ..product }))
    }

    /// The words of a title without those that say that it is a server's.
    ///
    /// ```
    /// # use mcp_disclosure_core::brief::Product;
    /// let tidied = |title| Product::of(Some(title), None, None).map(|product| product.title().to_owned());
    /// assert_eq!(tidied("GitLab MCP Server").as_deref(), Some("GitLab"));
    /// assert_eq!(tidied("secure-filesystem-server").as_deref(), Some("Filesystem"));
    /// assert_eq!(tidied("@scope/mcp-server-x").as_deref(), Some("X"));
    /// assert_eq!(tidied("MCP server"), None);
    /// ```
    fn tidied(title: &str) -> Option<Self> {
        let last = title.trim().rsplit('/').find(|part| !part.trim().is_empty())?;
        let is_slug = !last.contains(char::is_whitespace);
        let separates = |letter: char| {
            letter.is_whitespace() || letter.is_control() || (is_slug && "-_.".contains(letter))
        };
        let is_title_word = |word: &&str| {
            let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
            let is_version =
                bare.trim_start_matches('v').chars().all(|letter| letter.is_ascii_digit() || letter == '.');
            !bare.is_empty() && !SERVER_WORDS.contains(&&*bare) && !is_version
        };
        let words: Vec<&str> = last.split(separates).filter(is_title_word).collect();
        let words: Vec<String> = words
            .into_iter()
            .map(|word| {
                word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '+' && letter != '#')
            })
            .map(
                |word| if word.chars().any(char::is_uppercase) { word.to_owned() } else { capitalized(word) },
            )
            .collect();
        let (title, short) = (fitting(&words, LONGEST)?, fitting(&words, SHORT)?);
        let words = words
            .iter()
            .map(|word| word.to_lowercase())
            .filter(|word| word.chars().count() > 1 || words.len() == 1);
        Some(Self { title, short, words: words.collect(), is_package: false })
    }

    /// The same with the capitals that the descriptions of its tools write its words with (`gitlab` is "GitLab" there),
    /// and of a package's name only the words that they have, if they have any.
    pub(crate) fn spelled_as_in(self, texts: impl Iterator<Item = String>) -> Self {
        let mut spellings: HashMap<String, HashMap<String, usize>> = HashMap::new();
        for text in texts {
            for word in text.split(|letter: char| !letter.is_alphanumeric()) {
                if let Some(own) = self.words.iter().find(|own| **own == word.to_lowercase()) {
                    *spellings.entry(own.clone()).or_default().entry(word.to_owned()).or_default() += 1;
                }
            }
        }
        let is_known = |word: &&str| {
            !self.is_package || spellings.is_empty() || spellings.contains_key(&word.to_lowercase())
        };
        let spelled = |word: &str| {
            let has_capitals = |text: &str| text.chars().skip(1).any(char::is_uppercase);
            let known = spellings.get(&word.to_lowercase()).into_iter().flatten();
            let most = known
                .filter(|(spelling, _)| has_capitals(spelling))
                .max_by(|one, other| one.1.cmp(other.1).then_with(|| other.0.cmp(one.0)));
            // A title that has capitals within is as its upstream wants it.
            most.filter(|_| !has_capitals(word))
                .map_or_else(|| word.to_owned(), |(spelling, _)| spelling.clone())
        };
        let words: Vec<String> = self.title.split(' ').filter(is_known).map(spelled).collect();
        match (fitting(&words, LONGEST), fitting(&words, SHORT)) {
            (Some(title), Some(short)) => Self { title, short, ..self },
            _ => self,
        }
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The title for a list with this cap.
    pub(super) fn within(&self, cap: Cap) -> &str {
        if cap.most() < super::LONGEST.most() { &self.short } else { &self.title }
    }

    /// Whether a word is part of a word of the title, as `file` is of "Filesystem".
    pub(super) fn has_in_it(&self, word: &str) -> bool {
        self.words.iter().any(|own| own.contains(word))
    }

    /// Whether a name or text says that it is of this product: by one of the title's words, or by all of them as one.
    pub(crate) fn is_named_in(&self, name: &str, text: &str) -> bool {
        let said: Vec<String> = name_words(name)
            .into_iter()
            .chain(sentence::words(text).flat_map(|word| {
                let parts: Vec<String> = name_words(&word);
                parts.into_iter().chain([word])
            }))
            .collect();
        let joined = self.words.concat();
        let pairs =
            said.windows(2).any(|pair| pair.concat() == joined || self.words.contains(&pair.concat()));
        pairs || said.iter().any(|word| *word == joined || self.words.iter().any(|own| is_same(own, word)))
    }
}

/// As many of the words as fit.
fn fitting(words: &[String], cap: Cap) -> Option<String> {
    let longest =
        (1..=words.len()).rev().map(|count| words[..count].join(" ")).find(|title| cap.holds(title));
    longest.or_else(|| Some(cap.shorten(words.first()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_titles_are_tidied() {
        for (title, tidied) in [
            ("GitLab MCP Server", Some("GitLab")),
            ("secure-filesystem-server", Some("Filesystem")),
            ("@scope/mcp-server-x", Some("X")),
            ("mcp-server-git", Some("Git")),
            ("mcp-servers/everything", Some("Everything")),
            ("Everything Reference Server", Some("Everything")),
            ("Chrome DevTools MCP server", Some("Chrome DevTools")),
            ("Notion API", Some("Notion")),
            ("awslabs.iam-mcp-server", Some("Awslabs Iam")),
            ("Azure MCP Server v1.0.2", Some("Azure")),
            ("天気サーバー", Some("天気サーバー")),
            ("mcp_server", None),
            ("rmcp", None),
            (" ", None),
            ("MCP", None),
        ] {
            let product = Product::of(Some(title), None, None);
            assert_eq!(product.as_ref().map(Product::title), tidied, "{title}");
        }
        let product = Product::of(None, Some("kit"), Some("other")).unwrap();
        assert_eq!(product.title(), "Kit");
        let product = Product::of(None, Some("one"), Some("Playwright")).unwrap();
        assert_eq!(product.title(), "Playwright");
    }

    #[test]
    fn b2_a_product_is_named_by_any_of_its_words() {
        for (title, name, text, named) in [
            ("GitLab", "gitlab_issues", "Lists issues.", true),
            ("GitLab", "issues", "Lists GitLab's issues.", true),
            ("GitLab", "issues", "Lists issues of git labels.", false),
            ("Filesystem", "read", "Reads from the file system.", true),
            ("Filesystem", "read_file", "Reads a file.", false),
            ("Chrome DevTools", "click", "Clicks in Chrome.", true),
            ("Time", "times", "Lists zones.", true),
            ("Git", "digit", "Prints digits.", false),
        ] {
            let product = Product::of(Some(title), None, None).unwrap();
            assert_eq!(product.is_named_in(name, text), named, "{title} in {name}: {text}");
        }
    }
}
