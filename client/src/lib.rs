//! The host's side of progressive tool disclosure: a client library for Rust agents and servers that list little at
//! first and deliver definitions on request.
//!
//! A [`Host`] connects to one server ([`Link`]: a child process, Streamable HTTP, or this process), offers the
//! strategies that it supports ([`Preferences`]), and adapts to the one that the server selects. Strategies differ in
//! the [`Channel`] of definitions; [`Host::describe`] and [`Host::call`] are the same for all of them:
//!
//! ```
//! use mcp_disclosure_client::{Host, Link, Preferences};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), mcp_disclosure_client::Error> {
//! // Any server will do: `Link::command("mcp-disclosure", ["serve"])`, `Link::url("http://127.0.0.1:8848/mcp")?`.
//! # use mcp_disclosure_demo::MathServer;
//! let host = Host::connect(Link::handler(MathServer), Preferences::default()).await?;
//!
//! // For the model, before the conversation: the system prompt, and the listed tools.
//! let (prompt, tools) = (host.system_prompt(), host.list().await?);
//! # assert!(prompt.contains("mathematical") && tools.len() == 11);
//! // When the model has picked a tool: how to use it. Requested once, then cached.
//! let definition = host.describe(&["symbolic_solve"]).await?.remove(0);
//! # assert!(definition.input_schema().is_some());
//! // When the model calls it. The steps that the strategy requires are done; receipts are stored.
//! let result = host.call("symbolic_solve", &json!({"equations": "x**2 - 4"})).await?;
//! assert!(result.text().contains("[-2,2]"));
//! # host.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Results are [`RawObject`]s: the text that the server sent, with addressable members, so that members unknown to this
//! crate are kept. Both eras of MCP are supported. Cached definitions are discarded when the server notifies that its
//! tools changed. [`Traffic`] counts the messages and bytes, and an [`Observer`] receives every message.

mod call;
pub mod channel;
pub mod concerns;
mod connection;
pub mod definition;
mod describe;
pub mod error;
mod groups;
pub mod handshake;
pub mod host;
pub mod link;
pub mod lists;
pub mod manifest;
pub mod preferences;
mod proposals;
mod revision;
pub mod server;
#[cfg(test)]
mod tests;
pub mod traffic;
mod wording;

pub use mcp_disclosure_core::{EXTENSION, Era, RawObject};
pub use mcp_disclosure_transport::{CallError, ErrorText, HttpError};

pub use channel::Channel;
pub use concerns::ConcernUpdate;
pub use definition::Definition;
pub use error::Error;
pub use host::Host;
pub use link::Link;
pub use preferences::{Concerns, Preferences};
pub use revision::Revision;
pub use server::Server;
pub use traffic::{Direction, Kind, Observer, Passage, Traffic};
