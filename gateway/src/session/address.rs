//! Where a client connects over HTTP.

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

/// The path of the endpoint.
const ENDPOINT: &str = "/mcp";

/// What a profile's name in a path begins with.
const PROFILE: char = '@';

/// The URL at which a client connects, as far as it says how the client is served. Empty over stdio.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The path.
    pub location: Location,
    /// The parameters of the query, by name; each name once. Strategies read them.
    pub parameters: Vec<(String, String)>,
}

/// A path of the endpoint: `/mcp[/@PROFILE][/STRATEGY]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The profile that narrows what exists.
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The strategy.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
}

impl Location {
    /// Reads a path; `None` for any other.
    pub fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(ENDPOINT)?;
        if rest.is_empty() {
            return Some(Self::default());
        }
        // What is not UTF-8 matches no name.
        let decoded = |segment: &str| percent_decode_str(segment).decode_utf8_lossy().into_owned();
        let segments: Vec<String> = rest.strip_prefix('/')?.split('/').map(decoded).collect();
        let profile = segments[0].strip_prefix(PROFILE).map(str::to_owned);
        match (profile, segments.as_slice()) {
            (None, [strategy]) => Some(Self { profile: None, strategy: Some(strategy.clone()) }),
            (profile @ Some(_), [_]) => Some(Self { profile, strategy: None }),
            (profile @ Some(_), [_, strategy]) => Some(Self { profile, strategy: Some(strategy.clone()) }),
            _ => None,
        }
    }
}
