//! Changes that other replicas confirm: a change is sent to each holder of a session, and is complete when each has confirmed it
//! or its lease has ended.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use parking_lot::Mutex;
use tokio::{sync::mpsc, time::Instant};

use super::{MessageKind, ReplicaMessage, SessionStore, StoreError};

/// Time-out for confirmations of a change. Longer than the lease of a killed replica can last.
const CONFIRMING: Duration = Duration::from_secs(5);

/// Interval at which the leases of replicas that have not confirmed are checked.
const LOOKING: Duration = Duration::from_millis(100);

/// Number of checks after which a change is sent again to replicas that have not confirmed it: a message may be lost.
const AGAIN: u32 = 5;

/// Messages that await confirmation, by number.
#[derive(Debug, Default)]
pub(super) struct Confirmations {
    waiting: Mutex<HashMap<u64, mpsc::UnboundedSender<Arc<str>>>>,
    last: AtomicU64,
}

impl Confirmations {
    /// Waits until each of these holders has confirmed, or its lease has ended. Returns those that have ended.
    pub(super) async fn of(
        &self,
        store: &dyn SessionStore,
        id: &Arc<str>,
        holders: Vec<Arc<str>>,
        kind: MessageKind,
    ) -> Result<Vec<Arc<str>>, StoreError> {
        let (own, others): (Vec<_>, Vec<_>) =
            holders.into_iter().partition(|holder| process(holder) == &**store.name());
        // Nothing is used under former leases of this process.
        let now = store.lease();
        let is_former = |holder: &Arc<str>| now.as_ref().is_some_and(|now| now.name != *holder);
        let mut ended: Vec<_> = own.into_iter().filter(is_former).collect();
        if others.is_empty() {
            return Ok(ended);
        }
        let (number, mut received) = self.wait();
        let text = number.message(store, id, kind).text();
        let sent = send(store, &others, &text);
        let (sent, mut open) = tokio::join!(sent, lasting(store, others.clone(), &mut ended));
        sent?;
        let deadline = Instant::now() + CONFIRMING;
        let mut look = tokio::time::interval_at(Instant::now() + LOOKING, LOOKING);
        let mut looks = 0;
        while let Ok(left) = &open
            && !left.is_empty()
        {
            tokio::select! {
                Some(by) = received.recv() => {
                    open = open.map(|left| left.into_iter().filter(|holder| process(holder) != &*by).collect());
                }
                _ = look.tick() => {
                    looks += 1;
                    let left = lasting(store, open?, &mut ended).await?;
                    if looks % AGAIN == 0 {
                        send(store, &left, &text).await?;
                    }
                    open = Ok(left);
                }
                () = tokio::time::sleep_until(deadline) => {
                    tracing::warn!(replicas = left.len(), "other replicas did not confirm a change of a session");
                    return Err(StoreError::Unconfirmed);
                }
            }
        }
        open.map(|_| ended)
    }

    /// Notifies one replica. Returns whether it has confirmed within this time.
    pub(super) async fn from(
        &self,
        store: &dyn SessionStore,
        replica: &str,
        id: &Arc<str>,
        kind: MessageKind,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        let (number, mut received) = self.wait();
        store.send(replica, number.message(store, id, kind).text()).await?;
        Ok(tokio::time::timeout(patience, received.recv()).await.is_ok_and(|by| by.is_some()))
    }

    /// The number of a message that is about to be sent, and the processes that receive it, for as long as the number is kept.
    pub(super) fn wait(&self) -> (Number<'_>, mpsc::UnboundedReceiver<Arc<str>>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (receive, received) = mpsc::unbounded_channel();
        self.waiting.lock().insert(number, receive);
        (Number(number, self), received)
    }

    /// A message was received by this process.
    pub(super) fn received(&self, message: &ReplicaMessage) {
        if let Some(waiting) = self.waiting.lock().get(&message.number) {
            let _no_longer = waiting.send(Arc::clone(&message.from));
        }
    }
}

/// The number of a message that is waited for.
pub(super) struct Number<'c>(u64, &'c Confirmations);

impl Number<'_> {
    pub(super) fn message(
        &self,
        store: &dyn SessionStore,
        session: &Arc<str>,
        kind: MessageKind,
    ) -> ReplicaMessage {
        ReplicaMessage { from: Arc::clone(store.name()), number: self.0, session: Arc::clone(session), kind }
    }
}

impl Drop for Number<'_> {
    fn drop(&mut self) {
        self.1.waiting.lock().remove(&self.0);
    }
}

/// Sends a message to the process of each of these leases, once, but for this process.
pub(super) async fn send(
    store: &dyn SessionStore,
    leases: &[Arc<str>],
    text: &[u8],
) -> Result<(), StoreError> {
    let processes: BTreeSet<&str> = leases.iter().map(|lease| process(lease)).collect();
    let others = processes.into_iter().filter(|process| **process != **store.name());
    join_all(others.map(|process| store.send(process, text.to_vec()))).await.into_iter().collect()
}

/// Those of the leases that last; the others are added to `ended`.
async fn lasting(
    store: &dyn SessionStore,
    leases: Vec<Arc<str>>,
    ended: &mut Vec<Arc<str>>,
) -> Result<Vec<Arc<str>>, StoreError> {
    let lasts = join_all(leases.iter().map(|lease| store.lasts(lease))).await;
    let mut lasting = Vec::new();
    for (lease, lasts) in leases.into_iter().zip(lasts) {
        if lasts? { lasting.push(lease) } else { ended.push(lease) }
    }
    Ok(lasting)
}

/// The process of a lease.
pub(super) fn process(lease: &str) -> &str {
    lease.split_once('.').map_or(lease, |(process, _)| process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_names_its_process() {
        assert_eq!((process("ab.3"), process("ab")), ("ab", "ab"));
    }
}
