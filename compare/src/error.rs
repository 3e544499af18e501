//! Errors of a comparison.

use mcp_disclosure_core::nearest::nearest;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source does not have tools that are requested for use.
    #[error("{}", unknown_tools(unknown))]
    UnknownTools {
        /// The names, each with the most similar name of a tool.
        unknown: Vec<(String, Option<String>)>,
    },
    /// Labelled queries name tools that the source does not have.
    #[error("{}", unknown_labels(unknown))]
    UnknownLabels {
        /// The line of each, the label, and the most similar name of a tool.
        unknown: Vec<(usize, String, Option<String>)>,
    },
    /// The server selected another strategy than the requested one.
    #[error("requested strategy '{asked}', but the server selected {}", shown(served))]
    NotServed {
        /// The requested strategy.
        asked: String,
        /// The strategy that the server selected.
        served: Option<String>,
    },
    /// A connection failed.
    #[error("strategy '{strategy}', {during}: {source}")]
    Connection {
        /// The strategy.
        strategy: String,
        /// The step that failed.
        during: &'static str,
        /// The cause.
        source: mcp_disclosure_client::Error,
    },
    /// A strategy answered a step of learning with an error.
    #[error("strategy '{strategy}', {during}: the answer is an error: {said}")]
    NotLearned {
        /// The row.
        strategy: String,
        /// The step that failed.
        during: &'static str,
        /// The beginning of the answer.
        said: String,
    },
}

impl Error {
    pub(crate) fn unknown<'a>(names: Vec<String>, available: impl Iterator<Item = &'a str> + Clone) -> Self {
        let near = |name: &str| nearest(name, available.clone(), 1).into_iter().next().map(str::to_owned);
        Self::UnknownTools { unknown: names.into_iter().map(|name| (name.clone(), near(&name))).collect() }
    }
}

fn unknown_tools(unknown: &[(String, Option<String>)]) -> String {
    let lines = unknown.iter().map(|(name, near)| unknown_tool(name, near));
    lines.collect::<Vec<_>>().join("\n")
}

fn unknown_labels(unknown: &[(usize, String, Option<String>)]) -> String {
    let lines = unknown.iter().map(|(line, name, near)| format!("line {line}: {}", unknown_tool(name, near)));
    lines.collect::<Vec<_>>().join("\n")
}

fn unknown_tool(name: &str, near: &Option<String>) -> String {
    match near {
        Some(near) => format!("unknown tool '{name}'; did you mean '{near}'?"),
        None => format!("unknown tool '{name}'"),
    }
}

fn shown(served: &Option<String>) -> String {
    served.as_ref().map_or_else(|| "none".to_owned(), |name| format!("'{name}'"))
}
