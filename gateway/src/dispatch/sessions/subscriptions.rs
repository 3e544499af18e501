//! `resources/subscribe` and `resources/unsubscribe`.

use std::sync::Arc;

use mcp_disclosure_core::{Kind, Principal, own_uri};
use mcp_disclosure_transport::{ErrorText, Json};

use super::{ServedSession, Sessions};
use crate::{
    dispatch::{Answer, RequestContext, common::text_of},
    session::{Held, Place, Watched, store::Delta},
};

impl Sessions {
    pub(crate) async fn subscribe(self: &Arc<Self>, cx: &RequestContext<'_>) -> Answer {
        let uri = text_of(cx.params, "uri")?;
        let Some(session) = &cx.session else { return Ok(Json::empty_object()) };
        let (_, owners) = cx.backend.owners(cx.page, &uri);
        let mut names = owners.iter().filter_map(|owner| owner.name());
        if names.any(|name| session.is_subscribed(&Watched::of(name, &uri))) {
            return Ok(Json::empty_object());
        }
        self.check_uri(&uri)?;
        let place = cx.peer.subscriptions(1)?;
        // If the client disconnects meanwhile, dropping this releases it.
        let held = cx.backend.hold(cx.page, &uri, |slot| cx.ready(slot)).await?;
        cx.still_holds()?;
        // First, so that a copy that is read meanwhile does not end it.
        self.record(session, Delta { subscribed: Some(uri), ..Delta::default() }).await?;
        self.subscribed(session, &cx.principal, held, place);
        Ok(Json::empty_object())
    }

    pub(crate) async fn unsubscribe(self: &Arc<Self>, cx: &RequestContext<'_>) -> Answer {
        let uri = text_of(cx.params, "uri")?;
        let Some(session) = &cx.session else { return Ok(Json::empty_object()) };
        self.check_uri(&uri)?;
        self.record(session, Delta { unsubscribed: Some(uri.clone()), ..Delta::default() }).await?;
        // Its upstream is asked once this is dropped.
        drop(session.keep_subscriptions(|watched| watched.uri != uri));
        Ok(Json::empty_object())
    }

    /// A session is subscribed to what is held for it, by the permissions of this principal.
    fn subscribed(
        self: &Arc<Self>,
        session: &Arc<ServedSession>,
        principal: &Principal,
        (watched, held): (Watched, Held),
        place: Place,
    ) {
        session.subscribe(watched, held, place);
        // A later request may have taken over other permissions meanwhile.
        if session.principal().permits() != principal.permits() {
            self.keep_readable(session);
        }
    }

    /// A session's principal is permitted this as of a change of permissions.
    pub(crate) fn readmit(self: &Arc<Self>, session: &Arc<ServedSession>, principal: &Principal, at: u64) {
        if session.admitted.lock().take_over(principal.permits(), at) {
            self.keep_readable(session);
            session.admitted.lock().follow(at);
        }
    }

    /// Ends a session's subscriptions to what its principal may not read, of the upstream that is subscribed to.
    fn keep_readable(self: &Arc<Self>, session: &Arc<ServedSession>) {
        if !session.has_subscriptions() {
            return;
        }
        let backend = session.backend();
        let view = backend.catalogue().current().view(&session.principal(), &session.choice());
        let is_readable = |watched: &Watched| {
            let name = &watched.upstream;
            backend.slot(name).is_ok() && !view.refuses_resource(&own_uri(name, &watched.uri))(name)
        };
        let ended = session.keep_subscriptions(is_readable);
        self.unsubscribed(session, ended);
    }

    /// Subscriptions ended here, and end at other replicas.
    fn unsubscribed(self: &Arc<Self>, session: &Arc<ServedSession>, ended: Vec<Watched>) {
        let left = session.subscribed();
        let uris = ended.into_iter().map(|ended| ended.uri).filter(|uri| !left.contains(uri));
        let uris: Vec<String> = uris.collect();
        if self.replicas.is_none() || uris.is_empty() {
            return;
        }
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        tokio::spawn(async move {
            for uri in uris {
                let ended = Delta { unsubscribed: Some(uri), ..Delta::default() };
                if let Err(error) = sessions.record(&session, ended).await {
                    tracing::debug!(error = error.message(), "a subscription did not end at other replicas");
                }
            }
        });
    }

    /// Subscribes to what the client subscribed to at other replicas; unless `is_settled`, only to what upstreams list that are
    /// there: of the rest it is not known yet whose it is. Returns whether none is left.
    pub(super) async fn subscribe_to(
        self: &Arc<Self>,
        session: &Arc<ServedSession>,
        uris: &[String],
        is_settled: bool,
    ) -> bool {
        let backend = Arc::clone(session.backend());
        let subscribed = session.subscribed();
        let mut is_done = true;
        for uri in uris.iter().filter(|uri| !subscribed.contains(uri)) {
            let principal = session.principal();
            let page = session.viewer().page(&backend.catalogue().current());
            let owner = page.view.entry(Kind::Resources, uri).map(|entry| backend.slot(entry.upstream()));
            let is_there = owner.is_some_and(|slot| slot.is_ok_and(|slot| slot.upstream().is_some()));
            if !(is_settled || is_there) {
                is_done = false;
                continue;
            }
            let Ok(place) = session.peer.subscriptions(1) else { return false };
            match backend.hold(&page, uri, |_| std::future::ready(Ok(()))).await {
                Ok(held) => self.subscribed(session, &principal, held, place),
                Err(error) => {
                    tracing::debug!(error = error.message(), "a subscription did not move");
                    is_done = false;
                }
            }
        }
        is_done
    }

    pub(in crate::dispatch) fn check_uri(&self, uri: &str) -> Result<(), ErrorText> {
        let most = self.common.limits.subscription_uri_bytes;
        if uri.len() <= most {
            return Ok(());
        }
        let message =
            format_args!("the URI of a subscription has {} bytes; at most {most} are allowed", uri.len());
        Err(ErrorText::invalid_params(message))
    }
}
