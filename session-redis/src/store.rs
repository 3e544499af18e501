//! The store.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures::future::join_all;
use mcp_disclosure_gateway::store::{
    Changes, Event, Fields, Lease, OPENED, SessionStore, StoreError, Stored,
};
use redis::{FromRedisValue, Pipeline, RedisResult, Value, from_redis_value, pipe};
use tokio::sync::OnceCell;

use crate::{
    address::Address,
    connection::{Connection, failed},
    events::{EventReceiver, events},
};

/// The first byte of fields that name holders.
const HOLDER: u8 = b'@';

/// Expiry of a key that was written to after its session had ended, in milliseconds.
const AFTER_THE_END: u64 = 60_000;

/// With more holders than this, those that are gone are looked up and removed: replicas that were killed or restarted.
const MANY: usize = 8;

/// Sessions on Redis or Valkey. It connects when the gateway first waits for an event, and again whenever it has to.
#[derive(Debug)]
pub struct RedisStore {
    connection: Arc<Connection>,
    running: OnceCell<()>,
    receiver: EventReceiver,
}

impl RedisStore {
    /// The store at this address.
    ///
    /// # Errors
    /// If the operating system provides no randomness for the name of this process.
    pub fn new(address: Address) -> Result<Self, getrandom::Error> {
        // For rediss://; the first provider installed is the one of the process.
        let _already = rustls::crypto::ring::default_provider().install_default();
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)?;
        let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (events, receiver) = events();
        let connection = Arc::new(Connection::new(address, name.into(), events));
        Ok(Self { connection, running: OnceCell::new(), receiver })
    }

    fn session(&self, id: &str) -> String {
        self.connection.key('s', id)
    }

    async fn send<'r>(&self, commands: &'r mut Pipeline) -> Result<Replies<'r>, StoreError> {
        self.send_since(commands, Instant::now()).await
    }

    async fn send_since<'r>(
        &self,
        commands: &'r mut Pipeline,
        since: Instant,
    ) -> Result<Replies<'r>, StoreError> {
        let replies = self.connection.send(commands.ignore_errors(), since).await?;
        Ok(Replies { commands, replies })
    }

    /// As [`change`](SessionStore::change), of fields that are all set or all removed.
    async fn change_part(
        &self,
        id: &str,
        changes: Changes,
        since: Instant,
    ) -> Result<Option<()>, StoreError> {
        let (key, mut commands) = (self.session(id), pipe());
        let names: Vec<Vec<u8>> = changes.iter().map(|(name, _)| name.clone()).collect();
        let writes = write(&mut commands, &key, changes);
        commands.cmd("PEXPIRE").arg(&key).arg(AFTER_THE_END).arg("NX");
        // Asked last: if it is there now, it was there when the fields were written.
        commands.cmd("HEXISTS").arg(&key).arg(OPENED);
        let mut replies = self.send_since(&mut commands, since).await?;
        (0..writes).try_for_each(|at| replies.get::<()>(at))?;
        if replies.get(writes + 1)? {
            return Ok(Some(()));
        }
        self.clean_up(id, names);
        Ok(None)
    }

    /// Removes fields that were written to a session that has ended. The session's holders stay: who ends it asks for them.
    fn clean_up(&self, id: &str, fields: Vec<Vec<u8>>) {
        if fields.is_empty() {
            return;
        }
        let (connection, key) = (Arc::clone(&self.connection), self.session(id));
        tokio::spawn(async move { remove_fields(&connection, key, fields).await });
    }

    /// Removes former holders of a session from it: those of this process, and, if there are many, all that are gone.
    fn forget_former(&self, id: &str, holders: Vec<Arc<str>>, now: &Lease) {
        let is_former = |holder: &Arc<str>| {
            let number = holder.strip_prefix(&*self.connection.name).and_then(|rest| rest.strip_prefix('.'));
            number.and_then(|number| number.parse().ok()).is_some_and(|number: u64| number < now.number)
        };
        let has_many = holders.len() > MANY;
        let (former, others): (Vec<_>, Vec<_>) = holders.into_iter().partition(is_former);
        if has_many {
            let (connection, key) = (Arc::clone(&self.connection), self.session(id));
            tokio::spawn(async move {
                let lasting = join_all(others.iter().map(|holder| lasts(&connection, holder))).await;
                let gone = others.iter().zip(lasting).filter(|(_, lasts)| *lasts == Ok(false));
                let gone: Vec<_> = gone.map(|(holder, _)| holder_field(holder)).collect();
                remove_fields(&connection, key, gone).await;
            });
        }
        self.clean_up(id, former.iter().map(|holder| holder_field(holder)).collect());
    }
}

/// Removes fields of a key; those that it fails for are gone after a while.
async fn remove_fields(connection: &Connection, key: String, fields: Vec<Vec<u8>>) {
    if fields.is_empty() {
        return;
    }
    let mut commands = pipe();
    commands.cmd("HDEL").arg(key).arg(fields).ignore_errors();
    let _later = connection.send(&commands, Instant::now()).await;
}

