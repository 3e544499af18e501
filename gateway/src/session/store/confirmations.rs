//! Changes that other replicas confirm: each holder of a session is told of them, and is waited for until it has confirmed,
//! or its tenure has ended.

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

use super::{Letter, News, SessionStore, StoreError};

/// How long a change waits until other replicas have confirmed it. Longer than any tenure lasts without its replica.
const CONFIRMING: Duration = Duration::from_secs(5);

/// How often it is looked whether the replicas that have not confirmed are still there.
const LOOKING: Duration = Duration::from_millis(100);

/// After how many looks a change is sent again to those that have not confirmed it: a message may be lost.
const AGAIN: u32 = 5;

/// Letters that are waited for, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Confirmations {
    waiting: Mutex<HashMap<u64, mpsc::UnboundedSender<Arc<str>>>>,
    last: AtomicU64,
}

impl Confirmations {
    /// Waits until each of these holders has confirmed, or its tenure has ended. Returns those that have ended.
    pub(super) async fn of(
        &self,
        store: &dyn SessionStore,
        id: &Arc<str>,
        holders: Vec<Arc<str>>,
        news: News,
    ) -> Result<Vec<Arc<str>>, StoreError> {
        let (own, others): (Vec<_>, Vec<_>) =
            holders.into_iter().partition(|holder| process(holder) == &**store.name());
        // Nothing is used under former tenures of this process.
        let now = store.tenure();
        let is_former = |holder: &Arc<str>| now.as_ref().is_some_and(|now| now.name != *holder);
        let mut ended: Vec<_> = own.into_iter().filter(is_former).collect();
        if others.is_empty() {
            return Ok(ended);
        }
        let (number, mut received) = self.wait();
        let text = number.letter(store, id, news).text();
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

    /// Tells one replica, and waits at most this long until it has confirmed. Whether it has.
    pub(super) async fn from(
        &self,
        store: &dyn SessionStore,
        replica: &str,
        id: &Arc<str>,
        news: News,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        let (number, mut received) = self.wait();
        store.send(replica, number.letter(store, id, news).text()).await?;
        Ok(tokio::time::timeout(patience, received.recv()).await.is_ok_and(|by| by.is_some()))
    }

    /// The number of a letter that is about to be sent, and the processes that receive it, for as long as the number is kept.
    fn wait(&self) -> (Number<'_>, mpsc::UnboundedReceiver<Arc<str>>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (receive, received) = mpsc::unbounded_channel();
        self.waiting.lock().insert(number, receive);
        (Number(number, self), received)
    }

    /// A letter was received by this process.
    pub(super) fn received(&self, letter: &Letter) {
        if let Some(waiting) = self.waiting.lock().get(&letter.number) {
            let _no_longer = waiting.send(Arc::clone(&letter.from));
        }
    }
}

/// The number of a letter that is waited for.
struct Number<'c>(u64, &'c Confirmations);

impl Number<'_> {
    fn letter(&self, store: &dyn SessionStore, session: &Arc<str>, news: News) -> Letter {
        Letter { from: Arc::clone(store.name()), number: self.0, session: Arc::clone(session), news }
    }
}

impl Drop for Number<'_> {
    fn drop(&mut self) {
        self.1.waiting.lock().remove(&self.0);
    }
}

/// Sends a letter to the process of each of these tenures, once, but for this process.
pub(super) async fn send(
    store: &dyn SessionStore,
    tenures: &[Arc<str>],
    text: &[u8],
) -> Result<(), StoreError> {
    let processes: BTreeSet<&str> = tenures.iter().map(|tenure| process(tenure)).collect();
    let others = processes.into_iter().filter(|process| **process != **store.name());
    join_all(others.map(|process| store.send(process, text.to_vec()))).await.into_iter().collect()
}

/// Those of the tenures that last; the others are added to `ended`.
async fn lasting(
    store: &dyn SessionStore,
    tenures: Vec<Arc<str>>,
    ended: &mut Vec<Arc<str>>,
) -> Result<Vec<Arc<str>>, StoreError> {
    let lasts = join_all(tenures.iter().map(|tenure| store.lasts(tenure))).await;
    let mut lasting = Vec::new();
    for (tenure, lasts) in tenures.into_iter().zip(lasts) {
        if lasts? { lasting.push(tenure) } else { ended.push(tenure) }
    }
    Ok(lasting)
}

/// The process of a tenure.
fn process(tenure: &str) -> &str {
    tenure.split_once('.').map_or(tenure, |(process, _)| process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenure_names_its_process() {
        assert_eq!((process("ab.3"), process("ab")), ("ab", "ab"));
    }
}
