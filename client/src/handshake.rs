//! The handshake: eras are tried in the order of preference, on a new link if the server would not accept a second
//! attempt on the same one.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::meta;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    Error, Link, Preferences, Server,
    connection::{Connection, Mirrored},
    definition::Memory,
    dialect::{self, RequestMetadata},
    preferences::Concerns,
    traffic::Meter,
};

/// A server without the stateless era might not respond to its first request.
const DISCOVERY: Duration = Duration::from_secs(5);

/// JSON-RPC: method not found, as `server/discover` on servers of the session era.
const METHOD_NOT_FOUND: i64 = -32601;

/// An initialized connection.
pub(crate) struct Reached {
    pub(crate) connection: Connection,
    pub(crate) server: Server,
    pub(crate) metadata: RequestMetadata,
}

/// Opens the link and performs the handshake.
///
/// # Errors
/// The failure of the era that was tried last. No request other than the handshake has been sent.
pub(crate) async fn reach(
    link: &mut Link,
    preferences: &Preferences,
    meter: &Arc<Meter>,
    memory: &Arc<Memory>,
) -> Result<Reached, Error> {
    let deadline = Instant::now() + preferences.connect_timeout;
    let open = |link: &mut Link| Connection::open(link, preferences.listens, meter, memory);
    let mut connection = open(link)?;
    let mut failure = Error::UnsupportedVersion { reason: "no era was given to try".to_owned() };
    for (at, era) in preferences.eras.iter().enumerate() {
        let is_last = at + 1 == preferences.eras.len();
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            if is_last { left } else { left.min(longest_try(*era)) }
        };
        if at > 0 && left().is_zero() {
            break;
        }
        if at > 0 && connection.inner().is_ended() {
            // A server that exits at `initialize` would exit again; one that exits at anything else might accept it.
            if !link.opens_again() || *era != Era::Session {
                break;
            }
            connection = open(link)?;
        }
        let mut tried = handshake(&connection, preferences, *era, left()).await;
        // Some servers are bound to the era of the first message that they receive.
        let refused = tried.as_ref().err().is_some_and(|error| !is_unknown_method(error));
        if at > 0 && refused && link.opens_again() {
            connection = open(link)?;
            tried = handshake(&connection, preferences, *era, left()).await;
        }
        match tried {
            Ok((server, metadata)) => return Ok(Reached { connection, server, metadata }),
            // A server's response to an era that it does not know is less informative than the failure before.
            Err(error) if at > 0 && is_unknown_method(&error) => {}
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// The time for trying one era before the next.
fn longest_try(era: Era) -> Duration {
    match era {
        Era::Session => Duration::MAX,
        Era::Stateless => DISCOVERY,
    }
}

async fn handshake(
    connection: &Connection,
    preferences: &Preferences,
    era: Era,
    timeout: Duration,
) -> Result<(Server, RequestMetadata), Error> {
    match era {
        Era::Session => initialize(connection, preferences, timeout).await,
        Era::Stateless => discover(connection, preferences, timeout).await,
    }
}

async fn initialize(
    connection: &Connection,
    preferences: &Preferences,
    timeout: Duration,
) -> Result<(Server, RequestMetadata), Error> {
    let hello = dialect::hello(preferences);
    let result = connection.request("initialize", hello, Mirrored::new(), timeout).await?;
    let version = result.string("protocolVersion").unwrap_or_default();
    if !dialect::WITH_SESSIONS.contains(&version.as_str()) {
        return Err(Error::UnsupportedVersion { reason: format!("protocolVersion {version:?}") });
    }
    let info = result.object("serverInfo").unwrap_or_default();
    let server = Server::read(&result, info, version.clone(), Era::Session);
    let choices = declared_choices(&server, &preferences.concerns);
    connection.inner().negotiated(&version);
    connection.inner().notify("notifications/initialized", choices);
    Ok((server, RequestMetadata::Session))
}

/// The choices among the concerns that this server declares, for `initialized`. `initialize` has sent all of them, but
/// servers of concern-based-filtering (option A of "Concern Configuration") read them here only.
fn declared_choices(server: &Server, concerns: &Concerns) -> RawObject {
    let choices: Concerns = concerns
        .iter()
        .filter(|(name, _)| server.declares(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    match choices.is_empty() {
        true => RawObject::empty(),
        false => RawObject::empty().with_value("concerns", &choices),
    }
}

async fn discover(
    connection: &Connection,
    preferences: &Preferences,
    timeout: Duration,
) -> Result<(Server, RequestMetadata), Error> {
    let metadata = RequestMetadata::stateless(preferences, &preferences.concerns);
    let params = metadata.add_to(&RawObject::empty());
    let result = connection.request("server/discover", params, Mirrored::new(), timeout).await?;
    let versions = result.member("supportedVersions").and_then(|text| serde_json::from_str(text).ok());
    let versions: Value = versions.unwrap_or_default();
    if !versions.as_array().is_some_and(|versions| versions.contains(&json!(dialect::STATELESS))) {
        return Err(Error::UnsupportedVersion { reason: format!("supportedVersions {versions}") });
    }
    let info = result.object("_meta").and_then(|meta| meta.object(meta::SERVER_INFO)).unwrap_or_default();
    Ok((Server::read(&result, info, dialect::STATELESS.to_owned(), Era::Stateless), metadata))
}

fn is_unknown_method(error: &Error) -> bool {
    matches!(error, Error::Answered { error, .. } if error.code == METHOD_NOT_FOUND)
}
