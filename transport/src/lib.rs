//! Connections to MCP servers, as raw JSON-RPC: child processes, Streamable HTTP, byte streams, and `rmcp`
//! handlers in this process. Used by the gateway for its upstreams, and by the client crate.
//!
//! Start at [`Connection`]: it is opened by [`child::connect`], [`http::connect`], [`streams::connect`] or
//! [`in_process::connect`], sends requests with [`Connection::request`], and passes the peer's requests and
//! notifications to its owner, a [`Handler`]. Messages are JSON text ([`Message`], [`Json`]) that is never
//! rewritten; [`Bounds`] limit its size. The handshake is up to the owner: this crate does not depend on the
//! gateway or on strategies.

pub mod beside;
mod budget;
pub mod child;
mod connection;
mod depth;
mod error;
mod handler;
pub mod headers;
pub mod http;
pub mod in_process;
mod line_limit;
mod lines;
mod message;
pub mod meta;
mod outline;
mod rpc_error;
pub mod streams;

pub use budget::{Bound, Bounds, Budget, Share};
pub use connection::{Call, Connection};
pub use error::{CallError, HttpError, Reason};
pub use handler::{Direction, Handler, Passage, PassageKind, Settled};
pub use lines::{Line, Lines};
/// The text of a result, or of any other value. Cloning is cheap.
pub use mcp_disclosure_core::RawText as Json;
pub use mcp_disclosure_core::printable;
pub use message::{Id, Message, Notification, Request, RequestId, Response};
pub use meta::LoggingLevel;
pub use outline::Outline;
pub use rpc_error::{ErrorText, code};
