//! Sessions that several replicas share: copies are read when they are needed, changed in the store first, and given up
//! when another replica says so.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt, StreamExt, stream};
use mcp_disclosure_core::{Kind, Memory, RawObject};
use mcp_disclosure_transport::{ErrorText, Id, Message, Notification, Response, code, printable::Short};
use strum::IntoEnumIterator;
use tracing::Instrument;

use super::{Caller, Gateway, fetches::Fetcher, requests::panicked};
use crate::session::{
    Session,
    store::{
        Archive, Delta, Following, Incoming, Kept, Loaded, MessageKind, Opened, ReplicaMessage, Replicas,
        SessionGuard, StoreError,
    },
};

/// How many attempts are made to notify other replicas after a failure, and the time before each.
pub(super) const ATTEMPTS: (u32, Duration) = (30, Duration::from_secs(1));

/// How long a handshake waits for a store that cannot be used.
const REACHING: Duration = Duration::from_millis(400);

/// Maximum number of sessions that are read at the same time when a lease begins.
const CATCHING_UP: usize = 32;

impl Gateway {
    /// Reads a session, and brings its copy up to date. A copy of one that is gone is given up.
    pub(super) async fn load(
        &self,
        replicas: &Replicas,
        id: &str,
        copy: Option<&Session>,
        guard: &SessionGuard,
    ) -> Result<Option<Loaded>, ErrorText> {
        let loaded = replicas.load(id, guard).await.map_err(|error| error.for_clients())?;
        match (&loaded, copy) {
            (Some(loaded), Some(copy)) => self.renew(copy, &loaded.kept),
            (None, Some(copy)) => self.give_up(copy),
            _ => {}
        }
        Ok(loaded)
    }

    /// Brings a copy up to date. A stream that is open here carries what changed.
    fn renew(&self, copy: &Session, kept: &Kept) {
        let (choice, level) = (copy.choice(), copy.log_level());
        let (before, after) = copy.replace(kept);
        if copy.log_level() != level {
            copy.backend().relay_log_level();
        }
        let ended = copy.keep_subscriptions(|watched| kept.subscriptions.contains(&watched.uri));
        ended.iter().for_each(|ended| copy.backend().release(ended));
        // It calls the strategy, which may panic.
        let differences = || self.notify_differences(copy, &copy.principal(), &choice, &before, &after);
        if catch_unwind(AssertUnwindSafe(differences)).is_err() {
            tracing::error!(session = %Short(copy.id()), "comparing the lists of a session panicked");
            copy.notify_changed(&Kind::iter().collect::<Vec<_>>());
        }
    }

    /// A copy of a session that is gone, perhaps since the store lost it. Requests in progress are answered.
    pub(super) fn give_up(&self, copy: &Session) {
        if let Some(session) = self.sessions.remove(copy.id()) {
            self.let_go(&session);
        }
    }

