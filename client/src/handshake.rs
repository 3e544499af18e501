//! The handshake: eras are tried in the order preferred, on a fresh link where the server would not hear of a
//! second try.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    Error, Link, Preferences, Server,
    connection::{Connection, Ear, Headers, Owned},
    dialect::{self, Dress},
    preferences::Concerns,
    traffic::Meter,
    transport,
};

/// Servers that know no stateless era may leave its question unanswered.
const DISCOVERY: Duration = Duration::from_secs(5);

/// JSON-RPC: the method is not known, as `server/discover` is not to servers with sessions.
const METHOD_NOT_FOUND: i64 = -32601;

/// A server that was reached.
pub(crate) struct Reached {
    pub(crate) connection: Owned,
    pub(crate) server: Server,
    pub(crate) dress: Dress,
}

/// Opens the link and shakes hands.
///
/// # Errors
/// What went wrong in the era tried last; all of it comes from before anything was asked for.
pub(crate) async fn reach(
    link: &mut Link,
    preferences: &Preferences,
    meter: &Arc<Meter>,
    make_ear: impl Fn() -> Ear,
) -> Result<Reached, Error> {
    let deadline = Instant::now() + preferences.connect_patience;
    let open = |link: &mut Link| {
        let (connection, outgoing) = Connection::new(Arc::clone(meter), make_ear());
        transport::open(link, preferences.listens, &connection, outgoing)?;
        Ok::<_, Error>(Owned::new(connection))
    };
    let mut connection = open(link)?;
    let mut failure = Error::NothingInCommon { told: "no era of MCP was to be tried".to_owned() };
    for (at, era) in preferences.eras.iter().enumerate() {
        let is_last = at + 1 == preferences.eras.len();
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            if is_last { left } else { left.min(longest_try(*era)) }
        };
        if at > 0 && left().is_zero() {
            break;
        }
        if at > 0 && connection.is_ended() {
            // What ends at `initialize` would end again; what ends at anything else may live with that.
            if !link.opens_again() || *era != Era::Session {
                break;
            }
            connection = open(link)?;
        }
        let mut tried = shake_hands(&connection, preferences, *era, left()).await;
        // Some servers are bound to the era of what they heard first.
        let refused = tried.as_ref().err().is_some_and(|error| !is_unknown_method(error));
        if at > 0 && refused && link.opens_again() {
            connection = open(link)?;
            tried = shake_hands(&connection, preferences, *era, left()).await;
        }
        match tried {
            Ok((server, dress)) => return Ok(Reached { connection, server, dress }),
            // What a server says to an era that it does not know tells less than the failure before.
            Err(error) if at > 0 && is_unknown_method(&error) => {}
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// How long one era is tried before the next.
fn longest_try(era: Era) -> Duration {
    match era {
        Era::Session => Duration::MAX,
        Era::Stateless => DISCOVERY,
    }
}

async fn shake_hands(
    connection: &Arc<Connection>,
    preferences: &Preferences,
    era: Era,
    patience: Duration,
) -> Result<(Server, Dress), Error> {
    match era {
        Era::Session => initialize(connection, preferences, patience).await,
        Era::Stateless => discover(connection, preferences, patience).await,
    }
}

async fn initialize(
    connection: &Arc<Connection>,
    preferences: &Preferences,
    patience: Duration,
) -> Result<(Server, Dress), Error> {
    let hello = dialect::hello(preferences);
    let result = connection.request("initialize", &hello, Headers::new(), patience).await?;
    let version = result.string("protocolVersion").unwrap_or_default();
    if !dialect::WITH_SESSIONS.contains(&version.as_str()) {
        return Err(Error::NothingInCommon { told: format!("protocolVersion {version:?}") });
    }
    let info = result.object("serverInfo").unwrap_or_default();
    let server = Server::read(&result, info, version.clone(), Era::Session);
    let dress = Dress::Session { version: Some(version) };
    let (params, headers) =
        dress.put_on("", &declared_choices(&server, &preferences.concerns), Headers::new());
    connection.notify("notifications/initialized", &params, headers);
    Ok((server, dress))
}

/// The choices of concerns that this server declares, for `initialized`. `initialize` brought them all already,
/// but seed 002 has servers that read them here only.
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
    connection: &Arc<Connection>,
    preferences: &Preferences,
    patience: Duration,
) -> Result<(Server, Dress), Error> {
    let dress = Dress::stateless(preferences, &preferences.concerns);
    let (params, headers) = dress.put_on("server/discover", &RawObject::empty(), Headers::new());
    let result = connection.request("server/discover", &params, headers, patience).await?;
    let versions = result.member("supportedVersions").and_then(|text| serde_json::from_str(text).ok());
    let versions: Value = versions.unwrap_or_default();
    if !versions.as_array().is_some_and(|versions| versions.contains(&json!(dialect::STATELESS))) {
        return Err(Error::NothingInCommon { told: format!("supportedVersions {versions}") });
    }
    let info = result.object("_meta").and_then(|meta| meta.object(dialect::SERVER_INFO)).unwrap_or_default();
    Ok((Server::read(&result, info, dialect::STATELESS.to_owned(), Era::Stateless), dress))
}

fn is_unknown_method(error: &Error) -> bool {
    matches!(error, Error::Answered { error, .. } if error.code == METHOD_NOT_FOUND)
}
