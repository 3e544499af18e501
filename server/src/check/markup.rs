//! Markup that addresses the model instead of the reader.

use std::collections::HashSet;

use super::orders::{cut, is_in, words};

/// Names of tags that address a model: roles, and words that demand attention.
const TAGS: &str = "important system sys instruction instructions assistant developer secret hidden critical urgent \
    override priority mandatory admin inst prompt directive reminder";

/// Tokens of models' own formats.
const FORMATS: &[&str] = &["<|", "|>", "[inst]", "[/inst]", "<<sys>>", "<start_of_turn>", "<end_of_turn>"];

/// Tags that address the model: closed as in XML, or in capitals; a role in brackets or before a colon; a comment that
/// rendered text does not show; tokens of models' formats.
pub(super) fn markup(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if let Some(format) = FORMATS.iter().find(|format| lower.contains(**format)) {
        return Some((*format).to_owned());
    }
    let comment = text.split_once("<!--").and_then(|(_, rest)| Some(rest.split("-->").next()?.trim()));
    if let Some(comment) = comment.filter(|comment| words(comment).len() > 3) {
        return Some(cut(&format!("<!-- {comment}")));
    }
    let tagged = |open: char, close: char| {
        text.split(open).skip(1).filter_map(move |rest| {
            let (inside, _) = rest.split_once(close)?;
            (inside.len() <= 60).then(|| inside.trim_start_matches('/').trim())
        })
    };
    let names_model = |name: &str| {
        let first = tag_name(name).to_lowercase();
        first.split(|letter: char| !letter.is_alphanumeric()).any(|word| is_in(TAGS, word))
    };
    let is_loud = |name: &str| !name.chars().any(char::is_lowercase) && name.chars().any(char::is_uppercase);
    let mut tags = tagged('<', '>').filter(|name| names_model(name));
    let closed: HashSet<&str> = lower.split("</").skip(1).map(tag_name).collect();
    let is_closed = |name: &str| closed.contains(&*tag_name(name).to_lowercase());
    if let Some(tag) = tags.find(|name| is_loud(name) || is_closed(name)) {
        return Some(cut(&format!("<{tag}>")));
    }
    if let Some(tag) = tagged('[', ']').find(|name| names_model(name) && is_loud(name)) {
        return Some(cut(&format!("[{tag}]")));
    }
    // As a headline: SYSTEM NOTE:, IMPORTANT SYSTEM INSTRUCTION:
    let headline = text.split(':').find_map(|before| {
        let last: Vec<&str> =
            before.rsplit(|letter: char| letter.is_whitespace()).take_while(|word| is_loud(word)).collect();
        let named = last.iter().any(|word| {
            ["SYSTEM", "OVERRIDE", "ASSISTANT"].contains(&word.trim_matches(|c: char| !c.is_alphabetic()))
        });
        let is_other = last.iter().any(|word| ["FILE", "OPERATING"].contains(word));
        (named && !is_other && before.len() < text.len())
            .then(|| last.into_iter().rev().collect::<Vec<_>>().join(" "))
    });
    headline.map(|headline| cut(&format!("{headline}:")))
}

/// A tag's name without its attributes.
fn tag_name(tag: &str) -> &str {
    tag.split(|letter: char| letter.is_whitespace() || [':', '=', '>'].contains(&letter))
        .next()
        .unwrap_or_default()
}
