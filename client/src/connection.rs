//! The connection to the server, as a host uses it.
//!
//! Messages are JSON objects kept as text, so results reach the caller as the server wrote them. rmcp's client is not
//! used: its typed model has no place for lists without `inputSchema`, for `concerns` in the handshake, or for members of
//! results that it does not know.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport as transport;
use mcp_disclosure_transport::{Handler, Notification, Passage, RequestId};
use tokio_util::{sync::DropGuard, task::AbortOnDropHandle};

use crate::{
    Error, Link, Server, definition::Memory, handshake::with_meta, server::announced_lists, traffic::Meter,
};

/// Names and values of arguments that are repeated in headers.
pub(crate) type Mirrored = Vec<(String, String)>;

/// A connection to the server. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) inner: Arc<transport::Connection>,
    _closing: DropGuard,
}

impl Connection {
    /// Opens the link.
    pub(crate) fn open(
        link: &mut Link,
        listens: bool,
        meter: &Arc<Meter>,
        memory: &Arc<Memory>,
    ) -> Result<Self, Error> {
        let (meter, memory) = (Arc::clone(meter), Arc::clone(memory));
        let server = Owner { name: link.to_string(), meter, memory };
        let inner = link.open(listens, Arc::new(server))?;
        let closing = inner.closing().clone().drop_guard();
        Ok(Self { inner, _closing: closing })
    }
}

/// Handles the server's requests and notifications.
#[derive(Debug)]
struct Owner {
    name: String,
    meter: Arc<Meter>,
    memory: Arc<Memory>,
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

/// Subscribes to changed lists, in the stateless era, if `listens`. The stream of notifications ends when this is dropped.
pub(crate) fn follow_news(
    connection: &Connection,
    server: &Server,
    meta: &RawObject,
    listens: bool,
) -> Option<AbortOnDropHandle<()>> {
    let filter = announced_lists(&server.capabilities);
    if !listens || server.era == Era::Session || filter.is_empty() {
        return None;
    }
    let params = with_meta(&RawObject::empty().with("notifications", filter.text()), meta);
    Some(AbortOnDropHandle::new(tokio::spawn(Arc::clone(&connection.inner).listen(params))))
}
