//! `resources/subscribe` and `resources/unsubscribe` in sessions; `subscriptions/listen` in the stateless
//! era.

use std::{borrow::Cow, sync::Arc};

use mcp_disclosure_core::{Principal, RawObject, given, take::member};
use mcp_disclosure_transport::{ErrorText, Id, Json, code};

use super::{Caller, Gateway, tasks::missing};
use crate::{
    backend::Release,
    catalogue::Page,
    session::{Filter, Place, Session, Viewer, Watched, store::Delta},
};

impl Gateway {
    pub(super) async fn subscribe(
        self: &Arc<Self>,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        let Some(session) = &caller.session else { return Ok(Json::empty_object()) };
        let (_, owners) = caller.backend.owners(page, &uri);
        if owners.iter().any(|owner| session.is_subscribed(&Watched::of(owner.number(), &uri))) {
            return Ok(Json::empty_object());
        }
        self.check_uri(&uri)?;
        let place = caller.peer.subscriptions(1)?;
        // If the client disconnects meanwhile, dropping this releases it.
        let mut held = caller.backend.release_on_drop();
        held.add(caller.backend.hold(page, &uri).await?);
        // First, so that a copy that is read meanwhile does not end it.
        self.record(session, Delta { subscribed: Some(uri), ..Delta::default() }).await?;
        self.subscribed(session, &caller.principal, held, place);
        Ok(Json::empty_object())
    }

    pub(super) async fn unsubscribe(
        self: &Arc<Self>,
        caller: &Caller,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        let Some(session) = &caller.session else { return Ok(Json::empty_object()) };
        self.check_uri(&uri)?;
        self.record(session, Delta { unsubscribed: Some(uri.clone()), ..Delta::default() }).await?;
        let ended = session.keep_subscriptions(|watched| watched.uri != uri);
        ended.iter().for_each(|watched| caller.backend.release(watched));
        for watched in &ended {
            caller.backend.released(watched).await;
        }
        Ok(Json::empty_object())
    }

    /// A session is subscribed to what is held for it, by the permissions of this principal.
    fn subscribed(
        self: &Arc<Self>,
        session: &Arc<Session>,
        principal: &Principal,
        held: Release,
        place: Place,
    ) {
        // What is not added is released.
        if let Some(watched) = held.held().first().cloned()
            && session.subscribe(watched, place)
        {
            held.keep();
        }
        // A later request may have taken over other permissions meanwhile.
        if session.principal().permits() != principal.permits() {
            self.keep_readable(session);
        }
    }

    /// Subscriptions ended here, and end at other replicas.
    pub(super) fn unsubscribed(self: &Arc<Self>, session: &Arc<Session>, ended: Vec<Watched>) {
        let left = session.subscribed();
        let uris = ended.into_iter().map(|ended| ended.uri).filter(|uri| !left.contains(uri));
        let uris: Vec<String> = uris.collect();
        if self.replicas.is_none() || uris.is_empty() {
            return;
        }
        let (gateway, session) = (Arc::clone(self), Arc::clone(session));
        tokio::spawn(async move {
            for uri in uris {
                let ended = Delta { unsubscribed: Some(uri), ..Delta::default() };
                if let Err(error) = gateway.record(&session, ended).await {
                    tracing::debug!(error = error.message(), "a subscription did not end at other replicas");
                }
            }
        });
    }

    /// Subscribes to what the client subscribed to at other replicas.
    pub(super) async fn subscribe_to(self: &Arc<Self>, session: &Arc<Session>, uris: &[String]) {
        let backend = Arc::clone(session.backend());
        let subscribed = session.subscribed();
        for uri in uris.iter().filter(|uri| !subscribed.contains(uri)) {
            let Ok(place) = session.peer().subscriptions(1) else { return };
            let principal = session.principal();
            let page = backend.catalogue().current().page(&principal, &session.choice(), &session.memory());
            match backend.hold(&page, uri).await {
                Ok(watched) => {
                    let mut held = backend.release_on_drop();
                    held.add(watched);
                    self.subscribed(session, &principal, held, place);
                }
                Err(error) => tracing::debug!(error = error.message(), "a subscription did not move"),
            }
        }
    }

    pub(super) async fn listen(
        &self,
        caller: &Caller,
        page: &Page,
        id: &Id,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let asked = params.object("notifications").unwrap_or_default();
        if asked.member("taskIds").is_some() && !caller.choice.traits.tasks {
            return Err(missing());
        }
        let filter = params.member("notifications").unwrap_or("{}");
        self.check_count(filter)?;
        let filter: Filter = serde_json::from_str(filter)
            .map_err(|error| ErrorText::invalid_params(format_args!("params.notifications: {error}")))?;
        filter.resources().iter().try_for_each(|uri| self.check_uri(uri))?;
        // Another's task is unknown, and not followed.
        let filter =
            filter.following(|id| self.tasks.has(caller, &RawObject::empty().with_value("taskId", id)));
        let _place = caller.peer.subscriptions(filter.resources().len() + filter.tasks().len())?;
        let reaching =
            if filter.resources().is_empty() { Cow::Borrowed(caller) } else { self.reaching(caller).await? };
        let caller = &*reaching;
        // If the client disconnects meanwhile, dropping this releases what was subscribed so far.
        let mut held = caller.backend.release_on_drop();
        for uri in filter.resources() {
            if let Ok(watched) = caller.backend.hold(page, uri).await {
                held.add(watched);
            }
        }
        let (principal, choice) = (caller.principal.clone(), caller.choice.clone());
        let viewer = Viewer { principal, choice, memory: caller.memory.clone() };
        let filter = filter.watching(held.held()).with_extension(&asked, &viewer);
        let tasks = filter.tasks().to_vec();
        let registration =
            caller.backend.audience().listeners().open(id, filter, viewer, caller.outlet.clone());
        let mut permissions = self.permissions.subscribe();
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = self.follow_tasks(caller, page, &tasks, |state| registration.notify(state)) => {}
            // A change ends the stream, from when the request was admitted. The sender lives as long as the gateway.
            _ = permissions.wait_for(|change| *change > caller.admitted_at) => {}
        }
        Ok(registration.final_result().into())
    }
}

impl Gateway {
    /// Checks the numbers of resources and tasks in the JSON text of a listener's filter, before they are read.
    fn check_count(&self, filter: &str) -> Result<(), ErrorText> {
        let most = self.limits.subscriptions_per_peer;
        let is_within = |name| {
            let named = member(filter, name).and_then(|named| given::items(named, most));
            named.is_none_or(|named| named.len() <= most)
        };
        if is_within("resourceSubscriptions") && is_within("taskIds") {
            return Ok(());
        }
        let message = format_args!(
            "too many subscriptions: one client, or address, may have {most} (limits.subscriptions_per_peer)"
        );
        Err(ErrorText::new(code::LIMIT_REACHED, message))
    }

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
