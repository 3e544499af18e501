//! `resources/subscribe` and `resources/unsubscribe` in sessions; `subscriptions/listen` in the stateless
//! era.

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{ErrorText, Id, Json};

use super::{Caller, Gateway};
use crate::{
    catalogue::Page,
    session::{Filter, Viewer, Watched},
};

impl Gateway {
    pub(super) async fn subscribe(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        let Some(session) = &caller.session else { return Ok(Json::empty_object()) };
        let owners = caller.backend.owners(page, &uri);
        if owners.iter().any(|owner| session.is_subscribed(&Watched::of(owner.number(), &uri))) {
            return Ok(Json::empty_object());
        }
        self.check_uri(&uri)?;
        let place = caller.peer.subscriptions(1)?;
        let held = caller.backend.hold(page, &uri).await?;
        if !session.subscribe(held.clone(), place) {
            caller.backend.release(&held);
        }
        // A later request may have taken over other permissions meanwhile.
        if session.principal().permits() != caller.principal.permits() {
            Self::keep_readable(session);
        }
        Ok(Json::empty_object())
    }

    pub(super) fn unsubscribe(&self, caller: &Caller, params: &RawObject) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        if let Some(session) = &caller.session {
            let ended = session.keep_subscriptions(|watched| watched.uri != uri);
            ended.iter().for_each(|watched| caller.backend.release(watched));
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
            if let Ok(watched) = caller.backend.hold(page, uri).await {
                held.add(watched);
            }
        }
        let asked = params.object("notifications").unwrap_or_default();
        let (principal, choice) = (caller.principal.clone(), caller.choice.clone());
        let viewer = Viewer { principal, choice, memory: caller.memory.clone() };
        let filter = filter.watching(held.held()).with_extension(&asked, viewer);
        let registration = caller.backend.audience().listeners().open(id, filter, caller.outlet.clone());
        let mut permissions = self.permissions.subscribe();
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            // A change ends the stream, from when the request was admitted. The sender lives as long as the gateway.
            _ = permissions.wait_for(|change| *change > caller.admitted_at) => {}
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
