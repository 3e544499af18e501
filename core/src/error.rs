//! What can go wrong in the vocabulary itself.

use crate::name::StrategyName;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name was empty.
    #[error("the {what} must not be empty")]
    EmptyName {
        /// What kind of name it was.
        what: &'static str,
    },
    /// A strategy was asked for that the registry does not have.
    #[error("unknown strategy '{name}'; known are {known}")]
    UnknownStrategy {
        /// The name asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// Two strategies of one name were registered.
    #[error("strategy '{name}' is registered twice")]
    DuplicateStrategy {
        /// The name.
        name: StrategyName,
    },
    /// A strategy was to stand under every other that is no filter.
    #[error("strategy '{name}' is no filter, and nothing else stands under every strategy")]
    NoFilter {
        /// The name.
        name: StrategyName,
    },
    /// A stack named something other than filters followed by at most one presenter.
    #[error(
        "'{stack}' is no stack: name filters first and at most one presenter last, as in 'concerns+describe'"
    )]
    InvalidStack {
        /// The stack as it was named.
        stack: String,
    },
    /// The settings of a strategy do not fit it.
    #[error("settings of strategy '{name}' are wrong")]
    InvalidSettings {
        /// The strategy.
        name: StrategyName,
        /// What the deserializer said.
        #[source]
        source: serde_json::Error,
    },
}
