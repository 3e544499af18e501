//! Which transport an upstream's URL serves.

use mcp_disclosure_gateway::upstream::EndpointKind;

/// Which transport a URL serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EndpointType {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05, which is deprecated.
    Sse,
}

impl From<EndpointType> for EndpointKind {
    fn from(endpoint: EndpointType) -> Self {
        match endpoint {
            EndpointType::Http => Self::Streamable,
            EndpointType::Sse => Self::Sse,
        }
    }
}
