//! `--limit`, and the help for every limit.

use std::{fmt::Write, num::NonZeroU64};

use mcp_disclosure_gateway::limits::{LIMITS, LimitSettings};

/// Flags related to limits, which the library's texts do not know.
const RELATED: &[(&str, &str)] = &[
    ("upstreams_per_peer", "--upstream-scope session"),
    ("connections", "--trusted-proxy"),
    ("peer_fetches", "--fetches-per-minute"),
];

/// The name and value of a limit.
pub(super) fn parse(text: &str) -> Result<(String, NonZeroU64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as message_depth=64")?;
    let value = value.parse().map_err(|_| format!("'{value}' is not a positive integer"))?;
    LimitSettings::default().set(name, value)?;
    Ok((name.to_owned(), value))
}

/// Every limit, with its default.
pub(crate) fn help() -> String {
    let mut text = "Limits for --limit, and for [limits] in disclosure.toml:\n".to_owned();
    for limit in LIMITS {
        let related = RELATED.iter().find(|(name, _)| *name == limit.name);
        let related = related.map_or_else(String::new, |(_, flag)| format!(" See {flag}."));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n  {}={}  [{}]\n     {}{related}\n",
            limit.name, limit.default, limit.unit, limit.text
        );
    }
    text
}
