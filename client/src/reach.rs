//! Reaching a server: a link is opened, and once more in the other era if the server would not accept a second attempt on the
//! same connection.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::CallError;

use crate::{
    Error, Link, Preferences, Server,
    connection::Connection,
    definition::Memory,
    dialect::{hello, stateless_meta},
    handshake::{Hello, Introduced, Unusable, introduce, may_work_in_other_era},
    server,
    traffic::Meter,
};

/// An initialized connection.
pub(crate) struct Reached {
    pub(crate) connection: Connection,
    pub(crate) server: Server,
    /// What each request has in `_meta`; nothing in a session.
    pub(crate) meta: RawObject,
}

/// Opens the link and performs the handshake.
///
/// # Errors
/// Why that fails. No request other than the handshake has been sent.
pub(crate) async fn reach(
    link: &mut Link,
    preferences: &Preferences,
    meter: &Arc<Meter>,
    memory: &Arc<Memory>,
) -> Result<Reached, Error> {
    let waited = preferences.connect_timeout;
    let reaching = tokio::time::timeout(waited, reach_in_time(link, preferences, meter, memory)).await;
    reaching.unwrap_or_else(|_| Err(Error::of("initialize", CallError::TimedOut { waited })))
}

async fn reach_in_time(
    link: &mut Link,
    preferences: &Preferences,
    meter: &Arc<Meter>,
    memory: &Arc<Memory>,
) -> Result<Reached, Error> {
    let meta = stateless_meta(preferences, &preferences.concerns);
    let concerns = preferences.concerns.clone();
    let hello = Hello {
        initialize: hello(preferences),
        meta: meta.clone(),
        // `initialize` has sent all choices, but servers of concern-based-filtering (option A of "Concern Configuration") read
        // them here only.
        initialized: Arc::new(move |capabilities| server::declared_choices(capabilities, &concerns)),
    };
    let open = |link: &mut Link| Connection::open(link, preferences.listens, meter, memory);
    let (eras, timeout) = (&preferences.eras[..], preferences.connect_timeout);
    let mut connection = open(link)?;
    let mut met = introduce(&connection.inner, &hello, eras, timeout).await;
    if let ([first, other, ..], Err(Unusable::Talk { error, .. })) = (eras, &met)
        && link.opens_again()
        && may_work_in_other_era(error, *first)
    {
        let again = open(link)?;
        if let Ok(introduced) = introduce(&again.inner, &hello, &[*other], timeout).await {
            (connection, met) = (again, Ok(introduced));
        }
    }
    let Introduced { revision, server_info, result, .. } = met?;
    let server = Server::read(&result, server_info, revision.to_string(), revision.era());
    let meta = if revision.era() == Era::Session { RawObject::empty() } else { meta };
    Ok(Reached { connection, server, meta })
}
