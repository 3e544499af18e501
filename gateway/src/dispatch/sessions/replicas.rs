//! Sessions that several replicas share: each request reads them in the store, and changes them there first.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use mcp_disclosure_core::{Kind, RawObject};
use mcp_disclosure_transport::{ErrorText, Id, Message, Notification, Response, printable::Short};
use tracing::Instrument;

use super::{ATTEMPTS, ServedSession, Sessions, ended, lifecycle::notify_differences};
use crate::{
    dispatch::{Caller, common::panicked},
    session::{
        Session,
        store::{
            Archive, Delta, Event, MessageKind, Progress, Read, Recorded, ReplicaMessage, Replicas,
            StoreError,
        },
    },
};

/// Maximum number of sessions that are read at the same time without a request.
const CATCHING_UP: usize = 32;

/// The expiry of a session is extended when this part of the idle time is over since it was.
const PARTS: u32 = 10;

/// How long fetches are counted together.
const COUNTING: Duration = Duration::from_secs(60);

impl Sessions {
    /// Waits for the store.
    ///
    /// # Errors
    /// -32006 if it cannot be used.
    pub(in crate::dispatch) async fn reach(&self) -> Result<(), ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(()) };
        Ok(replicas.store().reach().await?)
    }

    /// Tells the other replicas that serve a session.
    pub(super) async fn mention(&self, session: &Session, kind: MessageKind) {
        let Some(replicas) = &self.replicas else { return };
        if let Err(error) = replicas.mention(session.id(), kind).await {
            tracing::debug!(%error, "other replicas were not notified");
        }
    }

    /// Delivers a client's response to the request that it answers, wherever that was sent from.
    ///
    /// # Errors
    /// -32006 if another replica sent it, and the store cannot be used.
    pub(crate) async fn settle(&self, session: &Session, response: Response) -> Result<(), ErrorText> {
        if let Some(replicas) = &self.replicas
            && replicas.pass_on(session.id(), &response).await?
        {
            return Ok(());
        }
        session.client.settle(response);
        Ok(())
    }

    /// Adds fetches of a caller to those that all replicas admitted to it, and takes note of the sum. A caller without a
    /// session does not wait for that.
    pub(in crate::dispatch) async fn count_fetches(&self, caller: &Caller, fetches: u32) {
        // Of every call, and most fetch nothing.
        let (Some(replicas), true) = (&self.replicas, fetches > 0) else { return };
        let Some(name) = caller.fetcher.shared_name() else { return };
        let (replicas, common, fetcher) =
            (Arc::clone(replicas), Arc::clone(&self.common), caller.fetcher.clone());
        let counting = async move {
            match replicas.store().count(&name, fetches, COUNTING).await {
                Ok((sum, left)) => common.fetches.note(&fetcher, fetches, sum, left),
                // The limit of this replica goes on.
                Err(error) => tracing::debug!(%error, "fetches are not counted across replicas"),
            }
        };
        match caller.session {
            Some(_) => Box::pin(counting).await,
            None => drop(tokio::spawn(counting)),
        }
    }

    /// Runs what changes the store to completion, even if the caller is cancelled.
    pub(super) async fn finishing<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ErrorText>> + Send + 'static,
    ) -> Result<T, ErrorText> {
        if self.replicas.is_none() {
            return work.await;
        }
        let finished = tokio::spawn(work.in_current_span()).await;
        finished.unwrap_or_else(|_| Err(panicked("a change of a session")))
    }

    /// Brings a copy up to date with what was read. A copy of a session that is gone is given up.
    pub(super) fn renew(&self, copy: &ServedSession, read: Option<&Read>) {
        let Some(read) = read else { return self.give_up(copy) };
        let Some(before) = copy.replace(read) else { return };
        if copy.log_level() != before.log_level {
            copy.backend().relay_log_level();
        }
        // A stream that is open here carries what changed. It calls the strategy, which may panic.
        if catch_unwind(AssertUnwindSafe(|| notify_differences(copy, &before))).is_err() {
            tracing::error!(session = %Short(copy.id()), "comparing the lists of a session panicked");
            copy.notify_changed(&Kind::ALL);
        }
    }

    /// Gives up a session that could not begin, or a copy of one that is gone, perhaps since the store lost it. Requests in progress
    /// are answered.
    pub(super) fn give_up(&self, session: &ServedSession) {
        let known = self.remove(session.id());
        self.let_go(known.as_deref().unwrap_or(session));
    }

    /// Reads a session whose copy is here, and brings that up to date. `None` if it is gone.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    async fn read_again(&self, session: &ServedSession) -> Result<Option<Read>, ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(None) };
        let read = replicas.read(session.id(), None).await?;
        self.renew(session, read.as_ref());
        Ok(read)
    }

    /// Changes a session: in the store first, and then here. Once begun, a change is finished, even if the request is
    /// cancelled: what it changes belongs together.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used, -32600 if the session has ended.
    pub(super) async fn record(
        self: &Arc<Self>,
        session: &Arc<ServedSession>,
        delta: Delta,
    ) -> Result<(), ErrorText> {
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        self.finishing(async move { sessions.write(&session, delta).await.map(drop) }).await
    }

    /// As [`record`](Self::record), for what is finished in any case. Returns what was recorded before.
    pub(super) async fn write(&self, session: &ServedSession, delta: Delta) -> Result<Recorded, ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(session.apply(delta)) };
        let delta = session.changed_by(delta);
        if delta.is_empty() {
            return Ok(session.apply(delta));
        }
        let concerns_streams = delta.concerns_streams();
        if !replicas.change(session.id(), &delta).await? {
            self.give_up(session);
            return Err(ended());
        }
        let before = session.apply(delta);
        if concerns_streams {
            // What was read before this change, and arrives after it, does not undo it here.
            self.read_again(session).await?.ok_or_else(ended)?;
            self.mention(session, MessageKind::Changed).await;
        }
        Ok(before)
    }

    /// The client opened its general stream here, which has to carry the updates that it subscribed to anywhere. `has_missed`:
    /// it resumes a stream that is not here, or not any more, so anything may have changed.
    pub(crate) fn stream_opened(self: &Arc<Self>, session: &Arc<ServedSession>, has_missed: bool) {
        if has_missed {
            session.notify_changed(&Kind::ALL);
        }
        let (sessions, session) = (Arc::clone(self), Arc::clone(session));
        tokio::spawn(async move {
            sessions.catch_up(Arc::clone(&session)).await;
            for uri in session.subscribed().iter().filter(|_| has_missed) {
                let params = RawObject::empty().with_value("uri", uri);
                session.client.outbox().notify(&Notification::new("notifications/resources/updated", params));
            }
        });
    }

    /// Reads a session whose stream is open here, and subscribes to what it lacks: while upstreams start, to what is listed.
    async fn catch_up(self: Arc<Self>, session: Arc<ServedSession>) {
        let (mut attempts, after) = ATTEMPTS;
        let backend = session.backend();
        let mut settled = pin!(backend.settled());
        let mut is_settled = backend.is_settled();
        while attempts > 0 {
            // Looked at first: what was tried then is in the page.
            let outstanding = backend.progress.outstanding();
            match self.read_again(&session).await {
                Ok(None) => return,
                Ok(Some(read)) => {
                    if self.subscribe_to(&session, &read.subscriptions, is_settled).await || is_settled {
                        return;
                    }
                    // With each upstream that has started: one that hangs keeps the updates of no other back.
                    tokio::select! {
                        () = &mut settled => is_settled = true,
                        () = backend.progress.fewer(outstanding) => {}
                    }
                }
                Err(error) => {
                    tracing::debug!(error = error.message(), "a session could not be read again");
                    attempts -= 1;
                    tokio::time::sleep(after).await;
                }
            }
            if session.is_quiet() {
                return;
            }
        }
    }

    /// Hears what other replicas say, until the gateway is closed: requests that finish during a shutdown can be
    /// cancelled, too.
    pub(crate) async fn receive(self: Arc<Self>) {
        let Some(replicas) = &self.replicas else { return };
        while let Some(event) = replicas.store().event().await {
            let message = match event {
                Event::Connected => {
                    tokio::spawn(Arc::clone(&self).catch_up_all());
                    continue;
                }
                Event::Message(text) => serde_json::from_slice::<ReplicaMessage>(&text),
            };
            match message {
                Ok(message) if message.from == *replicas.store().name() => {}
                Ok(message) => {
                    // One that panics does not take those after it along.
                    if catch_unwind(AssertUnwindSafe(|| self.take(replicas, message))).is_err() {
                        tracing::error!("a message of another replica could not be handled: a panic");
                    }
                }
                Err(_) => {
                    tracing::warn!("a message of another replica cannot be read; is it of another version?")
                }
            }
        }
    }

    /// Reads the sessions that are in use: messages about them may have been lost.
    async fn catch_up_all(self: Arc<Self>) {
        let in_use = self.all().into_iter().filter(|session| !session.is_quiet());
        let reading = stream::iter(in_use).for_each_concurrent(CATCHING_UP, |session| {
            // Apart, so that a strategy that panics costs one session.
            tokio::spawn(Arc::clone(&self).catch_up(session)).map(drop)
        });
        reading.await;
    }

    /// Handles a message.
    fn take(self: &Arc<Self>, replicas: &Arc<Replicas>, message: ReplicaMessage) {
        let ReplicaMessage { session: key, kind, .. } = message;
        let session = self.table.lock().known_as(&key).cloned();
        if let MessageKind::Followed { stream, progress } = kind {
            return match session.and_then(|session| session.replay.numbered(stream)) {
                Some(buffer) => drop(tokio::spawn(async move { buffer.moved(progress).await })),
                None if progress == Progress::Ended => {}
                // So the request that waits there for the response ends.
                None => Archive::new(replicas, key).remove(stream),
            };
        }
        let Some(session) = session else { return };
        match kind {
            MessageKind::Changed if session.client.outbox().is_open() => {
                drop(tokio::spawn(Arc::clone(self).catch_up(session)));
            }
            MessageKind::Ended => drop(self.end(session.id())),
            MessageKind::Cancelled(request) => {
                let _perhaps_elsewhere =
                    Id::parse(&request).is_some_and(|request| session.in_flight.cancel(&request));
            }
            MessageKind::Roots => self.roots_changed(&session),
            // Without a stream here, the next one says so.
            MessageKind::Moved => session.notify_changed(&Kind::ALL),
            MessageKind::Answer(text) => {
                match Message::parse(text.as_bytes(), self.common.limits.bounds().message_depth) {
                    Ok(Message::Response(response)) => session.client.settle(response),
                    _ => tracing::warn!("another replica passed on something that is not a response"),
                }
            }
            MessageKind::Changed | MessageKind::Followed { .. } => {}
        }
    }

    /// Extends the expiry of sessions that were used, and finds those that are gone.
    pub(crate) async fn keep(self: Arc<Self>) {
        let Some(replicas) = &self.replicas else { return };
        let (now, after) = (Instant::now(), self.idle / PARTS);
        let due = self.all().into_iter().filter(|session| session.is_due(after));
        let keep = async |session: Arc<ServedSession>| {
            let read = replicas.keep(session.id(), &session.replay.unfinished()).await?;
            session.refreshed(now);
            self.renew(&session, read.as_ref());
            Ok::<_, StoreError>(())
        };
        let keeping = stream::iter(due.map(Ok)).try_for_each_concurrent(CATCHING_UP, keep);
        // The next sweep goes on with those that are left.
        if let Err(error) = keeping.await {
            tracing::debug!(%error, "the expiry of sessions was not extended");
        }
    }
}
