//! Leases: the times in which this replica may use copies without asking the store.
//!
//! A replica renews a key that expires after [`LASTING`], and then publishes a message to itself, a beat. When the beat arrives,
//! both connections work, and copies may be used until [`USING`] after the renewal began, by this process's own clock. Since that
//! is shorter, no copy is used any more when the key expires, even if the clocks of two machines differ. When the connection for
//! messages breaks, or no beat arrives in time, the lease ends: messages may have been missed.
//!
//! **A lease that has ended never comes back**: other replicas may have acted on its end. So its key is set once; a renewal that
//! does not find it ends the lease, and so does a beat that arrives too late.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use futures::{
    StreamExt,
    future::{BoxFuture, OptionFuture},
};
use mcp_disclosure_gateway::store::{Event, Lease};
use redis::{RedisError, RedisResult, Value, aio::PubSubStream, pipe};

use crate::{
    connection::Connection,
    link::{Link, closed, silent},
};

/// How long the key of a lease lives.
const LASTING: Duration = Duration::from_secs(3);

/// How long copies may be used after a lease was renewed.
const USING: Duration = Duration::from_secs(2);

/// How often a lease is renewed.
const RENEWING: Duration = Duration::from_millis(400);

/// The first byte of a replica's messages to itself.
const BEAT: u8 = b'.';

/// The same without a key, for which the store has no memory: the connection works, and copies are not used.
const KEYLESS: u8 = b',';

/// A connection, and the lease under it.
pub(crate) struct Running<'k> {
    connection: &'k Connection,
    link: Link,
    lease: Lease,
    /// Whether its key was set.
    is_set: bool,
    /// When the beats that have not arrived were sent.
    sent: Vec<(u64, Instant)>,
    beats: u64,
    /// When the connection is given up, and the lease with it.
    until: Instant,
    is_down: &'k mut bool,
}

impl<'k> Running<'k> {
    pub(crate) fn new(connection: &'k Connection, link: Link, lease: Lease, is_down: &'k mut bool) -> Self {
        let until = Instant::now() + USING;
        Self { connection, link, lease, is_set: false, sent: Vec::new(), beats: 0, until, is_down }
    }

    pub(crate) async fn run(&mut self, mut messages: PubSubStream) -> RedisResult<Infallible> {
        let mut due = tokio::time::interval(RENEWING);
        due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut renewal = OptionFuture::<BoxFuture<'static, RedisResult<bool>>>::default();
        let mut is_renewing = false;
        loop {
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(self.until.into()) => return Err(silent()),
                message = messages.next() => {
                    let message = message.ok_or_else(closed)?;
                    self.receive(message.get_payload_bytes())?;
                }
                Some(renewed) = &mut renewal, if is_renewing => {
                    is_renewing = false;
                    self.is_set = renewed?;
                }
                _ = due.tick(), if !is_renewing => {
                    is_renewing = true;
                    renewal = Some(self.renew()).into();
                }
            }
        }
    }

    /// Renews the key, and sends a beat. Whether the key is set then.
    fn renew(&mut self) -> BoxFuture<'static, RedisResult<bool>> {
        self.beats += 1;
        self.sent.push((self.beats, Instant::now()));
        let (mut link, is_set, beat) = (self.link.clone(), self.is_set, self.beats);
        let (key, channel) =
            (self.connection.key('r', &self.lease.name), self.connection.key('c', &self.connection.name));
        Box::pin(async move {
            let is_set = if is_set { extend(&mut link, &key).await? } else { set(&mut link, &key).await? };
            let kind = if is_set { BEAT } else { KEYLESS };
            let mut commands = pipe();
            let beat = [&[kind], beat.to_string().as_bytes()].concat();
            commands.cmd("PUBLISH").arg(channel).arg(beat).ignore_errors();
            reply(link.send(&commands).await?)?;
            Ok(is_set)
        })
    }

    /// Takes a message; a beat gives the time until which copies may be used.
    fn receive(&mut self, message: &[u8]) -> RedisResult<()> {
        if Instant::now() >= self.until {
            return Err(silent());
        }
        let (is_set, beat) = match message.split_first() {
            Some((&BEAT, beat)) => (true, beat),
            Some((&KEYLESS, beat)) => (false, beat),
            _ => return self.queue(Event::Message(message.to_vec())),
        };
        let number: Option<u64> = std::str::from_utf8(beat).ok().and_then(|number| number.parse().ok());
        let Some(&(_, sent)) = self.sent.iter().find(|(beat, _)| Some(*beat) == number) else {
            return Ok(());
        };
        self.sent.retain(|(beat, _)| Some(*beat) > number);
        self.until = sent + USING;
        if is_set { self.lasts() } else { self.is_full() }
    }

    fn lasts(&mut self) -> RedisResult<()> {
        if !self.connection.lasts(&self.lease, self.until) {
            return Ok(());
        }
        tracing::info!(store = %self.connection.address, "session store connected");
        *self.is_down = false;
        self.queue(Event::Begun)
    }

    fn is_full(&mut self) -> RedisResult<()> {
        if self.connection.lacks_memory() {
            tracing::warn!(store = %self.connection.address, "session store is full; it is asked for each request in a session, and new sessions and changes get errors");
            *self.is_down = false;
        }
        Ok(())
    }

    fn queue(&self, event: Event) -> RedisResult<()> {
        if self.connection.events.add(event) { Ok(()) } else { Err(silent()) }
    }
}

/// Sets the key of a lease that begins. `false` if the server has no memory for it.
async fn set(link: &mut Link, key: &str) -> RedisResult<bool> {
    let mut commands = pipe();
    commands.cmd("SET").arg(key).arg(1).arg("PX").arg(lasting()).ignore_errors();
    match reply(link.send(&commands).await?) {
        Ok(_) => Ok(true),
        Err(error) if error.code() == Some("OOM") => Ok(false),
        Err(error) => Err(error),
    }
}

/// Extends the life of the key, which a server without memory does too.
///
/// # Errors
/// If it is gone: then the lease is, too.
async fn extend(link: &mut Link, key: &str) -> RedisResult<bool> {
    let mut commands = pipe();
    // XX requires Redis 7, as NX does elsewhere: an older server fails at the first renewal, after 0.4 seconds.
    commands.cmd("PEXPIRE").arg(key).arg(lasting()).arg("XX").ignore_errors();
    match reply(link.send(&commands).await?)? {
        Value::Int(1) => Ok(true),
        _ => Err(silent()),
    }
}

fn lasting() -> u64 {
    u64::try_from(LASTING.as_millis()).unwrap_or(u64::MAX)
}

/// The reply to a single command. An error of the server is returned.
fn reply(replies: Vec<RedisResult<Value>>) -> Result<Value, RedisError> {
    replies.into_iter().next().unwrap_or_else(|| Err(silent()))
}
