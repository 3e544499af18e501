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
//! 2. For each snapshot it makes the principal's [`View`], reserves the names of
//!    [`own_tools`](DisclosureStrategy::own_tools) in it ([`reserved_names`](DisclosureStrategy::reserved_names)), and applies [`narrow`](DisclosureStrategy::narrow) with the
//!    notes on the client.
//! 3. All list methods and the instructions come from [`list`](DisclosureStrategy::list), with `own_tools` after the
//!    listed ones. Both run once per snapshot, view and traits, and their results are cached, as is what
//!    [`advertise`](DisclosureStrategy::advertise) adds to the handshake.
//! 4. `resources/read` goes to [`read_resource`](DisclosureStrategy::read_resource) first, then to the upstreams.
//! 5. `tools/call`, and every other path to a tool, passes [`before_call`](DisclosureStrategy::before_call):
//!    the one decision point.
//! 6. A method unknown to the server goes to [`request`](DisclosureStrategy::request).
//!
//! # Writing a strategy
//!
//! Two methods are required; the defaults of the others change nothing. `examples/custom-strategy` is a complete
//! program.
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
use serde_json::value::RawValue;

use crate::{
    adaptive::Selected,
    context::{ClientTraits, Context},
    decision::{Decision, Fault, ResourceText, ToolCall},
    digest::Digest,
    finder::Finder,
    lesson::Lesson,
    listing::Listing,
    memory::Noted,
    name::ResourceUri,
    own_tool::OwnTool,
    raw::RawObject,
    variant::Variant,
    view::View,
};

/// The properties of a strategy, for people and for the server. Whatever the server treats differently is a value here:
/// no code compares the names of strategies.
///
/// ```
/// use mcp_disclosure_core::{Lesson, Profile};
///
/// static PROFILE: Profile = Profile::presenter("search", "Two tools instead of all", "nothing")
///     .taught_by(Lesson::new("find_tools", r#"{"query": "{tool}"}"#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name, as in flags, addresses and offers.
    pub name: Cow<'static, str>,
    /// One line that helps people to choose.
    pub summary: Cow<'static, str>,
    /// What it requires of a client, for people.
    pub needs: Cow<'static, str>,
    /// The role.
    pub role: Role,
    /// Whether its lists depend on [`ClientTraits::bridge`].
    pub has_bridge: bool,
    /// Whether its lists depend on [`ClientTraits::omit_input_schema`].
    pub omits_schemas: bool,
    /// The call of an own tool by which a model learns a tool that is not listed completely, if there is one.
    pub lesson: Option<Lesson>,
    /// The call of an own tool by which a model finds tools by words, if there is one.
    pub finder: Option<Finder>,
    /// Whether its lists have the complete definition of everything that is listed, so that clients may keep them current
    /// by digests (SEP-2636). Read by [`DisclosureStrategy::lists_completely`].
    pub lists_completely: bool,
    /// How much of a context its lists take, as server variants hint at it (SEP-2053): `verbose`, `standard` or `compact`.
    pub context_size: &'static str,
    /// Settings with which it is compared besides its default.
    pub variants: &'static [Variant],
    /// Whether a client that discloses by itself, such as another gateway, gets complete definitions (`full`) instead.
    /// `false` where the strategy decides on calls for reasons of its own.
    pub gives_way: bool,
    /// The extension of MCP by which clients ask for it, and whose methods it answers.
    pub extension: Option<Extension>,
}

/// An extension of MCP, other than this project's own, that a strategy serves. It is negotiated only where the operator names
/// the strategy, since extensions are off by default. Clients that declare it have [`ClientTraits::declared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its id, the key in `capabilities.extensions`.
    pub id: &'static str,
    /// The server's settings: a JSON object.
    pub settings: &'static str,
    /// The notification of clients that [`announced`](DisclosureStrategy::announced) changed.
    pub changed: &'static str,
}

