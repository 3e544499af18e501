//! Backends: supervised upstreams, and the catalogue built from their lists.
//!
//! One backend serves all clients of an era, or each client has a dedicated one ([`Scope`]). Only dedicated upstreams
//! may send requests to a client, since nothing else identifies which client is meant. The backends share the slots of
//! upstreams, but for those that list something else in each era, or to each client.

mod follow;
mod guard;
mod scope;
mod slots;
mod start;
mod subscriptions;

use std::{
    borrow::Cow,
    cmp::Reverse,
    sync::{Arc, Weak},
    time::Duration,
};

use follow::{Declaration, Progress, Tries};
pub use guard::{BackendGuard, Claim};
use mcp_disclosure_core::{Entry, Era, Kind, RawObject, View, given::is_like, matches_template, our_uri};
use mcp_disclosure_transport::ErrorText;
use parking_lot::{Mutex, RwLock};
pub use scope::Backends;
pub use start::{Recipe, clashes};
pub use subscriptions::unknown_resource;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

pub use crate::upstream::Scope;
use crate::{
    catalogue::{Catalogue, Declared, Made, Page, Published},
    error::{Error, upstream_failed},
    session::{Audience, Client, Place, Watched},
    slot::{Recollection, Slot, Status, server_info},
    upstream::{Upstream, UpstreamError},
};

/// How long a handshake waits at most for what is known from an earlier run of the program: a few files that are read, and a
/// snapshot that is built of them. It is answered within 100 ms (docs/CONTRACT.md U1).
const WAIT_FOR_RECOLLECTION: Duration = Duration::from_millis(80);

/// What happened to an upstream that is not there any more while a request is answered.
pub(crate) const REMOVED: &str = "was removed";

/// Supervised upstreams, their catalogue, and the recipients of their notifications.
#[derive(Debug)]
pub struct Backend {
    catalogue: Catalogue,
    slots: RwLock<Arc<[Arc<Slot>]>>,
    /// How far its upstreams have come.
    pub(crate) progress: Progress,
    /// Takes what is declared anew; that of another backend comes from the one that it is like.
    declarations: mpsc::Sender<Declaration>,
    /// The backends that are like it.
    sharing: Mutex<Vec<Weak<Backend>>>,
    /// Until then, lists wait for upstreams that are starting.
    deadline: Instant,
    /// Until then, lists wait for those of them that are remembered.
    deadline_of_remembered: Instant,
    /// The recipients of notifications.
    pub(crate) audience: Arc<Audience>,
    client: Option<Arc<Client>>,
    /// Cancelled when it is closing.
    ending: CancellationToken,
    /// The reservation of its client's peer.
    _place: Option<Place>,
}

impl Backend {
    /// The catalogue of this backend.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The current snapshot, if it is made of this.
    fn made_of(&self, what: &Made, declared: &Arc<Declared>) -> Option<Arc<Published>> {
        self.progress.is(|tries| tries.makes(what, declared)).then(|| self.catalogue.current())
    }

    /// The backends that are like it, and share its slots where they need not have their own.
    fn sharing(&self) -> Vec<Arc<Backend>> {
        self.sharing.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Forwards an update of a resource of this slot, if the backend has it, unless it is hidden.
    fn updated(&self, slot: &Arc<Slot>, params: &RawObject) {
        let Some(name) = slot.name().filter(|_| slots::has(&self.slots(), slot)) else { return };
        let current = self.catalogue.current();
        let snapshot = current.snapshot();
        let Some(uri) = params.string("uri").filter(|uri| !snapshot.hides_resource(name, uri)) else {
            return;
        };
        // Another member may name what is hidden, to who takes it for the URI.
        let is_guarded = snapshot.guards_resources();
        let params =
            params.retain(|key| matches!(key, "uri" | "_meta") || !(is_guarded || is_like(key, "uri")));
        // Subscribers may know it by either.
        for uri in [&uri, &our_uri(name, &uri)] {
            self.audience.notify_updated(&Watched::of(name, uri), params.with_value("uri", uri));
        }
    }

    /// The upstreams, in the order in which they are configured.
    pub fn slots(&self) -> Arc<[Arc<Slot>]> {
        Arc::clone(&self.slots.read())
    }

    /// The upstreams that are connected.
    pub fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.slots().iter().filter_map(|slot| slot.upstream()).collect()
    }

    /// The client, if these upstreams are dedicated to one.
    pub fn client(&self) -> Option<&Arc<Client>> {
        self.client.as_ref()
    }

    /// Waits until each upstream was tried once, so that what it lists is in the catalogue; at most until the time
    /// for that is over (`wait_for_upstreams`, from the start of the backend).
    pub async fn settled(&self) {
        if self.is_settled() {
            return;
        }
        let settling = async {
            // Or until what those list that are remembered can be served.
            if tokio::time::timeout_at(self.deadline_of_remembered, self.all_tried()).await.is_err() {
                let is_offered = |known: Recollection| known == Recollection::Offered;
                self.progress.reach(|tries| tries.outstanding().all(is_offered)).await;
            }
        };
        let _over = tokio::time::timeout_at(self.deadline, settling).await;
    }

