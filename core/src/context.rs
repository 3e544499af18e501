//! What the server passes to a strategy with each request.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::{
    catalogue::{derived::Key, tool::PERMISSIVE_SCHEMA, view::View, visible_tool::VisibleTool},
    decision::ToolCall,
    effect::{Effect, Effects, Note},
    memory::{Noted, Notes},
    raw::RawObject,
    receipt::{Receipt, ReceiptProblem, Receipts},
    receipt_name,
    slim::Definitions,
};

/// The era of the revision that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Era {
    /// `initialize`-based revisions with sessions, up to 2025-11-25.
    Session,
    /// The stateless revision 2026-07-28.
    Stateless,
}

impl Era {
    /// The other one.
    pub fn other(self) -> Self {
        if self == Self::Session { Self::Stateless } else { Self::Session }
    }
}

/// The properties of a client on which lists depend. Clients with equal traits see the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientTraits {
    /// The era of its revision.
    pub era: Era,
    /// Whether the strategy offers its channel as an ordinary tool as well.
    pub bridge: bool,
    /// Whether the client declared the strategy's [`Extension`](crate::Extension).
    pub declared: bool,
    /// Whether filters offer their channels as ordinary tools as well. [`Context::speaks_natively`] ends that.
    pub filter_bridge: bool,
    /// Whether a manifest is offered where its list of tools is complete. The operator chooses.
    pub manifest: bool,
    /// Whether the client can run tools as tasks. To others those are not listed that run in no other way.
    pub tasks: bool,
    /// Whether the client asked for tool lists without `inputSchema`.
    pub omit_input_schema: bool,
    /// Whether the client asked for the shortest lists: names and descriptions.
    pub shortest: bool,
    /// What of a definition the strategy's bridge delivers. The operator chooses.
    pub definitions: Definitions,
}

impl ClientTraits {
    /// An ordinary client of an era: no bridge, manifests of complete lists, tasks, slim definitions.
    pub fn plain(era: Era) -> Self {
        Self {
            era,
            bridge: false,
            declared: false,
            filter_bridge: false,
            manifest: true,
            tasks: true,
            omit_input_schema: false,
            shortest: false,
            definitions: Definitions::Slim,
        }
    }
}

/// The context of a request: everything that a strategy may know, and nothing that the caller may not see.
///
/// The server carries out the effects ([`remember`](Context::remember), [`deliver`](Context::deliver)) before it sends
/// the answer. If the answer is a fault, they are dropped.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The view of this caller.
    pub view: &'a View,
    /// The client's traits.
    pub client: &'a ClientTraits,
    /// This strategy's notes on the client.
    pub noted: Noted<'a>,
    /// Proof of delivery, in the form of this caller's era.
    pub receipts: Receipts<'a>,
    /// The caller's session id or peer address, for logs only.
    pub session: &'a str,
    /// What the server does while the strategy decides.
    pub services: &'a dyn Services,
    /// Where effects are collected.
    pub effects: &'a Effects,
}

impl<'a> Context<'a> {
    /// Changes this strategy's notes on the client, name by name; `null` removes a note. [`Context::noted`] has them
    /// from the next request on.
    pub fn remember(&self, changes: Notes) {
        if !changes.is_empty() {
            self.effects.push(Effect::Remember { strategy: self.noted.strategy.to_owned(), changes });
        }
    }

    /// Records that the client uses a filter's own methods or members, so that its session needs no tool for them
    /// ([`ClientTraits::filter_bridge`]).
    pub fn speaks_natively(&self) {
        self.effects.push(Effect::Native);
    }

    /// Records what this request did, for the operator's metrics.
    pub fn note(&self, note: Note) {
        self.effects.push(Effect::Noted(note));
    }

    /// Records that this request is refused by this code, for the operator's metrics.
    pub fn refuse(&self, code: &'static str) {
        self.effects.push(Effect::Refused(code));
    }

    /// Records that this answer delivers a tool's definition, and returns the receipt.
    pub fn deliver(&self, tool: VisibleTool<'_>) -> Receipt {
        let (key, digest) = (tool.tool().key(), tool.tool().entry().digest());
        let receipt = self.receipts.issue(key, &digest);
        if !matches!(self.receipts, Receipts::Handles(_)) {
            self.effects.push(Effect::Delivered { tool: key.clone(), digest });
        }
        receipt
    }

