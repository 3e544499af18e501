//! What is odd about upstreams' lists, and about what is declared over them.

use crate::{
    catalogue::{lock::DefinitionChange, pattern::Pattern},
    name::{Kind, UpstreamName},
    nearest::nearest,
};

fn singular(kind: Kind) -> &'static str {
    match kind {
        Kind::Tools => "tool",
        Kind::Resources => "resource",
        Kind::Templates => "resource template",
        Kind::Prompts => "prompt",
    }
}

/// Something odd about an upstream's lists that does not keep the rest from being served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A list has something that cannot be served, or not as it is.
    #[error("{0}")]
    OddList(String),
    /// A tool does not exist for clients, since its definition was not reviewed.
    #[error(
        "upstream '{upstream}': tool '{}' {change}; it is not served until it is accepted (mcp-disclosure accept NAME)",
        change.tool
    )]
    Held {
        /// The upstream.
        upstream: UpstreamName,
        /// The tool, and what it is and was.
        change: DefinitionChange,
    },
    /// A prefix makes a name longer than hosts accept.
    #[error("{0}")]
    TooLong(String),
    /// Something is declared by name for a thing that no upstream lists.
    #[error("{place}: no upstream has a {} '{name}'{suggestion}", singular(*kind))]
    Unmatched {
        /// The file, or the place in one.
        place: String,
        /// What it is about.
        kind: Kind,
        /// The name.
        name: String,
        /// `; did you mean 'x'?`, or empty.
        suggestion: String,
    },
    /// A rule is about nothing.
    #[error("{0}")]
    NothingMatches(String),
}

/// A name that may have been meant, and how it is written where that is meant.
pub(crate) type Candidate = (String, String);

impl Warning {
    /// `names` are those that may have been meant.
    pub(crate) fn unmatched(place: String, kind: Kind, name: &str, names: &[Candidate]) -> Self {
        let near = nearest(name, names.iter().map(|(name, _)| name.as_str()), 1);
        let meant = near.first().and_then(|near| names.iter().find(|(name, _)| name == near));
        let suggestion =
            meant.map_or_else(String::new, |(_, written)| format!("; did you mean '{written}'?"));
        Self::Unmatched { place, kind, name: name.to_owned(), suggestion }
    }

    pub(crate) fn nothing_matches(kind: Kind, place: &str, pattern: &Pattern) -> Self {
        Self::NothingMatches(format!("{place}: '{}' matches none of the {kind}", pattern.text()))
    }
}
