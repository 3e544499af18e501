//! Following upstreams and declarations: slots report changes, and each batch of changes becomes one snapshot.

use std::{collections::HashSet, sync::Arc, time::Duration};

use mcp_disclosure_core::{Kind, Permits, Principal, RawObject, Stack, View, given::is_like, our_uri};
use mcp_disclosure_transport::beside::aside;
use tokio::sync::{mpsc, watch};

use super::{Backend, Declaration, Scope, clashes, declare::Declarations};
use crate::{
    catalogue::{Keeper, Made, Published},
    session::Watched,
    slot::{Recollection, Slot, Status, Supervision, Supervisor},
    upstream::{Event, Restart, UpstreamError, Upstreams},
};

/// While upstreams are starting, changes are gathered for at most this long, since most come at about the same time.
const GATHERING: Duration = Duration::from_millis(20);

/// The events of slots, by number.
type Events = mpsc::UnboundedReceiver<(usize, Event)>;

/// How far the upstreams have come. What one listed that was tried is in the catalogue.
#[derive(Debug, Default)]
pub(crate) struct Progress(watch::Sender<Tries>);

/// The upstreams that the catalogue is made of, in their order: by number, their statuses. Of one that is not in it yet, nothing is
/// known.
#[derive(Debug, Default)]
pub(super) struct Tries(Vec<(usize, Status)>);

impl Tries {
    /// What is known from an earlier run of the program of the upstreams that were not tried yet.
    pub(super) fn outstanding(&self) -> impl Iterator<Item = Recollection> {
        self.0.iter().filter(|(_, status)| !status.is_tried()).map(|(_, status)| status.recollection)
    }

    /// Whether each was tried.
    pub(super) fn are_complete(&self) -> bool {
        self.outstanding().next().is_none()
    }

    /// An upstream.
    pub(super) fn of(&self, number: usize) -> Option<&Status> {
        self.0.iter().find(|(known, _)| *known == number).map(|(_, status)| status)
    }

    /// The number of the client's choices that the lists of all upstreams follow.
    pub(super) fn followed(&self) -> u64 {
        self.0.iter().map(|(_, status)| status.followed()).min().unwrap_or(u64::MAX)
    }

    /// What the catalogue is made of.
    pub(super) fn made(&self) -> Made {
        Made::of(self.0.iter().map(|(_, status)| status))
    }
}

impl Progress {
    /// Waits until each of these was tried. Returns why some of them cannot be used.
    pub(super) async fn of(&self, numbers: &[usize]) -> Vec<Arc<UpstreamError>> {
        let is_tried = |(number, status): &(usize, Status)| !numbers.contains(number) || status.is_tried();
        self.reach(|tries| tries.0.iter().all(is_tried)).await;
        let tries = self.0.borrow();
        numbers.iter().filter_map(|number| tries.of(*number)?.missing().cloned()).collect()
    }

    /// Whether this is so by now.
    pub(super) fn is(&self, so: impl Fn(&Tries) -> bool) -> bool {
        so(&self.0.borrow())
    }

    /// Waits until this is so.
    pub(super) async fn reach(&self, is_so: impl FnMut(&Tries) -> bool) {
        // The sender is borrowed, so it is there.
        drop(self.0.subscribe().wait_for(is_so).await);
    }

    /// Whether each was tried, so that nothing in the catalogue is from an earlier run of the program.
    pub(crate) fn is_complete(&self) -> bool {
        self.is(Tries::are_complete)
    }

    /// How many are still to be tried.
    pub(crate) fn outstanding(&self) -> usize {
        self.0.borrow().outstanding().count()
    }

    /// Waits until fewer than these are still to be tried, so that the catalogue has what one more lists.
    pub(crate) async fn fewer(&self, than: usize) {
        self.reach(|tries| tries.outstanding().count() < than).await;
    }

    pub(super) fn begin(&self, numbers: impl Iterator<Item = usize>) {
        let unknown = || Status::new(Supervision::new(Restart::Always), Recollection::Pending);
        self.0.send_modify(|tries| tries.0.extend(numbers.map(|number| (number, unknown()))));
    }

    /// Notes what the present snapshot is made of: upstreams, by number.
    fn note(&self, upstreams: impl Iterator<Item = (usize, Status)>) {
        self.0.send_replace(Tries(upstreams.collect()));
    }
}

