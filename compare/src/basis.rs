//! The basis of a figure: measured, computed or estimated.

use serde::Serialize;

/// How a figure was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Basis {
    /// Counted from the messages of a real connection, or timed on it.
    Measured,
    /// Computed from measured figures by a stated formula.
    Computed,
    /// By a rule of thumb, or computed from estimated figures.
    Estimated,
}

impl Basis {
    /// The basis of a figure that is computed from figures with this basis.
    pub fn derived(self) -> Self {
        match self {
            Self::Measured | Self::Computed => Self::Computed,
            Self::Estimated => Self::Estimated,
        }
    }
}
