//! Following upstreams and declarations: slots report changes, and each batch of changes becomes one snapshot.

use std::{collections::HashSet, future::pending, sync::Arc, time::Duration};

use mcp_disclosure_core::{Kind, Permits, Principal, Stack, UpstreamLists, View};
use mcp_disclosure_transport::beside::aside;
use tokio::sync::{mpsc, oneshot, watch};

use super::{Backend, Scope, clashes, slots::has};
use crate::{
    catalogue::{Declared, Keeper, Made, Published},
    slot::{Recollection, Slot, Status, Supervisor},
    upstream::{Event, UpstreamError},
};

/// While upstreams are starting, changes are gathered for at most this long, since most come at about the same time.
const GATHERING: Duration = Duration::from_millis(20);

/// What happens at a backend's own slots.
type Events = mpsc::UnboundedReceiver<Event>;

/// A set of declarations to put in force as a whole.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) declared: Declared,
    /// Takes the kinds whose lists changed.
    pub(super) reply: oneshot::Sender<Vec<Kind>>,
}

/// How far the upstreams have come. What one listed that was tried is in the catalogue.
#[derive(Debug)]
pub(crate) struct Progress(watch::Sender<Tries>);

/// What the catalogue is made of.
#[derive(Debug)]
pub(super) struct Tries {
    declared: Arc<Declared>,
    /// The upstreams, in their order: by number, their statuses. Of one that is not in it yet, nothing is known.
    upstreams: Vec<(usize, Status)>,
}

impl Tries {
    /// What is known from an earlier run of the program of the upstreams that were not tried yet.
    pub(super) fn outstanding(&self) -> impl Iterator<Item = Recollection> {
        self.upstreams.iter().filter(|(_, status)| !status.is_tried()).map(|(_, status)| status.recollection)
    }

    /// Whether each was tried.
    pub(super) fn are_complete(&self) -> bool {
        self.outstanding().next().is_none()
    }

    /// An upstream.
    pub(super) fn of(&self, number: usize) -> Option<&Status> {
        self.upstreams.iter().find(|(known, _)| *known == number).map(|(_, status)| status)
    }

    /// The number of the client's choices that the lists of all upstreams follow.
    pub(super) fn followed(&self) -> u64 {
        self.upstreams.iter().map(|(_, status)| status.followed()).min().unwrap_or(u64::MAX)
    }

    fn made(&self) -> Made {
        Made::of(self.upstreams.iter().map(|(_, status)| status))
    }

    /// Whether a catalogue is made of the same as with this declared.
    pub(super) fn makes(&self, what: &Made, declared: &Arc<Declared>) -> bool {
        Arc::ptr_eq(&self.declared, declared) && self.made() == *what
    }
}

impl Progress {
    /// That of a backend for which this is declared, before it has any upstream.
    pub(super) fn new(declared: Arc<Declared>) -> Self {
        Self(watch::Sender::new(Tries { declared, upstreams: Vec::new() }))
    }

    /// What is declared, as far as it is in the catalogue.
    pub(super) fn declared(&self) -> Arc<Declared> {
        Arc::clone(&self.0.borrow().declared)
    }

    /// Waits until each of these was tried. Returns why some of them cannot be used.
    pub(super) async fn of(&self, numbers: &[usize]) -> Vec<Arc<UpstreamError>> {
        let is_tried = |(number, status): &(usize, Status)| !numbers.contains(number) || status.is_tried();
        self.reach(|tries| tries.upstreams.iter().all(is_tried)).await;
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
        self.0.send_modify(|tries| tries.upstreams.extend(numbers.map(|number| (number, Status::unknown()))));
    }

    /// Notes what the present snapshot is made of: declarations, and upstreams by number.
    fn note(&self, declared: &Arc<Declared>, upstreams: impl Iterator<Item = (usize, Status)>) {
        self.0.send_replace(Tries { declared: Arc::clone(declared), upstreams: upstreams.collect() });
    }
}

/// The task that keeps a backend's catalogue up to date.
pub(super) struct Follower {
    pub(super) backend: Arc<Backend>,
    pub(super) keeper: Keeper,
    pub(super) supervisor: Supervisor,
    /// The scope of upstreams whose settings do not say.
    pub(super) scope: Scope,
    /// What is in force.
    pub(super) declared: Arc<Declared>,
    /// The slots that it started.
    pub(super) own: Vec<Arc<Slot>>,
    pub(super) strategies: Vec<Arc<Stack>>,
    /// The names that were reported as taken.
    pub(super) clashing: HashSet<String>,
    /// The backend whose declarations this one follows, and whose slots it shares, where it need not have its own. Equal
    /// snapshots share what was made of them.
    pub(super) like: Option<Arc<Backend>>,
}

impl Follower {
    /// Starts the upstreams, then follows them until the backend ends.
    pub(super) fn start(mut self, events: Events, asked: mpsc::Receiver<Declaration>) {
        self.replace_slots();
        let ending = self.backend.ending.clone();
        tokio::spawn(ending.run_until_cancelled_owned(self.follow(events, asked)));
    }

