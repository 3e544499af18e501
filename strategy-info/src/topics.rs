//! The topics that a call of `info` asks for (docs/CONTRACT.md B10).

use std::{borrow::Cow, collections::HashSet};

use mcp_disclosure_core::{
    ArgumentProblem, RawObject, View,
    given::{self, MOST_NAMES},
};

use crate::{
    contents,
    wording::{self, OVERVIEW},
};

/// Maximum number of commas in a name, in a text with several.
const MOST_COMMAS: usize = 8;

/// The topics in the arguments of `info`, each once, at least one: a topic, several separated by commas, or a JSON list, also
/// in a string. Without any it is the overview.
///
/// # Errors
/// The problem with the arguments, also if they name more than `most`.
pub fn read(members: &RawObject, view: &View, most: usize) -> Result<Vec<String>, ArgumentProblem> {
    if let Some((key, _)) = members.iter().find(|(key, _)| *key != "topic") {
        return Err(ArgumentProblem::of(key, wording::UNKNOWN_ARGUMENT, wording::ONLY_TOPIC));
    }
    let given = members.member("topic").filter(|given| *given != "null");
    let Some(given) = given else { return Ok(vec![OVERVIEW.to_owned()]) };
    let text = given::string(given);
    let listed = listed(text.as_deref().unwrap_or(given));
    let topics = match (listed, text.as_deref().map(given::beginning)) {
        (_, Some(text)) if contents::find(view, text).is_some() => vec![text.to_owned()],
        (Some(topics), _) => topics.into_iter().map(Cow::into_owned).collect(),
        (None, Some(text)) => separated(text, view, most),
        (None, None) => return Err(ArgumentProblem::of("topic", given, wording::EXPECTED_TOPIC)),
    };
    if topics.len() > MOST_NAMES {
        return Err(ArgumentProblem::of("topic", given, &wording::too_many_topics(most)));
    }
    // What names nothing is only repeated.
    let shown = |topic: String| match contents::find(view, &topic) {
        Some(_) => topic,
        None => given::shown(&topic).into_owned(),
    };
    let mut topics: Vec<String> = topics.into_iter().map(shown).collect();
    let mut seen = HashSet::new();
    topics.retain(|topic| seen.insert(topic.clone()));
    match topics.len() {
        0 => Ok(vec![OVERVIEW.to_owned()]),
        count if count > most => Err(ArgumentProblem::of("topic", given, &wording::too_many_topics(most))),
        _ => Ok(topics),
    }
}

/// The topics in a JSON list of strings, up to one more than there may be.
fn listed(json: &str) -> Option<Vec<Cow<'_, str>>> {
    given::items(json, MOST_NAMES)?.into_iter().map(given::string).collect()
}

/// The topics in a text with commas. The longest piece that names something is one topic, since names may have commas.
fn separated(text: &str, view: &View, most: usize) -> Vec<String> {
    if !text.contains(',') {
        return vec![text.to_owned()];
    }
    // More are refused.
    let enough = most.saturating_add(1).saturating_mul(MOST_COMMAS + 1);
    let pieces: Vec<&str> = text.split(',').take(enough).collect();
    let mut topics: Vec<String> = Vec::new();
    let mut at = 0;
    while at < pieces.len() && topics.len() <= most {
        let ends = (at + 2..=pieces.len().min(at + 1 + MOST_COMMAS)).rev();
        let names = ends.map(|end| (end, pieces[at..end].join(",")));
        let (end, topic) = names
            .into_iter()
            .find(|(_, name)| contents::find(view, name).is_some())
            .unwrap_or_else(|| (at + 1, pieces[at].to_owned()));
        at = end;
        topics.extend(Some(topic.trim().to_owned()).filter(|topic| !topic.is_empty()));
    }
    topics
}
