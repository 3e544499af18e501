//! The query of an address, by which a client can choose before it says anything (docs/CONTRACT.md B11).

use std::collections::HashSet;

use axum::http::StatusCode;
use mcp_disclosure_transport::printable::printable;
use percent_encoding::percent_decode_str;

use super::refused::Refused;

/// Maximum length of a parameter's text in an error, in characters.
const LONGEST_SHOWN: usize = 80;

/// The parameters of a query, decoded, in their order: `a=x&b=y`, with `+` for a space. Nothing is guessed, since what is
/// misunderstood could serve more than the address asks for.
///
/// # Errors
/// The refusal of a query that is longer than `most` bytes, that is not percent-encoded UTF-8, or that has a name
/// twice.
pub(super) fn parameters(query: &str, most: usize) -> Result<Vec<(String, String)>, Refused> {
    if query.len() > most {
        let message =
            format_args!("the query of the address has {} bytes; at most {most} are allowed", query.len());
        return Err(Refused::because(StatusCode::URI_TOO_LONG, message));
    }
    let mut names = HashSet::new();
    let mut parameters = Vec::new();
    for piece in query.split('&').filter(|piece| !piece.is_empty()) {
        let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
        let decoded = decoded(name).zip(decoded(value));
        let (name, value) = decoded.ok_or_else(|| refused("is not percent-encoded UTF-8", piece))?;
        if !names.insert(name.clone()) {
            return Err(refused("repeats a name, and which of the two counts is not defined", piece));
        }
        parameters.push((name, value));
    }
    Ok(parameters)
}

fn refused(why: &str, piece: &str) -> Refused {
    let shown: String = piece.chars().take(LONGEST_SHOWN).collect();
    let message = format_args!("the query of the address cannot be read: '{}' {why}", printable(&shown));
    Refused::because(StatusCode::BAD_REQUEST, message)
}

fn decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    let is_encoded =
        |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    if !text.split('%').skip(1).all(is_encoded) {
        return None;
    }
    Some(percent_decode_str(&text).decode_utf8().ok()?.into_owned())
}
