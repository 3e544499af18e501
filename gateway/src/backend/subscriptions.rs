//! Resource subscriptions of a backend's clients: one at each upstream for any number of them, which its slot counts.

use std::sync::Arc;

use mcp_disclosure_core::{View, given::shown};
use mcp_disclosure_transport::{ErrorText, code};
use serde_json::json;

use super::Backend;
use crate::{
    catalogue::Page,
    session::{Held, Watched},
    slot::Slot,
};

impl Backend {
    /// Subscribes to a resource, at its upstream if this is the first subscriber, once that is `ready`. Returns which upstream's it is,
    /// and what holds it.
    ///
    /// # Errors
    /// The upstream's error.
    pub async fn hold<R>(
        &self,
        page: &Page,
        uri: &str,
        ready: impl Fn(Arc<Slot>) -> R,
    ) -> Result<(Watched, Held), ErrorText>
    where
        R: Future<Output = Result<(), ErrorText>>,
    {
        // Those of this caller's view: a resource hidden since others subscribed must be unknown to it.
        let (own, mut owners) = self.owners(page, uri);
        // First where others are subscribed.
        owners.sort_by_cached_key(|owner| !owner.has_subscribers(&own));
        let unknown = || unknown_resource(&page.view, uri);
        let mut refused = unknown();
        for owner in owners {
            let Some(name) = owner.name() else { continue };
            let subscribing = async {
                if !owner.has_subscribers(&own) {
                    ready(Arc::clone(&owner)).await?;
                }
                owner.subscribe(&own).await
            };
            match subscribing.await {
                Ok(held) => return Ok((Watched::of(name, uri), Box::new(held))),
                Err(error) if error.code() != code::UPSTREAM_FAILED && page.is_unlisted_and_guarded(uri) => {
                    refused = unknown();
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}

/// The error for a resource that does not exist for a caller, in the wording of the session era; `dialect` rewrites it for the
/// stateless one. It depends on the URI's text alone, and on what is listed.
pub fn unknown_resource(view: &View, uri: &str) -> ErrorText {
    let hint = if view.needs_canonical(uri) {
        ". Only a canonical URI (RFC 3986, section 6.2.2) or one that is listed can be used here"
    } else {
        ""
    };
    let message = format_args!("Resource not found: {}{hint}", shown(uri));
    ErrorText::new(code::RESOURCE_NOT_FOUND, message).with_data(&json!({"uri": shown(uri)}))
}
