//! The store.

use std::{collections::HashMap, io, sync::Arc, time::Duration};

use async_trait::async_trait;
use mcp_disclosure_gateway::{
    core::digest::random_id,
    store::{Changes, Event, Fields, OPENED, SessionStore, StoreError},
};
use redis::{Cmd, FromRedisValue, Pipeline, RedisResult, Value, cmd, from_redis_value, pipe};
use tokio::sync::{Mutex, OnceCell, mpsc};

use crate::{
    address::Address,
    connection::{ALL, Connection, EVENTS, failed},
    link::PATIENCE,
};

/// Expiry of a key that was written to after its session had ended, in milliseconds.
const AFTER_THE_END: u64 = 60_000;

/// Length of the name of a process, which each id of an event begins with.
const NAME: usize = 16;

/// Sessions on Redis or Valkey. It connects when the gateway first waits for an event, and again whenever it has to.
#[derive(Debug)]
pub struct RedisStore {
    connection: Arc<Connection>,
    running: OnceCell<()>,
    events: Mutex<mpsc::Receiver<Event>>,
}

impl RedisStore {
    /// The store at this address.
    ///
    /// # Errors
    /// If the operating system provides no randomness for the name of this process.
    pub fn new(address: Address) -> io::Result<Self> {
        // For rediss://; the first provider installed is the one of the process.
        let _already = rustls::crypto::ring::default_provider().install_default();
        let name = random_id()?[..NAME].into();
        let (sender, events) = mpsc::channel(EVENTS);
        let connection = Arc::new(Connection::new(address, name, sender));
        Ok(Self { connection, running: OnceCell::new(), events: Mutex::new(events) })
    }

    fn session(&self, id: &str) -> String {
        self.connection.key('s', id)
    }

    /// Sends commands and waits for the replies.
    async fn replies<'r>(&self, commands: &'r mut Pipeline) -> Result<Replies<'r>, StoreError> {
        let replies = self.connection.send(commands.ignore_errors()).await?;
        Ok(Replies { commands, replies })
    }

    /// Sends a command and waits for the reply.
    async fn reply<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        self.replies(pipe().add_command(command.clone())).await?.get(0)
    }

    /// As [`change`](SessionStore::change), of fields that are all set or all removed.
    async fn change_part(&self, id: &str, changes: Changes) -> Result<bool, StoreError> {
        let (key, mut commands) = (self.session(id), pipe());
        let names: Vec<Vec<u8>> = changes.iter().map(|(name, _)| name.clone()).collect();
        let writes = write(&mut commands, &key, changes);
        commands.cmd("PEXPIRE").arg(&key).arg(AFTER_THE_END).arg("NX");
        // Asked last: if it is there now, it was there when the fields were written.
        commands.cmd("HEXISTS").arg(&key).arg(OPENED);
        let mut replies = self.replies(&mut commands).await?;
        (0..writes).try_for_each(|at| replies.get::<()>(at))?;
        let is_open: bool = replies.get(writes + 1)?;
        if !is_open {
            // If this fails, they expire.
            self.later(pipe().cmd("HDEL").arg(key).arg(names));
        }
        Ok(is_open)
    }

    /// Sends commands without waiting for the replies.
    fn later(&self, commands: &mut Pipeline) {
        let (connection, commands) = (Arc::clone(&self.connection), commands.ignore_errors().clone());
        tokio::spawn(async move { connection.send(&commands).await });
    }
}

/// Replies to commands, in their order.
struct Replies<'r> {
    commands: &'r Pipeline,
    replies: Vec<RedisResult<Value>>,
}

impl Replies<'_> {
    fn get<T: FromRedisValue>(&mut self, at: usize) -> Result<T, StoreError> {
        let reply = std::mem::replace(&mut self.replies[at], Ok(Value::Nil));
        let value = reply.and_then(|value| Ok(from_redis_value(value)?));
        value.map_err(|error| failed(&error, self.commands, at))
    }
}

#[async_trait]
impl SessionStore for RedisStore {
    fn name(&self) -> &Arc<str> {
        &self.connection.name
    }

    fn is_connected(&self) -> bool {
        self.connection.is_connected()
    }

    async fn reach(&self) -> Result<(), StoreError> {
        self.connection.link().await.map(drop)
    }

    async fn create(&self, id: &str, fields: Fields, lifetime: Duration) -> Result<(), StoreError> {
        let (key, mut commands) = (self.session(id), pipe());
        commands.cmd("HSET").arg(&key).arg(fields);
        commands.cmd("PEXPIRE").arg(&key).arg(milliseconds(lifetime));
        let created = self.replies(&mut commands).await;
        let created =
            created.and_then(|mut replies| replies.get::<()>(0).and_then(|()| replies.get::<()>(1)));
        if created.is_err() {
            // One that is there may have no expiry.
            self.later(pipe().cmd("DEL").arg(key));
        }
        created
    }

