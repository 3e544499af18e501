//! Upstreams that disclose progressively themselves (U16): what they withhold is fetched, so that our clients see one
//! disclosure, and not two.
//!
//! Another gateway of this program is asked for complete lists in the handshake ([`Offer::ours`]). What is left are
//! servers whose lists are short for everyone, which are recognized by what they say and list ([`Channel`]):
//!
//! 1. After each `tools/list` the definitions are fetched ([`fetch`]) and laid over the list. Whatever cannot be fetched
//!    stays as it was listed: a server that refuses a name is no worse than one that discloses nothing.
//! 2. What a server demands before a call is brought along, and fetched anew where it refuses all the same ([`calls`]).
//! 3. What it says of its tools by an `info` tool is asked when its definitions changed ([`own_info`]).
//! 4. What only serves its disclosure is not listed to our clients ([`channel`]).
//!
//! [`Offer::ours`]: crate::dialect::Offer::ours

mod calls;
mod channel;
pub(crate) mod concerns;
mod fetch;
pub(in crate::upstream) mod own_info;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub use channel::Channel;
use mcp_disclosure_core::{Digest, Era, OwnInfo, RawObject, UpstreamLists, receipt_name};
use parking_lot::Mutex;

use super::Upstream;

/// How an upstream discloses, and what it demands in calls. Found anew with each list.
#[derive(Debug, Default)]
pub(super) struct Disclosing(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    channel: Option<Channel>,
    /// The argument that carries a receipt and the receipt, by tool. Each era has its own.
    receipts: HashMap<(Era, String), (String, String)>,
    /// What it said by its `info` tool, and of which definitions.
    said: Option<(Digest, Option<Arc<OwnInfo>>)>,
}

impl Disclosing {
    /// How the upstream delivers definitions; `None` if its lists are complete.
    pub(super) fn channel(&self) -> Option<Channel> {
        self.0.lock().channel.clone()
    }

    /// The lists as they would be if the upstream withheld nothing, as far as it lets itself be asked.
    pub(super) async fn complete(&self, upstream: &Upstream, lists: UpstreamLists) -> UpstreamLists {
        let channel = Channel::of(upstream.introduction(), &lists);
        let is_new = std::mem::replace(&mut self.0.lock().channel, channel.clone()) != channel;
        let Some(channel) = channel else { return lists };
        if is_new {
            tracing::info!(upstream = %upstream.name(), "it discloses its tools by {channel}; their definitions are fetched");
        }
        let names: Vec<String> = lists.tools.iter().filter_map(|tool| tool.string("name")).collect();
        let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
        self.0.lock().receipts.retain(|(_, tool), _| listed.contains(tool.as_str()));
        let (definitions, failures) = fetch::all(upstream, &channel, &names).await;
        if let Some((failed, reason)) = failures {
            let all = names.len();
            tracing::warn!(
                upstream = %upstream.name(), failed, all, reason,
                "it discloses its tools by {channel}; definitions that could not be fetched stay as they are listed"
            );
        }
        if definitions.is_empty() {
            return lists;
        }
        let era = upstream.introduction().eras.nearest(Era::Session);
        for (name, definition) in &definitions {
            self.keep_receipt(era, name, definition.receipt.clone());
        }
        fetch::lay_over(channel::without_channel(upstream.introduction(), &channel, lists), &definitions)
    }

    fn keep_receipt(&self, era: Era, tool: &str, receipt: Option<(String, String)>) {
        let (receipts, key) = (&mut self.0.lock().receipts, (era, tool.to_owned()));
        match receipt {
            Some(receipt) => receipts.insert(key, receipt),
            None => receipts.remove(&key),
        };
    }
}

/// A definition as delivered, without the argument that carries the receipt.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    object: RawObject,
    pub(super) receipt: Option<(String, String)>,
}

impl Definition {
    fn new(delivered: RawObject) -> Self {
        let schema = delivered.object("inputSchema").unwrap_or_default();
        let Some(receipt) = receipt_name::find(&schema) else {
            return Self { object: delivered, receipt: None };
        };
        let schema = receipt_name::remove(&schema, &receipt.0);
        let object = receipt_name::hide_in_examples(&delivered, &receipt.0);
        Self { object: object.with("inputSchema", schema.text()), receipt: Some(receipt) }
    }
}
