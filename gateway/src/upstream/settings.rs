//! Settings of a single upstream.

use std::time::Duration;

use crate::backend::Scope;

/// Settings of a single upstream; `None` stands for the gateway's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// From start to the end of the handshake.
    pub connect_timeout: Option<Duration>,
    /// For a request, measured from its start or its last progress notification.
    pub request_timeout: Option<Duration>,
    /// Whether it is started again after it ended or failed.
    pub restart: Restart,
    /// Whether clients share it.
    pub scope: Option<Scope>,
}

/// Whether an upstream is started again after it ended or failed.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Restart {
    /// It is, with increasing delays.
    #[default]
    Always,
    /// It is not; its tools leave the lists.
    Never,
}