    async fn load(&self, id: &str, lifetime: Option<Duration>) -> Result<Option<Fields>, StoreError> {
        let (key, mut commands) = (self.session(id), pipe());
        // Without a lifetime it changes nothing, but is refused by a server that takes no writes: one that was cut off from
        // others, or replaced by another one, does not know the latest.
        commands.cmd("PEXPIRE").arg(&key).arg(lifetime.map_or(AFTER_THE_END, milliseconds));
        if lifetime.is_none() {
            commands.arg("NX");
        }
        commands.cmd("HGETALL").arg(&key);
        let mut replies = self.replies(&mut commands).await?;
        replies.get::<()>(0)?;
        let fields: Fields = replies.get(1)?;
        Ok(fields.iter().any(|(name, _)| name == OPENED).then_some(fields))
    }

    async fn change(&self, id: &str, changes: Changes) -> Result<bool, StoreError> {
        let (set, removed): (Changes, Changes) = changes.into_iter().partition(|(_, value)| value.is_some());
        let changing = async {
            // In this order, and the second only after the first succeeded: a server without memory refuses to set, but not to
            // remove.
            for part in [set, removed].into_iter().filter(|part| !part.is_empty()) {
                if !self.change_part(id, part).await? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        tokio::time::timeout(PATIENCE, changing).await.unwrap_or(Err(StoreError::Unreachable))
    }

    async fn end(&self, id: &str) -> Result<(), StoreError> {
        self.reply(cmd("DEL").arg(self.session(id))).await
    }

    async fn keep_events(
        &self,
        stream: &str,
        changes: Changes,
        lifetime: Duration,
    ) -> Result<(), StoreError> {
        let (key, mut commands) = (self.connection.key('e', stream), pipe());
        let writes = write(&mut commands, &key, changes);
        commands.cmd("PEXPIRE").arg(&key).arg(milliseconds(lifetime));
        let mut replies = self.replies(&mut commands).await?;
        (0..writes).try_for_each(|at| replies.get::<()>(at))
    }

    async fn events(
        &self,
        stream: &str,
        is_wanted: &(dyn for<'n> Fn(&'n [u8]) -> bool + Sync),
    ) -> Result<Fields, StoreError> {
        let key = self.connection.key('e', stream);
        let mut names: Vec<Vec<u8>> = self.reply(cmd("HKEYS").arg(&key)).await?;
        names.retain(|name| is_wanted(name));
        if names.is_empty() {
            return Ok(Fields::new());
        }
        let mut commands = pipe();
        for name in &names {
            commands.cmd("HGET").arg(&key).arg(name);
        }
        let mut replies = self.replies(&mut commands).await?;
        let mut fields = Fields::new();
        for (at, name) in names.into_iter().enumerate() {
            fields.extend(replies.get::<Option<Vec<u8>>>(at)?.map(|value| (name, value)));
        }
        Ok(fields)
    }

    async fn forget_events(&self, stream: &str) -> Result<(), StoreError> {
        self.reply(cmd("DEL").arg(self.connection.key('e', stream))).await
    }

    async fn send(&self, replica: Option<&str>, message: Vec<u8>) -> Result<(), StoreError> {
        let channel = self.connection.key('c', replica.unwrap_or(ALL));
        self.reply(cmd("PUBLISH").arg(channel).arg(message)).await
    }

    async fn is_there(&self, replica: &str) -> Result<bool, StoreError> {
        // The reply to PUBLISH counts those of one node of a cluster.
        let channel = self.connection.key('c', replica);
        let listening: HashMap<String, u64> = self.reply(cmd("PUBSUB").arg("NUMSUB").arg(channel)).await?;
        Ok(listening.values().any(|count| *count > 0))
    }

    async fn count(
        &self,
        counter: &str,
        amount: u32,
        window: Duration,
    ) -> Result<(u64, Duration), StoreError> {
        let (key, mut commands) = (self.connection.key('f', counter), pipe());
        commands.cmd("INCRBY").arg(&key).arg(amount);
        // After INCRBY: in the other order, a counter that expires in between would be created again without an expiry.
        commands.cmd("PEXPIRE").arg(&key).arg(milliseconds(window)).arg("NX");
        commands.cmd("PTTL").arg(&key);
        let mut replies = self.replies(&mut commands).await?;
        replies.get::<()>(1)?;
        let (sum, left): (u64, i64) = (replies.get(0)?, replies.get(2)?);
        Ok((sum, Duration::from_millis(u64::try_from(left).unwrap_or(0))))
    }

    async fn event(&self) -> Option<Event> {
        self.running
            .get_or_init(|| async {
                tokio::spawn(Arc::clone(&self.connection).run());
            })
            .await;
        let mut events = self.events.lock().await;
        tokio::select! {
            event = events.recv() => event,
            () = self.connection.closed.cancelled() => None,
        }
    }

    fn close(&self) {
        self.connection.close();
    }
}

/// Adds commands that change the fields of a key. Returns their number.
fn write(commands: &mut Pipeline, key: &str, changes: Changes) -> usize {
    let (set, removed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, value)| value.is_some());
    let set: Fields = set.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let removed: Vec<Vec<u8>> = removed.into_iter().map(|(name, _)| name).collect();
    if !set.is_empty() {
        commands.cmd("HSET").arg(key).arg(set);
    }
    if !removed.is_empty() {
        commands.cmd("HDEL").arg(key).arg(removed);
    }
    commands.len()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
