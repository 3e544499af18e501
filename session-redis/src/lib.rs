//! Sessions on Redis or Valkey, so that several replicas of the gateway serve them (docs/decisions/0032).
//!
//! Only plain commands are used, on one key at a time: no scripts, no transactions. So any server from Redis 7 or Valkey 7.2
//! on will do, alone, behind sentinels or as a cluster, and its operator may forbid all other commands: docs/scaling.md lists
//! those that are needed.
//!
//! | key | |
//! |---|---|
//! | `PREFIX:2:s:SESSION` | a hash: a session's fields; its holders are fields that begin with `@` |
//! | `PREFIX:2:r:LEASE` | exists at least as long as copies may be used under the lease |
//! | `PREFIX:2:e:STREAM` | a hash: the events of an answer stream |
//! | `PREFIX:2:f:CALLER` | fetches of a caller in the current minute |
//!
//! `SESSION` and `STREAM` are digests, made by the gateway, as is a `CALLER` that is a session. Messages to a replica are published on the channel `PREFIX:2:c:REPLICA`.

mod address;
mod connection;
mod events;
mod lease;
mod link;
mod store;

pub use address::{Address, AddressError};
pub use store::RedisStore;
