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