impl Profile {
    /// A presenter that lists complete definitions, equally to every client.
    pub const fn presenter(name: &'static str, summary: &'static str, needs: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            summary: Cow::Borrowed(summary),
            needs: Cow::Borrowed(needs),
            role: Role::Presenter,
            has_bridge: false,
            omits_schemas: false,
            lesson: None,
            finder: None,
            lists_completely: false,
            context_size: "standard",
            variants: &[],
            gives_way: false,
            extension: None,
        }
    }

    /// A filter.
    pub const fn filter(name: &'static str, summary: &'static str, needs: &'static str) -> Self {
        let mut profile = Self::presenter(name, summary, needs);
        profile.role = Role::Filter;
        profile
    }

    /// Sets that a bridge is listed if [`ClientTraits::bridge`] is set.
    pub const fn with_bridge(mut self) -> Self {
        self.has_bridge = true;
        self
    }

    /// Sets that `inputSchema` is omitted if [`ClientTraits::omit_input_schema`] is set.
    pub const fn omitting_schemas(mut self) -> Self {
        self.omits_schemas = true;
        self
    }

    /// Sets that a client that discloses by itself gets complete definitions instead.
    pub const fn giving_way(mut self) -> Self {
        self.gives_way = true;
        self
    }

    /// Sets the extension by which clients ask for it.
    pub const fn negotiated_by(mut self, extension: Extension) -> Self {
        self.extension = Some(extension);
        self
    }

    /// Sets the call by which a model learns a tool.
    pub const fn taught_by(mut self, lesson: Lesson) -> Self {
        self.lesson = Some(lesson);
        self
    }

    /// Sets the call by which a model finds tools by words.
    pub const fn found_by(mut self, finder: Finder) -> Self {
        self.finder = Some(finder);
        self
    }

    /// Sets that its lists have complete definitions of everything.
    pub const fn listing_completely(mut self) -> Self {
        self.lists_completely = true;
        self.of_size("verbose")
    }

    /// Sets how much of a context its lists take.
    pub const fn of_size(mut self, context_size: &'static str) -> Self {
        self.context_size = context_size;
        self
    }

    /// Sets the settings with which it is compared besides its default.
    pub const fn with_variants(mut self, variants: &'static [Variant]) -> Self {
        self.variants = variants;
        self
    }
}

/// The roles of strategies. In a stack, filters come first and one presenter last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Decides how a view is shown.
    Presenter,
    /// Narrows a view.
    Filter,
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

/// Work for a view that takes long: see [`DisclosureStrategy::preparation`].
pub type Preparation = Box<dyn FnOnce(&View) + Send>;

