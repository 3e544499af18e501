//! A server of a host's file, in the form common to all shapes.

use std::path::PathBuf;

use mcp_disclosure_gateway::upstream::EndpointKind;

use super::{super::UpstreamEntry, Reading, Ruling, node::Node, read_keys};
use crate::config::{Wrong, escape};

/// A server's entry, whatever the host.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// The same entry in the form of `disclosure.toml`.
    pub(crate) upstream: UpstreamEntry,
    /// The transport, if the entry names one.
    pub(crate) transport: Option<Transport>,
    /// What is said of it outside; of its own, the key that disables it.
    pub(crate) ruling: Ruling,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Transport {
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

impl Entry {
    /// The usable parts of the entry with this name, and every problem with the others.
    pub(crate) fn read(name: &str, node: &Node, file: Reading<'_>) -> (Self, Vec<Wrong>) {
        let (mut entry, wrong) = read_keys(node, file);
        let mut elsewhere = (file.shape.elsewhere)(file.root, file.context, name);
        entry.upstream.hidden.append(&mut elsewhere.hidden);
        // The intersection: each list removes the tools that it does not name.
        entry.upstream.allow = match (entry.upstream.allow.take(), elsewhere.allow.take()) {
            (Some(one), Some(other)) => Some(one.into_iter().filter(|tool| other.contains(tool)).collect()),
            (one, other) => one.or(other),
        };
        entry.ruling = Ruling { off: entry.ruling.off.or(elsewhere.off), ..elsewhere };
        (entry, wrong)
    }

    /// The entry with the keys of one transport only.
    ///
    /// # Errors
    /// If it lacks the keys of the transport that it names.
    pub(crate) fn settled(self, project: Option<&PathBuf>) -> Result<UpstreamEntry, Wrong> {
        let Self { mut upstream, transport, .. } = self;
        let lacks = |transport: Transport, key: &str, other: &str| {
            let what = format!("type: it is {transport}, but there is no {key}");
            Err(Wrong::new(what, format!("set type to {other}, or give a {key}")))
        };
        if let Some(transport) = transport {
            let is_remote = transport != Transport::Stdio;
            match (is_remote, upstream.command.is_some(), upstream.url.is_some()) {
                (false, false, true) => return lacks(transport, "command", "http"),
                (true, true, false) => return lacks(transport, "url", "stdio"),
                (false, ..) => upstream.url = None,
                (true, ..) => upstream.command = None,
            }
        }
        if transport == Some(Transport::Sse) {
            upstream.endpoint_type = Some(EndpointKind::Sse);
        }
        // Hosts ignore the keys of the other transport.
        if upstream.url.is_none() {
            upstream.headers.clear();
            upstream.cwd = upstream.cwd.or_else(|| Some(escape(&project?.to_string_lossy())));
        } else if upstream.command.is_none() {
            upstream.args.clear();
            upstream.env.clear();
            upstream.cwd = None;
        }
        Ok(upstream)
    }
}
