//! Open connections: their number in total and per address, and which one is evicted for a new one.
//! Connections that are slow to send a head go first, so that slow clients cannot keep others out; then unused ones,
//! then new ones.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::proxies::counted;
use crate::limits::Limits;

/// A head that is not complete after this time is slow. Before, its connection may be new, with a request on the way.
const SLOW: Duration = Duration::from_secs(1);

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Receiving a request's head, or just opened.
    Head,
    /// Waiting for the next request.
    Idle,
    /// Receiving or answering a request.
    Busy,
}

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    most_per_address: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: HashMap<u64, Open>,
    by_address: HashMap<Arc<str>, usize>,
}

#[derive(Debug)]
struct Open {
    /// `None` for proxies, which serve many clients.
    address: Option<Arc<str>>,
    phase: watch::Receiver<(Phase, Instant)>,
    hang_up: CancellationToken,
}

/// One connection; dropping it frees its place.
#[derive(Debug)]
pub(super) struct Connection {
    connections: Arc<Connections>,
    number: u64,
    phase: watch::Sender<(Phase, Instant)>,
    /// Whether all of the response is in the buffer, to be sent.
    is_answered: AtomicBool,
    hang_up: CancellationToken,
}

impl Connections {
    /// An empty table. At most half of the process's file descriptors are used for connections, since
    /// upstreams need some as well.
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        let most = limits.connections.min(open_files() / 2).max(2);
        let most_per_address = limits.connections_per_peer.min(most / 2).max(1);
        Arc::new(Self { most, most_per_address, table: Mutex::default() })
    }

    /// Admits a connection from this address, evicting another if necessary. `None` if all are busy.
    pub(super) fn admit(self: &Arc<Self>, from: IpAddr, is_proxy: bool) -> Option<Connection> {
        let address = (!is_proxy).then(|| Arc::<str>::from(counted(from)));
        let mut table = self.table.lock();
        let own = address.as_ref().map_or(0, |address| table.by_address.get(address).copied().unwrap_or(0));
        if own >= self.most_per_address {
            table.hang_up_on_one(address.as_deref())?;
        } else if table.open.len() >= self.most {
            table.hang_up_on_one(None)?;
        }
        table.last += 1;
        let number = table.last;
        let (phase, watched) = watch::channel((Phase::Head, Instant::now()));
        let hang_up = CancellationToken::new();
        if let Some(address) = &address {
            *table.by_address.entry(Arc::clone(address)).or_default() += 1;
        }
        table.open.insert(number, Open { address, phase: watched, hang_up: hang_up.clone() });
        Some(Connection {
            connections: Arc::clone(self),
            number,
            phase,
            is_answered: AtomicBool::new(false),
            hang_up,
        })
    }

    /// Evicts a connection that is not busy: one that is slow, or else unused, or else new. Returns whether there was one.
    pub(super) fn hang_up_on_one(&self) -> bool {
        self.table.lock().hang_up_on_one(None).is_some()
    }

    /// The limit.
    pub(super) fn most(&self) -> usize {
        self.most
    }
}

impl Table {
    /// Evicts one connection, of this address if one is given.
    fn hang_up_on_one(&mut self, address: Option<&str>) -> Option<()> {
        let candidates =
            self.open.iter().filter(|(_, open)| address.is_none() || open.address.as_deref() == address);
        let ranked = candidates.filter_map(|(number, open)| {
            let (phase, since) = *open.phase.borrow();
            let rank = match phase {
                Phase::Head if since.elapsed() >= SLOW => 0,
                Phase::Idle => 1,
                Phase::Head => 2,
                Phase::Busy => return None,
            };
            Some((rank, since, *number))
        });
        // Of the first kind, the one that has been so for the longest time.
        let (.., number) = ranked.min()?;
        self.remove(number)?.hang_up.cancel();
        Some(())
    }

    fn remove(&mut self, number: u64) -> Option<Open> {
        let open = self.open.remove(&number)?;
        if let Some(address) = &open.address
            && let Some(count) = self.by_address.get_mut(address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(address);
            }
        }
        Some(open)
    }
}

impl Connection {
    /// Records the current phase.
    pub(super) fn enter(&self, phase: Phase) {
        self.is_answered.store(false, Ordering::Relaxed);
        self.phase.send_replace((phase, Instant::now()));
    }

