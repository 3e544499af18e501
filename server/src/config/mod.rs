//! Configuration: `disclosure.toml`, and the files of MCP hosts.
//!
//! `reader` makes sections of a file's text, with every problem and its place; `file` is what sections may say, and the
//! schema of it; `declared` and `upstream` make of them what a gateway is made of. `hosts` brings hosts' files into the
//! same form.

mod declared;
mod endpoint_type;
mod environment;
mod fields;
mod file;
mod hosts;
mod reader;
mod reference;
#[cfg(test)]
mod schema;
mod text;
mod transport;
mod upstream;

pub use endpoint_type::EndpointType;
pub(crate) use environment::escape;
pub use file::{Category, Concern, DisclosureFile, Primitive, Serve, Server, Table, Tool, UpstreamEntry};
pub use hosts::{HostsFile, read_hosts};
pub use transport::Transport;
pub use upstream::{Named, upstreams};
