//! What a figure is worth.

use serde::Serialize;

/// How a figure came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Basis {
    /// Counted from the messages of a real connection, or timed there.
    Measured,
    /// Worked out from measured figures by a stated formula.
    Computed,
    /// By a rule of thumb, or from figures that are.
    Estimated,
}

impl Basis {
    /// The mark of a figure in tables: its first letter, raised.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Measured => "ᵐ",
            Self::Computed => "ᶜ",
            Self::Estimated => "ᵉ",
        }
    }

    /// What is worked out from such figures.
    pub fn derived(self) -> Self {
        match self {
            Self::Measured | Self::Computed => Self::Computed,
            Self::Estimated => Self::Estimated,
        }
    }
}
