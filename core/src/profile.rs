//! Profiles: what is known of a strategy before it is asked anything.

use std::borrow::Cow;

use crate::{finder::Finder, lesson::Lesson, receipt::SessionReceipts, setting::Setting};

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
    /// Whether its lists depend on [`ClientTraits::bridge`](crate::ClientTraits::bridge).
    pub has_bridge: bool,
    /// Whether its lists depend on [`ClientTraits::omit_input_schema`](crate::ClientTraits::omit_input_schema).
    pub omits_schemas: bool,
    /// The call of an own tool by which a model learns a tool that is not listed completely, if there is one.
    pub lesson: Option<Lesson>,
    /// The call of an own tool by which a model finds tools by words, if there is one.
    pub finder: Option<Finder>,
    /// The tool that calls others by `{"tool", "arguments"}`, as an [`Executor`](crate::Executor) does, where it is listed in their place.
    pub executor: Option<&'static str>,
    /// The receipts that calls in sessions need.
    pub receipts: SessionReceipts,
    /// How much of a context its lists take, as server variants hint at it (SEP-2053): `verbose`, `standard` or `compact`; empty
    /// if that depends on the catalogue.
    pub context_size: &'static str,
    /// Its settings, for people.
    pub settings: &'static [Setting],
    /// Settings with which it is compared besides its default.
    pub variants: &'static [Variant],
    /// Whether a client that discloses by itself, such as another gateway, gets complete definitions (`full`) instead.
    /// `false` where the strategy decides on calls for reasons of its own.
    pub gives_way: bool,
    /// The extension of MCP by which clients ask for it, and whose methods it answers.
    pub extension: Option<Extension>,
}

/// An extension of MCP, other than this project's own, that a strategy serves. It is negotiated only where the operator names
/// the strategy, since extensions are off by default. Clients that declare it have [`ClientTraits::declared`](crate::ClientTraits::declared).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its id, the key in `capabilities.extensions`.
    pub id: &'static str,
    /// The server's settings: a JSON object.
    pub settings: &'static str,
    /// The notification of clients that [`Listing::announced`](crate::Listing::announced) changed.
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
            executor: None,
            receipts: SessionReceipts::Session,
            context_size: "standard",
            settings: &[],
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

    /// Sets that a bridge is listed if [`ClientTraits::bridge`](crate::ClientTraits::bridge) is set.
    pub const fn with_bridge(mut self) -> Self {
        self.has_bridge = true;
        self
    }

    /// Sets that `inputSchema` is omitted if [`ClientTraits::omit_input_schema`](crate::ClientTraits::omit_input_schema) is set.
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

    /// Sets the tool by which a model calls tools that are not listed: [`Executor::acting`](crate::Executor::acting).
    pub const fn called_by(mut self, executor: &'static str) -> Self {
        self.executor = Some(executor);
        self
    }

    /// Sets how much of a context its lists take.
    pub const fn of_size(mut self, context_size: &'static str) -> Self {
        self.context_size = context_size;
        self
    }

    /// Sets its settings.
    pub const fn with_settings(mut self, settings: &'static [Setting]) -> Self {
        self.settings = settings;
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

/// One value of a setting with which a strategy differs enough to be compared with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name, as in `info(entry-only)`.
    pub name: &'static str,
    /// The key in `[strategy.NAME]`.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
}
