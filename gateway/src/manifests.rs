//! Whether clients are offered manifests.

/// Whether clients whose list of tools is complete are offered its manifest (SEP-2636).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
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
pub enum Manifests {
    /// To clients with complete lists.
    #[default]
    On,
    /// To no client.
    Off,
}
