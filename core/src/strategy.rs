//! The trait that every way of disclosing tools implements.
//!
//! A strategy is a **view**, not a server. The server owns connections, tools and state; a strategy is
//! asked a few questions and answers from what it is handed. It never holds a connection, never reads a
//! file, never looks at a clock, and is never handed a tool that the caller may not see.
//!
//! # Walking through a connection
//!
//! 1. The server decides, once per client, which strategy serves it, and describes the client by
//!    [`ClientTraits`].
//!    What the client says of itself goes to [`lifecycle`](DisclosureStrategy::lifecycle), and what is to be
//!    remembered of it comes back as an [`Effect`](crate::Effect).
//! 2. For each snapshot it makes the principal's [`View`], reserves the names of
//!    [`own_tools`](DisclosureStrategy::own_tools) in it, and lets [`narrow`](DisclosureStrategy::narrow)
//!    leave things out by what is remembered.
//! 3. All list methods and the instructions come from [`list`](DisclosureStrategy::list), which runs once
//!    per snapshot, view and traits; its answer is kept. So is what [`advertise`](DisclosureStrategy::advertise)
//!    adds to the handshake.
//! 4. `resources/read` asks [`read_resource`](DisclosureStrategy::read_resource) first, then the upstreams.
//! 5. `tools/call`, and every other path to a tool, passes [`before_call`](DisclosureStrategy::before_call):
//!    the one decision point.
//! 6. A method that the server does not know goes to [`request`](DisclosureStrategy::request).
//!
//! # Writing one
//!
//! Two methods are required; the rest pass through. `examples/custom-strategy` is a complete program.
//!
//! ```
//! use mcp_disclosure_core::{ClientTraits, DisclosureStrategy, Listing, Profile, Role, View};
//!
//! /// Lists nothing but names.
//! #[derive(Debug)]
//! struct NamesOnly(Profile);
//!
//! impl DisclosureStrategy for NamesOnly {
//!     fn profile(&self) -> &Profile {
//!         &self.0
//!     }
//!
//!     fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
//!         let tools = view.tools().map(|tool| tool.minimal().with_value("description", ""));
//!         Listing { tools: tools.collect(), ..Listing::without_tools(view) }
//!     }
//! }
//! ```

use std::{borrow::Cow, fmt};

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{
    context::{ClientTraits, Context},
    listing::Listing,
    memory::Memory,
    name::ResourceUri,
    outcome::{Decision, Outcome, ResourceText, ToolCall},
    raw::RawObject,
    view::View,
};

/// What a strategy is, for people and for the server. What differs between strategies is a value here:
/// nobody asks which strategy it is talking to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name in flags, addresses and offers.
    pub name: Cow<'static, str>,
    /// One line for people who choose.
    pub summary: Cow<'static, str>,
    /// What a client must be able to do, for people who choose.
    pub needs: Cow<'static, str>,
    /// Whether it presents or filters.
    pub role: Role,
    /// Whether its lists keep input schemas from the client, so that the server has to check arguments.
    pub withholds_schemas: bool,
}

/// The two kinds of strategies. They stack: filters first, one presenter last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Decides how a view is shown.
    Presenter,
    /// Narrows a view.
    Filter,
}

/// What is added to the server's half of the handshake. What the server says itself goes before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advertisement {
    /// Members of `capabilities`.
    pub capabilities: RawObject,
    /// Members of `capabilities.experimental`, which must be objects: elsewhere clients refuse the handshake.
    pub experimental: RawObject,
    /// Members of the disclosure extension's settings.
    pub settings: RawObject,
}

impl Advertisement {
    /// Whether nothing is added.
    pub fn is_empty(&self) -> bool {
        self.capabilities.is_empty() && self.experimental.is_empty() && self.settings.is_empty()
    }
}

/// What a client says of itself, apart from what it asks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Lifecycle<'a> {
    /// Its half of the negotiation: the settings of the disclosure extension, whichever dialect brought them. With
    /// `initialize` where there are sessions, with every request where there are none. A fault refuses
    /// the request.
    Opened(&'a RawObject),
    /// The parameters of `notifications/initialized`. It cannot be answered: a fault is only logged.
    Initialized(&'a RawObject),
}

/// Why a strategy cannot serve what there is, for the person who starts the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What is wrong with which tool.
    pub message: String,
    /// What to do about it.
    pub hint: Cow<'static, str>,
}

/// One way to disclose a view.
///
/// Implementations are shared by all clients at once and must not keep anything about one of them: what
/// has to be remembered goes into an [`Effect`](crate::Effect). Methods must not block; those that wait for an index or
/// a model are `async` for that.
#[async_trait]
pub trait DisclosureStrategy: fmt::Debug + Send + Sync + 'static {
    /// What this strategy is. The same at every call.
    fn profile(&self) -> &Profile;

    /// What a client of these traits sees of this view.
    ///
    /// Must be a pure function of its arguments, stable to the byte: the server keeps the answer for as
    /// long as snapshot, view and traits are the same. Must list tools of [`own_tools`](Self::own_tools)
    /// last, and must not list a tool that `view.tools()` does not yield.
    fn list(&self, view: &View, client: &ClientTraits) -> Listing;

    /// What keeps this strategy from serving what there is at the start, such as briefs that are too long;
    /// everything at once. A strategy that objects is not offered, and where the operator pinned it the
    /// program does not start. What comes later must be served all the same.
    fn objections(&self, view: &View) -> Vec<Objection> {
        let _ = view;
        Vec::new()
    }

    /// The names of tools of this strategy's own that clients of these traits see. An upstream's tool of
    /// such a name is served as `<upstream>__<tool>` to them.
    fn own_tools(&self, client: &ClientTraits) -> Vec<&'static str> {
        let _ = client;
        Vec::new()
    }

    /// What the handshake says of this strategy, to every client that it may serve. Whoever says something here
    /// invites clients to differ, so their lists are not shared between them.
    fn advertise(&self, view: &View, advertisement: &mut Advertisement) {
        let _ = (view, advertisement);
    }

    /// Hears what a client says of itself, and notes it by [`Effect::Remember`](crate::Effect::Remember). Not
    /// `async`, since what the client asks next must find it done. `cx.view` is not narrowed yet.
    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Outcome<()> {
        let _ = (cx, event);
        Outcome::of(())
    }

    /// Leaves things out of a view; filters only. Must not depend on anything but its arguments.
    fn narrow(&self, view: View, client: &ClientTraits, memory: &Memory) -> View {
        let _ = (client, memory);
        view
    }

    /// Answers a `resources/read` of a resource of its own. `None` leaves it to the upstreams.
    ///
    /// `uri` is the text that came; the server echoes it in the answer.
    async fn read_resource(&self, cx: &Context<'_>, uri: &ResourceUri) -> Outcome<Option<ResourceText>> {
        let _ = (cx, uri);
        Outcome::of(None)
    }

    /// Decides on a call.
    ///
    /// Permissions come first: the strategy must look names up in `cx.view` only, and may forward a call
    /// of a name that is not there, which the server then answers as an unknown tool. It must not run
    /// anything itself.
    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Outcome<Decision> {
        let _ = cx;
        Outcome::of(Decision::Forward(call))
    }

    /// Answers a method that MCP does not have, such as `tools/describe`. `None` means unknown.
    ///
    /// `params` is the JSON text of the parameters; `{}` where there were none. The answer is sent as the text it
    /// is, so a definition in it stays what its upstream sent.
    async fn request(&self, cx: &Context<'_>, method: &str, params: &RawValue) -> Outcome<Option<RawObject>> {
        let _ = (cx, method, params);
        Outcome::of(None)
    }
}