/// Whether a lease lasts.
async fn lasts(connection: &Connection, lease: &str) -> Result<bool, StoreError> {
    let mut commands = pipe();
    commands.cmd("EXISTS").arg(connection.key('r', lease)).ignore_errors();
    let replies = connection.send(&commands, Instant::now()).await?;
    Replies { commands: &commands, replies }.get(0)
}

/// The field that registers a lease.
fn holder_field(lease: &str) -> Vec<u8> {
    [&[HOLDER], lease.as_bytes()].concat()
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

    fn is_ok(&self, at: usize) -> bool {
        self.replies[at].is_ok()
    }
}

#[async_trait]
impl SessionStore for RedisStore {
    fn name(&self) -> &Arc<str> {
        &self.connection.name
    }

    fn lease(&self) -> Option<Lease> {
        self.connection.lease()
    }

    fn is_full(&self) -> bool {
        self.connection.is_full()
    }

    async fn create(
        &self,
        id: &str,
        mut fields: Fields,
        lifetime: Duration,
    ) -> Result<Option<u64>, StoreError> {
        let since = Instant::now();
        let lease = self.connection.next_lease(since).await?;
        if let Some(lease) = &lease {
            fields.push((holder_field(&lease.name), Vec::new()));
        }
        let (key, mut commands) = (self.session(id), pipe());
        commands.cmd("HSET").arg(&key).arg(fields);
        commands.cmd("PEXPIRE").arg(&key).arg(milliseconds(lifetime));
        let created = self.send_since(&mut commands, since).await;
        if let Err(error) =
            created.and_then(|mut replies| replies.get::<()>(0).and_then(|()| replies.get::<()>(1)))
        {
            // One that is there may have no expiry.
            let connection = Arc::clone(&self.connection);
            tokio::spawn(async move {
                let mut commands = pipe();
                commands.cmd("DEL").arg(key).ignore_errors();
                let _not_there = connection.send(&commands, Instant::now()).await;
            });
            return Err(error);
        }
        Ok(lease.map(|lease| lease.number))
    }

    async fn opened(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut commands = pipe();
        commands.cmd("HGET").arg(self.session(id)).arg(OPENED);
        self.send(&mut commands).await?.get(0)
    }

    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError> {
        let since = Instant::now();
        let lease = self.connection.next_lease(since).await?;
        let (key, mut commands) = (self.session(id), pipe());
        // Registered before it is read: a replica that changes it after that finds this one among the holders.
        if let Some(lease) = &lease {
            commands.cmd("HSET").arg(&key).arg(holder_field(&lease.name)).arg("");
            commands.cmd("PEXPIRE").arg(&key).arg(AFTER_THE_END).arg("NX");
        }
        let read = commands.len();
        commands.cmd("HGETALL").arg(&key);
        let mut replies = self.send_since(&mut commands, since).await?;
        // A server without memory registers no holder. Then each request reads.
        let lease = lease.filter(|_| replies.is_ok(0));
        let fields: Fields = replies.get(read)?;
        let is_holder = |(name, _): &(Vec<u8>, Vec<u8>)| name.first() == Some(&HOLDER);
        let (registered, fields): (Fields, Fields) = fields.into_iter().partition(is_holder);
        let is_open = fields.iter().any(|(name, _)| name == OPENED);
        if let Some(lease) = &lease {
            let registered = holders(registered.into_iter().map(|(name, _)| name).collect());
            match is_open {
                true => self.forget_former(id, registered, lease),
                false => self.clean_up(id, vec![holder_field(&lease.name)]),
            }
        }
        Ok(is_open.then(|| Stored { fields, lease: lease.map(|lease| lease.number) }))
    }

