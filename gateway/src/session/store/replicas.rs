//! The replicas that share a store: copies of sessions, and how those of others stop being used.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{ErrorText, Response};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Delta, Event, Kept, LONGEST_NEWS, Letter, News, Opened, SessionStore, StoreError,
    confirmations::{self, Confirmations},
    turns::{ReadAt, Turn, Turns},
};
use crate::session::{Session, SessionLimits};

/// Lives are extended when this part of the idle time is over.
const PARTS: u32 = 10;

/// Maximum number of sessions whose lives are extended at once, so that no command waits long for others.
const BATCH: usize = 256;

/// Maximum size of a client's response that is passed to another replica, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// How many of those are passed on at a time, and how long others wait for that.
const ANSWERS: (usize, Duration) = (4, Duration::from_millis(200));

/// The store, and what this replica knows of the others.
#[derive(Debug)]
pub(crate) struct Replicas {
    store: Arc<dyn SessionStore>,
    limits: SessionLimits,
    unused: Duration,
    turns: Turns,
    confirmations: Confirmations,
    answers: Semaphore,
    started: Instant,
    closed: CancellationToken,
}

/// A session as it was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The session.
    pub kept: Kept,
    tenure: Option<u64>,
    read_at: ReadAt,
}

/// What reached this replica.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A letter.
    Letter(Letter),
    /// A new tenure: copies of former ones are not used.
    Begun,
}

impl Replicas {
    /// Shares this store.
    pub(crate) fn new(store: Arc<dyn SessionStore>, limits: SessionLimits, unused: Duration) -> Self {
        Self {
            store,
            limits,
            unused,
            turns: Turns::default(),
            confirmations: Confirmations::default(),
            answers: Semaphore::new(ANSWERS.0),
            started: Instant::now(),
            closed: CancellationToken::new(),
        }
    }

    /// The name of this process.
    pub(crate) fn name(&self) -> &Arc<str> {
        self.store.name()
    }

    /// The store, and how long what is kept there lives without being used.
    pub(super) fn store(&self) -> (&Arc<dyn SessionStore>, Duration) {
        (&self.store, self.limits.idle)
    }

    /// Whether a copy may be used without asking the store.
    pub(crate) fn may_use(&self, session: &Session) -> bool {
        let under = session.copied_under();
        under != 0 && self.store.tenure().is_some_and(|tenure| tenure.number == under)
    }

    /// Waits until nothing else reads or changes the session here.
    ///
    /// # Errors
    /// That of whoever had the turn meanwhile, and failed.
    pub(crate) async fn turn(&self, id: &str) -> Result<Turn, ErrorText> {
        self.turns.of(id).await
    }

    /// Creates a session; its copy may be used then.
    pub(crate) async fn create(&self, session: &Session, kept: Kept) -> Result<(), StoreError> {
        let lifetime = self.unused.min(self.limits.idle);
        let tenure = self.store.create(session.id(), kept.fields(), lifetime).await?;
        // No other replica knows its id yet, so nothing can be heard of it.
        session.copy_under(tenure.unwrap_or(0));
        Ok(())
    }

    /// How a session of this principal was opened; `None` if there is no such session. This replica is no holder of it then.
    pub(crate) async fn opened_by(
        &self,
        principal: &Principal,
        id: &str,
    ) -> Result<Option<Opened>, StoreError> {
        let opened = self.store.opened(id).await?.and_then(|opened| Opened::read(&opened));
        Ok(opened.filter(|opened| opened.principal.as_deref() == principal.id()))
    }

    /// Reads a session; `None` if there is no such session.
    pub(crate) async fn load(&self, id: &str, turn: &Turn) -> Result<Option<Loaded>, StoreError> {
        let read_at = turn.reading();
        let stored = self.store.load(id).await?;
        Ok(stored.and_then(|stored| {
            Some(Loaded { kept: Kept::read(&stored.fields)?, tenure: stored.tenure, read_at })
        }))
    }