/// The task that keeps a backend's catalogue up to date.
pub(super) struct Follower {
    pub(super) backend: Arc<Backend>,
    pub(super) keeper: Keeper,
    pub(super) supervisor: Supervisor,
    /// The scope of upstreams whose settings do not say.
    pub(super) scope: Scope,
    /// The upstreams in force.
    pub(super) upstreams: Upstreams,
    /// The slots that it started.
    pub(super) own: Vec<Arc<Slot>>,
    pub(super) strategies: Vec<Arc<Stack>>,
    /// The names that were reported as taken.
    pub(super) clashing: HashSet<String>,
    pub(super) events: mpsc::UnboundedSender<(usize, Event)>,
    /// The backend whose slots this one shares, where it need not have its own. Equal snapshots share what was made of
    /// them.
    pub(super) like: Option<Arc<Backend>>,
}

impl Follower {
    /// Starts the upstreams, then follows them until the backend ends.
    pub(super) fn start(mut self, followed: Events, declarations: Declarations) {
        let (passed_on, shared) = mpsc::unbounded_channel();
        if let Some(like) = &self.like {
            // What is known already.
            let _receiver_is_here = passed_on.send((0, Event::Changed));
            like.passed_on.attach(passed_on);
        }
        self.replace_slots();
        let ending = self.backend.ending.clone();
        tokio::spawn(ending.run_until_cancelled_owned(self.follow(followed, shared, declarations)));
    }

    /// Follows its own slots, the shared ones, and what is declared.
    async fn follow(mut self, mut own: Events, mut shared: Events, mut declarations: Declarations) {
        loop {
            let mut declaration = None;
            tokio::select! {
                Some(event) = own.recv() => self.note(event),
                Some((number, event)) = shared.recv() => {
                    if self.shares(number) {
                        self.note((number, event));
                    }
                }
                declared = declarations.next() => declaration = Some(declared),
            }
            self.gather(&mut own).await;
            let declared = declaration.as_ref().map(|new| new.declared.clone());
            self.take(declaration);
            // Other backends share slots of this one, so they follow later.
            self.backend.passed_on.send(0, &Event::Changed);
            declared.into_iter().for_each(|declared| declarations.pass_on(declared));
        }
    }

    /// Adds what comes at about the same time.
    async fn gather(&self, events: &mut Events) {
        while let Ok(event) = events.try_recv() {
            self.note(event);
        }
        let gathering = tokio::time::sleep(GATHERING);
        tokio::pin!(gathering);
        while !self.backend.slots().iter().all(|slot| slot.status().is_tried()) {
            tokio::select! {
                () = &mut gathering => return,
                Some(event) = events.recv() => self.note(event),
            }
        }
    }

    fn note(&self, (number, event): (usize, Event)) {
        // A changed status is looked at with all the others.
        if let Event::ResourceUpdated(params, _share) = &event {
            self.updated(number, params.clone());
            self.backend.passed_on.send(number, &event);
        }
    }

