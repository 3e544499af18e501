//! Who a client is and what it declares.

use mcp_disclosure_core::{EXTENSION, GROUPS};
use serde_json::{Value, json};

/// Who a client is and what it declares.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The capabilities that it declares; nothing stands for none.
    pub capabilities: Value,
    /// Who it says it is.
    pub principal: Option<&'static str>,
    /// The token that it sends over HTTP.
    pub token: Option<&'static str>,
    /// The address from which it comes, as a proxy says.
    pub from: Option<String>,
    /// The path it uses; empty means `/mcp`.
    pub path: String,
    /// The concerns it chooses from the first word: in `initialize`, or with each request.
    pub concerns: Option<Value>,
    /// The concerns it chooses in `notifications/initialized`.
    pub concerns_afterwards: Option<Value>,
    /// The revision with sessions that it speaks, if not the last one.
    pub revision: Option<&'static str>,
}

impl Identity {
    /// A client that can use this strategy.
    pub fn offering(strategy: &str) -> Self {
        let offering = Self::default().declaring(EXTENSION, json!({"strategies": [strategy]}));
        if strategy.ends_with("groups") { offering.declaring(GROUPS, json!({})) } else { offering }
    }

    /// A client that declares groups, and knows nothing of strategies.
    pub fn grouping() -> Self {
        Self::default().declaring(GROUPS, json!({}))
    }

    /// The same with this extension.
    pub fn declaring(mut self, extension: &str, settings: Value) -> Self {
        self.capabilities["extensions"][extension] = settings;
        self
    }

    /// The same, known by this name.
    pub fn known_as(self, principal: &'static str) -> Self {
        Self { principal: Some(principal), ..self }
    }

    /// The same with this token over HTTP.
    pub fn bearing(self, token: &'static str) -> Self {
        Self { token: Some(token), ..self }
    }

    /// The same at this path.
    pub fn at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// The same, and it can be asked: elicitation, roots, sampling.
    pub fn askable(mut self) -> Self {
        for (kind, settings) in
            [("elicitation", json!({"form": {}})), ("roots", json!({})), ("sampling", json!({}))]
        {
            self.capabilities[kind] = settings;
        }
        self
    }

    /// The same, and it says that it discloses by itself.
    pub fn disclosing(self) -> Self {
        self.wanting("complete")
    }

    /// The same, and it wants lists without `inputSchema`.
    pub fn omitting_schemas(self) -> Self {
        self.wanting("omitInputSchema")
    }

    fn wanting(mut self, setting: &str) -> Self {
        self.capabilities["extensions"][EXTENSION][setting] = true.into();
        self
    }

    /// The same, and it understands tasks, by the extension for those without sessions.
    pub fn running_tasks(self) -> Self {
        self.declaring("io.modelcontextprotocol/tasks", json!({}))
    }

    /// The same, choosing these concerns from the first word.
    pub fn choosing(self, concerns: Value) -> Self {
        Self { concerns: Some(concerns), ..self }
    }

    /// The same, choosing these concerns in `notifications/initialized`.
    pub fn choosing_afterwards(self, concerns: Value) -> Self {
        Self { concerns_afterwards: Some(concerns), ..self }
    }

    /// What it says with each request where there are no sessions.
    pub(crate) fn capabilities_with_each_request(&self) -> Value {
        let mut capabilities = self.capabilities();
        if let Some(concerns) = &self.concerns {
            capabilities["extensions"][EXTENSION]["concerns"] = concerns.clone();
        }
        capabilities
    }

    pub(crate) fn capabilities(&self) -> Value {
        if self.capabilities.is_null() { json!({}) } else { self.capabilities.clone() }
    }

    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "/mcp" } else { &self.path }
    }
}
