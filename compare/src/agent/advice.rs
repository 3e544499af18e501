//! Finds the next step in an error. Only the answer itself is used, as by a model.

use mcp_disclosure_core::{RawObject, descriptions_uri};
use serde_json::Value;

use super::moves::{Move, Seen};

/// The next step that an error suggests in order to call the wanted tool; `None` if it suggests none.
pub(super) fn read(seen: &Seen, wanted: &str, reads_resources: bool) -> Option<Move> {
    let error = &seen.content["error"];
    let read = |uri: String| Move::Read { uri };
    let by_uri = || error["resource_uri"].as_str().map(str::to_owned).map(read);
    let by_example = || like(error["examples"].as_array()?.first()?.as_str()?, wanted).map(read);
    let by_text = || uri_in(&seen.text).map(read);
    let by_call = || call_in(&steps(error, &seen.text));
    if reads_resources {
        return by_uri().or_else(by_example).or_else(by_text).or_else(by_call);
    }
    by_call()
}

/// The instructions of an error, or else its whole text.
fn steps(error: &Value, text: &str) -> String {
    let instructions = error["instructions"].as_array();
    let lines = instructions.map(|lines| lines.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    lines.map_or_else(|| text.to_owned(), |lines| lines.join("\n"))
}

/// An example's URI with the wanted tool instead of the example's.
fn like(example: &str, wanted: &str) -> Option<String> {
    let (base, _) = example.split_once('?')?;
    Some(descriptions_uri(base, [wanted]))
}

/// The first resource that a text names, quoted or not.
fn uri_in(text: &str) -> Option<String> {
    let from = text.find("resource://")?;
    let uri: String = text[from..]
        .chars()
        .take_while(|next| !next.is_whitespace() && !"\"'\\<>)".contains(*next))
        .collect();
    Some(uri.trim_end_matches(['.', ',', ';']).to_owned())
}

/// The first `call NAME with {…}` of a text.
fn call_in(text: &str) -> Option<Move> {
    text.match_indices("call ").find_map(|(at, found)| {
        let (tool, rest) = text[at + found.len()..].split_once(" with ")?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<RawObject>();
        let arguments = values.next()?.ok()?;
        let tool = tool.trim_matches(['\'', '"', '`']);
        (!tool.contains(char::is_whitespace)).then(|| Move::Call { tool: tool.to_owned(), arguments })
    })
}