    /// The same, for what is not remembered from an earlier run of the program.
    pub(crate) async fn settled_anew(&self) {
        let _over = tokio::time::timeout_at(self.deadline, self.all_tried()).await;
    }

    /// Waits until each upstream was tried once, however long that takes.
    pub async fn all_tried(&self) {
        self.progress.reach(Tries::are_complete).await;
    }

    /// Waits until what is known of upstreams from an earlier run of the program is in the catalogue; not longer than
    /// a handshake may take.
    pub async fn recalled(&self) {
        if !self.progress.is_complete() {
            let is_known = |known: Recollection| known != Recollection::Pending;
            let recalled = self.progress.reach(|tries| tries.outstanding().all(is_known));
            let _over = tokio::time::timeout(WAIT_FOR_RECOLLECTION, recalled).await;
        }
    }

    /// Lets the upstreams that are its client's alone follow the choices of concerns that a view was narrowed to. Waits until
    /// their lists do, at most as long as for a connection. Returns whether it chose anything so far: then the view may be outdated.
    pub(crate) async fn follow(&self, view: &View) -> bool {
        let Some(client) = &self.client else { return false };
        let number = client.follow(&view.about().concerns, view.choices());
        if number == 0 {
            return false;
        }
        let slots = self.slots();
        let longest = slots.iter().map(|slot| slot.patience).max().unwrap_or_default();
        let followed = self.progress.reach(|tries| tries.followed() >= number);
        if tokio::time::timeout(longest, followed).await.is_err() {
            tracing::warn!(?longest, "an upstream does not say which choices of concerns it follows");
        }
        true
    }

    /// Whether [`settled`](Self::settled) returns at once, because all were tried or the time is over.
    pub fn is_settled(&self) -> bool {
        self.progress.is_complete() || Instant::now() >= self.deadline
    }

    /// Waits until an upstream was tried, so that what it lists is in the catalogue.
    pub(crate) async fn listed(&self, slot: &Slot) {
        self.progress.of(&[slot.number()]).await;
    }

    /// Waits until what a slot's upstream lists on this connection, or on one that replaced it, is in the catalogue, if it is made of
    /// what the slot lists. In vain if the connection ends before, or that takes too long.
    pub(crate) async fn takes_over(&self, slot: &Slot, upstream: &Arc<Upstream>) {
        let slot = slot.latest();
        let is_listed = |tries: &Tries| {
            let listed = tries.of(slot.number()).and_then(|status| status.upstream.as_ref());
            let is_it = |one: &Arc<Upstream>| listed.is_some_and(|listed| Arc::ptr_eq(listed, one));
            is_it(upstream) || slot.upstream().is_some_and(|now| is_it(&now))
        };
        let has = |own: &Arc<Slot>| std::ptr::eq(&raw const **own, slot);
        // Nearly always it is.
        if self.progress.is(is_listed) || !self.slots().iter().any(has) {
            return;
        }
        tokio::select! {
            () = self.progress.reach(is_listed) => {}
            () = upstream.connection().ended() => {}
            () = tokio::time::sleep(slot.patience) => {}
        }
    }

    /// Waits until each awaited upstream was tried once. Returns why some of them could not be used.
    ///
    /// # Errors
    /// [`Error::Upstreams`] if all upstreams are awaited, and none can be used.
    pub(crate) async fn awaited(&self) -> Result<Vec<Arc<UpstreamError>>, Error> {
        let slots = self.slots();
        let awaited = slots.iter().filter(|slot| slot.configured.config.awaited);
        let numbers: Vec<usize> = awaited.map(|slot| slot.number()).collect();
        let missing = self.progress.of(&numbers).await;
        if missing.is_empty() || missing.len() < slots.len() {
            return Ok(missing);
        }
        Err(Error::Upstreams(missing))
    }

    /// `serverInfo`: that of a single upstream, or the gateway's own in front of several. A name and version
    /// declared by the operator override both.
    pub fn server_info(&self) -> RawObject {
        let current = self.catalogue.current();
        let about = current.snapshot().about();
        let upstreams: Vec<Status> = self.slots().iter().map(|slot| slot.status()).collect();
        let own = server_info(&upstreams);
        let differs =
            |member: &str, said: &str| !said.is_empty() && own.string(member).as_deref() != Some(said);
        let named = match differs("name", &about.name) {
            // Clients would display a title instead of the name.
            true => own.retain(|key| key != "title").with_value("name", &about.name),
            false => own.clone(),
        };
        if differs("version", &about.version) { named.with_value("version", &about.version) } else { named }
    }

    /// Whether any upstream has a capability, or may turn out to have it.
    pub fn has(&self, capability: &str) -> bool {
        self.slots().iter().any(|slot| slot.has(capability) || slot.may_surprise())
    }

    /// Whether any upstream offers skills, or may turn out to, and to read directories of their files too.
    pub(crate) fn skills(&self) -> Option<bool> {
        let unsaid = |slot: &Slot| slot.may_surprise().then_some(true);
        let of = |slot: &Arc<Slot>| slot.introduction().map_or_else(|| unsaid(slot), |said| said.skills());
        self.slots().iter().filter_map(of).reduce(|one, other| one || other)
    }