    async fn change(&self, id: &str, changes: Changes) -> Result<Option<()>, StoreError> {
        let since = Instant::now();
        let (set, removed): (Changes, Changes) = changes.into_iter().partition(|(_, value)| value.is_some());
        // In this order, and the second only after the first succeeded: a server without memory refuses to set, but not to remove.
        for part in [set, removed].into_iter().filter(|part| !part.is_empty()) {
            if self.change_part(id, part, since).await?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    async fn end(&self, id: &str) -> Result<Option<Vec<Arc<str>>>, StoreError> {
        let (key, mut commands) = (self.session(id), pipe());
        commands.cmd("HDEL").arg(&key).arg(OPENED);
        commands.cmd("HKEYS").arg(&key);
        let mut replies = self.send(&mut commands).await?;
        replies.get::<()>(0)?;
        let names: Vec<Vec<u8>> = replies.get(1)?;
        Ok((!names.is_empty()).then(|| holders(names)))
    }

    async fn remove(&self, id: &str) -> Result<(), StoreError> {
        let mut commands = pipe();
        commands.cmd("DEL").arg(self.session(id));
        self.send(&mut commands).await?.get(0)
    }

    async fn holders(&self, id: &str) -> Result<Option<Vec<Arc<str>>>, StoreError> {
        let mut commands = pipe();
        commands.cmd("HKEYS").arg(self.session(id));
        let names: Vec<Vec<u8>> = self.send(&mut commands).await?.get(0)?;
        Ok(names.iter().any(|name| name == OPENED).then(|| holders(names)))
    }

    async fn forget(&self, id: &str, ended: Vec<Arc<str>>) -> Result<(), StoreError> {
        let fields: Vec<Vec<u8>> = ended.iter().map(|lease| holder_field(lease)).collect();
        let mut commands = pipe();
        commands.cmd("HDEL").arg(self.session(id)).arg(fields);
        self.send(&mut commands).await?.get(0)
    }

    async fn keep(&self, ids: &[Arc<str>], lifetime: Duration) -> Result<Vec<bool>, StoreError> {
        let holder = self.connection.lease().map(|lease| holder_field(&lease.name));
        let keeping = ids.iter().map(|id| async {
            let (key, mut commands) = (self.session(id), pipe());
            commands.cmd("PEXPIRE").arg(&key).arg(milliseconds(lifetime));
            commands.cmd("HEXISTS").arg(&key).arg(OPENED);
            if let Some(holder) = &holder {
                commands.cmd("HEXISTS").arg(&key).arg(holder);
            }
            let count = commands.len();
            let mut replies = self.send(&mut commands).await?;
            (0..count).try_fold(true, |kept, at| Ok(kept & replies.get::<bool>(at)?))
        });
        join_all(keeping).await.into_iter().collect()
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
        let mut replies = RedisStore::send(self, &mut commands).await?;
        (0..writes).try_for_each(|at| replies.get::<()>(at))
    }

    async fn extend_events(&self, streams: &[String], lifetime: Duration) -> Result<(), StoreError> {
        let extending = streams.iter().map(|stream| async {
            let mut commands = pipe();
            commands.cmd("PEXPIRE").arg(self.connection.key('e', stream)).arg(milliseconds(lifetime));
            RedisStore::send(self, &mut commands).await?.get(0)
        });
        join_all(extending).await.into_iter().collect()
    }

    async fn event_names(&self, stream: &str) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut commands = pipe();
        commands.cmd("HKEYS").arg(self.connection.key('e', stream));
        RedisStore::send(self, &mut commands).await?.get(0)
    }

    async fn events(&self, stream: &str, names: Vec<Vec<u8>>) -> Result<Fields, StoreError> {
        let (key, mut commands) = (self.connection.key('e', stream), pipe());
        for name in &names {
            commands.cmd("HGET").arg(&key).arg(name);
        }
        let mut replies = RedisStore::send(self, &mut commands).await?;
        let mut fields = Fields::new();
        for (at, name) in names.into_iter().enumerate() {
            fields.extend(replies.get::<Option<Vec<u8>>>(at)?.map(|value| (name, value)));
        }
        Ok(fields)
    }

    async fn forget_events(&self, stream: &str) -> Result<(), StoreError> {
        let mut commands = pipe();
        commands.cmd("DEL").arg(self.connection.key('e', stream));
        RedisStore::send(self, &mut commands).await?.get(0)
    }

    async fn send(&self, replica: &str, message: Vec<u8>) -> Result<(), StoreError> {
        let mut commands = pipe();
        commands.cmd("PUBLISH").arg(self.connection.key('c', replica)).arg(message);
        RedisStore::send(self, &mut commands).await?.get(0)
    }

    async fn lasts(&self, lease: &str) -> Result<bool, StoreError> {
        lasts(&self.connection, lease).await
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
        let mut replies = RedisStore::send(self, &mut commands).await?;
        replies.get::<()>(1)?;
        let (sum, left): (u64, i64) = (replies.get(0)?, replies.get(2)?);
        Ok((sum, Duration::from_millis(u64::try_from(left).unwrap_or(0))))
    }

    async fn event(&self) -> Event {
        self.running
            .get_or_init(|| async {
                tokio::spawn(Arc::clone(&self.connection).run());
            })
            .await;
        match self.receiver.next().await {
            Some(event) => event,
            // The connection has the other end.
            None => std::future::pending().await,
        }
    }

    async fn close(&self) {
        // Before it first waits for an event, nothing is connected.
        if self.running.initialized() {
            self.connection.close().await;
        }
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

/// The leases among the names of fields.
fn holders(names: Vec<Vec<u8>>) -> Vec<Arc<str>> {
    let leases = names.iter().filter_map(|name| name.strip_prefix(&[HOLDER]));
    leases.filter_map(|lease| std::str::from_utf8(lease).ok()).map(Arc::from).collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
