//! Configuration: `disclosure.toml`, and the `mcpServers` form that MCP hosts use.
//!
//! A file is read in three steps: [`reader`] makes sections of its text, with every problem and its place;
//! [`file`](mod@file) is what sections may say, and the schema of it; [`declared`] and [`upstream`] make of them what the
//! gateway is made of.

mod declared;
mod environment;
mod fields;
mod file;
mod hosts;
mod reader;
mod upstream;

pub use declared::Declared;
pub(crate) use environment::escape;
pub use file::{
    Category, Concern, DisclosureFile, Primitive, Serve, Server, Table, Tool, Transport, UpstreamEntry,
};
pub use hosts::read_hosts;
pub use upstream::{Named, upstreams};
