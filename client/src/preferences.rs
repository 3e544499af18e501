//! A host's preferences for a connection, and how they are said to the server: in the handshake of the session era, or in `_meta`
//! of the stateless era.

use std::{fmt, sync::Arc, time::Duration};

use mcp_disclosure_core::{EXTENSION, Era, GROUPS, RawObject};
use serde_json::{Map, Value, json};

use crate::{Channel, handshake, traffic::Observer};

/// Choices of concerns: name to value, a string or a number (concern-based-filtering).
pub type Concerns = Map<String, Value>;

/// A host's preferences for a connection. The default suits an agent that uses whatever costs the fewest tokens.
#[derive(Clone)]
pub struct Preferences {
    /// Strategies, most preferred first. If empty, the handshake does not mention disclosure, like that of an ordinary
    /// client. Under a strategy that this client does not know, tools are listed and called as they are.
    pub strategies: Vec<String>,
    /// Whether lists can omit `inputSchema`. Most model APIs require one.
    pub omit_input_schema: bool,
    /// Whether lists are as short as they can be: without titles and annotations.
    pub shortest: bool,
    /// The user's choices of concerns. Servers that declare none ignore them.
    pub concerns: Concerns,
    /// The eras to try, in this order.
    pub eras: Vec<Era>,
    /// The host's other capabilities, as in `initialize`.
    pub capabilities: RawObject,
    /// The host's name and version.
    pub client: (String, String),
    /// Whether to keep a stream open for notifications, where that takes a stream of its own (HTTP, and the stateless
    /// era). Without it a changed definition is noticed when a call is refused.
    pub listens: bool,
    /// Timeout of starting the server and the handshake.
    pub connect_timeout: Duration,
    /// Timeout of a request.
    pub request_timeout: Duration,
    /// The tools that the server listed on an earlier connection. Where the server offers a manifest (SEP-2636),
    /// [`Host::list`](crate::Host::list) fetches what changed since, and nothing else.
    pub known_tools: Arc<[RawObject]>,
    /// Receives every message.
    pub observer: Option<Observer>,
}

impl Preferences {
    /// The default with these strategies.
    pub fn of<'a>(strategies: impl IntoIterator<Item = &'a str>) -> Self {
        Self { strategies: strategies.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }

    /// Whether groups are among the strategies: the extension `io.modelcontextprotocol/groups` is declared then, so that
    /// servers that know nothing of strategies offer them, too.
    pub(crate) fn wants_groups(&self) -> bool {
        self.strategies.iter().any(|name| Channel::of_strategy(name) == Channel::Groups)
    }

    /// The same with the tools that [`Host::list`](crate::Host::list) returned on an earlier connection to the server.
    pub fn knowing(mut self, tools: impl Into<Arc<[RawObject]>>) -> Self {
        self.known_tools = tools.into();
        self
    }

    /// The same with a choice of a concern.
    pub fn with_concern(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.concerns.insert(name.to_owned(), value.into());
        self
    }

    /// The parameters of `initialize`, but for the revision.
    pub(crate) fn hello(&self) -> RawObject {
        let hello = RawObject::assemble([("capabilities", self.declared(None).text())])
            .with_value("clientInfo", &self.client_info());
        if self.concerns.is_empty() { hello } else { hello.with_value("concerns", &self.concerns) }
    }

    /// What each request has in `_meta` in the stateless era, with these choices of concerns.
    pub(crate) fn stateless_meta(&self, concerns: &Concerns) -> RawObject {
        handshake::stateless_meta(&self.client_info(), &self.declared(Some(concerns)))
    }

    fn client_info(&self) -> Value {
        let (name, version) = &self.client;
        json!({"name": name, "version": version})
    }

    /// The capabilities with this client's half of the negotiation; with its choices of concerns if each request has to contain
    /// them.
    fn declared(&self, concerns: Option<&Concerns>) -> RawObject {
        let mut settings = RawObject::empty();
        if !self.strategies.is_empty() {
            settings = settings.with_value("strategies", &self.strategies);
        }
        if self.omit_input_schema {
            settings = settings.with("omitInputSchema", "true");
        }
        if self.shortest {
            settings = settings.with("shortest", "true");
        }
        if let Some(concerns) = concerns.filter(|concerns| !concerns.is_empty()) {
            settings = settings.with_value("concerns", concerns);
        }
        if settings.is_empty() {
            return self.capabilities.clone();
        }
        let extensions = self.capabilities.object("extensions").unwrap_or_default();
        let extensions = extensions.with(EXTENSION, settings.text());
        let extensions = if self.wants_groups() { extensions.with(GROUPS, "{}") } else { extensions };
        self.capabilities.with("extensions", extensions.text())
    }
}

impl Default for Preferences {
    /// `describe`, then `resource`, `info` and `full`; the session era first; 30 s to connect, 180 s per request (a
    /// gateway gives its upstreams 120 s).
    fn default() -> Self {
        Self {
            strategies: ["describe", "resource", "info", "full"].map(str::to_owned).into(),
            omit_input_schema: false,
            shortest: false,
            concerns: Concerns::new(),
            eras: vec![Era::Session, Era::Stateless],
            capabilities: RawObject::empty(),
            client: ("mcp-disclosure-client".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            listens: true,
            connect_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(180),
            known_tools: Arc::default(),
            observer: None,
        }
    }
}

impl fmt::Debug for Preferences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Preferences")
            .field("strategies", &self.strategies)
            .field("concerns", &self.concerns)
            .field("eras", &self.eras)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handshake::with_meta;

    fn object(value: &Value) -> RawObject {
        RawObject::parse(value.to_string()).unwrap()
    }

    #[test]
    fn each_stateless_request_has_the_metadata_c13() {
        let preferences = Preferences { omit_input_schema: true, ..Preferences::of(["describe"]) };
        let concerns = Preferences::of([]).with_concern("cost", "low").concerns;
        let params = object(&json!({"name": "ü", "_meta": {"mine": 1}}));
        let params = with_meta(&params, &preferences.stateless_meta(&concerns));
        let params: Value = serde_json::from_str(params.text()).unwrap();
        assert_eq!(params["_meta"]["mine"], 1);
        assert_eq!(
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"][EXTENSION],
            json!({"strategies": ["describe"], "omitInputSchema": true, "concerns": {"cost": "low"}})
        );
    }

    #[test]
    fn initialize_offers_nothing_without_preferences_c13() {
        let mine = object(&json!({"roots": {}, "extensions": {"other": {}}}));
        let plain = Preferences { capabilities: mine.clone(), ..Preferences::of([]) };
        assert_eq!(plain.hello().object("capabilities"), Some(mine));
        assert_eq!(plain.hello().member("concerns"), None);
        let choosing = plain.with_concern("cost", 3);
        assert_eq!(choosing.hello().member("concerns"), Some(r#"{"cost":3}"#));
    }
}
