//! The handshake with a server: what a [`Host`](crate::Host) and a gateway do alike.
//!
//! Each attempt proposes one revision: by `initialize` if it has sessions, by `server/discover` if not. Which ones are
//! proposed, and in which order, is up to its module `proposals`.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{CallError, Connection, code, meta};
use serde_json::Value;

use crate::{
    Error, Revision,
    proposals::{Failure, Supported, latest},
    server::declared_choices,
};

/// Time-out for `server/discover`, which servers of the session era may leave unanswered.
const DISCOVERY: Duration = Duration::from_secs(5);

/// This side's half of a handshake.
#[derive(Clone, Debug)]
pub struct Hello {
    /// The parameters of `initialize`, but for the revision.
    pub initialize: RawObject,
    /// The `_meta` of requests without a session.
    pub meta: RawObject,
}

/// The server's half of a handshake.
#[derive(Clone, Debug)]
pub struct Introduced {
    /// The negotiated revision.
    pub revision: Revision,
    /// Its `serverInfo`; empty if it has none.
    pub server_info: RawObject,
    /// Its `capabilities`; empty if it has none.
    pub capabilities: RawObject,
    /// The whole result.
    pub result: RawObject,
}

/// Performs the handshake, in one of these eras. The preferred one is tried first, since it may be the only one from then on.
///
/// # Errors
/// Why the server cannot be used on this connection: [`Error::NoResult`] or [`Error::UnsupportedVersion`].
pub async fn introduce(
    connection: &Arc<Connection>,
    hello: &Hello,
    eras: &[Era],
    timeout: Duration,
) -> Result<Introduced, Error> {
    let can_carry = |era: &Era| *era == Era::Session || connection.carries_stateless();
    let carried = || eras.iter().copied().filter(can_carry).collect::<Vec<Era>>();
    let mut made: Vec<Revision> = carried().first().map(|era| latest(*era)).into_iter().collect();
    let mut why: Option<Error> = None;
    while let Some(proposed) = made.last().copied() {
        let answered = match proposed.era() {
            Era::Session => initialize(connection, hello, proposed, timeout).await,
            Era::Stateless => discover_within(connection, hello, timeout.min(DISCOVERY)).await,
        };
        let Err(failure) = answered else { return answered.map_err(|failure| failure.error) };
        let next = failure.next(proposed, &made, &carried())?;
        // Why `initialize` failed says more than how a server answers an era that it does not know.
        if proposed.has_sessions() || !made.iter().copied().any(Revision::has_sessions) {
            why = Some(failure.error);
        }
        match next {
            Some(next) => made.push(next),
            None => break,
        }
    }
    Err(why.unwrap_or_else(|| Error::foreign("there is no era to try")))
}

/// What each request has in `_meta` in the stateless era, of a client with this `clientInfo` and these capabilities.
pub fn stateless_meta(client_info: &Value, capabilities: &RawObject) -> RawObject {
    RawObject::empty()
        .with_value(meta::PROTOCOL_VERSION, &Revision::V2026_07_28.to_string())
        .with(meta::CLIENT_CAPABILITIES, capabilities.text())
        .with_value(meta::CLIENT_INFO, client_info)
}

/// The parameters of a message with this in `_meta`; unchanged if that is nothing.
pub fn with_meta(params: &RawObject, meta: &RawObject) -> RawObject {
    if meta.is_empty() {
        return params.clone();
    }
    let given = params.meta().cloned().unwrap_or_default();
    params.with("_meta", meta.over(&given).text())
}

/// Whether a server answers stateless requests within this time.
pub async fn is_stateless(connection: &Arc<Connection>, hello: &Hello, timeout: Duration) -> bool {
    discover_within(connection, hello, timeout).await.is_ok()
}

/// Whether a new connection in the other era may succeed, after one in this that failed for this reason: some servers stick to the
/// era of the first request, and some exit when that is not `initialize`. One that exits at `initialize` does so whatever it is asked.
pub fn may_work_in_other_era(error: &CallError, tried: Era) -> bool {
    match error {
        CallError::Answered(error) => error.code() == code::UNSUPPORTED_VERSION,
        CallError::Ended { .. } => tried == Era::Stateless,
        _ => false,
    }
}

async fn initialize(
    connection: &Arc<Connection>,
    hello: &Hello,
    revision: Revision,
    timeout: Duration,
) -> Result<Introduced, Failure> {
    let params = RawObject::empty().with_value("protocolVersion", &revision.to_string());
    let params = params.over(&hello.initialize);
    let result = request(connection, "initialize", params, timeout).await?;
    let version = result
        .string("protocolVersion")
        .ok_or_else(|| Failure::foreign("initialize result has no protocolVersion"))?;
    let revision = Revision::parse(&version).ok_or_else(|| {
        Failure::foreign(format!("initialize result has protocolVersion {version:?}, which is not supported"))
    })?;
    connection.negotiated(&version);
    let server_info = result.object("serverInfo").unwrap_or_default();
    let introduced = Introduced::new(result, server_info, revision);
    // `initialize` has all choices of concerns, but servers of concern-based-filtering (option A of "Concern Configuration") read
    // them here only.
    let chosen = hello.initialize.object("concerns").unwrap_or_default();
    connection.notify("notifications/initialized", declared_choices(&introduced.capabilities, &chosen));
    if revision.has_sessions() {
        return Ok(introduced);
    }
    // It wants a revision that has no `initialize`, so it is asked as that revision demands. What it has said of
    // itself holds if it does not answer that.
    Ok(discover_within(connection, hello, timeout.min(DISCOVERY)).await.unwrap_or(introduced))
}

async fn discover_within(
    connection: &Arc<Connection>,
    hello: &Hello,
    timeout: Duration,
) -> Result<Introduced, Failure> {
    let params = RawObject::assemble([("_meta", hello.meta.text())]);
    let result = request(connection, "server/discover", params, timeout).await?;
    let supported = result
        .member("supportedVersions")
        .and_then(Supported::read)
        .ok_or_else(|| Failure::foreign("server/discover result has no supportedVersions"))?;
    if supported.known().all(Revision::has_sessions) {
        return Err(Failure::counter(supported));
    }
    let server_info = result.object("_meta").and_then(|meta| meta.object(meta::SERVER_INFO));
    Ok(Introduced::new(result, server_info.unwrap_or_default(), Revision::V2026_07_28))
}

impl Introduced {
    pub(crate) fn new(result: RawObject, server_info: RawObject, revision: Revision) -> Self {
        Self {
            capabilities: result.object("capabilities").unwrap_or_default(),
            revision,
            server_info,
            result,
        }
    }
}

async fn request(
    connection: &Arc<Connection>,
    method: &'static str,
    params: RawObject,
    timeout: Duration,
) -> Result<RawObject, Failure> {
    let call = connection.call(method, params);
    let result = Arc::clone(connection).request(call, timeout).await;
    let result = result.map_err(|error| Failure::talk(method, error))?;
    RawObject::of(&result).map_err(|_| Failure::foreign(format!("{method} result is not an object")))
}
