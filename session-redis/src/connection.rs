//! The connection to the store, kept up.

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::StreamExt;
use mcp_disclosure_gateway::store::{Event, SHORT_MESSAGE_BYTES, StoreError};
use redis::{Pipeline, RedisError, RedisResult, Value};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    address::Address,
    link::{Link, PATIENCE, closed, connect, within},
};

/// How long commands wait for a connection.
const WAITING: Duration = Duration::from_millis(400);

/// The pause between attempts to connect, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// How often the connection for messages is checked: nothing is sent on it otherwise, so its end might not be noticed.
const PINGING: Duration = Duration::from_secs(1);

/// Maximum number of events that wait for the gateway, and the number from which long messages are dropped.
pub(crate) const EVENTS: usize = 10_000;
const LONG_ONES: usize = 8;

/// The channel of messages to all replicas. Clients can write the name of a replica, and not this one: their answers go to one.
pub(crate) const ALL: &str = "*";

/// The connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) address: Address,
    /// The process.
    pub(crate) name: Arc<str>,
    events: mpsc::Sender<Event>,
    /// The link for commands, with its number.
    link: watch::Sender<Option<(u64, Link)>>,
    /// Cancelled when this is closed.
    pub(crate) closed: CancellationToken,
}

impl Connection {
    pub(crate) fn new(address: Address, name: Arc<str>, events: mpsc::Sender<Event>) -> Self {
        let (link, closed) = (watch::Sender::new(None), CancellationToken::new());
        Self { address, name, events, link, closed }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.link.borrow().is_some()
    }

    /// The link. If there is none, waits for the next one until [`WAITING`] is over: most interruptions are short.
    pub(crate) async fn link(&self) -> Result<(u64, Link), StoreError> {
        let mut links = self.link.subscribe();
        let found = tokio::time::timeout(WAITING, links.wait_for(Option::is_some)).await;
        found.ok().and_then(Result::ok).and_then(|link| link.clone()).ok_or(StoreError::Unreachable)
    }

    /// Sends commands on one key. Returns before [`PATIENCE`] is over.
    pub(crate) async fn send(&self, commands: &Pipeline) -> Result<Vec<RedisResult<Value>>, StoreError> {
        let sending = async {
            loop {
                let (number, mut link) = self.link().await?;
                match link.send(commands).await {
                    Ok(replies) => {
                        // Another server is the master now.
                        let is_replaced = |reply: &RedisResult<Value>| {
                            reply.as_ref().is_err_and(|error| error.code() == Some("READONLY"))
                        };
                        if replies.iter().any(is_replaced) {
                            self.give_up(number);
                        }
                        return Ok(replies);
                    }
                    // Perhaps only this connection was closed, as one that is idle may be.
                    Err(error) if error.is_connection_dropped() => self.give_up(number),
                    Err(error) => return Err(failed(&error, commands, 0)),
                }
            }
        };
        tokio::time::timeout(PATIENCE, sending).await.unwrap_or_else(|_| {
            tracing::debug!(command = name(commands, 0), "the session store does not answer in time");
            Err(StoreError::Unreachable)
        })
    }

    /// Connects again, unless that was done since.
    fn give_up(&self, number: u64) {
        self.link.send_if_modified(|link| {
            let is_current = link.as_ref().is_some_and(|(current, _)| *current == number);
            if is_current {
                *link = None;
            }
            is_current
        });
    }

