//! How clients connect.

/// How clients connect.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    clap::ValueEnum,
    strum::Display,
    serde::Deserialize,
    serde::Serialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Transport {
    /// One client, over standard input and output.
    #[default]
    Stdio,
    /// Any number of clients, over Streamable HTTP.
    Http,
}
