//! The trait of disclosure strategies.
//!
//! A strategy is a **view**, not a server. The server owns connections, tools and state, and calls the strategy with
//! everything that it needs. A strategy holds no connection, reads no file and no clock, and never receives a tool that
//! the caller may not see.
//!
//! # The calls during a connection
//!
//! 1. The server decides, once per client, which strategy serves it, and describes the client by [`ClientTraits`].
//!    The client's settings and notifications go to [`lifecycle`](DisclosureStrategy::lifecycle), which stores what it
//!    needs by [`Context::remember`].
//! 2. For each snapshot it makes the principal's [`View`], reserves the names of the strategy's [own](DisclosureStrategy::own)
//!    tools in it, and applies [`narrow`](DisclosureStrategy::narrow) with the notes on the client.
//! 3. All list methods and the instructions come from [`list`](DisclosureStrategy::list), with the own tools after the
//!    listed ones; what is added to the handshake comes from [`own`](DisclosureStrategy::own). Both run once per snapshot,
//!    view and traits, and their results are cached.
//! 4. `tools/call`, and every other path to a tool, passes [`before_call`](DisclosureStrategy::before_call):
//!    the one decision point.
//! 5. `resources/read`, and every method unknown to the server, goes to [`request`](DisclosureStrategy::request) first.
//!
//! The server never calls a strategy itself, but the [`Stack`](crate::Stack) that it is part of.
//!
//! # Writing a strategy
//!
//! One method is required; the defaults of the others change nothing. What does not depend on a request is data: the
//! [`Profile`] of a strategy, and the [`Listing`] of a view. `examples/custom-strategy` is a complete program.
//!
//! ```
//! use mcp_disclosure_core::{ClientTraits, DisclosureStrategy, Listing, Profile, View};
//!
//! static PROFILE: Profile = Profile::presenter("names", "Names only", "nothing");
//!
//! /// Lists names only.
//! #[derive(Debug)]
//! struct NamesOnly;
//!
//! impl DisclosureStrategy for NamesOnly {
//!     fn profile(&self) -> &Profile {
//!         &PROFILE
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

use crate::{
    catalogue::view::View,
    context::{ClientTraits, Context},
    decision::{Decision, Fault, ToolCall},
    listing::Listing,
    memory::Noted,
    own_tool::OwnTool,
    profile::Profile,
    raw::RawObject,
};

/// What a strategy has of its own, for clients of equal traits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Its own tools, listed after all others. An upstream's tool of the same name is served as `<upstream>__<tool>` to
    /// these clients.
    pub tools: Vec<OwnTool>,
    /// What it adds to the handshake with every client that it can serve. If it adds anything, clients can be served
    /// differently, so lists are marked as private to each.
    pub advertisement: Advertisement,
}

impl Own {
    /// With what another strategy of the same stack has.
    pub(crate) fn and(mut self, other: Self) -> Self {
        let (all, more) = (self.advertisement, other.advertisement);
        self.tools.extend(other.tools);
        let advertisement = Advertisement {
            capabilities: all.capabilities.over(&more.capabilities),
            experimental: all.experimental.over(&more.experimental),
            settings: all.settings.over(&more.settings),
        };
        Self { advertisement, ..self }
    }
}

impl From<Vec<OwnTool>> for Own {
    fn from(tools: Vec<OwnTool>) -> Self {
        Self { tools, ..Self::default() }
    }
}

/// Additions to the server's half of the handshake. The server's own members take precedence.
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

