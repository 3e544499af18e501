//! One sentence of a description: what it is about, and what it must not be left out for.

use super::{
    cut::without_connectives,
    mark::Mark,
    prose::capitalized,
    tables::{ADVICE, DANGER_SIGNS, ENGLISH, HOW, LABELS, OPENINGS, ORDERS, PREDICATES, RETURNS, SUBJECTS},
    verbs::{Verb, is_verb_only},
};

/// What a sentence is about. The order is that in which sentences are shown after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// What the tool does: a verb with an object in front.
    Does,
    /// What comes back.
    Returns,
    /// Anything else about the tool.
    Plain,
    /// When to use it, or how good it is.
    Advice,
    /// What must be heeded.
    Warning,
}

/// A sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// Without decoration and openings.
    pub(super) text: String,
    pub(super) about: About,
    /// Whether it has a verb with an object in front, whatever it is about.
    pub(super) does: bool,
    /// Whether it does so in a statement: an order, which has its verb in the base form, may be about another tool.
    pub(super) states: bool,
    /// The marks that stand for it where it is not shown.
    pub(super) marks: Vec<Mark>,
    /// The marks that stand for what its text has lost, so that they are shown beside it.
    pub(super) unsaid: Vec<Mark>,
}

impl Sentence {
    /// A sentence as it was written; several if parts of it are about different things.
    pub(super) fn all(written: &str) -> Vec<Self> {
        let (body, danger) = undecorated(written);
        for dash in [" - ", " – ", " — ", "! "] {
            if let Some((before, after)) = body.split_once(dash).filter(|(before, _)| is_announcement(before))
            {
                let mut both = Self::all(before);
                both.extend(Self::all(after));
                return both;
            }
        }
        vec![Self::new(body, danger)]
    }

    fn new(body: &str, mut danger: bool) -> Self {
        let mut warns = danger;
        let mut text = body;
        let mut labels = Vec::new();
        let mut labelled = Vec::new();
        while let Some((label, is_danger, rest)) = label(text) {
            warns |= !STATES.contains(&&*label);
            danger |= is_danger;
            labelled.extend(Mark::all(&text[..text.len() - rest.len()], true));
            labels.push(label);
            text = rest;
        }
        let lower = text.to_lowercase();
        let goes = Mark::all(text, false).iter().any(|mark| matches!(mark, Mark::Deprecated(_)));
        let orders = ORDERS.iter().any(|opening| lower.starts_with(opening)) || has_deprecation_only(&lower);
        let advises = ADVICE.iter().any(|opening| lower.starts_with(opening));
        let opened = without_openings(text);
        let is_opened = opened.len() < text.len();
        let opening = text[..text.len() - opened.len()].to_lowercase();
        let is_conditional = [" when", " if ", " whenever"].iter().any(|word| opening.contains(word));
        let about = match about(opened) {
            _ if is_announcement(text)
                || warns
                || text.is_empty()
                || (goes && !does(opened))
                || (orders && !advises && !is_opened) =>
            {
                About::Warning
            }
            _ if is_conditional || (advises && !is_opened) => About::Advice,
            about => about,
        };
        let does = (about != About::Warning || warns)
            && does(opened)
            && !(is_announcement(text) || orders || (advises && !is_opened));
        let states = does && (is_opened || is_third_person(opened));
        let mut marks = Mark::all(text, about >= About::Advice || warns);
        let said = marks.len();
        for label in &labels {
            let mark = match &**label {
                "unsafe" | "danger" | "dangerous" => Mark::Unsafe(None),
                "destructive" => Mark::Destructive,
                "cost warning" => Mark::Costs,
                "experimental" => Mark::Experimental,
                "deprecated" => Mark::Deprecated(None),
                _ => continue,
            };
            if !marks.iter().chain(&labelled).any(|own| own.is_like(&mark)) {
                labelled.push(mark);
            }
        }
        marks.extend(labelled);
        if danger && marks.is_empty() {
            marks.push(Mark::Caution);
        }
        let unsaid = if does { marks[said..].to_vec() } else { Vec::new() };
        Self { text: capitalized(opened), about, does, states, marks, unsaid }
    }

