//! Stand-ins: upstreams in this process that return the lists of another one unchanged and run nothing.

use mcp_disclosure_core::{RawObject, RawText, UpstreamLists};
use mcp_disclosure_gateway::{
    Revision,
    upstream::{Introduction, Responder, Upstream, UpstreamError},
};
use mcp_disclosure_transport::{ErrorText, Json, Request};

/// The result of every call.
const RESULT: &str = r#"{"content":[{"type":"text","text":"done"}],"isError":false}"#;

/// The result of reading any resource.
const CONTENTS: &str = r#"{"contents":[]}"#;

/// A stand-in for an upstream.
#[derive(Debug)]
pub(super) struct StandIn {
    introduction: Introduction,
    lists: UpstreamLists,
}

impl StandIn {
    /// A stand-in for this upstream, which receives list requests only.
    ///
    /// # Errors
    /// The first list that fails.
    pub(super) async fn of(upstream: &Upstream) -> Result<Self, UpstreamError> {
        Ok(Self { introduction: upstream.introduction().clone(), lists: upstream.lists(None).await? })
    }

    fn introduce(&self) -> RawObject {
        let Introduction { capabilities, server_info, instructions, .. } = &self.introduction;
        let result = RawObject::empty()
            .with_value("protocolVersion", &Revision::LATEST_WITH_SESSIONS.to_string())
            .with("capabilities", capabilities.text())
            .with("serverInfo", server_info.text());
        match instructions {
            Some(instructions) => result.with_value("instructions", instructions),
            None => result,
        }
    }
}

impl Responder for StandIn {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        let list = |member: &str, items: &[RawText]| Ok(Json::of(&listed(member, items)));
        match &*request.method {
            "initialize" => Ok(Json::of(&self.introduce())),
            "tools/list" => list("tools", &self.lists.tools),
            "resources/list" => list("resources", &self.lists.resources),
            "resources/templates/list" => list("resourceTemplates", &self.lists.templates),
            "prompts/list" => list("prompts", &self.lists.prompts),
            "tools/call" => Ok(Json::of(&RawObject::parse(RESULT).unwrap_or_default())),
            "resources/read" => Ok(Json::of(&RawObject::parse(CONTENTS).unwrap_or_default())),
            "ping" | "logging/setLevel" => Ok(Json::empty_object()),
            _ => Err(ErrorText::method_not_found()),
        }
    }
}

fn listed(member: &str, items: &[RawText]) -> RawObject {
    RawObject::empty().with_value(member, items)
}