    /// From now on, the copy may be used without asking the store, unless something was heard since it was read. Whether
    /// this request may use it: not if something was heard, unless no copy can be kept at all.
    pub(crate) fn trust(&self, copy: &Session, loaded: &Loaded) -> bool {
        let Some(tenure) = loaded.tenure else { return true };
        loaded.read_at.trust(copy, tenure);
        self.may_use(copy)
    }

    /// Something was heard of a session: its copy is not used any more.
    pub(crate) fn doubt(&self, id: &str, copy: Option<&Session>) {
        self.turns.doubt(id, copy);
    }

    /// Changes a session. If the change concerns what other replicas answer, they have confirmed it then. `false` if there
    /// is no such session.
    pub(crate) async fn change(&self, id: &Arc<str>, delta: &Delta) -> Result<bool, StoreError> {
        let changed = self.store.change(id, delta.changes()).await?;
        if changed.is_some() && delta.is_news() {
            self.announce(id, News::Changed).await?;
        }
        Ok(changed.is_some())
    }

    /// Ends a session everywhere. `false` if there is no such session. After an error, this can be called again: the session is
    /// removed when all holders have confirmed.
    pub(crate) async fn end(&self, id: &Arc<str>, copy: Option<&Session>) -> Result<bool, StoreError> {
        let Some(holders) = self.store.end(id).await? else { return Ok(false) };
        // This replica does not serve it any more either, while others are waited for.
        self.doubt(id, copy);
        self.confirmations.of(&*self.store, id, holders, News::Ended).await?;
        self.store.remove(id).await?;
        Ok(true)
    }

