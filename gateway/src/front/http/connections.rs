//! Open connections, by peer, and which one gives way to a new one where there is no room (docs/CONTRACT.md P8): one of the
//! peer that has the most. A peer is a principal, else an address, which a trusted proxy may have forwarded; until the head of a
//! request says so, a connection is its address's.

use std::{collections::HashMap, future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{limits::Limits, observe::Observer};

/// A head or body that is not complete after this time is slow. Before, its connection may be new, with a request on the way.
const SLOW: Duration = Duration::from_secs(1);

/// How long it is not logged again that there is no room.
const QUIET: Duration = Duration::from_secs(10);

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Receiving a request's head, or just opened.
    Head,
    /// Receiving a request's body.
    Body,
    /// Waiting for the next request.
    Idle,
    /// Sending a stream of notifications, which has no end of its own.
    Stream,
    /// Answering a request.
    Busy,
    /// Sending what is left of a response, all of which is in the buffer.
    Answered,
}

/// How much is lost with a connection: of a peer's, those with the least go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    Slow,
    Unused,
    Stream,
    New,
    Answer,
}

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    /// The limit.
    pub(super) most: usize,
    table: Mutex<Table>,
    /// The observer of their number.
    observer: Option<Arc<dyn Observer>>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: HashMap<u64, Arc<State>>,
    logged: Option<Instant>,
}

#[derive(Debug)]
struct State {
    /// Whose it is.
    peer: Mutex<Arc<str>>,
    /// What it is doing, and since when.
    phase: Mutex<(Phase, Instant)>,
    hang_up: CancellationToken,
}

/// One connection; dropping it frees its place.
#[derive(Debug)]
pub(super) struct Connection {
    connections: Arc<Connections>,
    number: u64,
    state: Arc<State>,
}

impl Connections {
    /// An empty table. At most half of the process's file descriptors are used for connections, since
    /// upstreams need some as well.
    pub(super) fn new(limits: &Limits, observer: Option<Arc<dyn Observer>>) -> Arc<Self> {
        let none = Self::of_at_most(limits.connections.min(open_files() / 2).max(2), observer);
        none.note(0);
        none
    }

    fn of_at_most(most: usize, observer: Option<Arc<dyn Observer>>) -> Arc<Self> {
        Arc::new(Self { most, table: Mutex::default(), observer })
    }

    fn note(&self, open: usize) {
        self.observer.iter().for_each(|observer| observer.connected(open, self.most));
    }

    /// Admits a connection of this peer; if there is no room, another gives way. `None` if it is this one that has to.
    pub(super) fn admit(self: &Arc<Self>, peer: String) -> Option<Connection> {
        let mut table = self.table.lock();
        if table.open.len() >= self.most {
            let number = table.gives_way(Some(&peer))?;
            table.evict(number);
        }
        table.last += 1;
        let number = table.last;
        let phase = Mutex::new((Phase::Head, Instant::now()));
        let (peer, hang_up) = (Mutex::new(peer.into()), CancellationToken::new());
        let state = Arc::new(State { peer, phase, hang_up });
        table.open.insert(number, Arc::clone(&state));
        self.note(table.open.len());
        Some(Connection { connections: Arc::clone(self), number, state })
    }

    /// Makes room where the system has none for a new connection, whose peer is not known. Returns whether one gave way.
    pub(super) fn make_room(&self) -> bool {
        let mut table = self.table.lock();
        let found = table.gives_way(None);
        found.into_iter().for_each(|number| table.evict(number));
        found.is_some()
    }
}

impl Table {
    /// The connection that gives way to one more of `newcomer`: of the peer that has the most, the one with which the least is
    /// lost, the oldest first; before a new one, which may be of another peer than its address says, or a request in progress, a
    /// slow or unused one of any. `None` if only requests could, and the newcomer has as many connections itself, or is not known.
    fn gives_way(&self, newcomer: Option<&str>) -> Option<u64> {
        let counts = self.by_peer();
        let count = |peer: &str| counts.get(peer).copied().unwrap_or(0);
        let most = counts.values().copied().max()?;
        let ranked = self.open.iter().filter_map(|(number, open)| {
            let (loss, since) = open.loss();
            let has_most = count(&open.peer.lock()) == most;
            let turn = match loss {
                Loss::Slow | Loss::Unused | Loss::Stream if has_most => 0,
                Loss::Slow | Loss::Unused => 1,
                Loss::New if has_most => 2,
                Loss::Answer if has_most && newcomer.is_some_and(|peer| count(peer) < most) => 2,
                Loss::Stream | Loss::New | Loss::Answer => return None,
            };
            Some((turn, loss, since, *number))
        });
        ranked.min().map(|(.., number)| number)
    }