/// The settings and notifications of a client.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Lifecycle<'a> {
    /// A client comes in: the first event of each session, and of each request without one. It has the parameters in the
    /// query of the address, by name; none over stdio. A fault refuses the request.
    Arrived(&'a [(String, String)]),
    /// The settings of the disclosure extension, in whatever dialect they were sent: with `initialize` in the session
    /// era, with every request in the stateless era. A fault refuses the request.
    Opened(&'a RawObject),
    /// The parameters of `notifications/initialized`. It cannot be answered: a fault is only logged.
    Initialized(&'a RawObject),
}

/// Why a strategy cannot serve the catalogue, for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The tool and the problem.
    pub message: String,
    /// How to solve it.
    pub hint: Cow<'static, str>,
}

/// One way to disclose a view.
///
/// Implementations are shared by all clients and must not store anything about one of them; [`Context::remember`] does.
/// Methods must not block; those that can wait for an index or a model are `async`. What depends on a view alone, such
/// as an index of its tools, is computed once by [`Context::derive`], beside the workers that serve clients.
#[async_trait]
pub trait DisclosureStrategy: fmt::Debug + Send + Sync + 'static {
    /// The profile of this strategy: the one that it was registered with, but for what its settings change. It is the
    /// same in every call.
    fn profile(&self) -> &Profile;

    /// The lists that a client with these traits receives for this view; those of a filter are its presenter's. The default
    /// is everything, complete.
    ///
    /// Must be a pure function of its arguments, and the same to the byte each time: the server caches the result for
    /// as long as snapshot, view and traits are the same. Must list tools that `view.tools()` yields, each once: others are left
    /// out, with a warning. The server adds those of [`own`](Self::own).
    fn list(&self, view: &View, client: &ClientTraits) -> Listing {
        let _ = client;
        Listing::complete(view)
    }

    /// The strategy's own tools, and what it adds to the handshake, for clients with these traits.
    ///
    /// Pure like [`list`](Self::list). It is called with a view that lists nothing first, for the names of tools, and again with
    /// the narrowed view, which must not lead to new names: what is listed may show in the texts only.
    fn own(&self, view: &View, client: &ClientTraits) -> Own {
        let _ = (view, client);
        Own::default()
    }

    /// All reasons why this strategy cannot serve the catalogue at start, such as briefs that are too long. A strategy
    /// with objections is not offered, and if it is pinned the program does not start. Later catalogues must be served
    /// in any case.
    fn objections(&self, view: &View) -> Vec<Objection> {
        let _ = view;
        Vec::new()
    }

    /// Receives a client's settings and notifications, and stores them by [`Context::remember`]. Not `async`, since the
    /// client's next request must see the effects. `cx.view` is not narrowed.
    ///
    /// # Errors
    /// A fault refuses the request, and no effect is carried out.
    fn lifecycle(&self, cx: &Context<'_>, event: &Lifecycle<'_>) -> Result<(), Fault> {
        let _ = (cx, event);
        Ok(())
    }

    /// Narrows a view; for filters only. Must depend on its arguments only.
    fn narrow(&self, view: View, noted: Noted<'_>) -> View {
        let _ = noted;
        view
    }

    /// How this client learns to use a tool, as an instruction for a model over the channel that it has: `call info with
    /// {"topic": "add"}`. `None` if its list says everything.
    ///
    /// The default is the profile's [`Lesson`](crate::Lesson).
    fn how_to_learn(&self, view: &View, client: &ClientTraits, tool: &str) -> Option<String> {
        let _ = (view, client);
        self.profile().lesson?.instruction(tool)
    }

    /// Decides on a call.
    ///
    /// Permissions come first: the strategy must look names up in `cx.view` only. It may forward a call of a name that
    /// the view does not have, which the server answers as an unknown tool. It must not run anything itself.
    ///
    /// # Errors
    /// A fault becomes a protocol error, and no effect is carried out.
    async fn before_call(&self, cx: &Context<'_>, call: ToolCall) -> Result<Decision, Fault> {
        let _ = cx;
        Ok(Decision::Forward(call))
    }

    /// Answers a method that is not part of MCP, such as `tools/describe`, or the `resources/read` of the strategy's own
    /// resource. `None` means that the request is not the strategy's: the method is unknown, or upstreams are asked for the
    /// resource.
    ///
    /// `params` are those of the request; `{}` if there are none. The text of the answer is sent unchanged, so that
    /// definitions in it are those of the upstream.
    ///
    /// # Errors
    /// A fault becomes a protocol error, and no effect is carried out. [`Fault::NotFound`] for a resource, such as "did you
    /// mean ..?", is the answer if no upstream has it either.
    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawObject,
    ) -> Result<Option<RawObject>, Fault> {
        let _ = (cx, method, params);
        Ok(None)
    }
}