    /// Records that all of the response is in the buffer.
    pub(super) fn note_response(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// Records that the buffer has been sent. After a whole response the connection is idle.
    pub(super) fn note_flush(&self) {
        if self.is_answered.load(Ordering::Relaxed) {
            self.enter(Phase::Idle);
        }
    }

    /// Records that bytes arrived, which start a request on an idle connection.
    pub(super) fn note_bytes(&self) {
        self.phase.send_if_modified(|(phase, since)| {
            let begins = *phase == Phase::Idle;
            if begins {
                (*phase, *since) = (Phase::Head, Instant::now());
            }
            begins
        });
    }

    /// Waits until the connection must be closed: it was evicted, or the head of a request took too long.
    pub(super) async fn overdue(&self, head: Duration) {
        tokio::select! {
            () = self.hang_up.cancelled() => {}
            () = self.slow_head(head) => {}
        }
    }

    async fn slow_head(&self, head: Duration) {
        let mut phase = self.phase.subscribe();
        loop {
            let (now, since) = *phase.borrow_and_update();
            tokio::select! {
                // A request that has begun is not too slow any more.
                biased;
                // The sender is `self`, so this cannot fail.
                _ = phase.changed() => {}
                () = tokio::time::sleep_until(since + head), if now == Phase::Head => return,
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.table.lock().remove(self.number);
    }
}

/// The process's limit on open files.
#[cfg(unix)]
fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX)
}

/// The process's limit on open files.
#[cfg(not(unix))]
fn open_files() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(most: usize, most_per_address: usize) -> Arc<Connections> {
        Arc::new(Connections { most, most_per_address, table: Mutex::default() })
    }

    fn from(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_makes_room_for_itself_and_not_at_the_cost_of_others() {
        let all = connections(10, 2);
        let other = all.admit(from("10.0.0.2"), false).unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let first = all.admit(from("10.0.0.1"), false).unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let second = all.admit(from("10.0.0.1"), false).unwrap();
        first.enter(Phase::Busy);
        let third = all.admit(from("10.0.0.1"), false).unwrap();
        assert!(second.hang_up.is_cancelled(), "the one that has not sent a head");
        third.enter(Phase::Busy);
        assert!(all.admit(from("10.0.0.1"), false).is_none(), "both are busy");
        assert!(!other.hang_up.is_cancelled() && !first.hang_up.is_cancelled());
        for _ in 0..7 {
            std::mem::forget(all.admit(from("10.0.0.9"), true).expect("a proxy speaks for many"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn slow_heads_go_before_idle_ones_and_the_oldest_first() {
        let all = connections(3, 3);
        let mut open = Vec::new();
        for host in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] {
            open.push(all.admit(from(host), false).unwrap());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        open[0].enter(Phase::Idle);
        let gone =
            |open: &[Connection]| open.iter().map(|one| one.hang_up.is_cancelled()).collect::<Vec<_>>();
        open.push(all.admit(from("10.0.0.4"), false).unwrap());
        assert_eq!(gone(&open), [false, true, false, false]);
        open[3].enter(Phase::Busy);
        open[2].enter(Phase::Busy);
        open.push(all.admit(from("10.0.0.5"), false).unwrap());
        assert_eq!(gone(&open), [true, true, false, false, false]);
        open[4].enter(Phase::Busy);
        assert!(all.admit(from("10.0.0.6"), false).is_none() && !all.hang_up_on_one());
        open.drain(..2);
        assert_eq!(all.table.lock().open.len(), 3, "what was hung up on is counted once");
        open.clear();
        let table = all.table.lock();
        assert!(table.open.is_empty() && table.by_address.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn new_connections_go_after_unused_ones() {
        let all = connections(3, 3);
        let [unused, new, busy] =
            ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|host| all.admit(from(host), false).unwrap());
        busy.enter(Phase::Busy);
        unused.enter(Phase::Busy);
        unused.note_flush();
        unused.note_response();
        assert!(matches!(unused.phase.borrow().0, Phase::Busy), "nothing of its response was sent");
        unused.note_flush();
        let fourth = all.admit(from("10.0.0.4"), false).unwrap();
        assert!(unused.hang_up.is_cancelled() && !new.hang_up.is_cancelled());
        fourth.enter(Phase::Busy);
        let _fifth = all.admit(from("10.0.0.5"), false).expect("the new one gives way");
        assert!(new.hang_up.is_cancelled() && !busy.hang_up.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_from_its_first_byte() {
        let all = connections(3, 3);
        let connection = all.admit(from("10.0.0.1"), false).unwrap();
        let head = Duration::from_secs(10);
        let is_overdue = async |time| tokio::time::timeout(time, connection.overdue(head)).await.is_ok();
        assert!(!is_overdue(Duration::from_secs(9)).await);
        connection.enter(Phase::Busy);
        assert!(!is_overdue(Duration::from_secs(60)).await);
        connection.enter(Phase::Idle);
        assert!(!is_overdue(Duration::from_secs(60)).await);
        connection.note_bytes();
        connection.note_bytes();
        assert!(!is_overdue(Duration::from_secs(9)).await && is_overdue(Duration::from_secs(2)).await);
    }
}
