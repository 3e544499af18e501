//! Settings of `concerns`: what `[strategy.concerns]` may hold.

use serde::Deserialize;

/// How choices are read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConcernsConfig {
    /// What becomes of a value that a concern does not have.
    pub on_invalid_value: OnInvalidValue,
    /// What concerns are taken for that the host did not choose.
    pub unset: Unset,
}

/// What becomes of a value that a concern does not have (contract C7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnInvalidValue {
    /// The request is refused, and nothing changes.
    #[default]
    Error,
    /// It is left out, with a warning.
    Ignore,
    /// The nearest value is taken, with a warning; where nothing is near, it is left out.
    Clamp,
}

/// What concerns are taken for that the host did not choose (contract C4, C12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unset {
    /// Anything: they do not filter.
    #[default]
    Any,
    /// Their declared default, once the host chose any concern at all.
    Default,
}