    /// How many connections each peer has.
    fn by_peer(&self) -> HashMap<Arc<str>, usize> {
        let mut counts = HashMap::new();
        self.open.values().for_each(|open| *counts.entry(Arc::clone(&open.peer.lock())).or_default() += 1);
        counts
    }

    fn evict(&mut self, number: u64) {
        let Some(evicted) = self.open.remove(&number) else { return };
        if self.logged.is_none_or(|logged| logged.elapsed() >= QUIET) {
            self.logged = Some(Instant::now());
            tracing::warn!(
                peer = &**evicted.peer.lock(),
                "no room for a new connection (limits.connections): others are closed for it"
            );
        }
        evicted.hang_up.cancel();
    }
}

impl State {
    /// What is lost with it, and since when.
    fn loss(&self) -> (Loss, Instant) {
        let (phase, since) = *self.phase.lock();
        let loss = match phase {
            Phase::Head | Phase::Body if since.elapsed() >= SLOW => Loss::Slow,
            Phase::Head | Phase::Body => Loss::New,
            Phase::Idle => Loss::Unused,
            Phase::Stream => Loss::Stream,
            Phase::Busy | Phase::Answered => Loss::Answer,
        };
        (loss, since)
    }
}

impl Connection {
    /// Counts it for the peer whose request it carries.
    pub(super) fn belongs_to(&self, peer: &Arc<str>) {
        *self.state.peer.lock() = Arc::clone(peer);
    }

    /// Records the current phase.
    pub(super) fn enter(&self, phase: Phase) {
        *self.state.phase.lock() = (phase, Instant::now());
    }

    /// Records that all of the response is in the buffer.
    pub(super) fn note_response(&self) {
        self.state.phase.lock().0 = Phase::Answered;
    }

    /// Records the current phase, if it follows this one.
    pub(super) fn enter_after(&self, former: Phase, now: Phase) {
        let mut phase = self.state.phase.lock();
        if phase.0 == former {
            *phase = (now, Instant::now());
        }
    }

    /// Waits until it gives way to another.
    pub(super) async fn gives_way(&self) {
        self.state.hang_up.cancelled().await;
    }

    /// Waits until the head of a request has taken too long. Nothing wakes it for another phase: its task looks at it whenever it
    /// has done something.
    pub(super) async fn is_slow(&self, head: Duration) {
        let mut late = pin!(tokio::time::sleep(head));
        let look = poll_fn(|context| {
            let (phase, since) = *self.state.phase.lock();
            if phase != Phase::Head {
                return Poll::Pending;
            }
            if late.deadline() != since + head {
                late.as_mut().reset(since + head);
            }
            late.as_mut().poll(context)
        });
        look.await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut table = self.connections.table.lock();
        table.open.remove(&self.number);
        self.connections.note(table.open.len());
    }
}