    /// Disconnects for good.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.link.send_replace(None);
    }

    /// A key of this version.
    pub(crate) fn key(&self, kind: char, name: &str) -> String {
        format!("{}:4:{kind}:{name}", self.address.prefix)
    }

    /// Connects, and connects again, until this is closed.
    pub(crate) async fn run(self: Arc<Self>) {
        tokio::select! {
            () = self.reconnect() => {}
            () = self.closed.cancelled() => {}
        }
        // It may have been connected at this moment.
        self.link.send_replace(None);
    }

    async fn reconnect(&self) {
        let (first, longest) = PAUSES;
        let (mut pause, mut number, mut is_down) = (first, 0, false);
        loop {
            number += 1;
            let begun = Instant::now();
            let ended = match self.serve(number, &mut is_down).await {
                Ok(never) => match never {},
                Err(error) => error,
            };
            self.link.send_replace(None);
            if begun.elapsed() > longest {
                pause = first;
            }
            if !is_down {
                tracing::warn!(store = %self.address, reason = reason(&ended), "session store cannot be used; clients with sessions get errors until it can");
                is_down = true;
            } else {
                tracing::debug!(reason = reason(&ended), "session store cannot be used yet");
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(longest);
        }
    }

    /// One connection, until it ends.
    async fn serve(&self, number: u64, is_down: &mut bool) -> RedisResult<Infallible> {
        let channels = [self.key('c', &self.name), self.key('c', ALL)];
        let (link, messages) = connect(&self.address, &channels).await?;
        let (mut pings, mut messages) = messages.split();
        self.link.send_replace(Some((number, link)));
        let mut links = self.link.subscribe();
        tracing::info!(store = %self.address, "session store connected");
        *is_down = false;
        self.queue(Event::Connected)?;
        let mut due = tokio::time::interval(PINGING);
        loop {
            tokio::select! {
                message = messages.next() => {
                    let message = message.ok_or_else(closed)?;
                    self.queue(Event::Message(message.get_payload_bytes().to_vec()))?;
                }
                _ = due.tick() => drop(within(pings.ping::<Value>()).await?),
                () = async { drop(links.wait_for(Option::is_none).await) } => return Err(closed()),
            }
        }
    }

    /// Long messages are dropped before the queue is full, so that what clients post at other replicas neither fills memory nor
    /// ends the connection.
    fn queue(&self, event: Event) -> RedisResult<()> {
        let is_long = matches!(&event, Event::Message(message) if message.len() > SHORT_MESSAGE_BYTES);
        if is_long && self.events.max_capacity() - self.events.capacity() >= LONG_ONES {
            tracing::warn!("a long message of another replica was dropped: too many wait");
            return Ok(());
        }
        self.events.try_send(event).map_err(|_| closed())
    }
}

/// The error for the reply to one of these commands that is one. What is logged has neither keys nor a user.
pub(crate) fn failed(error: &RedisError, commands: &Pipeline, at: usize) -> StoreError {
    let command = name(commands, at);
    match error.code() {
        Some("OOM") => {
            tracing::warn!(command, "the session store is full");
            StoreError::Full
        }
        Some(code @ ("NOPERM" | "WRONGTYPE" | "ERR" | "UNKNOWN")) => {
            tracing::warn!(code, command, "the session store refused a command");
            StoreError::Refused
        }
        code => {
            tracing::debug!(code, command, kind = ?error.kind(), "the session store failed");
            StoreError::Unreachable
        }
    }
}

/// The name of a command.
fn name(commands: &Pipeline, at: usize) -> String {
    let name = commands.cmd_iter().nth(at).and_then(|command| match command.args_iter().next() {
        Some(redis::Arg::Simple(name)) => Some(String::from_utf8_lossy(name).into_owned()),
        _ => None,
    });
    name.unwrap_or_default()
}

/// Why the store cannot be used: nothing of its address, its user, or what was sent to it.
fn reason(error: &RedisError) -> String {
    match error.code() {
        Some(code @ "NOPERM") => format!("{code}: its user lacks a command or channel of docs/scaling.md"),
        Some(code) => code.to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn k4_long_messages_are_dropped_before_short_ones_are() {
        let (events, mut queued) = mpsc::channel(EVENTS);
        let connection = Connection::new("redis://h".parse().unwrap(), "a".into(), events);
        let message = |length: usize| Event::Message(vec![b'x'; length]);
        for _ in 0..=LONG_ONES {
            connection.queue(message(1024 * 1024)).unwrap();
        }
        connection.queue(message(7)).unwrap();
        for _ in 0..LONG_ONES {
            assert_eq!(queued.recv().await, Some(message(1024 * 1024)));
        }
        assert_eq!(queued.recv().await, Some(message(7)), "the last long one was dropped");
        assert!((0..EVENTS).all(|_| connection.queue(message(7)).is_ok()));
        assert!(
            connection.queue(message(7)).is_err(),
            "what is lost is read again when it is connected again"
        );
    }
}
