//! The host: one connection to a server, with its cache.

use std::sync::Arc;

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_drafts::manifest::{MANIFEST, digest, is_offered};
use mcp_disclosure_transport::{Bound, Call, CallError, Json};
use parking_lot::Mutex;
use serde::Serialize;

use crate::{
    Channel, Error, Link, Preferences, Server,
    connection::{Connection, Headers, Owner, reach},
    definition::{Listed, Memory},
    handshake::with_meta,
    link::LIST_BYTES,
    lists::{Lister, all_pages},
    manifest::{Reconciled, reconcile},
    preferences::Concerns,
    traffic::{Meter, Traffic},
    wording,
};

/// A connection to a server, which discloses its tools under the negotiated strategy. Clones are handles to the same
/// connection; it ends with the last of them, or with [`Host::close`].
///
/// Every future can be dropped at any time: the server is notified that the request is cancelled.
#[derive(Clone, Debug)]
pub struct Host(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    connection: Connection,
    meter: Arc<Meter>,
    pub(crate) preferences: Preferences,
    pub(crate) server: Server,
    channel: Channel,
    pub(crate) memory: Arc<Memory>,
    pub(crate) state: Mutex<State>,
    /// Held while definitions are fetched, so that concurrent callers do not fetch the same.
    pub(crate) fetching: tokio::sync::Mutex<()>,
}

/// The state that changes with the user's choices.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) concerns: Concerns,
    /// What each request has in `_meta`; nothing in a session.
    pub(crate) meta: RawObject,
}

impl Host {
    /// Connects to the server, negotiates a revision of MCP and a strategy, and sends the user's choices.
    ///
    /// # Errors
    /// Why the server cannot be used. For a child process that exited, its status and last stderr lines.
    pub async fn connect(mut link: Link, preferences: Preferences) -> Result<Self, Error> {
        let meter = Arc::new(Meter::new(preferences.observer.clone()));
        let memory = Arc::new(Memory::knowing(Arc::clone(&preferences.known_tools)));
        let owner = Owner { name: link.to_string(), meter: Arc::clone(&meter), memory: Arc::clone(&memory) };
        let (connection, server, meta) = reach(&mut link, &preferences, owner).await?;
        let mut inner = Inner {
            connection,
            meter,
            channel: Channel::of(&server, &preferences),
            server,
            memory,
            state: Mutex::new(State { concerns: preferences.concerns.clone(), meta }),
            fetching: tokio::sync::Mutex::default(),
            preferences,
        };
        if let Some(channel) = inner.recognize().await? {
            inner.channel = channel;
        }
        Ok(Self(Arc::new(inner)))
    }

    /// The server's half of the handshake.
    pub fn server(&self) -> &Server {
        &self.0.server
    }

    /// The channel of definitions.
    pub fn channel(&self) -> &Channel {
        &self.0.channel
    }

    /// The traffic of the connection so far, including the handshake.
    pub fn traffic(&self) -> Traffic {
        self.0.meter.traffic()
    }

    /// The text for a model's system prompt, before the tools: the server's `instructions`, or, if it has none, the
    /// workflow of its strategy (tool-descriptions-resource §8.2, tool-descriptions-guide "Agent Implementation").
    /// Empty if nothing is needed.
    pub fn system_prompt(&self) -> String {
        let inner = &self.0;
        let first = inner.memory.tools().and_then(|listed| listed.tools.first()?.string("name"));
        let workflow = wording::workflow(&inner.channel, inner.server.era, first.as_deref());
        match (&inner.server.instructions, workflow) {
            // A server that negotiates a strategy explains it. The instructions of others can be about something else.
            (Some(instructions), Some(workflow)) if inner.server.selected.is_none() => {
                format!("{instructions}\n\n{workflow}")
            }
            (Some(instructions), _) => instructions.clone(),
            (None, workflow) => workflow.unwrap_or_default(),
        }
    }

    /// The listed tools, as the server sent them. Always sends a request: for what changed since the last list, if the server
    /// offers a manifest (SEP-2636), else for the whole list.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn list(&self) -> Result<Vec<RawObject>, Error> {
        Ok(self.0.list().await?.tools.to_vec())
    }

    /// The listed resources.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn resources(&self) -> Result<Vec<RawObject>, Error> {
        self.0.pages("resources/list", "resources").await
    }

    /// The listed resource templates.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn resource_templates(&self) -> Result<Vec<RawObject>, Error> {
        self.0.pages("resources/templates/list", "resourceTemplates").await
    }

    /// Reads a resource: the unchanged result of `resources/read`.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn read_resource(&self, uri: &str) -> Result<RawObject, Error> {
        self.0.ask("resources/read", RawObject::empty().with_value("uri", uri)).await
    }

    /// Sends any request and returns its unchanged result. The metadata that the era requires is added.
    ///
    /// # Errors
    /// Why there is no result; [`Error::NotAnObject`] if the parameters are not an object.
    pub async fn request(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<RawObject, Error> {
        self.0.ask(method, object_of(params)?).await
    }

    /// Closes the connection, and waits until the child process has exited, or the session is deleted.
    pub async fn close(&self) {
        self.0.connection.inner.close().await;
    }
}

