//! Errors of a comparison.

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source does not have tools that are requested for use: a line about each.
    #[error("{}", .0.join("\n"))]
    UnknownTools(Vec<String>),
    /// Labelled queries name tools that the source does not have: a line about each.
    #[error("{}", .0.join("\n"))]
    UnknownLabels(Vec<String>),
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
}

fn shown(served: &Option<String>) -> String {
    served.as_ref().map_or_else(|| "none".to_owned(), |name| format!("'{name}'"))
}
