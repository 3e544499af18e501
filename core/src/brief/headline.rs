//! Names and titles as texts: what leads where no sentence says what a tool does.

use super::{
    prose::{capitalized, is_informative},
    sentence,
    verbs::{Verb, is_verb_only},
};

/// What a tool's name and title say.
#[derive(Debug)]
pub(super) struct Headline {
    /// The title, or else the spoken name.
    pub(super) text: String,
    /// The words of the name, in lower case.
    pub(super) words: Vec<String>,
}

impl Headline {
    pub(super) fn of(name: &str, title: Option<&str>) -> Self {
        let words = name_words(name);
        let spoken = spoken(name);
        let title = title.map(bare_title).filter(|title| is_informative(title));
        // A title of one word ("Click") says less than a name of several.
        let title = title.filter(|title| title.split_whitespace().count() >= 2.min(words.len()));
        Self { text: title.unwrap_or(spoken), words }
    }

    /// The verb of the name, else of the title.
    pub(super) fn verb(&self) -> Option<Verb> {
        let in_name = || self.words.iter().filter_map(|word| Verb::of(word));
        // A name such as `list_update_history` reads, and `issue_update` does not.
        let first = self.words.first().and_then(|word| Verb::of(word));
        let last = self.words.last().and_then(|word| Verb::of(word));
        first.or(last).or_else(|| in_name().next()).or_else(|| Verb::of(&sentence::words(&self.text).next()?))
    }

    /// Whether its text says what the tool does.
    pub(super) fn has_verb_and_object(&self) -> bool {
        let mut words = sentence::words(&self.text);
        words.next().is_some_and(|first| Verb::of(&first).is_some()) && words.next().is_some()
    }
}

/// A title without what says only that it is one of a tool.
fn bare_title(title: &str) -> String {
    let title = title.split('(').next().unwrap_or(title).trim();
    let title = title.strip_suffix(" Tool").or_else(|| title.strip_suffix(" tool")).unwrap_or(title);
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a name in lower case: `getHTTPUser_v2` is `get`, `http`, `user`, `v2`.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let is_upper_after_lower = letter.is_uppercase()
            && before.is_some_and(|before| before.is_lowercase() || before.is_numeric());
        let ends_acronym = letter.is_uppercase()
            && before.is_some_and(char::is_uppercase)
            && after.is_some_and(|after| {
                after.is_lowercase() && letters.get(at + 2).is_some_and(|next| next.is_lowercase())
            });
        if is_upper_after_lower || ends_acronym || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `get_data` and `getData` become "Get data", and `issue_delete` "Delete issue".
pub(super) fn spoken(name: &str) -> String {
    let mut words = name_words(name);
    let verb = words.iter().position(|word| Verb::of(word).is_some()).filter(|at| *at == 0);
    if let Some(at) = verb.or_else(|| words.iter().position(|word| is_verb_only(word))) {
        words[..=at].rotate_right(1);
    }
    let spoken = capitalized(&words.join(" "));
    if spoken.is_empty() { name.to_owned() } else { spoken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spoken() {
        for (name, text) in [
            ("get_data", "Get data"),
            ("browser_takeScreenshot", "Take browser screenshot"),
            ("network_request", "Network request"),
            ("getHTTPUser", "Get http user"),
            ("listPDFs", "List pdfs"),
            ("fileshares_snapshot_create", "Create fileshares snapshot"),
            ("___", "___"),
            ("获取天气", "获取天气"),
        ] {
            assert_eq!(spoken(name), text, "{name}");
        }
        let title = |name, title| Headline::of(name, Some(title)).text;
        assert_eq!(title("get-env", "Print Environment Tool"), "Print Environment");
        assert_eq!(title("read_file", "Read File (Deprecated)"), "Read File");
        assert_eq!(title("browser_click", "Click"), "Click browser");
    }
}
