//! Connected clients: sessions, their requests in progress, and the streams that reach them.

mod address;
mod admitted;
mod audience;
mod client;
mod in_flight;
mod listener;
mod outlet;
mod peer;
mod questions;
mod record;
mod replay;
mod route;
pub mod store;
mod unread;
mod viewer;

pub(crate) use address::{Address, Location};
pub(crate) use audience::Audience;
pub(crate) use client::{Chosen, Client, client_features};
pub(crate) use in_flight::{BeginError, InFlight, Ticket};
pub(crate) use listener::{Filter, Listeners};
pub(crate) use outlet::{Frame, Frames, Outbox, Outlet, Queued};
pub(crate) use peer::{Peer, Peers, Place};
pub(crate) use questions::InputRequest;
pub(crate) use record::{Opening, Session};
pub(crate) use replay::{Purpose, ReplayBuffer, ReplayBuffers, StreamEvent, Turn};
pub(crate) use route::{Reach, ReplyRoute};
pub(crate) use unread::Text;
pub(crate) use viewer::{Held, Viewer, Watched, list_changed};
