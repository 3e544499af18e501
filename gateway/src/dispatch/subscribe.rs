//! `resources/subscribe` and `resources/unsubscribe` in sessions; `subscriptions/listen` in the stateless
//! era.

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{ErrorText, Id, Json};

use super::{Caller, Gateway};
use crate::{catalogue::Page, session::Filter};

impl Gateway {
    pub(super) async fn subscribe(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        let Some(session) = &caller.session else { return Ok(Json::empty_object()) };
        if session.is_subscribed(&uri) && !caller.backend.owners(page, &uri).is_empty() {
            return Ok(Json::empty_object());
        }
        self.check_uri(&uri)?;
        let place = caller.peer.subscriptions(1)?;
        caller.backend.hold(page, &uri).await?;
        if !session.subscribe(&uri, place) {
            caller.backend.release(&uri);
        }
        Ok(Json::empty_object())
    }

    pub(super) fn unsubscribe(&self, caller: &Caller, params: &RawObject) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        if caller.session.as_ref().is_some_and(|session| session.unsubscribe(&uri)) {
            caller.backend.release(&uri);
        }
        Ok(Json::empty_object())
    }

    pub(super) async fn listen(
        &self,
        caller: &Caller,
        page: &Page,
        id: &Id,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        // From here on a change ends the stream.
        let permissions = self.permissions.subscribe();
        let filter = params.member("notifications").unwrap_or("{}");
        let filter: Filter = serde_json::from_str(filter)
            .map_err(|error| ErrorText::invalid_params(format_args!("params.notifications: {error}")))?;
        filter.resources().iter().try_for_each(|uri| self.check_uri(uri))?;
        let _place = caller.peer.subscriptions(filter.resources().len())?;
        let reaching =
            if filter.resources().is_empty() { caller.clone() } else { self.reaching(caller).await? };
        let caller = &reaching;
        // If the client disconnects meanwhile, dropping this releases what was subscribed so far.
        let mut held = caller.backend.release_on_drop();
        for uri in filter.resources() {
            if caller.backend.hold(page, uri).await.is_ok() {
                held.add(uri);
            }
        }
        let filter = filter.keeping(|uri| held.has(uri));
        let registration = caller.backend.audience().listeners().open(id, filter, caller.outlet.clone());
        let mut permissions = permissions;
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            // The sender lives as long as the gateway.
            _ = permissions.changed() => {}
        }
        Ok(registration.final_result().into())
    }
}

impl Gateway {
    fn check_uri(&self, uri: &str) -> Result<(), ErrorText> {
        let most = self.limits.subscription_uri_bytes;
        if uri.len() <= most {
            return Ok(());
        }
        let message = format_args!(
            "the URI of a subscription has {} bytes; at most {most} are allowed (limits.subscription_uri_bytes)",
            uri.len()
        );
        Err(ErrorText::invalid_params(message))
    }
}

fn uri_of(params: &RawObject) -> Result<String, ErrorText> {
    params.string("uri").ok_or_else(|| ErrorText::invalid_params("params.uri must be a string"))
}
