//! Subscriptions to an upstream's notifications in either era: list changes, resource updates, log messages.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_client::server::announced_lists;
use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{Connection, LoggingLevel};
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::task::AbortOnDropHandle;

use super::{CallError, Introduction, Owner, Upstream};
use crate::dialect::RequestMeta;

/// Open `subscriptions/listen` streams of a stateless upstream, by resource; that for lists has an empty key.
#[derive(Debug, Default)]
pub(super) struct SubscriptionStreams(Mutex<HashMap<String, AbortOnDropHandle<()>>>);

impl SubscriptionStreams {
    /// Subscribes to list changes, if that requires a subscription.
    pub(super) fn open(connection: &Arc<Connection>, introduction: &Introduction) -> Self {
        let streams = Self::default();
        if needs_streams(connection, introduction) {
            let filter = announced_lists(&introduction.capabilities);
            if !filter.is_empty() {
                streams.listen("", connection, filter);
            }
        }
        streams
    }

    fn listen(&self, uri: &str, connection: &Arc<Connection>, filter: RawObject) {
        let params = RawObject::empty().with("notifications", filter.text());
        let params = RequestMeta::ours(&params, &RawObject::empty());
        let stream = AbortOnDropHandle::new(tokio::spawn(Arc::clone(connection).listen(params)));
        self.0.lock().insert(uri.to_owned(), stream);
    }
}

/// Whether changes are heard of by such streams: where there is no session, or no session id, so that the session has no stream for
/// notifications.
fn needs_streams(connection: &Connection, introduction: &Introduction) -> bool {
    introduction.eras.stateless && (!introduction.eras.session || connection.lacks_session())
}

impl Upstream {
    /// Subscribes to updates of a resource.
    ///
    /// # Errors
    /// The upstream's error.
    pub async fn subscribe(&self, uri: &str) -> Result<(), CallError> {
        if !needs_streams(&self.line.connection, &self.introduction) {
            return self.ask_about("resources/subscribe", uri).await;
        }
        let filter = RawObject::empty().with_value("resourceSubscriptions", &json!([uri]));
        self.streams.listen(uri, &self.line.connection, filter);
        Ok(())
    }

    /// Unsubscribes from updates of a resource.
    ///
    /// # Errors
    /// The upstream's error.
    pub async fn unsubscribe(&self, uri: &str) -> Result<(), CallError> {
        if !needs_streams(&self.line.connection, &self.introduction) {
            return self.ask_about("resources/unsubscribe", uri).await;
        }
        self.streams.0.lock().remove(uri);
        Ok(())
    }

    async fn ask_about(&self, method: &str, uri: &str) -> Result<(), CallError> {
        self.query(Owner::Request, method, RawObject::empty().with_value("uri", uri)).await.map(drop)
    }

    /// Sets the minimum level of log messages. In the stateless era each request carries its own.
    pub fn set_log_level(&self, least: LoggingLevel) {
        if self.introduction.eras.nearest(Era::Session) == Era::Stateless {
            return;
        }
        let params = RawObject::empty().with_value("level", &least.to_string());
        let line = Arc::clone(&self.line);
        let upstream = self.name.clone();
        tokio::spawn(async move {
            let set = line.ask(Owner::Ours, Era::Session, "logging/setLevel", params, line.timeout).await;
            if let Err(error) = set {
                tracing::debug!(%upstream, error = error.in_full(), "logging/setLevel failed");
            }
        });
    }
}