    /// Tools in its marks get the names that a description has for them.
    pub(super) fn name_in(&mut self, description: &str) {
        self.marks.iter_mut().for_each(|mark| mark.name_in(description));
    }

    /// The same where it announced a list, which does not follow.
    pub(super) fn without_colon(self) -> Self {
        match self.text.strip_suffix([':', '：']) {
            Some(text) => Self { text: without_connectives(text).to_owned(), ..self },
            None => self,
        }
    }

    /// Whether it says nothing beside its marks, so that it is never shown.
    pub(super) fn is_only_marks(&self) -> bool {
        let is_said = |mark: &Mark| !matches!(mark, Mark::Caution);
        let is_mark = !self.marks.is_empty() && self.marks.iter().all(is_said);
        self.about == About::Warning && (is_mark || is_announcement(&self.text))
    }

    /// Whether it says that the tool is deprecated, and not what to use.
    pub(super) fn lacks_replacement(&self) -> bool {
        self.marks.contains(&Mark::Deprecated(None))
    }

    /// Whether it says how the tool works, by a verb in front.
    pub(super) fn tells_how(&self) -> bool {
        leading_word(&self.text).is_some_and(|first| HOW.contains(&&*first))
    }

    /// Whether it only calls for attention, in whatever language: a few words with `!`, or after a word and a colon.
    pub(super) fn is_call(&self) -> bool {
        let few = self.text.split_whitespace().count() <= CALL && self.about == About::Plain;
        let announces = |word: &str| word.ends_with([':', '!']);
        let mut words = self.text.split_whitespace();
        let goes_on = self.text.split_whitespace().count() > 1;
        few && (self.text.ends_with('!') || (goes_on && words.next().is_some_and(announces)))
    }

    /// Whether a noun stands in front where a verb is expected: an English sentence that names the tool.
    pub(super) fn is_noun_phrase(&self) -> bool {
        self.about == About::Plain && is_english(&self.text) && !has_verb(&self.text)
    }
}

/// The words of a text in lower case, without punctuation at their edges.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let plain = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    text.split(|letter: char| letter.is_whitespace() || letter == '/' || letter == '|')
        .map(plain)
        .filter(|word| !word.is_empty())
}

/// The sentence without signs and emphasis in front, and whether one of them says that there is a danger.
fn undecorated(written: &str) -> (&str, bool) {
    let is_sign = |letter: char| {
        !letter.is_alphanumeric()
            && !matches!(
                letter,
                '"' | '\'' | '`' | '(' | '[' | '{' | '<' | '$' | '@' | '.' | '“' | '«' | '「'
            )
    };
    let body = written.trim_start_matches(is_sign);
    let danger = written[..written.len() - body.len()].contains(DANGER_SIGNS);
    (
        body.trim_end_matches(|letter: char| {
            letter.is_whitespace() || DANGER_SIGNS.contains(&letter) || letter == '\u{fe0f}'
        }),
        danger,
    )
}

/// Labels that say how the tool is, and not that the sentence warns.
const STATES: &[&str] = &["experimental", "deprecated"];

/// A label before a sentence, in lower case, whether it says that there is a danger, and the rest. In square brackets,
/// or where it is about a danger, it can be all of the sentence.
fn label(text: &str) -> Option<(String, bool, &str)> {
    let bracketed = text.strip_prefix('[').and_then(|inner| inner.find(']')).map(|at| at + 1);
    let ends = |letter: char| ":!])-–—.".contains(letter);
    let first = || text.char_indices().take(32).find(|(_, letter)| ends(*letter)).map(|(at, _)| at);
    let end = bracketed.filter(|at| *at < LONGEST_LABEL).or_else(first).unwrap_or(text.len());
    let name = text[..end].trim_start_matches(['[', '(']).split(':').next()?.trim().to_lowercase();
    let (_, danger) = LABELS.iter().find(|(label, _)| *label == name)?;
    let rest = text[end..]
        .trim_start_matches(|letter: char| !letter.is_alphanumeric() && !"`'\"([".contains(letter));
    let is_all = !rest.chars().any(char::is_alphanumeric);
    let is_bracketed = text.starts_with(['[', '(']);
    // "DEPRECATED: use that" is a sentence about itself.
    let is_state = STATES.contains(&&*name) && (is_all || !(is_bracketed || is_third_person(rest)));
    (!is_state && (!is_all || is_bracketed || *danger)).then_some((name, *danger, rest))
}