    /// Follows its own slots, and what is declared by request or by the backend that it is like, whose catalogue comes first.
    async fn follow(mut self, mut events: Events, mut asked: mpsc::Receiver<Declaration>) {
        let mut like = self.like.as_ref().map(|like| like.progress.0.subscribe());
        // What is known already.
        like.iter_mut().for_each(watch::Receiver::mark_changed);
        loop {
            let mut declaration = None;
            tokio::select! {
                Some(event) = events.recv() => {
                    if !self.note(event) {
                        continue;
                    }
                }
                Some(asked) = asked.recv() => declaration = Some(asked),
                () = changed(&mut like) => {}
            }
            self.gather(&mut events).await;
            self.take(declaration);
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
                Some(event) = events.recv() => {
                    self.note(event);
                }
            }
        }
    }

    /// Passes an update of a resource on. Returns whether the event is another one: a changed status is looked at with all
    /// the others.
    fn note(&self, event: Event) -> bool {
        let Event::ResourceUpdated(number, params, _share) = event else { return true };
        if let Some(slot) = self.own.iter().find(|own| own.number() == number) {
            self.backend.sharing().iter().for_each(|sharing| sharing.updated(slot, &params));
            self.backend.updated(slot, &params);
        }
        false
    }

    /// Puts new declarations in force. Returns whether there are any.
    fn declare(&mut self, asked: Option<Declared>) -> bool {
        let declared = match &self.like {
            Some(like) => Some(like.progress.declared()).filter(|new| !Arc::ptr_eq(new, &self.declared)),
            None => asked.map(|asked| Arc::new(asked.after(&self.declared))),
        };
        let Some(declared) = declared else { return false };
        if let Some(asks) = &self.supervisor.terms.asks {
            *asks.rules.write() = Arc::clone(&declared.rules);
        }
        self.keeper.declared = Declared::clone(&declared);
        self.declared = declared;
        true
    }

    /// Publishes a new snapshot, if anything that it is made of changed.
    fn take(&mut self, declaration: Option<Declaration>) {
        let (asked, reply) = declaration.map(|Declaration { declared, reply }| (declared, reply)).unzip();
        let mut is_new = self.declare(asked);
        self.replace_slots();
        // Looked at once, so that what counts as tried is in the snapshot.
        let slots = self.backend.slots();
        let statuses: Vec<Status> = slots.iter().map(|slot| slot.status()).collect();
        let made = Made::of(statuses.iter());
        is_new |= self.backend.progress.is(|tries| tries.made() != made);
        let mut changes = Vec::new();
        let is_complete = statuses.iter().all(Status::is_tried);
        // Warnings about the snapshot wait for that.
        is_new |= is_complete && !self.backend.progress.is_complete();
        // Upstreams that were stopped say nothing of what is declared for them.
        let is_final = is_complete && !self.backend.ending.is_cancelled();
        if is_new {
            let before = self.backend.catalogue.current();
            let own = slots.iter().zip(&statuses).filter(|(slot, _)| has(&self.own, slot));
            let own: Vec<_> = own.filter_map(|(_, status)| status.offered().cloned()).collect();
            self.publish(&statuses, &made, &own, is_final);
            let now = self.backend.catalogue.current();
            changes = self.differing(&Permits::all(), &before, &now);
            let differing = |permits: &Permits| self.differing(permits, &before, &now);
            self.backend.audience.notify_changed(&before, &now, differing);
            self.report_clashes();
        }
        self.backend.progress.note(&self.declared, slots.iter().map(|slot| slot.number()).zip(statuses));
        // The asker may be gone.
        let _asker_is_gone = reply.map(|reply| reply.send(changes));
    }

    /// Replaces the snapshot by one that is made of these upstreams; `own` is listed by those whose connections are this
    /// backend's own.
    fn publish(&mut self, upstreams: &[Status], made: &Made, own: &[Arc<UpstreamLists>], is_final: bool) {
        let shared = self.like.as_ref().and_then(|like| like.made_of(made, &self.declared));
        if let Some(shared) = shared {
            return self.backend.catalogue.share(shared);
        }
        let before = self.backend.catalogue.current();
        // Thousands of tools take a while.
        let snapshot = aside(usize::MAX, || self.keeper.build(before.snapshot(), upstreams, own, is_final));
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

/// Waits until what another backend's catalogue is made of has changed, if there is another one.
async fn changed(like: &mut Option<watch::Receiver<Tries>>) {
    match like {
        // The backend is kept, and so is the sender.
        Some(like) => drop(like.changed().await),
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use mcp_disclosure_core::{UpstreamLists, UpstreamName};

    use super::*;
    use crate::{
        slot::{End, Supervision},
        upstream::{Restart, Why},
    };

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
        let progress = Progress::new(Arc::default());
        progress.begin(0..5);
        let missing = |numbers: &[usize]| progress.of(numbers).now_or_never().map(|missing| missing.len());
        assert_eq!(missing(&[0]), None);
        let starting = Status::new(Supervision::new(Restart::Always), Recollection::None);
        let tried =
            [failed(Restart::Always, false), failed(Restart::Always, true), failed(Restart::Never, true)];
        // What it listed in an earlier run can be offered soon.
        let looked_up = Status { recollection: Recollection::Pending, ..failed(Restart::Always, false) };
        assert!(!looked_up.is_tried());
        progress.note(&Arc::default(), (0..).zip(tried.into_iter().chain([starting, looked_up])));
        let of_each = [&[0], &[1], &[2], &[3], &[4]].map(|number| missing(number));
        assert_eq!(of_each, [Some(1), Some(0), Some(1), None, None]);
        assert!(!progress.is_complete());
        assert_eq!([2, 3].map(|than| progress.fewer(than).now_or_never()), [None, Some(())]);
        // The others were removed.
        progress.note(&Arc::default(), (1..).zip([failed(Restart::Always, false)]));
        assert_eq!(missing(&[0, 1, 2, 3]), Some(1));
    }
}
