//! The handshake with an upstream and its result.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject, UpstreamName};
use mcp_disclosure_transport::{CallError, Connection, code, meta};
use serde_json::json;

use super::hello::Hello;
use crate::{
    dialect::{RequestMeta, Revision},
    lineage::{Chain, is_circle},
};

/// The result of the handshake.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Its `capabilities`.
    pub capabilities: RawObject,
    /// Its `serverInfo`.
    pub server_info: RawObject,
    /// Its `instructions`.
    pub instructions: Option<String>,
    /// The eras it supports.
    pub eras: Eras,
    /// The gateways that it leads to, itself included; empty if it is no gateway.
    pub leads_to: Chain,
}

impl Introduction {
    /// Whether the server declared this capability.
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.member(capability).is_some()
    }

    /// A name derived from `serverInfo.name`: lower-case letters, digits and hyphens.
    pub(crate) fn slug(&self) -> UpstreamName {
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

/// The eras that an upstream supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eras {
    /// It has an initialized session.
    pub session: bool,
    /// It answers stateless requests.
    pub stateless: bool,
}

impl Eras {
    /// The era in which to forward a request from a client of this era: the same, if supported.
    pub fn nearest(self, client: Era) -> Era {
        match client {
            Era::Session if self.session => Era::Session,
            Era::Stateless if self.stateless => Era::Stateless,
            _ if self.stateless => Era::Stateless,
            _ => Era::Session,
        }
    }
}

/// Why the handshake failed.
#[derive(Debug)]
pub(super) enum HandshakeError {
    /// No result.
    Talk(CallError),
    /// The response is invalid; why.
    Foreign(String),
    /// It leads back to this gateway.
    Circle,
}

impl HandshakeError {
    /// Whether a new connection in the other era may succeed: some servers stick to the era of the first
    /// request, and some exit when that is not `initialize`.
    pub(super) fn may_work_in_other_era(&self) -> bool {
        match self {
            Self::Talk(CallError::Answered(error)) => error.code() == code::UNSUPPORTED_VERSION,
            Self::Talk(error) => error.is_disconnection() && !is_circle(error),
            Self::Foreign(_) | Self::Circle => false,
        }
    }
}

/// Time-out for `server/discover`, which servers of the session era may leave unanswered.
const DISCOVERY: Duration = Duration::from_secs(5);

/// Performs the handshake. The preferred era is tried first, since it may be the only one from then on.
pub(super) async fn introduce(
    connection: &Arc<Connection>,
    hello: &Hello,
    prefer: Era,
    timeout: Duration,
) -> Result<Introduction, HandshakeError> {
    let introduction = introduce_in(connection, hello, prefer, timeout).await?;
    // It may have been reached before this gateway was, so it could not refuse.
    if introduction.leads_to.meets(&hello.chain) { Err(HandshakeError::Circle) } else { Ok(introduction) }
}

async fn introduce_in(
    connection: &Arc<Connection>,
    hello: &Hello,
    prefer: Era,
    timeout: Duration,
) -> Result<Introduction, HandshakeError> {
    match prefer {
        Era::Stateless => match discover(connection, hello, timeout.min(DISCOVERY)).await {
            Ok(introduction) => Ok(introduction),
            Err(HandshakeError::Talk(error)) if error.is_disconnection() => Err(HandshakeError::Talk(error)),
            Err(_) => initialize(connection, hello, timeout).await,
        },
        Era::Session => match initialize(connection, hello, timeout).await {
            Ok(introduction) => Ok(also_stateless(connection, hello, introduction).await),
            Err(HandshakeError::Talk(CallError::Answered(refused))) => {
                let discovered = discover(connection, hello, timeout.min(DISCOVERY)).await;
                discovered.map_err(|_| HandshakeError::Talk(CallError::Answered(refused)))
            }
            Err(error) => Err(error),
        },
    }
}

/// Probes whether an upstream with a session also answers stateless requests. An HTTP upstream that assigned
/// no session id could not send requests to its client, and is used as stateless.
async fn also_stateless(
    connection: &Arc<Connection>,
    hello: &Hello,
    introduction: Introduction,
) -> Introduction {
    match discover(connection, hello, Duration::from_secs(2)).await {
        Ok(discovered) if connection.lacks_session() => discovered,
        Ok(_) => Introduction { eras: Eras { stateless: true, ..introduction.eras }, ..introduction },
        Err(_) => introduction,
    }
}

async fn initialize(
    connection: &Arc<Connection>,
    hello: &Hello,
    timeout: Duration,
) -> Result<Introduction, HandshakeError> {
    let params = json!({
        "protocolVersion": Revision::LATEST_WITH_SESSIONS.to_string(),
        "capabilities": hello.capabilities,
        "clientInfo": {"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")},
    });
    let params = hello.chain.add_to(&RawObject::parse(params.to_string()).unwrap_or_default());
    let params = match &hello.concerns {
        Some(concerns) => params.with("concerns", concerns),
        None => params,
    };
    let result = request(connection, "initialize", params, timeout).await?;
    let foreign = |reason: &str| HandshakeError::Foreign(format!("initialize result {reason}"));
    let version = result.string("protocolVersion").ok_or_else(|| foreign("has no protocolVersion"))?;
    if !Revision::parse(&version).is_some_and(|revision| revision.has_sessions()) {
        return Err(foreign(&format!("has protocolVersion {version:?}, which is not supported")));
    }
    connection.negotiated(&version);
    connection.notify("notifications/initialized", RawObject::empty());
    let server_info = result.object("serverInfo").unwrap_or_else(RawObject::empty);
    Ok(introduction(&result, server_info, Eras { session: true, stateless: false }))
}

async fn discover(
    connection: &Arc<Connection>,
    hello: &Hello,
    timeout: Duration,
) -> Result<Introduction, HandshakeError> {
    let params = RequestMeta::ours(&hello.chain.add_to(&RawObject::empty()), &RawObject::empty());
    let result = request(connection, "server/discover", params, timeout).await?;
    let versions: Vec<String> = result
        .member("supportedVersions")
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let is_spoken = |version: &String| Revision::parse(version).is_some_and(|known| !known.has_sessions());
    if !versions.iter().any(is_spoken) {
        let unsupported = format!("server/discover result has no supported version, but {versions:?}");
        return Err(HandshakeError::Foreign(unsupported));
    }
    let server_info = result.object("_meta").and_then(|meta| meta.object(meta::SERVER_INFO));
    let server_info = server_info.unwrap_or_else(RawObject::empty);
    Ok(introduction(&result, server_info, Eras { session: false, stateless: true }))
}

fn introduction(result: &RawObject, server_info: RawObject, eras: Eras) -> Introduction {
    Introduction {
        capabilities: result.object("capabilities").unwrap_or_else(RawObject::empty),
        server_info,
        instructions: result.string("instructions"),
        eras,
        leads_to: Chain::read(result).unwrap_or_default(),
    }
}

async fn request(
    connection: &Arc<Connection>,
    method: &str,
    params: RawObject,
    timeout: Duration,
) -> Result<RawObject, HandshakeError> {
    let call = connection.call(method, params);
    let result = Arc::clone(connection).request(call, timeout).await.map_err(HandshakeError::Talk)?;
    RawObject::parse(result.as_str())
        .map_err(|_| HandshakeError::Foreign(format!("{method} result is not an object")))
}