/// The most words of a sentence that only calls for attention.
const CALL: usize = 4;

/// The longest label in square brackets, in bytes.
const LONGEST_LABEL: usize = 80;

/// Whether a text says no more than how important it is: `ESSENTIAL DEBUGGING TOOL`.
fn is_announcement(text: &str) -> bool {
    let letters = || text.chars().filter(|letter| letter.is_alphabetic());
    let is_loud =
        letters().count() > 6 && letters().all(char::is_uppercase) && text.split_whitespace().count() >= 2;
    is_loud && words(text).next().is_none_or(|first| Verb::of(&first).is_none())
}

fn has_deprecation_only(lower: &str) -> bool {
    super::tables::DEPRECATED.iter().any(|word| {
        let rest = lower.trim_start_matches(['[', '(', '@']).strip_prefix(word);
        rest.is_some_and(|rest| {
            let rest = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
            rest.is_empty()
                || ["use", "please", "in favo", "since", "as of", "see", "and ", "replaced", "prefer"]
                    .iter()
                    .any(|next| rest.starts_with(next))
        })
    })
}

/// The sentence from where it says what the tool does.
pub(super) fn without_openings(text: &str) -> &str {
    let mut rest = text;
    // Each turn drops something.
    while let Some(shorter) = without_opening(rest) {
        rest = shorter;
    }
    rest
}

fn without_opening(text: &str) -> Option<&str> {
    let after = |opening: &str| {
        let head = text.get(..opening.len())?;
        let rest = &text[opening.len()..];
        let is_whole = head.eq_ignore_ascii_case(opening) && rest.starts_with([' ', ',', ':']);
        is_whole
            .then(|| rest.trim_start_matches([' ', ',', ':']))
            .filter(|rest| rest.chars().any(char::is_alphanumeric))
    };
    if let Some(rest) = longest(OPENINGS.iter().filter_map(|opening| after(opening))) {
        return Some(rest);
    }
    let (subject, is_bare) = SUBJECTS.iter().find(|(subject, _)| after(subject).is_some())?;
    let rest = after(subject)?;
    let predicate = |predicate: &&'static str| {
        let head = rest.get(..predicate.len())?;
        let tail = &rest[predicate.len()..];
        let is_whole = head.eq_ignore_ascii_case(predicate) && tail.starts_with(' ');
        is_whole
            .then(|| tail.trim_start())
            .filter(|tail| tail.chars().any(char::is_alphanumeric) && !tail.starts_with("be "))
    };
    if let Some(tail) = longest(PREDICATES.iter().filter_map(predicate)) {
        return Some(tail);
    }
    let first = words(rest).find(|word| !is_adverb(word))?;
    // "This" alone can be followed by a noun, and what it needs is no effect.
    let is_known = Verb::of(&first).is_some() && !HOW.contains(&&*first);
    let is_verb = if *subject == "this" {
        is_known && first.ends_with('s')
    } else {
        Verb::of(&first).is_some() || first.ends_with('s') && is_effect(&first)
    };
    (*is_bare && is_verb).then_some(rest)
}

fn is_effect(word: &str) -> bool {
    !matches!(word, "is" | "has" | "was" | "results" | "results'")
}

/// The rest after the longest opening.
fn longest<'t>(rests: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    rests.min_by_key(|rest| rest.len())
}

fn about(text: &str) -> About {
    let Some(first) = leading_word(text) else { return About::Plain };
    if RETURNS.contains(&&*first) {
        return About::Returns;
    }
    if does(text) { About::Does } else { About::Plain }
}

