//! `subscriptions/listen` of the stateless era.

use futures::{
    FutureExt,
    future::{join_all, pending},
};
use mcp_disclosure_core::{given, take::member};
use mcp_disclosure_transport::{ErrorText, code};

use super::{Answer, Calls};
use crate::{
    dialect::needs_tasks,
    dispatch::RequestContext,
    session::{Filter, Viewer},
};

impl Calls {
    /// Tells a client what it asks for, until it hangs up, its permissions change or the gateway ends.
    pub(crate) async fn listen(&self, cx: &RequestContext<'_>) -> Answer {
        let asked = cx.params.object("notifications").unwrap_or_default();
        if asked.member("taskIds").is_some() && !cx.choice.traits.tasks {
            return Err(needs_tasks());
        }
        let filter = cx.params.member("notifications").unwrap_or("{}");
        self.check_count(filter)?;
        let mut filter: Filter = serde_json::from_str(filter)
            .map_err(|error| ErrorText::invalid_params(format_args!("params.notifications: {error}")))?;
        filter.resource_subscriptions.iter().try_for_each(|uri| self.sessions.check_uri(uri))?;
        // Another's task is unknown, and not followed.
        filter.task_ids.retain(|id| self.tasks.has(cx, id));
        let count = filter.resource_subscriptions.len() + filter.task_ids.len();
        let _place = cx.peer.subscriptions(count)?;
        let backend = match filter.resource_subscriptions.is_empty() {
            true => &cx.backend,
            false => cx.reach().await?,
        };
        // If the client disconnects meanwhile, dropping this releases what was subscribed so far.
        let mut held = Vec::new();
        for uri in &filter.resource_subscriptions {
            held.extend(backend.hold(cx.page, uri, |slot| cx.ready(slot)).await.ok());
        }
        cx.still_holds()?;
        filter.watched = held.iter().map(|(watched, _)| watched.clone()).collect();
        filter.resource_subscriptions.retain(|uri| filter.watched.iter().any(|watched| watched.uri == *uri));
        let (principal, choice) = (cx.principal.clone(), cx.choice.clone());
        let viewer = Viewer { principal, choice, memory: cx.memory.clone() };
        let declared = viewer.extension().filter(|extension| asked.member(extension.id) == Some("true"));
        filter.extension = declared.map(|extension| extension.id);
        let tasks = filter.task_ids.clone();
        let listener = backend.audience.listeners.open(&cx.request.id, filter, viewer, cx.outlet.clone());
        let mut permissions = self.common.permissions.subscribe();
        let following = tasks.iter().map(|id| self.follow_task(cx, id, |state| listener.notify(state)));
        let following = join_all(following).then(|_| pending::<()>());
        tokio::select! {
            () = self.common.shutdown.cancelled() => {}
            () = following => {}
            // A change ends the stream, from when the request was admitted. The sender lives as long as the gateway.
            _ = permissions.wait_for(|change| *change > cx.admitted_at) => {}
        }
        Ok(listener.final_result().into())
    }

    /// Checks the numbers of resources and tasks in the JSON text of a listener's filter, before they are read.
    fn check_count(&self, filter: &str) -> Result<(), ErrorText> {
        let most = self.common.limits.subscriptions_per_peer;
        let is_within = |name| {
            let named = member(filter, name).and_then(|named| given::items(named, most));
            named.is_none_or(|named| named.len() <= most)
        };
        if is_within("resourceSubscriptions") && is_within("taskIds") {
            return Ok(());
        }
        let message = format_args!("too many subscriptions: one client, or address, may have {most}");
        Err(ErrorText::new(code::LIMIT_REACHED, message))
    }
}