/// The process's limit on open files.
fn open_files() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let limit = None::<u64>;
    limit.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection of this peer, as known once the head of its request was read.
    fn open(all: &Arc<Connections>, peer: &str, phase: Phase) -> Connection {
        let connection = all.admit(format!("address of {peer}")).expect("the address has none");
        connection.belongs_to(&Arc::from(peer));
        connection.enter(Phase::Body);
        connection.enter_after(Phase::Body, Phase::Busy);
        match phase {
            Phase::Stream => connection.enter_after(Phase::Busy, Phase::Stream),
            Phase::Busy => {}
            other => connection.enter(other),
        }
        connection
    }

    fn counts(all: &Connections) -> Vec<(String, usize)> {
        let table = all.table.lock();
        let mut counts: Vec<_> =
            table.by_peer().into_iter().map(|(peer, count)| (peer.to_string(), count)).collect();
        counts.sort();
        counts
    }

    #[tokio::test(start_paused = true)]
    async fn p8_of_the_peer_with_the_most_that_gives_way_with_which_the_least_is_lost() {
        let all = Connections::of_at_most(9, None);
        let few = [Phase::Idle, Phase::Stream].map(|phase| open(&all, "few", phase));
        let order = [Phase::Body, Phase::Head, Phase::Idle, Phase::Stream, Phase::Stream, Phase::Busy];
        let mut many = Vec::new();
        for phase in order {
            many.push(open(&all, "many", phase));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        many.push(open(&all, "many", Phase::Head));
        let mut newcomers = Vec::new();
        // The new head goes after the streams, and the answer last.
        for expected in [0, 1, 2, 3, 4] {
            newcomers.push(open(&all, &format!("new {expected}"), Phase::Busy));
            let gone: Vec<usize> =
                (0..many.len()).filter(|at| many[*at].state.hang_up.is_cancelled()).collect();
            assert_eq!(gone, (0..=expected).collect::<Vec<_>>());
        }
        assert!(few.iter().all(|connection| !connection.state.hang_up.is_cancelled()));
        drop((few, many, newcomers));
        assert_eq!((counts(&all), all.table.lock().open.len()), (Vec::new(), 0), "each is counted once");
    }

    #[tokio::test(start_paused = true)]
    async fn p8_a_peer_that_has_none_is_never_refused_and_one_that_has_the_most_does_not_end_its_calls() {
        let all = Connections::of_at_most(3, None);
        let calls = [0, 1, 2].map(|_| open(&all, "10.0.0.1", Phase::Busy));
        assert!(all.admit("10.0.0.1".to_owned()).is_none() && !all.make_room());
        let _other = all.admit("10.0.0.2".to_owned()).expect("it has none");
        assert!(calls[0].state.hang_up.is_cancelled() && !calls[1].state.hang_up.is_cancelled());
        assert_eq!(counts(&all), [("10.0.0.1".to_owned(), 2), ("10.0.0.2".to_owned(), 1)]);
        calls[1].enter_after(Phase::Busy, Phase::Stream);
        let _own = all.admit("10.0.0.1".to_owned()).expect("its stream gives way");
        assert!(calls[1].state.hang_up.is_cancelled() && !calls[2].state.hang_up.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn p8_unused_connections_of_any_peer_go_before_new_ones_behind_one_address() {
        let all = Connections::of_at_most(21, None);
        let call = open(&all, "caller", Phase::Busy);
        let idle: Vec<_> = (0..20).map(|number| open(&all, &format!("{number}"), Phase::Idle)).collect();
        let closed = |of: &[Connection]| of.iter().filter(|each| each.state.hang_up.is_cancelled()).count();
        let mut new = Vec::new();
        for expected in (1..=20).map(|unused| (unused, 0)).chain([(20, 1)]) {
            new.push(all.admit("proxy".to_owned()).expect("another gives way"));
            assert_eq!((closed(&idle), closed(&new)), expected);
        }
        assert!(new[0].state.hang_up.is_cancelled() && !call.state.hang_up.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_in_progress_until_it_was_sent() {
        let all = Connections::of_at_most(2, None);
        let busy = open(&all, "a", Phase::Busy);
        busy.enter_after(Phase::Answered, Phase::Idle);
        busy.note_response();
        assert_eq!(busy.state.phase.lock().0, Phase::Answered, "nothing of its response was sent");
        busy.enter_after(Phase::Answered, Phase::Idle);
        assert_eq!(busy.state.phase.lock().0, Phase::Idle);
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_from_its_first_byte() {
        let all = Connections::of_at_most(3, None);
        let connection = all.admit("10.0.0.1".to_owned()).unwrap();
        let head = Duration::from_secs(10);
        let is_overdue = async |time| tokio::time::timeout(time, connection.is_slow(head)).await.is_ok();
        assert!(!is_overdue(Duration::from_secs(9)).await);
        connection.enter(Phase::Body);
        assert!(!is_overdue(Duration::from_secs(60)).await);
        connection.enter_after(Phase::Body, Phase::Busy);
        connection.enter(Phase::Idle);
        assert!(!is_overdue(Duration::from_secs(60)).await);
        connection.enter_after(Phase::Idle, Phase::Head);
        connection.enter_after(Phase::Idle, Phase::Head);
        assert!(!is_overdue(Duration::from_secs(9)).await && is_overdue(Duration::from_secs(2)).await);
    }
}
