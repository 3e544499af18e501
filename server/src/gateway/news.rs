//! What happens unasked: upstreams' notifications, changed files, idle sessions.

use std::{collections::HashSet, sync::Arc};

use mcp_disclosure_core::{Kind, RawObject, UpstreamLists};
use tokio::{sync::mpsc, task::JoinSet};

use super::Gateway;
use crate::{catalogue::Keeper, session::Severity, upstream::Event, wire::Notification};

/// The notifications that tell of changed lists, each once.
pub(super) fn list_changed(kinds: &[Kind]) -> Vec<Notification> {
    let methods = [
        (&[Kind::Tools][..], "notifications/tools/list_changed"),
        (&[Kind::Resources, Kind::Templates], "notifications/resources/list_changed"),
        (&[Kind::Prompts], "notifications/prompts/list_changed"),
    ];
    let changed = methods.into_iter().filter(|(of, _)| of.iter().any(|kind| kinds.contains(kind)));
    changed.map(|(_, method)| Notification::new(method, RawObject::empty())).collect()
}

/// Upstreams whose lists are being fetched again. Each is fetched by itself, so that one that hangs holds
/// up no other; what changes during a fetch leads to one more.
#[derive(Default)]
struct Relisting {
    fetches: JoinSet<(Arc<Gateway>, usize, Option<UpstreamLists>)>,
    running: HashSet<usize>,
    again: HashSet<usize>,
}

impl Relisting {
    fn want(&mut self, gateway: &Arc<Gateway>, place: usize) {
        if !self.running.insert(place) {
            self.again.insert(place);
            return;
        }
        let gateway = Arc::clone(gateway);
        self.fetches.spawn(async move {
            let lists = gateway.upstreams[place].lists().await;
            let lists = lists.inspect_err(|error| {
                tracing::warn!(%error, "a changed list could not be fetched; the old one stays");
            });
            (gateway, place, lists.ok())
        });
    }

    /// The next fetch that is done; pends while none is.
    async fn fetched(&mut self) -> Option<Option<(usize, UpstreamLists)>> {
        let (gateway, place, lists) = self.fetches.join_next().await?.ok()?;
        self.running.remove(&place);
        if self.again.remove(&place) {
            self.want(&gateway, place);
        }
        Some(lists.map(|lists| (place, lists)))
    }
}

impl Gateway {
    /// Follows what upstreams and files do, until the gateway ends.
    pub(super) async fn follow(
        self: Arc<Self>,
        mut keeper: Keeper,
        mut events: mpsc::UnboundedReceiver<(usize, Event)>,
        mut files: mpsc::Receiver<()>,
    ) {
        let mut sweep = tokio::time::interval(self.sessions.sweep_interval());
        let mut watching = true;
        let mut relisting = Relisting::default();
        loop {
            tokio::select! {
                () = self.shutdown.cancelled() => return,
                event = events.recv() => match event {
                    Some((number, event)) => self.hear(&mut relisting, number, event),
                    None => return,
                },
                Some(fetched) = relisting.fetched() => {
                    if let Some((place, lists)) = fetched {
                        self.announce(&keeper.relist(place, lists, &self.catalogue));
                    }
                }
                signal = files.recv(), if watching => match signal {
                    Some(()) => self.announce(&keeper.reread(&self.catalogue)),
                    None => watching = false,
                },
                _ = sweep.tick() => self.sweep(),
            }
        }
    }

    fn hear(self: &Arc<Self>, relisting: &mut Relisting, number: usize, event: Event) {
        let Some(place) = self.upstreams.iter().position(|upstream| upstream.number() == number) else {
            return;
        };
        match event {
            Event::ListChanged(_) => relisting.want(self, place),
            Event::ResourceUpdated(params) => self.tell_updated(params),
            Event::Log(params) => self.tell_log(&params),
            Event::Ended => {
                let upstream = self.upstreams[place].name();
                tracing::error!(%upstream, "the upstream has ended; its tools answer with an error");
            }
        }
    }

    fn announce(&self, kinds: &[Kind]) {
        for notification in list_changed(kinds) {
            self.sessions.all().iter().for_each(|session| session.outbox.tell(&notification));
            let kind = match &*notification.method {
                "notifications/tools/list_changed" => Kind::Tools,
                "notifications/prompts/list_changed" => Kind::Prompts,
                _ => Kind::Resources,
            };
            self.listeners.tell_changed(kind, &notification);
        }
    }

    fn tell_updated(&self, params: RawObject) {
        let uri = params.string("uri").unwrap_or_default();
        let notification = Notification::new("notifications/resources/updated", params);
        let sessions = self.sessions.all();
        let subscribed = sessions.iter().filter(|session| session.is_subscribed(&uri));
        subscribed.for_each(|session| session.outbox.tell(&notification));
        self.listeners.tell_updated(&uri, &notification);
    }

    /// Log messages go to sessions that asked for them. Where upstream and client belong to each other
    /// alone (one session on stdio), they go there even if it did not.
    fn tell_log(&self, params: &RawObject) {
        let severity = params.string("level").and_then(|level| level.parse().ok()).unwrap_or(Severity::Info);
        let notification = Notification::new("notifications/message", params.clone());
        for session in self.sessions.all() {
            let wanted = session.log_level().map_or(session.is_exclusive(), |least| severity >= least);
            if wanted {
                session.outbox.tell(&notification);
            }
        }
    }

    /// Asks upstreams for the least severe messages that any session wants.
    pub(super) fn relay_log_level(&self) {
        let least = self.sessions.all().iter().filter_map(|session| session.log_level()).min();
        let Some(least) = least else { return };
        let params = RawObject::empty().with_value("level", &least.to_string());
        for upstream in self.upstreams.iter().filter(|upstream| upstream.introduction().has("logging")) {
            let (connection, params) = (Arc::clone(upstream.connection()), params.clone());
            let patience = upstream.patience();
            tokio::spawn(async move {
                if let Err(error) = connection.request("logging/setLevel", params, None, patience).await {
                    tracing::debug!(upstream = connection.name(), %error, "the log level was not taken");
                }
            });
        }
    }

    /// Tells the upstreams that their client's roots changed.
    pub fn roots_changed(&self) {
        for upstream in &self.upstreams {
            upstream.connection().notify("notifications/roots/list_changed", RawObject::empty());
        }
    }

    fn sweep(&self) {
        self.fetches.sweep();
        for session in self.sessions.remove_idle() {
            tracing::info!(session = %session.id(), "session ended: idle");
            self.release_all(&session);
        }
    }

    /// Ends a session; `false` if there is none of this id.
    pub fn end_session(&self, id: &str) -> bool {
        let Some(session) = self.sessions.remove(id) else { return false };
        tracing::info!(session = id, "session ended");
        self.release_all(&session);
        true
    }
}
