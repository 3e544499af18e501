//! Configuration: `disclosure.toml`, and the files of MCP hosts.
//!
//! `reader` parses a file into sections and collects every problem with its place; `file` defines the sections and their
//! schema; `declared` and `upstream` turn them into the gateway's types. `hosts` converts hosts' files into the same form.

mod access;
mod declared;
mod environment;
mod file;
mod forward;
pub(crate) mod hosts;
mod mistaken;
mod oauth;
mod reader;
#[cfg(test)]
#[path = "schema_tests.rs"]
mod schema;
mod text;
mod upstream;

pub(crate) use access::principal;
pub use access::{AccessFlags, PrincipalEntry, Written, unknown_strategies, unreadable};
pub(crate) use environment::{
    DOLLAR, ESCAPED, Lookup, Reference, absolute, absolute_path, escape, escape_all, expand, is_name,
    is_word, own, references, replaced,
};
pub(crate) use file::CONFIGURATION;
use file::UPSTREAMS;
pub use file::{Category, Concern, DisclosureFile, Primitive, Server, Table, Tool, UpstreamEntry};
pub(crate) use hosts::EXPECTED;
pub use hosts::{Servers, read_hosts};
pub(crate) use mistaken::unreadable as unreadable_file;
pub use oauth::{ClientSecret, OauthEntry, SecretFile};
pub(crate) use text::{Found, KeyPlaces, Places, Wrong};
pub use upstream::{Named, upstreams};
pub(crate) use upstream::{SPOKEN, spoken};
