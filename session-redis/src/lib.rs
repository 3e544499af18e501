//! Sessions on Redis or Valkey, so that several replicas of the gateway serve them (docs/decisions/0032).
//!
//! Only plain commands are used, on one key at a time: no scripts, no transactions. So any server from Redis 7 or Valkey 7.2
//! on will do, alone, behind sentinels or as a cluster, and its operator may forbid all other commands: docs/scaling.md lists
//! those that are needed.
//!
//! | key | |
//! |---|---|
//! | `PREFIX:4:s:SESSION` | a hash: a session's fields |
//! | `PREFIX:4:e:STREAM` | a hash: the events of an answer stream |
//! | `PREFIX:4:f:CALLER` | fetches of a caller in the current minute |
//!
//! `SESSION` and `STREAM` are digests, made by the gateway, as is a `CALLER` that is a session. Messages are published on the
//! channel `PREFIX:4:c:REPLICA`, and those to all replicas on `PREFIX:4:c:*`.

mod address;
mod connection;
mod link;
mod store;

pub use address::{Address, AddressError};
pub use store::RedisStore;