    /// Whether calls of any upstream can be tasks, or may turn out to.
    pub(crate) fn may_run_tasks(&self) -> bool {
        self.slots().iter().any(|slot| match slot.introduction() {
            Some(said) => said.runs_tasks(Era::Session) || said.runs_tasks(Era::Stateless),
            None => slot.may_surprise(),
        })
    }

    /// Whether any upstream supports resource subscriptions, or may turn out to.
    pub fn can_subscribe(&self) -> bool {
        self.slots().iter().any(|slot| slot.says("resources", "subscribe") || slot.may_surprise())
    }

    /// Whether any upstream says what a call would be like (SEP-1862).
    pub fn resolves(&self) -> bool {
        self.slots().iter().any(|slot| slot.says("tools", "resolve"))
    }

    /// The upstream with this name.
    ///
    /// # Errors
    /// -32000 if it was removed while the request was answered.
    pub fn slot(&self, name: &str) -> Result<Arc<Slot>, ErrorText> {
        let slots = self.slots();
        let named = slots.iter().find(|slot| slot.name().is_some_and(|own| **own == *name));
        named.cloned().ok_or_else(|| upstream_failed(name, REMOVED))
    }

    /// The upstream with this number.
    pub fn slot_numbered(&self, number: usize) -> Option<Arc<Slot>> {
        self.slots().iter().find(|slot| slot.number() == number).cloned()
    }

    /// The URI by which upstreams know a resource, and those that may serve it: the one that it leads to, or that lists it,
    /// otherwise those with a matching template, otherwise all with resources; without those whose resource of this URI is hidden.
    pub fn owners<'u>(&self, page: &Page, uri: &'u str) -> (Cow<'u, str>, Vec<Arc<Slot>>) {
        let by_name = |entry: &Entry| self.slot(entry.upstream()).ok();
        if let Some(entry) = page.view.entry(Kind::Resources, uri)
            && let Some(owner) = by_name(entry)
        {
            return (entry.upstream_key().to_owned().into(), vec![owner]);
        }
        if let Some((upstream, own)) = page.view.leads_to(uri) {
            let is_refused = page.view.refuses_resource(&own)(upstream);
            let owner = self.slot(upstream).ok().filter(|_| !is_refused);
            return (own.into(), owner.into_iter().collect());
        }
        let is_refused_of = page.view.refuses_resource(uri);
        let mut owners: Vec<Arc<Slot>> = Vec::new();
        let matching = page
            .view
            .entries(Kind::Templates)
            .filter(|template| matches_template(template.upstream_key(), uri));
        let slots = self.slots();
        let others = slots.iter().filter(|slot| slot.has("resources")).cloned();
        for candidate in matching.filter_map(by_name).chain(others) {
            // Without a name nothing says what is hidden of it.
            let Some(name) = candidate.name() else { continue };
            if !is_refused_of(name) && owners.iter().all(|owner| owner.number() != candidate.number()) {
                owners.push(candidate);
            }
        }
        owners.sort_by_key(|slot| Reverse(slot.upstream().map_or(0, |upstream| upstream.has_of_skill(uri))));
        (uri.into(), owners)
    }

    /// Whether it can serve several stateless requests concurrently: no upstream sends requests outside of
    /// its results.
    pub fn is_shareable(&self) -> bool {
        self.slots()
            .iter()
            .all(|slot| slot.upstream().is_some_and(|upstream| upstream.introduction().eras.stateless))
    }

    /// Whether its upstreams keep no state between requests: all are stateless and remote, so that no process
    /// started by the gateway retains data of an earlier client.
    pub fn keeps_nothing(&self) -> bool {
        let keeps_nothing =
            |upstream: Arc<Upstream>| upstream.is_remote() && !upstream.introduction().eras.session;
        self.slots().iter().all(|slot| slot.upstream().is_some_and(keeps_nothing))
    }

    /// Whether an upstream is not connected, so that another backend would serve a request sooner.
    pub fn is_broken(&self) -> bool {
        self.slots()
            .iter()
            .map(|slot| slot.status())
            .any(|status| status.error.is_some() || status.is_stopped())
    }

    /// Sets the log level of upstreams to the lowest that any session asked for.
    pub fn relay_log_level(&self) {
        let Some(least) = self.audience.log_level() else { return };
        self.slots().iter().for_each(|slot| slot.set_log_level(least));
    }

    /// Notifies the upstreams that their client's roots changed.
    pub fn roots_changed(&self) {
        for upstream in self.upstreams() {
            upstream.connection().notify("notifications/roots/list_changed", RawObject::empty());
        }
    }

    /// Stops all upstreams.
    pub async fn close(&self) {
        self.ending.cancel();
        let slots = self.slots();
        futures::future::join_all(slots.iter().filter(|slot| slot.is_stopping()).map(|slot| slot.stop()))
            .await;
    }
}