/// Whether a sentence begins with a verb that says what the tool does, followed by something.
fn does(text: &str) -> bool {
    let Some(first) = leading_word(text) else { return false };
    !HOW.contains(&&*first)
        && !RETURNS.contains(&&*first)
        && Verb::of(&first).is_some()
        && words(text).nth(1).is_some()
}

/// Whether its verb is in the third person: `Deletes`.
fn is_third_person(text: &str) -> bool {
    leading_word(text).is_some_and(|first| first.ends_with('s') && !is_verb_only(&first))
}

/// The first word that is no adverb, after a service's name and a separator (`Notion | Retrieve a user`).
fn leading_word(text: &str) -> Option<String> {
    let separated = [" | ", ": ", " - ", " – ", " — "].iter().find_map(|separator| {
        let (before, after) = text.split_once(separator)?;
        (before.split_whitespace().count() <= 3).then_some(after)
    });
    let first = |text: &str| words(text).find(|word| !is_adverb(word));
    let own = first(text)?;
    match separated.and_then(first) {
        Some(after) if Verb::of(&own).is_none() && Verb::of(&after).is_some() => Some(after),
        _ => Some(own),
    }
}

fn is_adverb(word: &str) -> bool {
    (word.len() > 4 && word.ends_with("ly") && Verb::of(word).is_none())
        || word == "batch"
        || word == "bulk"
        || word == "simply"
}

fn is_english(text: &str) -> bool {
    text.is_ascii() && (words(text).any(|word| ENGLISH.contains(&&*word)) || words(text).count() <= 3)
}

/// Whether a verb may stand somewhere in an English sentence after its first word.
fn has_verb(text: &str) -> bool {
    words(text).skip(1).any(|word| {
        matches!(&*word, "is" | "are" | "was" | "can" | "will" | "be" | "has")
            || (word.ends_with('s') && Verb::of(&word).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_sentences_are_known_by_what_they_are_about() {
        for (written, about, text) in [
            ("This tool allows you to search docs.", About::Does, "Search docs."),
            ("Use this tool to find Node.js packages.", About::Does, "Find Node.js packages."),
            ("This tool reads files.", About::Does, "Reads files."),
            ("This tool is used for getting the weather.", About::Does, "Getting the weather."),
            ("Recursively search for files.", About::Does, "Recursively search for files."),
            ("Notion | Retrieve a user", About::Does, "Notion | Retrieve a user"),
            ("Returns the sum of two numbers", About::Returns, "Returns the sum of two numbers"),
            ("Use this tool when you need to read mail.", About::Advice, "Read mail."),
            ("Useful for inspecting request headers", About::Does, "Inspecting request headers"),
            ("Handles various text encodings.", About::Plain, "Handles various text encodings."),
            (
                "Always use this tool if the user asks for logs.",
                About::Advice,
                "Always use this tool if the user asks for logs.",
            ),
            ("Use this whenever tables don't load.", About::Advice, "Use this whenever tables don't load."),
            (
                "If a dialog was opened, use this command.",
                About::Advice,
                "If a dialog was opened, use this command.",
            ),
            ("You MUST call get_context first.", About::Warning, "You MUST call get_context first."),
            ("⚠️ Requires confirmation.", About::Warning, "Requires confirmation."),
            ("DEPRECATED.", About::Warning, "DEPRECATED."),
            ("⚠️ Deletes all files.", About::Warning, "Deletes all files."),
            ("WARNING: slow.", About::Warning, "Slow."),
            ("天気を取得します。", About::Plain, "天気を取得します。"),
            ("Echo Tool", About::Does, "Echo Tool"),
        ] {
            let sentence = &Sentence::all(written)[0];
            assert_eq!((sentence.about, &*sentence.text), (about, text), "{written}");
        }
        let both = Sentence::all("ESSENTIAL DEBUGGING TOOL - Use this whenever tables don't load.");
        assert_eq!((both.len(), both[1].about), (2, About::Advice));
    }
}