    /// Waits until the store can be used, at most this long.
    ///
    /// # Errors
    /// If it cannot be used then.
    pub(crate) async fn ready(&self, patience: Duration) -> Result<(), StoreError> {
        let begun = async {
            while self.store.tenure().is_none() {
                if self.store.is_full() {
                    return Err(StoreError::Full);
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        };
        tokio::time::timeout(patience, begun).await.unwrap_or(Err(StoreError::Unreachable))
    }

    /// Tells the other holders, and waits until they have confirmed.
    async fn announce(&self, id: &Arc<str>, news: News) -> Result<(), StoreError> {
        let Some(holders) = self.store.holders(id).await? else { return Ok(()) };
        let ended = self.confirmations.of(&*self.store, id, holders, news).await?;
        if !ended.is_empty()
            && let Err(error) = self.store.forget(id, ended).await
        {
            // All have confirmed. The next change asks for these tenures again.
            tracing::debug!(%error, "tenures that have ended are still registered");
        }
        Ok(())
    }

    /// Tells the other holders, and does not wait for them.
    pub(crate) async fn mention(&self, id: &Arc<str>, news: News) -> Result<(), StoreError> {
        let Some(holders) = self.store.holders(id).await? else { return Ok(()) };
        let letter = Letter { from: Arc::clone(self.name()), number: 0, session: Arc::clone(id), news };
        let text = letter.text();
        if text.len() > LONGEST_NEWS {
            tracing::debug!(bytes = text.len(), "what a client sent is too long for other replicas");
            return Ok(());
        }
        confirmations::send(&*self.store, &holders, &text).await
    }

    /// Tells one replica, and waits at most this long until it has confirmed.
    pub(super) async fn ask(
        &self,
        replica: &str,
        id: &Arc<str>,
        news: News,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        self.confirmations.from(&*self.store, replica, id, news, patience).await
    }

    /// A letter was received by this process.
    pub(crate) fn received(&self, letter: &Letter) {
        self.confirmations.received(letter);
    }

    /// Confirms a letter, if its sender waits.
    pub(crate) async fn confirm(&self, letter: &Letter) {
        if letter.number == 0 {
            return;
        }
        let answer = Letter { from: Arc::clone(self.name()), news: News::Received, ..letter.clone() };
        if let Err(error) = self.store.send(&letter.from, answer.text()).await {
            tracing::debug!(%error, "a change of a session could not be confirmed");
        }
    }

    /// Passes a client's response on to the replica that asked. `false` if its id names no other replica.
    pub(crate) async fn pass_on(&self, id: &Arc<str>, response: &Response) -> Result<bool, StoreError> {
        let Some(asker) = response.id.as_ref().and_then(|id| asker(id.as_str())) else { return Ok(false) };
        if asker == &**self.name() {
            return Ok(false);
        }
        let text = String::from_utf8(response.encode()).unwrap_or_default();
        if text.len() > LONGEST_ANSWER {
            tracing::warn!(
                bytes = text.len(),
                "a client's response is too long for another replica; dropped"
            );
            return Ok(true);
        }
        let letter = Letter {
            from: Arc::clone(self.name()),
            number: 0,
            session: Arc::clone(id),
            news: News::Answer(text),
        };
        // So that a client cannot have more of them sent than a replica takes in.
        let place = tokio::time::timeout(ANSWERS.1, self.answers.acquire()).await;
        let _place = place.ok().and_then(Result::ok).ok_or(StoreError::Unreachable)?;
        self.store.send(asker, letter.text()).await?;
        Ok(true)
    }

    /// What reaches this replica next.
    pub(crate) async fn hear(&self) -> Heard {
        loop {
            match self.store.event().await {
                Event::Begun => return Heard::Begun,
                Event::Message(text) => match Letter::read(&text) {
                    Some(letter) => return Heard::Letter(letter),
                    None => tracing::warn!(
                        "a message of another replica cannot be read; is it of another version?"
                    ),
                },
            }
        }
    }

    /// Extends the lives of those sessions that were used since, or are in use. The copies of those that are gone are not used
    /// any more.
    pub(crate) async fn keep(&self, sessions: &[Arc<Session>]) {
        let (now, part) = (self.now(), self.limits.idle / PARTS);
        let due: Vec<_> = sessions.iter().filter(|session| session.is_due(now, part)).collect();
        for batch in due.chunks(BATCH) {
            let ids: Vec<Arc<str>> = batch.iter().map(|session| Arc::clone(session.id())).collect();
            let kept = match self.store.keep(&ids, self.limits.idle).await {
                Ok(kept) => kept,
                // The next sweep goes on with those that are left.
                Err(error) => return tracing::debug!(%error, "lives of sessions were not extended"),
            };
            for (session, is_kept) in batch.iter().zip(kept) {
                session.refreshed(now);
                if !is_kept {
                    self.doubt(session.id(), Some(session));
                }
            }
        }
    }

    /// Adds fetches to those that all replicas admitted to a caller in this minute.
    pub(crate) async fn count(&self, caller: &str, fetches: u32) -> Result<(u64, Duration), StoreError> {
        self.store.count(caller, fetches, Duration::from_secs(60)).await
    }

    /// Ends the tenure.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.store.close().await;
    }

    /// Whether this is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until this is closed.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    fn now(&self) -> Duration {
        // Never zero, which stands for never.
        self.started.elapsed() + Duration::from_millis(1)
    }
}

/// The replica that sent the request of this id, as JSON text: `"REPLICA-NUMBER"`.
fn asker(id: &str) -> Option<&str> {
    let (replica, number) = id.strip_prefix('"')?.strip_suffix('"')?.split_once('-')?;
    let is_name = !replica.is_empty()
        && replica.len() <= 32
        && replica.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_name && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(replica)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_the_replica_that_sent_it() {
        for (id, expected) in [
            ("\"ab12-7\"", Some("ab12")),
            ("7", None),
            ("\"7\"", None),
            ("\"-7\"", None),
            ("\"a b-7\"", None),
            ("\"ab-x\"", None),
            ("\"a*-7\"", None),
        ] {
            assert_eq!(asker(id), expected, "{id}");
        }
    }
}
