//! Subscriptions and the log level, which each new connection to an upstream is asked for again.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_transport::{ErrorText, LoggingLevel, code};
use parking_lot::Mutex;

use super::Slot;
use crate::upstream::{CallError, Upstream};

/// What each new connection is asked for.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// Subscriber counts by resource.
    resources: Mutex<HashMap<String, usize>>,
    log_level: Mutex<Option<LoggingLevel>>,
}

impl Slot {
    /// Adds a subscriber to a resource; the first one subscribes at the upstream.
    ///
    /// # Errors
    /// The upstream's error; -32000 if it is not connected.
    pub async fn subscribe(&self, uri: &str) -> Result<(), ErrorText> {
        let is_first = !self.wishes.resources.lock().contains_key(uri);
        if is_first {
            let upstream = self.connected(None).await?;
            upstream.subscribe(uri).await.map_err(|error| match error {
                CallError::Answered(error) => error,
                failed => {
                    tracing::warn!(upstream = %upstream.name(), error = failed.in_full(), "could not subscribe");
                    let message = format_args!("upstream '{}' {failed}", upstream.name());
                    ErrorText::new(code::UPSTREAM_FAILED, message)
                }
            })?;
        }
        *self.wishes.resources.lock().entry(uri.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Removes a subscriber from a resource; the last one unsubscribes at the upstream.
    pub async fn unsubscribe(&self, uri: &str) {
        let is_last = {
            let mut resources = self.wishes.resources.lock();
            let Some(count) = resources.get_mut(uri) else { return };
            *count -= 1;
            *count == 0 && resources.remove(uri).is_some()
        };
        let upstream = self.upstream().filter(|_| is_last);
        if let Some(upstream) = upstream
            && let Err(error) = upstream.unsubscribe(uri).await
        {
            tracing::debug!(upstream = %upstream.name(), uri, error = error.in_full(), "could not unsubscribe");
        }
    }

    /// Sets the minimum level of log messages.
    pub fn set_log_level(&self, least: LoggingLevel) {
        *self.wishes.log_level.lock() = Some(least);
        if let Some(upstream) = self.upstream() {
            upstream.set_log_level(least);
        }
    }

    /// Asks a new connection for everything that the last one was asked for.
    pub(super) fn restore(&self, upstream: &Arc<Upstream>) {
        if let Some(least) = *self.wishes.log_level.lock() {
            upstream.set_log_level(least);
        }
        let resources: Vec<String> = self.wishes.resources.lock().keys().cloned().collect();
        if resources.is_empty() {
            return;
        }
        let upstream = Arc::clone(upstream);
        tokio::spawn(async move {
            for uri in resources {
                if let Err(error) = upstream.subscribe(&uri).await {
                    let error = error.in_full();
                    tracing::warn!(upstream = %upstream.name(), uri, error, "could not subscribe again");
                }
            }
        });
    }
}
