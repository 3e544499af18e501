//! Variants: settings that make a strategy another one to those who compare.

/// One value of a setting with which a strategy differs enough to be compared with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name, as in `info(entry-only)`.
    pub name: &'static str,
    /// The key in `[strategy.NAME]`.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
}