impl Inner {
    /// Requests the list of tools, and keeps it.
    pub(crate) async fn list(&self) -> Result<Arc<Listed>, Error> {
        let age = self.memory.age();
        let listed = match self.reconciled().await? {
            Some(listed) => listed,
            None => self.whole().await?,
        };
        self.memory.keep_tools(age, &listed);
        Ok(listed)
    }

    /// The list of tools, made of those that are held and those that changed since. `None` if the whole list has to be
    /// requested: nothing is held, or the server offers no manifest that fits.
    async fn reconciled(&self) -> Result<Option<Arc<Listed>>, Error> {
        let capabilities = &self.server.capabilities;
        let latest = self.memory.latest().filter(|latest| !latest.tools.is_empty());
        let Some(latest) = latest.filter(|_| is_offered(capabilities)) else { return Ok(None) };
        let reconciled =
            reconcile(self, capabilities, || latest.held().clone(), self.memory.is_announced()).await;
        let reconciled = reconciled.map_err(|error| Error::of(MANIFEST, error))?;
        Ok(reconciled
            .map(|Reconciled { changed, .. }| changed.map_or(latest, |held| Listed::of(held).into())))
    }

    /// Requests the whole list of tools, as it can be compared with a manifest.
    async fn whole(&self) -> Result<Arc<Listed>, Error> {
        let params = digest::comparable(&self.server.capabilities);
        Ok(Arc::new(Listed::new(self.pages_from("tools/list", "tools", params).await?)))
    }

    /// The list of tools as it was last received; it is requested if there is none.
    pub(crate) async fn listed(&self) -> Result<Arc<Listed>, Error> {
        match self.memory.tools() {
            Some(listed) => Ok(listed),
            None => self.list().await,
        }
    }

    /// Sends a request in the form of its era.
    pub(crate) async fn ask(&self, method: &str, params: RawObject) -> Result<RawObject, Error> {
        self.ask_with(method, params, Headers::new()).await
    }

    /// The same with arguments that are repeated in headers.
    pub(crate) async fn ask_with(
        &self,
        method: &str,
        params: RawObject,
        mirrored: Headers,
    ) -> Result<RawObject, Error> {
        let result = self.send(method, params, mirrored).await.map_err(|error| Error::of(method, error))?;
        RawObject::of(&result).map_err(|_| Error::invalid(method, "its result is not an object"))
    }

    /// The same, with the result as it was received. Dropping the future cancels the request.
    async fn send(&self, method: &str, params: RawObject, mirrored: Headers) -> Result<Json, CallError> {
        let params = with_meta(&params, &self.state.lock().meta);
        let connection = &self.connection.inner;
        let call = Call { mirrored, ..connection.call(method, params) };
        Arc::clone(connection).request(call, self.preferences.request_timeout).await
    }

    /// All items of a list, page by page.
    pub(crate) async fn pages(&self, method: &str, member: &str) -> Result<Vec<RawObject>, Error> {
        self.pages_from(method, member, RawObject::empty()).await
    }

    /// All items of a list; `params` are those of the first request.
    async fn pages_from(
        &self,
        method: &str,
        member: &str,
        params: RawObject,
    ) -> Result<Vec<RawObject>, Error> {
        let listed =
            all_pages(self, method, member, params).await.map_err(|error| Error::of(method, error))?;
        let items: Option<Vec<RawObject>> =
            listed.items.iter().map(|item| RawObject::of(item).ok()).collect();
        let what = match (items, listed.is_cut) {
            (Some(items), false) => return Ok(items),
            (Some(_), true) => "its pages do not end, or a cursor is no string".to_owned(),
            (None, _) => format!("no list of objects under '{member}'"),
        };
        Err(Error::invalid(method, what))
    }

    /// Recognizes progressive disclosure of a server that does not negotiate it (tool-descriptions-guide "Agent
    /// Implementation").
    async fn recognize(&self) -> Result<Option<Channel>, Error> {
        let is_resource = |name: &String| matches!(Channel::of_strategy(name), Channel::Resource { .. });
        let wanted = self.preferences.strategies.iter().any(is_resource);
        if !wanted || self.server.selected.is_some() || !self.server.has("resources") {
            return Ok(None);
        }
        match self.pages("resources/list", "resources").await {
            Ok(resources) => Ok(resources.iter().find_map(|one| Channel::by_resource(&one.string("uri")?))),
            // It has resources but does not list them, which is no reason to fail.
            Err(Error::NoResult { error: CallError::Answered(_) | CallError::Invalid { .. }, .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl Lister for Inner {
    fn name(&self) -> String {
        self.connection.inner.name()
    }

    fn era(&self) -> Era {
        self.server.era
    }

    fn room(&self) -> Bound {
        LIST_BYTES
    }

    async fn ask(&self, method: &str, params: RawObject) -> Result<Json, CallError> {
        self.send(method, params, Headers::new()).await
    }
}

/// A value as a JSON object.
pub(crate) fn object_of(value: &(impl Serialize + ?Sized)) -> Result<RawObject, Error> {
    let text = serde_json::to_string(value).map_err(|error| Error::NotAnObject { source: Some(error) })?;
    RawObject::parse(text).map_err(|_| Error::NotAnObject { source: None })
}