    /// Reads a session again whose copy is here. `None` if it is gone.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(super) async fn read_again(&self, session: &Arc<Session>) -> Result<Option<Kept>, ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(None) };
        let mut guard = replicas.lock(session.id()).await?;
        let loaded = self.load(replicas, session.id(), Some(session), &guard).await;
        let loaded = guard.share_failure(loaded)?;
        Ok(loaded.map(|loaded| {
            replicas.validate(session, &loaded);
            loaded.kept
        }))
    }

    /// Waits for the store, where sessions are kept in one.
    ///
    /// # Errors
    /// -32006 if it cannot be used.
    pub(super) async fn reach_store(&self) -> Result<(), ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(()) };
        replicas.ready(REACHING).await.map_err(|error| error.for_clients())
    }

    /// Writes a new session to the store.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(super) async fn publish(&self, session: &Session, opened: Opened) -> Result<(), ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(()) };
        session.client.asked_by(replicas);
        session.replay.shared(Archive::new(replicas, session.id()));
        replicas.create(session, session.kept(opened)).await.map_err(|error| error.for_clients())
    }

    /// Changes a session: in the store first, and then here. Returns the memory before and after. Once begun, a change is
    /// finished, even if the request is cancelled: other replicas may have heard of it.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used, -32600 if the session has ended.
    pub(super) async fn record(
        self: &Arc<Self>,
        session: &Arc<Session>,
        delta: Delta,
    ) -> Result<(Memory, Memory), ErrorText> {
        let (gateway, session) = (Arc::clone(self), Arc::clone(session));
        self.finishing(async move { gateway.write(&session, delta).await }).await
    }

    /// Runs this to completion, even if the caller is cancelled: other replicas may already have been notified.
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

    /// As [`record`](Self::record), for what is finished in any case.
    pub(super) async fn write(
        self: &Arc<Self>,
        session: &Arc<Session>,
        mut delta: Delta,
    ) -> Result<(Memory, Memory), ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(session.apply(delta)) };
        let mut guard = match delta.invalidates_copies() {
            true => Some(replicas.lock(session.id()).await?),
            false => None,
        };
        if replicas.may_use(session) {
            delta = session.changed_by(delta);
        }
        if delta.is_empty() {
            return Ok(session.apply(delta));
        }
        match replicas.change(session.id(), &delta).await {
            Ok(true) => Ok(session.apply(delta)),
            Ok(false) => {
                self.give_up(session);
                Err(ended())
            }
            Err(error) => {
                // What the store has now is not known.
                replicas.invalidate(session.id(), Some(session));
                let is_known = matches!(error, StoreError::Full | StoreError::Refused);
                if delta.invalidates_copies() && !is_known {
                    let (after, id) = (ATTEMPTS.1, Arc::clone(session.id()));
                    tokio::spawn(Arc::clone(self).mention_later(after, id, MessageKind::Changed));
                }
                let outcome = Err(error.for_clients());
                match &mut guard {
                    Some(guard) if error == StoreError::Unreachable => guard.share_failure(outcome),
                    _ => outcome,
                }
            }
        }
    }

    /// Notifies the other replicas that serve a session after this time, and again until that succeeds.
    pub(super) async fn mention_later(self: Arc<Self>, after: Duration, id: Arc<str>, kind: MessageKind) {
        let Some(replicas) = &self.replicas else { return };
        tokio::time::sleep(after).await;
        let (attempts, between) = ATTEMPTS;
        for _ in 0..attempts {
            if replicas.mention(&id, kind.clone()).await.is_ok() {
                return;
            }
            tokio::time::sleep(between).await;
        }
        tracing::warn!(session = %Short(&id), "another replica may not know of a change of a session");
    }

    /// Adds fetches of a caller to those that all replicas admitted to it, and takes note of the sum. A caller without a
    /// session does not wait for that.
    pub(super) async fn count_fetches(self: &Arc<Self>, caller: &Caller, fetches: u32) {
        // Of every call, and most fetch nothing.
        if fetches == 0 || self.replicas.is_none() {
            return;
        }
        let Some(name) = caller.fetcher.shared_name() else { return };
        let (gateway, fetcher) = (Arc::clone(self), caller.fetcher.clone());
        let counting = async move { gateway.count(&name, &fetcher, fetches).await };
        match caller.session {
            Some(_) => counting.await,
            None => drop(tokio::spawn(counting)),
        }
    }

    async fn count(&self, name: &str, fetcher: &Fetcher, fetches: u32) {
        let Some(replicas) = &self.replicas else { return };
        match replicas.count(name, fetches).await {
            Ok((sum, left)) => self.fetches.note(fetcher, fetches, sum, left),
            // The limit of this replica goes on.
            Err(error) => tracing::debug!(%error, "fetches are not counted across replicas"),
        }
    }

    /// Cancels a client's request, wherever it is in progress.
    pub async fn cancel(&self, session: &Session, request: &Id) {
        if session.in_flight.cancel(request) {
            return;
        }
        self.mention(session, MessageKind::Cancelled(request.as_str().to_owned())).await;
    }

    /// Delivers a client's response to the request that it answers, wherever that was sent from.
    ///
    /// # Errors
    /// -32006 if another replica sent it, and the store cannot be used.
    pub async fn settle(&self, session: &Session, response: Response) -> Result<(), ErrorText> {
        if let Some(replicas) = &self.replicas {
            let passed_on = replicas.pass_on(session.id(), &response).await;
            if passed_on.map_err(|error| error.for_clients())? {
                return Ok(());
            }
        }
        session.client.settle(response);
        Ok(())
    }

    /// Tells the other replicas that serve a session.
    pub(super) async fn mention(&self, session: &Session, kind: MessageKind) {
        let Some(replicas) = &self.replicas else { return };
        if let Err(error) = replicas.mention(session.id(), kind).await {
            tracing::debug!(%error, "other replicas were not notified");
        }
    }

    /// The answer stream of another replica that has this event, to be resumed here; `None` if there is no such stream.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(crate) async fn follow(
        &self,
        session: &Arc<Session>,
        event: &str,
    ) -> Result<Option<Following>, ErrorText> {
        let Some(archive) = session.replay.elsewhere(event) else { return Ok(None) };
        let following = Following::find(archive.clone(), session, event).await;
        following.map_err(|error| error.for_clients())
    }

    /// The client opened its general stream here, which has to carry the updates that it subscribed to anywhere. `has_missed`:
    /// it resumes a stream that is not here, of another replica or of a copy that was dropped, so anything may have changed.
    pub fn stream_opened(self: &Arc<Self>, session: &Arc<Session>, has_missed: bool) {
        if self.replicas.is_none() {
            return;
        }
        if has_missed {
            session.notify_changed(&Kind::iter().collect::<Vec<_>>());
        }
        let (gateway, session) = (Arc::clone(self), Arc::clone(session));
        tokio::spawn(async move {
            gateway.catch_up(Arc::clone(&session)).await;
            for uri in session.subscribed().iter().filter(|_| has_missed) {
                let params = RawObject::empty().with_value("uri", uri);
                session.client.outbox().notify(&Notification::new("notifications/resources/updated", params));
            }
        });
    }

    /// Reads a session whose stream is open here, and subscribes to what it lacks.
    async fn catch_up(self: Arc<Self>, session: Arc<Session>) {
        let (attempts, after) = ATTEMPTS;
        for _ in 0..attempts {
            match self.read_again(&session).await {
                Ok(None) => return,
                Ok(Some(kept)) if kept.subscriptions.is_empty() || session.backend().is_settled() => {
                    return self.subscribe_to(&session, &kept.subscriptions).await;
                }
                // The upstreams may take a while to start; then it is read again.
                Ok(Some(_)) => session.backend().settled().await,
                Err(error) => {
                    tracing::debug!(error = error.message(), "a session could not be read again");
                    tokio::time::sleep(after).await;
                }
            }
            if session.is_quiet() {
                return;
            }
        }
    }

    /// Hears what other replicas say, until the gateway is closed: requests that finish during a shutdown use copies, too.
    pub(super) async fn receive(self: Arc<Self>) {
        let Some(replicas) = &self.replicas else { return };
        loop {
            let incoming = tokio::select! {
                () = replicas.closed() => return,
                incoming = replicas.receive() => incoming,
            };
            match incoming {
                Incoming::Message(message) => {
                    // One that panics is not confirmed; those after it are.
                    if catch_unwind(AssertUnwindSafe(|| self.take(replicas, message))).is_err() {
                        tracing::error!("a message of another replica could not be handled: a panic");
                    }
                }
                // Copies of the former lease are read again when they are used; those in use, soon.
                Incoming::Begun => drop(tokio::spawn(Arc::clone(&self).catch_up_all())),
            }
        }
    }

    /// Reads the sessions that are in use.
    async fn catch_up_all(self: Arc<Self>) {
        self.catch_up_with(self.sessions.all()).await;
    }

    /// Reads those of these sessions that are in use.
    async fn catch_up_with(self: &Arc<Self>, sessions: Vec<Arc<Session>>) {
        let in_use = sessions.into_iter().filter(|session| !session.is_quiet());
        let reading = stream::iter(in_use).for_each_concurrent(CATCHING_UP, |session| {
            // Apart, so that a strategy that panics costs one session.
            tokio::spawn(Arc::clone(self).catch_up(session)).map(drop)
        });
        reading.await;
    }

    /// Handles a message. If it invalidates a copy, it does so before the next message is read.
    fn take(self: &Arc<Self>, replicas: &Replicas, message: ReplicaMessage) {
        let session = self.sessions.find(&message.session);
        match (&message.kind, session) {
            (MessageKind::Received, _) => return replicas.received(&message),
            (MessageKind::Followed { stream, progress }, session) => {
                let buffer = session.and_then(|session| session.replay.numbered(*stream));
                let (gateway, progress) = (Arc::clone(self), *progress);
                tokio::spawn(async move {
                    if let Some((buffer, replicas)) = buffer.zip(gateway.replicas.as_ref())
                        && buffer.moved(progress).await
                    {
                        replicas.confirm(&message).await;
                    }
                });
                return;
            }
            (MessageKind::Changed, session) => {
                replicas.invalidate(&message.session, session.as_deref());
                let listening = session.filter(|session| session.client.outbox().is_open());
                listening
                    .into_iter()
                    .for_each(|session| drop(tokio::spawn(Arc::clone(self).catch_up(session))));
            }
            (MessageKind::Ended, session) => {
                replicas.invalidate(&message.session, session.as_deref());
                self.end_session(&message.session);
            }
            (MessageKind::Cancelled(id), Some(session)) => {
                if let Some(id) = Id::parse(id) {
                    session.in_flight.cancel(&id);
                }
            }
            (MessageKind::Roots, Some(session)) => self.roots_changed(&session),
            // Without a stream here, the next one says so.
            (MessageKind::Moved, Some(session)) => {
                session.notify_changed(&Kind::iter().collect::<Vec<_>>());
            }
            (MessageKind::Answer(text), Some(session)) => {
                match Message::parse(text.as_bytes(), self.limits.bounds().message_depth) {
                    Ok(Message::Response(response)) => session.client.settle(response),
                    _ => tracing::warn!("what another replica passed on is no response"),
                }
            }
            _ => {}
        }
        let gateway = Arc::clone(self);
        tokio::spawn(async move {
            if let Some(replicas) = &gateway.replicas {
                replicas.confirm(&message).await;
            }
        });
    }

    /// Extends the expiry of sessions that were used.
    pub(super) async fn keep_sessions(self: Arc<Self>) {
        let Some(replicas) = &self.replicas else { return };
        let lost = replicas.keep(&self.sessions.all()).await;
        tokio::spawn(async move { self.catch_up_with(lost).await });
    }
}

/// The error for a session that is gone.
pub(super) fn ended() -> ErrorText {
    ErrorText::new(code::INVALID_REQUEST, "this session has ended; initialize a new one")
}

/// Whether this is an id of ours: 32 hexadecimal digits.
pub(super) fn is_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