    /// [Delivers](Self::deliver) a tool's definition by this entry, and returns it as it is sent: with the receipt, if the client
    /// has to pass it back, as a required argument of its `inputSchema`, and in the arguments of its examples.
    pub fn deliver_entry(&self, tool: VisibleTool<'_>, entry: RawObject) -> RawObject {
        let Receipt::Handle(handle) = self.deliver(tool) else { return entry };
        let schema = entry.object("inputSchema").or_else(|| RawObject::parse(PERMISSIVE_SCHEMA).ok());
        let name = tool.tool().receipt_argument();
        let schema = receipt_name::require(&schema.unwrap_or_default(), name, &handle);
        receipt_name::show_in_examples(&entry, name, &handle).with("inputSchema", schema.text())
    }

    /// The call of this tool as it may run: without the receipt that [`deliver_entry`](Self::deliver_entry) gave, if the client
    /// had to pass it back. The JSON text of every other argument is kept as received.
    ///
    /// # Errors
    /// Why the definition has to be fetched first, as [`authorize`](Self::authorize) has it.
    pub fn authorize_call(&self, tool: VisibleTool<'_>, call: ToolCall) -> Result<ToolCall, ReceiptProblem> {
        let (handle, call) = match self.receipts {
            Receipts::Marks(_) => (None, call),
            Receipts::Handles(_) | Receipts::Both { .. } => {
                receipt_name::take(call, tool.tool().receipt_argument())
            }
        };
        self.authorize(tool, handle.as_deref()).map(|()| call)
    }

    /// Whether a call of this tool may run: its definition was delivered, or the list of every client has it, since the
    /// tool is pinned (docs/CONTRACT.md S12). `handle` is the receipt that the call brought. A tool that is not
    /// [callable](crate::availability) needs none: learning it would be in vain.
    ///
    /// # Errors
    /// Why the definition has to be fetched first.
    pub fn authorize(&self, tool: VisibleTool<'_>, handle: Option<&str>) -> Result<(), ReceiptProblem> {
        if tool.is_pinned() || !tool.tool().is_callable() {
            return Ok(());
        }
        let key = tool.tool().key();
        self.receipts.check(key, &tool.tool().entry().digest(), handle).inspect_err(|_| {
            if let Receipts::Both { marks, signs: false, .. } = self.receipts
                && marks.is_empty()
            {
                self.effects.push(Effect::CalledUnread { tool: key.clone() });
            }
        })
    }

    /// A value that depends on the view alone, such as an index of its tools: as [`View::derived`], but what is not made yet
    /// is made beside the workers that serve clients.
    pub async fn derive<T: Send + Sync + 'static>(&self, make: fn(&View) -> T) -> Arc<T> {
        if let Some(made) = self.view.made(&()) {
            return made;
        }
        let view = self.view.clone();
        self.services.run(Box::new(move || drop(view.derived(make)))).await;
        // What failed there fails here.
        self.view.derived(make)
    }

    /// A value that depends on the view and a key alone: as [`View::derived_with`], made where [`derive`](Self::derive) makes it.
    pub async fn derive_with<K: Key, T: Send + Sync + 'static>(
        &self,
        key: &K,
        make: fn(&View, &K) -> T,
    ) -> Arc<T> {
        if let Some(made) = self.view.made(key) {
            return made;
        }
        let (view, own) = (self.view.clone(), key.clone());
        self.services.run(Box::new(move || drop(view.derived_with(&own, make)))).await;
        self.view.derived_with(key, make)
    }

    /// The context of one part of a stack, which has its own notes.
    pub(crate) fn of_part<'b>(&self, strategy: &'b str) -> Context<'b>
    where
        'a: 'b,
    {
        Context { noted: Noted::new(self.noted.memory, strategy), ..*self }
    }
}

/// What the server does for a strategy while it decides.
#[async_trait]
pub trait Services: std::fmt::Debug + Send + Sync {
    /// Counts one fetch of definitions (tool-descriptions-resource §10.3). `Err` has the time to wait until the next is
    /// admitted.
    fn admit_fetch(&self) -> Result<(), Duration>;

    /// Does work that takes long beside the workers that serve clients. If it panics, it is not done.
    async fn run(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}

/// No limits, and all work at once: where nothing is fetched, and for tests and benchmarks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Services for Unlimited {
    fn admit_fetch(&self) -> Result<(), Duration> {
        Ok(())
    }
}

impl<'v> VisibleTool<'v> {
    /// The brief beside annotations for a client: without marks and names, the author's text alone, for one that negotiated and
    /// is sent the annotations as well (docs/CONTRACT.md B13).
    pub fn brief_for(&self, client: &ClientTraits) -> &'v str {
        if client.bridge { self.brief() } else { self.tool().brief() }
    }
}
