//! What of a definition is delivered to a model that learns a tool over a bridge (docs/CONTRACT.md B9).

/// How much of a definition a bridge delivers. Native channels always deliver all of it, to the letter.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumMessage,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    serde::Deserialize,
    serde::Serialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Definitions {
    /// What a call needs: the description, the slim inputSchema, examples and guidance.
    #[default]
    Slim,
    /// The same with the outputSchema, for models that process structured results.
    Structured,
    /// The whole entry to the letter, with annotations and its digest.
    Exact,
}