    /// Forwards an update of a resource, unless it is hidden.
    fn updated(&self, number: usize, params: RawObject) {
        let Some(slot) = self.backend.slot_numbered(number) else { return };
        let Some(name) = slot.name() else { return };
        let current = self.backend.catalogue.current();
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
            self.backend.audience.notify_updated(&Watched::of(number, uri), params.with_value("uri", uri));
        }
    }

    /// Publishes a new snapshot, if anything that it is made of changed.
    fn take(&mut self, declaration: Option<Declaration>) {
        let mut is_new = declaration.is_some();
        let mut reply = None;
        if let Some(Declaration { declared, reply: asker }) = declaration {
            if let Some(upstreams) = &declared.upstreams {
                self.upstreams = upstreams.clone();
            }
            if let Some(asks) = &self.supervisor.terms.asks {
                *asks.rules.write() = Arc::clone(&declared.rules);
            }
            self.keeper.declare(declared);
            reply = asker;
        }
        self.replace_slots();
        // Looked at once, so that what counts as tried is in the snapshot.
        let slots = self.backend.slots();
        let statuses: Vec<Status> = slots.iter().map(|slot| slot.status()).collect();
        let is_own = |slot: &Arc<Slot>| self.own.iter().any(|own| Arc::ptr_eq(own, slot));
        let own = slots.iter().zip(&statuses).filter(|(slot, _)| is_own(slot)).map(|(_, status)| status);
        is_new |= self.keeper.list(statuses.clone(), own);
        let mut changes = Vec::new();
        let is_complete = statuses.iter().all(Status::is_tried);
        // Warnings about the snapshot wait for that.
        is_new |= is_complete && !self.backend.progress.is_complete();
        // Upstreams that were stopped say nothing of what is declared for them.
        let is_final = is_complete && !self.backend.is_ending();
        if is_new {
            let before = self.backend.catalogue.current();
            self.publish(is_final);
            let now = self.backend.catalogue.current();
            changes = self.differing(&Permits::all(), &before, &now);
            self.backend.audience.notify_changed(|permits| self.differing(permits, &before, &now));
            self.backend.audience.notify_announced(&before, &now);
            self.report_clashes();
        }
        self.backend.progress.note(slots.iter().map(|slot| slot.number()).zip(statuses));
        // The asker may be gone.
        let _asker_is_gone = reply.map(|reply| reply.send(changes));
    }

    /// Replaces the snapshot.
    fn publish(&mut self, is_final: bool) {
        let made = self.like.as_ref().and_then(|like| like.made_of(&self.keeper.made()));
        if let Some(made) = made {
            return self.backend.catalogue.share(made);
        }
        let before = self.backend.catalogue.current();
        // Thousands of tools take a while.
        let snapshot = aside(usize::MAX, || self.keeper.build(before.snapshot(), is_final));
        let like = self.like.as_ref().map(|like| like.catalogue.current());
        self.backend.catalogue.replace(snapshot, like);
    }

    /// The kinds of lists that differ between two catalogues for who has these permissions. What such a client may not use
    /// may change without its knowing. Where a strategy now selects another one, its tools are listed in another way, and the
    /// other one may have resources of its own.
    fn differing(&self, permits: &Permits, before: &Published, now: &Published) -> Vec<Kind> {
        let someone = Principal::anonymous().permitted(permits.clone());
        let [before, now] =
            [before, now].map(|published| View::of(Arc::clone(published.snapshot()), &someone));
        let selected = |strategy: &Arc<Stack>, view| Some(strategy.selects(view)?.name);
        let is_new =
            self.strategies.iter().any(|strategy| selected(strategy, &before) != selected(strategy, &now));
        let kinds = before.changes(&now);
        let new = [Kind::Tools, Kind::Resources].into_iter().filter(|kind| is_new && !kinds.contains(kind));
        kinds.iter().copied().chain(new).collect()
    }

    /// Logs names that clash since upstreams joined or changed. At the start they are errors instead.
    fn report_clashes(&mut self) {
        if self.like.is_some() {
            return;
        }
        let current = self.backend.catalogue.current();
        let clashing = clashes(&self.strategies, current.snapshot()).into_iter();
        let clashing: HashSet<String> = clashing.map(|problem| problem.to_string()).collect();
        clashing.difference(&self.clashing).for_each(|problem| tracing::warn!("not served: {problem}"));
        self.clashing = clashing;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use mcp_disclosure_core::{UpstreamLists, UpstreamName};

    use super::*;
    use crate::{slot::End, upstream::Why};

    fn failed(restart: Restart, has_listed: bool) -> Status {
        let now = tokio::time::Instant::now();
        let mut status = Status::new(Supervision::new(restart), Recollection::None);
        if has_listed {
            status.supervision.connected(now);
            status.supervision.ended(End::Lost, now, 0.0);
            status.lists = Some(Arc::new(UpstreamLists::empty(UpstreamName::parse("kit").unwrap())));
        } else {
            status.supervision.failed(now, 0.0);
        }
        let why = Why::Foreign("nonsense".to_owned());
        let error = UpstreamError { name: None, target: String::new(), remote: false, why };
        status.error = Some(Arc::new(error));
        status
    }

    #[tokio::test(start_paused = true)]
    async fn u1_what_cannot_be_used_is_known_once_each_was_tried() {
        let progress = Progress::default();
        progress.begin(0..5);
        let missing = |numbers: &[usize]| progress.of(numbers).now_or_never().map(|missing| missing.len());
        assert_eq!(missing(&[0]), None);
        let starting = Status::new(Supervision::new(Restart::Always), Recollection::None);
        let tried =
            [failed(Restart::Always, false), failed(Restart::Always, true), failed(Restart::Never, true)];
        // What it listed in an earlier run can be offered soon.
        let looked_up = Status { recollection: Recollection::Pending, ..failed(Restart::Always, false) };
        assert!(!looked_up.is_tried());
        progress.note((0..).zip(tried.into_iter().chain([starting, looked_up])));
        let of_each = [&[0], &[1], &[2], &[3], &[4]].map(|number| missing(number));
        assert_eq!(of_each, [Some(1), Some(0), Some(1), None, None]);
        assert!(!progress.is_complete());
        assert_eq!([2, 3].map(|than| progress.fewer(than).now_or_never()), [None, Some(())]);
        // The others were removed.
        progress.note((1..).zip([failed(Restart::Always, false)]));
        assert_eq!(missing(&[0, 1, 2, 3]), Some(1));
    }
}
