//! What can keep a comparison from being made.

use mcp_disclosure_core::nearest::nearest;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Tools are to be used that the source does not have.
    #[error("{}", told(unknown))]
    UnknownTools {
        /// The names, each with the nearest name that there is.
        unknown: Vec<(String, Option<String>)>,
    },
    /// A strategy serves another than itself to a client that asks for it.
    #[error("asked for strategy '{asked}', was served by {}", shown(served))]
    NotServed {
        /// The strategy that was asked for.
        asked: String,
        /// What the server says it selected.
        served: Option<String>,
    },
    /// A connection failed.
    #[error("strategy '{strategy}', {during}: {source}")]
    Connection {
        /// The strategy.
        strategy: String,
        /// What was being done.
        during: &'static str,
        /// What happened.
        source: mcp_disclosure_client::Error,
    },
}

impl Error {
    pub(crate) fn unknown<'a>(names: Vec<String>, available: impl Iterator<Item = &'a str> + Clone) -> Self {
        let near = |name: &str| nearest(name, available.clone(), 1).into_iter().next().map(str::to_owned);
        Self::UnknownTools { unknown: names.into_iter().map(|name| (name.clone(), near(&name))).collect() }
    }
}

fn told(unknown: &[(String, Option<String>)]) -> String {
    let lines = unknown.iter().map(|(name, near)| match near {
        Some(near) => format!("there is no tool '{name}'; did you mean '{near}'?"),
        None => format!("there is no tool '{name}'"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn shown(served: &Option<String>) -> String {
    served.as_ref().map_or_else(|| "one it does not name".to_owned(), |name| format!("'{name}'"))
}
