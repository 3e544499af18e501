//! How clients connect.

/// How clients connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[derive(clap::ValueEnum, strum::Display)]
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
