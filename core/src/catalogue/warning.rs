//! What is odd about upstreams' lists, and about what is declared over them.

use crate::{
    catalogue::{lock::DefinitionChange, naming::MAX_CHARACTERS, pattern::Pattern},
    name::{Kind, ToolName, UpstreamName},
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
    /// An item has no name (or URI), or is no object.
    #[error(
        "upstream '{upstream}' lists something without a usable '{key}' among its {kind}; it is not served: {shown}"
    )]
    Unnamed {
        /// The upstream.
        upstream: UpstreamName,
        /// Which list.
        kind: Kind,
        /// The member that should name it.
        key: &'static str,
        /// The item, shortened.
        shown: String,
    },
    /// One upstream lists a name twice.
    #[error("upstream '{upstream}' lists '{key}' twice among its {kind}; only the first is served")]
    Twice {
        /// The upstream.
        upstream: UpstreamName,
        /// Which list.
        kind: Kind,
        /// The name or URI.
        key: String,
    },
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
    /// A tool has no `inputSchema`.
    #[error(
        "tool '{tool}' has no inputSchema, for which most clients refuse the whole list; it is served with one that accepts any object"
    )]
    NoSchema {
        /// The tool.
        tool: ToolName,
    },
    /// A prefix makes a name longer than hosts accept.
    #[error(
        "{place}: with its prefix, tool '{name}' is served as '{served}', which has {length} characters; hosts refuse more than {MAX_CHARACTERS}, so give it a shorter name with rename"
    )]
    TooLong {
        /// Where the prefix is written.
        place: String,
        /// The tool's own name.
        name: String,
        /// The name it is served by.
        served: String,
        /// Its length in characters.
        length: usize,
    },
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
    #[error("{place}: '{pattern}' matches none of the {kind}")]
    NothingMatches {
        /// Where it is written.
        place: String,
        /// What it would be about.
        kind: Kind,
        /// The name or pattern.
        pattern: String,
    },
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
        Self::NothingMatches { place: place.to_owned(), kind, pattern: pattern.text().to_owned() }
    }
}
