//! The connection to the store, kept up.

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_disclosure_gateway::store::{Lease, StoreError};
use parking_lot::Mutex;
use redis::{Pipeline, RedisError, RedisResult, Value, pipe};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    address::Address,
    events::EventSender,
    lease::Running,
    link::{Link, PATIENCE, connect},
};

/// How long commands wait for a connection, and for a lease.
const WAITING: Duration = Duration::from_millis(400);

/// The pause between attempts to connect, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// The connection, and the lease under it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) address: Address,
    /// The process.
    pub(crate) name: Arc<str>,
    pub(crate) events: EventSender,
    now: Mutex<State>,
    changed: Notify,
    closed: CancellationToken,
    ended: CancellationToken,
}

#[derive(Default)]
struct State {
    link: Option<Link>,
    lease: Option<(Lease, Instant)>,
    /// The store has no memory for a lease: there will be none soon.
    is_full: bool,
}

impl State {
    /// The lease, while it lasts.
    fn lease(&self) -> Option<Lease> {
        let (lease, until) = self.lease.as_ref()?;
        (Instant::now() < *until).then(|| lease.clone())
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("lease", &self.lease).finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(address: Address, name: Arc<str>, events: EventSender) -> Self {
        Self {
            address,
            name,
            events,
            now: Mutex::default(),
            changed: Notify::new(),
            closed: CancellationToken::new(),
            ended: CancellationToken::new(),
        }
    }

    /// The lease, while it lasts.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.now.lock().lease()
    }

    /// Whether the store has no memory for a lease.
    pub(crate) fn is_full(&self) -> bool {
        self.now.lock().is_full
    }

    /// The lease. If there is none, waits for the next one until [`WAITING`] is over, counted from `since`: most interruptions
    /// are short. `None` if the store has no memory for one.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`] if there is none by then.
    pub(crate) async fn next_lease(&self, since: Instant) -> Result<Option<Lease>, StoreError> {
        let found = |now: &State| now.lease().map(Some).or_else(|| now.is_full.then_some(None));
        self.soon(since, found).await.ok_or(StoreError::Unreachable)
    }

    /// What is found now, or soon: within [`WAITING`], counted from `since`.
    async fn soon<T>(&self, since: Instant, found: impl Fn(&State) -> Option<T>) -> Option<T> {
        let finding = async {
            loop {
                let changed = self.changed.notified();
                tokio::pin!(changed);
                // Registered before the check below, so that no change is missed.
                changed.as_mut().enable();
                let found = found(&self.now.lock());
                if let Some(found) = found {
                    return found;
                }
                changed.await;
            }
        };
        tokio::time::timeout_at((since + WAITING).into(), finding).await.ok()
    }

    fn set(&self, set: impl FnOnce(&mut State)) {
        set(&mut self.now.lock());
        self.changed.notify_waiters();
    }

    /// Copies may be used until then. Returns whether this is a new lease.
    pub(crate) fn lasts(&self, lease: &Lease, until: Instant) -> bool {
        let mut is_new = false;
        self.set(|now| {
            is_new = now.lease.is_none();
            now.lease = Some((lease.clone(), until));
            now.is_full = false;
        });
        is_new
    }

    /// The store has no memory for a lease. Returns whether that is new.
    pub(crate) fn lacks_memory(&self) -> bool {
        let mut is_new = false;
        self.set(|now| is_new = !std::mem::replace(&mut now.is_full, true));
        is_new
    }

    /// Sends commands on one key. Returns before [`PATIENCE`] is over, counted from `since`. A command that takes longer is an
    /// error of its own: whether the connection works is judged by the lease's messages.
    pub(crate) async fn send(
        &self,
        commands: &Pipeline,
        since: Instant,
    ) -> Result<Vec<RedisResult<Value>>, StoreError> {
        let link = self.soon(since, |now| now.link.clone()).await;
        let mut link = link.ok_or(StoreError::Unreachable)?;
        let left = PATIENCE.saturating_sub(since.elapsed());
        match tokio::time::timeout(left, link.send(commands)).await {
            Ok(replies) => replies.map_err(|error| failed(&error, commands, 0)),
            Err(_) => {
                tracing::debug!(command = name(commands, 0), "the session store does not answer in time");
                Err(StoreError::Unreachable)
            }
        }
    }

    /// Ends the lease for good, so that no replica waits for this one.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        // Else the lease ends by itself.
        let _gone = tokio::time::timeout(PATIENCE, self.ended.cancelled()).await;
    }

    /// A key of this version.
    pub(crate) fn key(&self, kind: char, name: &str) -> String {
        format!("{}:2:{kind}:{name}", self.address.prefix)
    }

    /// Connects, and connects again, until this is closed.
    pub(crate) async fn run(self: Arc<Self>) {
        self.reconnect().await;
        // Nothing renews it any more, so what is sent now is the last of it.
        let State { link, lease, .. } = std::mem::take(&mut *self.now.lock());
        if let (Some(mut link), Some((lease, _))) = (link, lease) {
            let mut commands = pipe();
            commands.cmd("DEL").arg(self.key('r', &lease.name)).ignore_errors();
            let _gone = tokio::time::timeout(PATIENCE, link.send(&commands)).await;
        }
        self.ended.cancel();
    }

    async fn reconnect(&self) {
        let (first, longest) = PAUSES;
        let (mut pause, mut number, mut is_down) = (first, 0, false);
        loop {
            number += 1;
            let begun = Instant::now();
            let ended = tokio::select! {
                ended = self.serve(number, &mut is_down) => ended,
                () = self.closed.cancelled() => return,
            };
            *self.now.lock() = State::default();
            if begun.elapsed() > longest {
                pause = first;
            }
            if !is_down {
                tracing::warn!(store = %self.address, reason = reason(&ended), "session store cannot be used; clients with sessions get errors until it can");
                is_down = true;
            } else {
                tracing::debug!(reason = reason(&ended), "session store cannot be used yet");
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.closed.cancelled() => return,
            }
            pause = (2 * pause).min(longest);
        }
    }

    /// One connection, until it ends, and the lease with it.
    async fn serve(&self, number: u64, is_down: &mut bool) -> RedisError {
        match self.try_serve(number, is_down).await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn try_serve(&self, number: u64, is_down: &mut bool) -> RedisResult<Infallible> {
        let (link, messages) = connect(&self.address, &self.key('c', &self.name)).await?;
        // A store without memory for a lease serves what it has.
        self.set(|now| now.link = Some(link.clone()));
        let name: Arc<str> = format!("{}.{number}", self.name).into();
        Running::new(self, link, Lease { number, name }, is_down).run(messages.into_on_message()).await
    }
}

/// The error for the reply to one of these commands that is one. What is logged has neither keys nor a user.
pub(crate) fn failed(error: &RedisError, commands: &Pipeline, at: usize) -> StoreError {
    let command = name(commands, at);
    match error.code() {
        Some("OOM") => StoreError::Full,
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
        Some(code @ "ERR") => {
            format!(
                "{code}: it has to be Redis 7 or Valkey 7.2, or later, with the commands of docs/scaling.md"
            )
        }
        Some(code) => code.to_owned(),
        None => error.to_string(),
    }
}