/// One way to disclose a view.
///
/// Implementations are shared by all clients and must not store anything about one of them; [`Context::remember`] does.
/// Methods must not block; those that can wait for an index or a model are `async`. What depends on a view alone, such
/// as an index of its tools, belongs in [`View::derived`], which computes it once.
#[async_trait]
pub trait DisclosureStrategy: fmt::Debug + Send + Sync + 'static {
    /// The profile of this strategy. It is the same in every call, and the one that it was registered with.
    fn profile(&self) -> &Profile;

    /// The lists that a client with these traits receives for this view.
    ///
    /// Must be a pure function of its arguments, and the same to the byte each time: the server caches the result for
    /// as long as snapshot, view and traits are the same. Must not list a tool that `view.tools()` does not yield; the
    /// server adds those of [`own_tools`](Self::own_tools).
    fn list(&self, view: &View, client: &ClientTraits) -> Listing;

    /// The strategy's own tools that a client with these traits sees, listed after all others. An upstream's tool of
    /// the same name is served as `<upstream>__<tool>` to that client.
    ///
    /// Pure like [`list`](Self::list). It is called with the whole view first, for the names, and again with the
    /// narrowed view, which must not lead to new names.
    fn own_tools(&self, view: &View, client: &ClientTraits) -> Vec<OwnTool> {
        let _ = (view, client);
        Vec::new()
    }

    /// The names that an upstream's tool may not have for this client. They are those of [`own_tools`](Self::own_tools), and of
    /// own tools that are not listed for this view but called all the same: [`Adaptive`](crate::Adaptive) has such.
    ///
    /// It is called with the whole view.
    fn reserved_names(&self, view: &View, client: &ClientTraits) -> Vec<String> {
        self.own_tools(view, client).iter().map(|tool| tool.name().to_owned()).collect()
    }

    /// All reasons why this strategy cannot serve the catalogue at start, such as briefs that are too long. A strategy
    /// with objections is not offered, and if it is pinned the program does not start. Later catalogues must be served
    /// in any case.
    fn objections(&self, view: &View) -> Vec<Objection> {
        let _ = view;
        Vec::new()
    }

    /// Whether receipts are signed in sessions as well ([`Receipts::Handles`](crate::Receipts)): calls must bring them, and
    /// they are valid in other sessions of the same principal.
    fn signs_receipts(&self) -> bool {
        false
    }

    /// Adds to the handshake with every client that this strategy can serve. If it adds anything, clients can be served
    /// differently, so lists are marked as private to each.
    fn advertise(&self, view: &View, client: &ClientTraits, advertisement: &mut Advertisement) {
        let _ = (view, client, advertisement);
    }

    /// Whether [`list`](Self::list) has the complete definition of everything that the view lists. Clients of such a list
    /// are offered its manifest ([`manifest`](crate::manifest)).
    fn lists_completely(&self, view: &View, client: &ClientTraits) -> bool {
        let _ = (view, client);
        self.profile().lists_completely
    }

    /// The strategy that serves a view, where this one only selects another: [`Adaptive`](crate::Adaptive). It is what the
    /// handshake names, and `--explain` says why.
    fn selects(&self, view: &View) -> Option<Selected> {
        let _ = view;
        None
    }

    /// The digest of the list whose changes its [`Extension`] announces to a client with these traits; `None` if it has none.
    /// Pure like [`list`](Self::list), with the narrowed view.
    fn announced(&self, view: &View, client: &ClientTraits) -> Option<Digest> {
        let _ = (view, client);
        None
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
    fn narrow(&self, view: View, client: &ClientTraits, noted: Noted<'_>) -> View {
        let _ = (client, noted);
        view
    }

    /// How this client learns to use a tool, as an instruction for a model over the channel that it has: `call info with
    /// {"topic": "add"}`. `None` if its list says everything.
    ///
    /// The default is the profile's [`Lesson`].
    fn how_to_learn(&self, cx: &Context<'_>, tool: &str) -> Option<String> {
        let _ = cx;
        self.profile().lesson?.instruction(tool)
    }

    /// The URI of the strategy's own resource that was probably meant by one that no one has.
    fn meant_resource(&self, cx: &Context<'_>, uri: &ResourceUri) -> Option<String> {
        let _ = (cx, uri);
        None
    }

    /// Answers a `resources/read` of the strategy's own resource. `None` leaves it to the upstreams.
    ///
    /// `uri` is the text as received; the server echoes it in the answer.
    ///
    /// # Errors
    /// A fault becomes a protocol error, and no effect is carried out.
    async fn read_resource(
        &self,
        cx: &Context<'_>,
        uri: &ResourceUri,
    ) -> Result<Option<ResourceText>, Fault> {
        let _ = (cx, uri);
        Ok(None)
    }

    /// What [`before_call`](Self::before_call) needs for this call and takes long to make, such as an index of everything
    /// that is listed. The server runs it before, beside the workers that serve clients. It makes values that are kept by
    /// [`View::derived`]; if they are made, or the call needs none, there is nothing to do.
    fn preparation(&self, view: &View, call: &ToolCall) -> Option<Preparation> {
        let _ = (view, call);
        None
    }

    /// The same for [`request`](Self::request) and a method.
    fn request_preparation(&self, cx: &Context<'_>, method: &str) -> Option<Preparation> {
        let _ = (cx, method);
        None
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

    /// Answers a method that is not part of MCP, such as `tools/describe`. `None` means that the method is unknown.
    ///
    /// `params` is the JSON text of the parameters; `{}` if there are none. The text of the answer is sent unchanged,
    /// so that definitions in it are those of the upstream.
    ///
    /// # Errors
    /// A fault becomes a protocol error, and no effect is carried out.
    async fn request(
        &self,
        cx: &Context<'_>,
        method: &str,
        params: &RawValue,
    ) -> Result<Option<RawObject>, Fault> {
        let _ = (cx, method, params);
        Ok(None)
    }
}
