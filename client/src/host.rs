//! The host: one connection to a server, and what was learned over it.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_disclosure_core::{Era, RawObject};
use serde::Serialize;

use crate::{
    Channel, Error, Link, Preferences, Server,
    connection::{Ear, Headers, Owned},
    definition::{Definition, Memory},
    dialect::Dress,
    handshake,
    news::News,
    preferences::Concerns,
    traffic::{Meter, Traffic},
    wording,
};

/// A server that never stops paging is stopped here.
const MOST_PAGES: usize = 10_000;

/// A connection to a server, which discloses its tools in whichever way was agreed on. Clones are handles to the
/// same connection; it ends with the last of them, or with [`Host::close`].
///
/// Every future may be dropped at any time: the server is told that nobody waits any more.
#[derive(Clone, Debug)]
pub struct Host(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    connection: Owned,
    meter: Arc<Meter>,
    pub(crate) preferences: Preferences,
    pub(crate) server: Server,
    channel: Channel,
    pub(crate) memory: Arc<Memory>,
    state: Mutex<State>,
    /// Held by whoever fetches definitions, so that nobody fetches what is on its way.
    pub(crate) fetching: tokio::sync::Mutex<()>,
    has_headers: bool,
    _news: News,
}

/// What changes with the user's choices.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) concerns: Concerns,
    pub(crate) dress: Dress,
}

impl Host {
    /// Reaches the server, agrees on a revision of MCP and a strategy, and hands over the user's choices.
    ///
    /// # Errors
    /// Why the server cannot be used. For a child process that ended, its status and last words.
    pub async fn connect(mut link: Link, preferences: Preferences) -> Result<Self, Error> {
        let meter = Arc::new(Meter::new(preferences.observer.clone()));
        let memory = Arc::new(Memory::default());
        let make_ear = || -> Ear {
            let memory = Arc::clone(&memory);
            Box::new(move |method, _params| {
                if method == "notifications/tools/list_changed" {
                    memory.forget_all();
                }
            })
        };
        let reached = handshake::reach(&mut link, &preferences, &meter, make_ear).await?;
        let handshake::Reached { connection, server, dress } = reached;
        let news = News::follow(&connection, &server, &dress, &memory, preferences.listens);
        let mut inner = Inner {
            connection,
            meter,
            channel: Channel::of(&server),
            server,
            memory,
            state: Mutex::new(State { concerns: preferences.concerns.clone(), dress }),
            fetching: tokio::sync::Mutex::default(),
            has_headers: link.has_headers(),
            preferences,
            _news: news,
        };
        if let Some(channel) = inner.recognize().await? {
            inner.channel = channel;
        }
        Ok(Self(Arc::new(inner)))
    }

    /// What the server said of itself.
    pub fn server(&self) -> &Server {
        &self.0.server
    }

    /// The way in which definitions come.
    pub fn channel(&self) -> &Channel {
        &self.0.channel
    }

    /// What went over the connection so far, the handshake included.
    pub fn traffic(&self) -> Traffic {
        self.0.meter.traffic()
    }

    /// What a model should be told in its system prompt before it sees the tools: the server's own
    /// `instructions`, or where it gives none the workflow of its strategy (000 §8.2, 001 "Agent
    /// Implementation"). Empty where nothing needs to be said.
    pub fn system_prompt(&self) -> String {
        let inner = &self.0;
        let first = inner.memory.tools().and_then(|tools| tools.first()?.string("name"));
        let workflow = wording::workflow(&inner.channel, inner.server.era, first.as_deref());
        match (&inner.server.instructions, workflow) {
            // Who negotiates a strategy explains it. Others may mean something else by their instructions.
            (Some(instructions), Some(workflow)) if inner.server.selected.is_none() => {
                format!("{instructions}\n\n{workflow}")
            }
            (Some(instructions), _) => instructions.clone(),
            (None, workflow) => workflow.unwrap_or_default(),
        }
    }

