//! Events of answer streams in the store, so that a client can resume a stream at another replica, which reads them there for as long
//! as the one that has the stream goes on with it.
//!
//! What is kept there of a stream is what its replica keeps of it, within the same limits. A stream is a set of fields of its
//! own:
//!
//! ```text
//! .         the request that the stream answers: its id, as JSON
//! NUMBER    an event that can be sent again: the message
//! $         the number of the response; `-` if the stream ended without one
//! ```

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Weak},
    time::Duration,
};

use mcp_disclosure_transport::{ErrorText, Id, Response, code};
use tokio::time::Instant;

use super::{Changes, Fields, MessageKind, Progress, Replicas, StoreError, key_of, replicas};
use crate::session::{Session, StreamEvent};

/// The field that every stream has.
pub(crate) const REQUEST: &[u8] = b".";

/// The field that a stream has from its end on.
pub(crate) const END: &[u8] = b"$";

/// The end of a stream without a response.
pub(crate) const NO_RESPONSE: &[u8] = b"-";

/// How often the store is read.
const LOOKING: Duration = Duration::from_millis(100);

/// How often the replica is informed that the stream continues here.
const TELLING: Duration = Duration::from_secs(1);

/// A replica that was not connected to the store for this long is taken for gone.
const GONE: Duration = Duration::from_secs(3);

/// Where the events of a session's answer streams are kept for other replicas.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    /// The replicas.
    pub(crate) replicas: Arc<Replicas>,
    /// What stores know of the session's id.
    session: Arc<str>,
}

impl Archive {
    /// That of this session.
    pub(crate) fn new(replicas: &Arc<Replicas>, session: Arc<str>) -> Self {
        Self { replicas: Arc::clone(replicas), session }
    }

    /// The name of this process, which ids of events begin with.
    pub(crate) fn replica(&self) -> &Arc<str> {
        self.replicas.name()
    }

    /// Changes what is kept of a stream of this process. `false` if that could not be done.
    pub(crate) async fn write(&self, stream: u64, changes: Changes) -> bool {
        let (store, lifetime) = (self.replicas.store(), self.replicas.idle);
        // What is sent does not wait for a store that is not there.
        if !store.is_connected() {
            return false;
        }
        let written = store.keep_events(&self.name_of_own(stream), changes, lifetime).await;
        written.inspect_err(|error| tracing::debug!(%error, "events cannot be resumed elsewhere")).is_ok()
    }

    /// Removes what is kept of a stream of this process. When the process is ending, the store is closed before.
    pub(crate) fn remove(&self, stream: u64) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let archive = self.clone();
        runtime.spawn(async move {
            let name = archive.name_of_own(stream);
            // Else it is gone when it has not changed for as long as a session may be idle.
            let _later = archive.replicas.store().forget_events(&name).await;
        });
    }

    /// What a replica keeps of a stream, but for events up to this one.
    async fn read(&self, replica: &str, stream: u64, last: u64) -> Result<Fields, StoreError> {
        let is_wanted = |name: &[u8]| number(name).is_none_or(|event| event > last);
        self.replicas.store().events(&self.name(replica, stream), &is_wanted).await
    }

    /// The name of a stream of this process.
    pub(crate) fn name_of_own(&self, stream: u64) -> String {
        self.name(self.replica(), stream)
    }

    /// The session is in it: another one's streams cannot be named.
    fn name(&self, replica: &str, stream: u64) -> String {
        key_of(&format!("{}.{replica}.{stream}", self.session))
    }
}

/// A stream of another replica.
#[derive(Debug)]
pub(crate) struct Following {
    archive: Archive,
    session: Weak<Session>,
    replica: Box<str>,
    stream: u64,
    request: Option<Id>,
    /// The last event that was read or, at first, that the client has.
    last: u64,
    waiting: VecDeque<StreamEvent>,
    is_over: bool,
    told: Option<Instant>,
    seen: Instant,
    /// Whether the replica was informed that this one sends the stream.
    is_known: bool,
}

