//! What of a draft is shown within a length, and the marks for what is not.

use std::collections::HashSet;

use super::{
    draft::Draft,
    headline::name_words,
    mark::Mark,
    sentence::words,
    tables::{CONNECTIVES, SAYS_DESTRUCTIVE},
    verbs::is_same,
};
use crate::cap::{Cap, ELLIPSIS};

/// The brief of a tool without any text.
const UNNAMED: &str = "Unnamed tool";

/// The least room for what a tool does beside its product, in the unit of the cap.
const LEAST: usize = 16;

/// The text of a brief, and the marks that it lacks.
pub(super) struct Shown {
    text: String,
    missing: Vec<Mark>,
}

impl Shown {
    /// A brief with a product in front, and with all marks of what it does not show.
    pub(super) fn of(draft: &Draft, front: Option<&str>, product: Option<&str>, cap: Cap) -> String {
        let mut marks = draft.marks.clone();
        // Marks take room from the text, so that more marks may be missing.
        loop {
            let label = label(&mut marks, cap);
            let around = cap.length(&label) + usize::from(!label.is_empty());
            // Without a word of text a product is of no use.
            let leaves_room = |product: &String| cap.less(cap.length(product) + around).most() >= LEAST;
            let product = product.map(|product| format!("{product}: ")).filter(leaves_room);
            let product = product.unwrap_or_default();
            let taken = cap.length(&product) + cap.length(&label) + usize::from(!label.is_empty());
            let shown = Self::fit(draft, front, cap.less(taken));
            let missing: Vec<Mark> = shown.missing.into_iter().filter(|mark| !is_in(&marks, mark)).collect();
            if missing.is_empty() {
                let said = |mark: &Mark| is_said(mark, &shown.text, &draft.name);
                let label = if marks.iter().any(said) {
                    marks.retain(|mark| !said(mark));
                    self::label(&mut marks, cap)
                } else {
                    label
                };
                let text = format!("{product}{} {label}", shown.text);
                return text.trim_end().to_owned();
            }
            marks.extend(missing);
        }
    }

    fn fit(draft: &Draft, front: Option<&str>, cap: Cap) -> Self {
        let (mut text, is_whole) = draft.what(front, cap);
        if text.trim_end_matches(ELLIPSIS).trim().is_empty() {
            text = cap.shorten(UNNAMED);
        }
        let mut missing = Vec::new();
        if is_whole {
            missing.extend(draft.lead.iter().flat_map(|lead| lead.unsaid.clone()));
        } else {
            missing.extend(draft.lead.iter().flat_map(|lead| lead.marks.clone()));
        }
        for sentence in &draft.rest {
            let more = joined(&text, &sentence.text);
            if is_whole && cap.holds(&more) && says_more(&text, &sentence.text) {
                text = more;
            } else {
                missing.extend(sentence.marks.clone());
            }
        }
        if draft.is_destructive && missing.is_empty() && draft.marks.is_empty() {
            missing.push(Mark::Destructive);
        }
        missing.retain(|mark| !is_said(mark, &text, &draft.name));
        Self { text, missing }
    }
}

/// Whether a sentence is one, and says more than a text does already.
fn says_more(text: &str, sentence: &str) -> bool {
    let stem = |word: String| word.chars().take(5).collect::<String>();
    let said: HashSet<String> = words(text).map(stem).collect();
    let content = words(sentence).filter(|word| !CONNECTIVES.contains(&&**word)).map(stem);
    let (old, new): (Vec<_>, Vec<_>) = content.partition(|stem| said.contains(stem));
    let is_unspaced = new.len() == 1 && old.is_empty() && !sentence.is_ascii();
    !sentence.ends_with([':', '：']) && (is_unspaced || (old.len() + new.len() > 1 && new.len() >= old.len()))
}

/// Two sentences as one text.
fn joined(text: &str, sentence: &str) -> String {
    let ends = text.ends_with(|last: char| last.is_ascii_punctuation() || "。！？।؟۔｡".contains(last));
    let separator = if ends { " " } else { ". " };
    format!("{text}{separator}{sentence}")
}

/// Whether a text, or the name beside it, says what a mark says.
fn is_said(mark: &Mark, text: &str, name: &str) -> bool {
    let says = |table: &[&str]| {
        let mut said = words(text).chain(name_words(name));
        said.any(|word| table.iter().any(|own| is_same(own, &word)))
    };
    match mark {
        Mark::Destructive | Mark::Caution => says(SAYS_DESTRUCTIVE),
        Mark::Irreversible => says(&["irreversible", "irreversibly", "permanently", "undone"]),
        _ => false,
    }
}

/// Whether marks say what another mark says.
fn is_in(marks: &[Mark], mark: &Mark) -> bool {
    let has = |wanted: fn(&Mark) -> bool| marks.iter().any(wanted);
    match mark {
        Mark::Deprecated(None) => has(|mark| matches!(mark, Mark::Deprecated(_))),
        Mark::Unsafe(None) => has(|mark| matches!(mark, Mark::Unsafe(_))),
        Mark::Destructive => has(|mark| matches!(mark, Mark::Destructive | Mark::Irreversible)),
        Mark::Caution => !marks.is_empty(),
        mark => marks.contains(mark),
    }
}

/// Marks as a text of at most half of the length where shorter forms make that possible.
fn label(marks: &mut Vec<Mark>, cap: Cap) -> String {
    marks.sort();
    marks.dedup();
    let all = std::mem::take(marks);
    for mark in all.iter().rev() {
        let others: Vec<Mark> = all.iter().filter(|other| *other != mark).cloned().collect();
        if !is_in(&others, mark) || (*mark == Mark::Caution && others.is_empty()) {
            marks.insert(0, mark.clone());
        }
    }
    let text = |marks: &[Mark]| marks.iter().map(Mark::to_string).collect::<Vec<_>>().join(" ");
    let half = cap.less(cap.most() / 2);
    let full = text(marks);
    if half.holds(&full) {
        return full;
    }
    // What is to be used instead weighs more than the length of others.
    if let [deprecated @ Mark::Deprecated(_), others @ ..] = &**marks {
        let others = others.iter().filter(|mark| !mark.is_too_long()).map(Mark::short);
        let few = std::iter::once(deprecated.to_string()).chain(others).collect::<Vec<_>>().join(" ");
        if half.holds(&few) {
            return few;
        }
    }
    let mut shorter: Vec<String> = marks.iter().filter(|mark| !mark.is_too_long()).map(Mark::short).collect();
    // Without a word of text a mark is of no use. The last ones weigh least.
    while shorter.len() > 1 && !cap.less(cap.most() / 3).holds(&shorter.join(" ")) {
        shorter.pop();
    }
    shorter.join(" ")
}
