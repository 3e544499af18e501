//! The handshake with an upstream, and what it says of itself.

use std::time::Duration;

use mcp_disclosure_core::{RawObject, UpstreamName};
use serde_json::json;

use super::{CallError, Connection};
use crate::dialect::Revision;

/// What an upstream said of itself.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Its `capabilities`.
    pub capabilities: RawObject,
    /// Its `serverInfo`.
    pub server_info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
}

impl Introduction {
    /// Whether it has a capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.member(capability).is_some()
    }

    /// A name made of what it calls itself: lower case letters, digits and hyphens.
    pub(super) fn slug(&self) -> UpstreamName {
        let name = self.server_info.string("name").unwrap_or_default();
        let mut slug = String::new();
        for character in name.rsplit('/').next().unwrap_or_default().chars() {
            if character.is_ascii_alphanumeric() {
                slug.push(character.to_ascii_lowercase());
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        UpstreamName::parse(slug.trim_end_matches('-'))
            .or_else(|_| UpstreamName::parse("upstream"))
            .unwrap_or_else(|_| unreachable!("the literal is not empty"))
    }
}

/// Why the handshake failed.
pub(super) enum Failure {
    /// The request failed.
    Talk(CallError),
    /// The answer is not one we can work with.
    Foreign(String),
}

/// Introduces the gateway and learns who is there.
pub(super) async fn introduce(
    connection: &Connection,
    capabilities: &RawObject,
    patience: Duration,
) -> Result<Introduction, Failure> {
    let params = json!({
        "protocolVersion": Revision::LATEST_WITH_SESSIONS.to_string(),
        "capabilities": capabilities,
        "clientInfo": {"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")},
    });
    let params = RawObject::parse(params.to_string()).unwrap_or_else(|_| RawObject::empty());
    let result = connection.request("initialize", params, None, patience).await.map_err(Failure::Talk)?;
    let foreign = |reason: &str| Failure::Foreign(format!("{reason} in its answer to initialize"));
    let result = RawObject::parse(result.as_str()).map_err(|_| foreign("no JSON object"))?;
    let version = result.string("protocolVersion").ok_or_else(|| foreign("no protocolVersion"))?;
    if !Revision::parse(&version).is_some_and(|revision| revision.has_sessions()) {
        return Err(foreign(&format!("protocolVersion {version:?}, which is not supported,")));
    }
    let introduction = Introduction {
        capabilities: result.object("capabilities").unwrap_or_else(RawObject::empty),
        server_info: result.object("serverInfo").unwrap_or_else(RawObject::empty),
        instructions: result.string("instructions"),
    };
    connection.notify("notifications/initialized", RawObject::empty());
    Ok(introduction)
}