    /// The tools that the server lists, as it lists them. Always asks the server.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn list(&self) -> Result<Vec<RawObject>, Error> {
        let age = self.0.memory.age();
        let tools: Arc<[RawObject]> = self.0.pages("tools/list", "tools").await?.into();
        self.0.memory.keep_tools(age, &tools);
        Ok(tools.to_vec())
    }

    /// The resources that the server lists.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        self.0.pages("resources/list", "resources").await
    }

    /// The resource templates that the server lists.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn resource_templates(&self) -> Result<Vec<RawObject>, Error> {
        self.0.pages("resources/templates/list", "resourceTemplates").await
    }

    /// Reads a resource: the result of `resources/read`, untouched.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn read_resource(&self, uri: &str) -> Result<RawObject, Error> {
        self.0.ask("resources/read", RawObject::empty().with_value("uri", uri)).await
    }

    /// The prompts that the server lists.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn prompts(&self) -> Result<Vec<RawObject>, Error> {
        self.0.pages("prompts/list", "prompts").await
    }

    /// Gets a prompt: the result of `prompts/get`, untouched.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<RawObject, Error> {
        let params = RawObject::empty().with_value("name", name);
        self.0.ask("prompts/get", params.with("arguments", object_of(arguments)?.text())).await
    }

    /// Sends any request and returns its result, untouched. What the era wants in every request is added.
    ///
    /// # Errors
    /// Why there is no result; [`Error::NoObject`] for parameters that are none.
    pub async fn request(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<RawObject, Error> {
        self.0.ask(method, object_of(params)?).await
    }

    /// Ends the connection and waits until it has ended: a child process is gone then, a session too.
    pub async fn close(&self) {
        self.0.connection.close().await;
    }
}

impl Inner {
    /// Sends a request in the dress of its era.
    pub(crate) async fn ask(&self, method: &str, params: RawObject) -> Result<RawObject, Error> {
        self.ask_with(method, params, Headers::new()).await
    }

    /// The same with arguments that are headers, too.
    pub(crate) async fn ask_with(
        &self,
        method: &str,
        params: RawObject,
        mirrored: Headers,
    ) -> Result<RawObject, Error> {
        let (params, headers) = self.state().dress.put_on(method, &params, mirrored);
        self.connection.request(method, &params, headers, self.preferences.request_patience).await
    }

    /// Whether arguments may have to be headers, too: over HTTP, without sessions.
    pub(crate) fn mirrors(&self) -> bool {
        self.has_headers && self.server.era == Era::Stateless
    }

    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The definition of a tool, if it was delivered and still holds.
    pub(crate) fn known(&self, name: &str) -> Option<Definition> {
        self.memory.definition(name)
    }

    /// All items of a list, page by page.
    async fn pages(&self, method: &str, member: &str) -> Result<Vec<RawObject>, Error> {
        let nonsense = |what: &str| Error::Nonsense { method: method.to_owned(), what: what.to_owned() };
        let (mut items, mut seen) = (Vec::new(), HashSet::new());
        let mut params = RawObject::empty();
        for _page in 0..MOST_PAGES {
            let result = self.ask(method, params).await?;
            let listed = result.member(member).and_then(|text| serde_json::from_str(text).ok());
            let listed: Vec<RawObject> =
                listed.ok_or_else(|| nonsense(&format!("no list of objects under '{member}'")))?;
            items.extend(listed);
            let Some(cursor) = result.string("nextCursor") else { return Ok(items) };
            params = RawObject::empty().with_value("cursor", &cursor);
            if !seen.insert(cursor) {
                return Err(nonsense("its pages go in a circle"));
            }
        }
        Err(nonsense("its pages have no end"))
    }

    /// Recognizes progressive disclosure in a server that does not negotiate it (001 "Agent Implementation").
    async fn recognize(&self) -> Result<Option<Channel>, Error> {
        let is_resource = |name: &String| matches!(Channel::of_strategy(name), Channel::Resource { .. });
        let wanted = self.preferences.strategies.iter().any(is_resource);
        if !wanted || self.server.selected.is_some() || !self.server.has("resources") {
            return Ok(None);
        }
        match self.pages("resources/list", "resources").await {
            Ok(resources) => Ok(resources.iter().find_map(|one| Channel::by_resource(&one.string("uri")?))),
            // It has resources, but would not list them: no matter of ours.
            Err(Error::Answered { .. } | Error::Nonsense { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // No code path panics while it holds this, and the state is whole at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value as the JSON object that it should be.
pub(crate) fn object_of(value: &(impl Serialize + ?Sized)) -> Result<RawObject, Error> {
    let text = serde_json::to_string(value).map_err(|error| Error::NoObject { source: Some(error) })?;
    RawObject::parse(text).map_err(|_| Error::NoObject { source: None })
}
