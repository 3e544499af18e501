//! Settings of one upstream, where they differ from those of all.

use std::time::Duration;

use crate::backend::Scope;

/// How the connection to one upstream is kept. What is `None` is as for all upstreams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// From start to the end of the handshake.
    pub connect_timeout: Option<Duration>,
    /// For a request, measured from its start or its last progress notification.
    pub request_timeout: Option<Duration>,
    /// What happens after it ended or failed.
    pub restart: Restart,
    /// Whether clients share its connection.
    pub scope: Option<Scope>,
    /// Methods that are passed on as they are; and the extension that clients who share it are said to have, `UI`.
    pub pass: Vec<String>,
}

/// Whether an upstream that ended or failed is started again, or connected to again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// It is, after a delay that grows with each failure.
    #[default]
    Always,
    /// It stays ended.
    Never,
}
