//! The connection to the server, as a host uses it: how it is opened, and what the server says on it unasked.
//!
//! Messages are JSON objects kept as text, so results reach the caller as the server wrote them. rmcp's client is not
//! used: its typed model has no place for lists without `inputSchema`, for `concerns` in the handshake, or for members of
//! results that it does not know.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport as transport;
use mcp_disclosure_transport::{CallError, Handler, Notification, Passage, RequestId};
use tokio_util::sync::DropGuard;

use crate::{
    Error, Link, Preferences, Server,
    definition::Memory,
    handshake::{Hello, introduce, may_work_in_other_era, with_meta},
    server::announced_lists,
    traffic::Meter,
};

/// Names and values of arguments that are repeated in headers.
pub(crate) type Headers = Vec<(String, String)>;

/// A connection to the server. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) inner: Arc<transport::Connection>,
    _closing: DropGuard,
}

/// Handles the server's requests and notifications.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) name: String,
    pub(crate) meter: Arc<Meter>,
    pub(crate) memory: Arc<Memory>,
}

impl Handler for Owner {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn handle_notification(&self, notification: Notification, _about: Option<RequestId>) {
        let news = ["notifications/tools/list_changed", "notifications/groups/list_changed"];
        if news.contains(&&*notification.method) {
            self.memory.forget_all();
        }
    }

    fn lists_may_have_changed(&self) {
        self.memory.forget_all();
    }

    fn observe(&self, message: &Passage<'_>) {
        self.meter.pass(message);
    }
}

/// Opens the link and performs the handshake; on another connection in the other era if the server would not accept a second
/// attempt on the same one. Returns the server's half, and what each request has in `_meta`: nothing in a session. In the stateless
/// era, changed lists are subscribed to.
///
/// # Errors
/// Why that fails. No request other than the handshake has been sent.
pub(crate) async fn reach(
    link: &mut Link,
    preferences: &Preferences,
    owner: Owner,
) -> Result<(Connection, Server, RawObject), Error> {
    let meta = preferences.stateless_meta(&preferences.concerns);
    let hello = Hello { initialize: preferences.hello(), meta };
    let (owner, eras, timeout) = (Arc::new(owner), &preferences.eras[..], preferences.connect_timeout);
    let open = |link: &mut Link| {
        let inner = link.open(preferences.listens, Arc::clone(&owner) as Arc<dyn Handler>)?;
        let closing = inner.closing().clone().drop_guard();
        Ok::<_, Error>(Connection { inner, _closing: closing })
    };
    let reaching = async {
        let mut connection = open(link)?;
        let mut met = introduce(&connection.inner, &hello, eras, timeout).await;
        if let ([first, other, ..], Err(Error::NoResult { error, .. })) = (eras, &met)
            && link.opens_again()
            && may_work_in_other_era(error, *first)
        {
            let again = open(link)?;
            if let Ok(introduced) = introduce(&again.inner, &hello, &[*other], timeout).await {
                (connection, met) = (again, Ok(introduced));
            }
        }
        Ok::<_, Error>((connection, Server::read(met?)))
    };
    let reached = tokio::time::timeout(timeout, reaching).await;
    let late = |_| Err(Error::of("initialize", CallError::TimedOut { waited: timeout }));
    let (connection, server) = reached.unwrap_or_else(late)?;
    if server.era == Era::Session {
        return Ok((connection, server, RawObject::empty()));
    }
    let news = announced_lists(&server.capabilities);
    if preferences.listens && !news.is_empty() {
        let params = with_meta(&RawObject::empty().with("notifications", news.text()), &hello.meta);
        // Until the connection ends.
        tokio::spawn(Arc::clone(&connection.inner).listen(params));
    }
    Ok((connection, server, hello.meta))
}