impl Following {
    /// The answer stream of another replica that has the event with this id, from the next event on. `None` if nothing is kept of it.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(crate) async fn find(session: &Arc<Session>, event: &str) -> Result<Option<Self>, ErrorText> {
        let (Some(archive), Some((replica, stream, last))) =
            (&session.replay.archive, replicas::event(event))
        else {
            return Ok(None);
        };
        if *replica == **archive.replica() {
            return Ok(None);
        }
        let mut following = Self {
            archive: archive.clone(),
            session: Arc::downgrade(session),
            replica: replica.into(),
            stream,
            request: None,
            last,
            waiting: VecDeque::new(),
            is_over: false,
            told: None,
            seen: Instant::now(),
            is_known: false,
        };
        Ok(following.read().await?.then_some(following))
    }

    /// The next event. `None` at the end of the stream, and if the session or the store is gone: the client may resume it
    /// again. Nothing is lost if this is dropped before it returns.
    pub(crate) async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            if self.is_over {
                self.report_end();
                return None;
            }
            let session = self.session.upgrade()?;
            if let Err(error) = self.look(&session).await {
                tracing::debug!(%error, "a stream of another replica cannot be read");
                return None;
            }
        }
    }

    /// Notifies the replica that all of the stream was sent, so that it need not keep the response as unread.
    fn report_end(&self) {
        let (archive, replica) = (self.archive.clone(), self.replica.clone());
        let kind = MessageKind::Followed { stream: self.stream, progress: Progress::Ended };
        tokio::spawn(async move {
            if let Err(error) = archive.replicas.tell(&replica, &archive.session, kind).await {
                tracing::debug!(%error, "a replica was not told of the end of its stream");
            }
        });
    }

    async fn look(&mut self, session: &Session) -> Result<(), StoreError> {
        let is_there = self.is_there(session).await?;
        // After that: what it sent before it was gone is in the store.
        let is_kept = self.read().await?;
        if !self.waiting.is_empty() || self.is_over {
            return Ok(());
        }
        if is_there && is_kept {
            tokio::time::sleep(LOOKING).await;
        } else {
            self.end_with(
                "the replica that served this request is gone, and with it the response; what the request did is not known",
            );
        }
        Ok(())
    }

    /// Whether the replica is there. If it has no such stream any more, it removes it from the store.
    async fn is_there(&mut self, session: &Session) -> Result<bool, StoreError> {
        if self.told.is_none_or(|told| told.elapsed() >= TELLING) {
            self.told = Some(Instant::now());
            let progress = if self.is_known { Progress::GoesOn } else { Progress::Begins };
            let kind = MessageKind::Followed { stream: self.stream, progress };
            let (replicas, id) = (&self.archive.replicas, &self.archive.session);
            if replicas.tell(&self.replica, id, kind).await? {
                (self.seen, self.is_known) = (Instant::now(), true);
                // Its copy here is in use.
                session.touch();
            }
        }
        Ok(self.seen.elapsed() < GONE)
    }

    /// Reads what is new. `false` if nothing is kept.
    async fn read(&mut self) -> Result<bool, StoreError> {
        let fields = self.archive.read(&self.replica, self.stream, self.last).await?;
        let named =
            |wanted: &[u8]| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_slice());
        let Some(request) = named(REQUEST).and_then(|request| Id::parse(std::str::from_utf8(request).ok()?))
        else {
            return Ok(false);
        };
        self.request = Some(request);
        let end = named(END).map(<[u8]>::to_vec);
        let events = fields.into_iter().filter_map(|(name, data)| Some((number(&name)?, data)));
        let events: BTreeMap<u64, Vec<u8>> = events.collect();
        for (event, data) in events {
            self.last = event;
            let id = format!("{}.{}-{event}", self.replica, self.stream);
            self.waiting.push_back(StreamEvent { id: Some(id), data: data.into() });
        }
        match end {
            Some(end) if end == NO_RESPONSE => self.is_over = true,
            Some(end) if number(&end).is_some_and(|end| self.last >= end) => self.is_over = true,
            Some(_) => self.end_with("the response is too large to be kept for a stream that broke"),
            None => {}
        }
        Ok(true)
    }

    /// The stream has no response, and ends with this error instead.
    fn end_with(&mut self, message: &str) {
        self.is_over = true;
        let error = ErrorText::new(code::UPSTREAM_FAILED, message);
        let response = Response { id: self.request.clone(), outcome: Err(error) };
        self.waiting.push_back(StreamEvent { id: None, data: response.encode().into() });
    }
}

/// The event of a field's name.
fn number(name: &[u8]) -> Option<u64> {
    std::str::from_utf8(name).ok()?.parse().ok()
}
