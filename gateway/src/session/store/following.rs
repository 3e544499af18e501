//! A stream of another replica, resumed here: read from the store, for as long as that replica goes on with it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Weak},
    time::Duration,
};

use mcp_disclosure_transport::{ErrorText, Id, Response, code};
use tokio::time::Instant;

use super::{
    Archive, END, MessageKind, NO_RESPONSE, Progress, REQUEST, StoreError, archive::number, replicas,
};
use crate::session::{Session, StreamEvent};

/// How often the store is read.
const LOOKING: Duration = Duration::from_millis(100);

/// How often the replica is informed that the stream continues here.
const TELLING: Duration = Duration::from_secs(1);

/// A replica that was not connected to the store for this long is taken for gone.
const GONE: Duration = Duration::from_secs(3);

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
