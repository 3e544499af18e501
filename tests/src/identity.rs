//! Who a client is and what it declares.

use mcp_disclosure_core::{EXTENSION, GROUPS, UI};
use serde_json::{Value, json};

/// Who a client is and what it declares.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The strategies it offers; `None` for a client that knows nothing of disclosure.
    pub offer: Option<Vec<String>>,
    /// Whether it makes its offer under `experimental`, knowing no `extensions`.
    pub experimental: bool,
    /// Whether it wants lists without `inputSchema`.
    pub omits_schemas: bool,
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
    /// Whether it can be asked: elicitation, roots, sampling.
    pub askable: bool,
    /// Whether it says that it discloses by itself.
    pub disclosing: bool,
    /// Whether it declares groups.
    pub groups: bool,
    /// Whether it declares the extension of tasks, which is for those without sessions.
    pub tasks: bool,
    /// The revision with sessions that it speaks, if not the last one.
    pub revision: Option<&'static str>,
    /// Whether it shows pages (MCP Apps).
    pub pages: bool,
    /// What it says of server variants, if it knows them.
    pub variants: Option<Value>,
}

impl Identity {
    /// A client that can use this strategy.
    pub fn offering(strategy: &str) -> Self {
        let groups = strategy.ends_with("groups");
        Self { offer: Some(vec![strategy.to_owned()]), groups, ..Self::default() }
    }

    /// A client that declares groups, and knows nothing of strategies.
    pub fn grouping() -> Self {
        Self { groups: true, ..Self::default() }
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
    pub fn askable(self) -> Self {
        Self { askable: true, ..self }
    }

    /// The same, and it says that it discloses by itself.
    pub fn disclosing(self) -> Self {
        Self { disclosing: true, ..self }
    }

    /// The same, and it understands tasks.
    pub fn running_tasks(self) -> Self {
        Self { tasks: true, ..self }
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
        let mut capabilities = match self.askable {
            true => json!({"elicitation": {"form": {}}, "roots": {}, "sampling": {}}),
            false => json!({}),
        };
        if let Some(offer) = &self.offer {
            let place = if self.experimental { "experimental" } else { "extensions" };
            let mut settings = json!({"strategies": offer});
            if self.omits_schemas {
                settings["omitInputSchema"] = json!(true);
            }
            if self.disclosing {
                settings["complete"] = json!(true);
            }
            capabilities[place] = json!({EXTENSION: settings});
        }
        if self.groups {
            let place = if self.experimental { "experimental" } else { "extensions" };
            capabilities[place][GROUPS] = json!({});
        }
        if self.tasks {
            capabilities["extensions"]["io.modelcontextprotocol/tasks"] = json!({});
        }
        if self.pages {
            capabilities["extensions"][UI] = json!({"mimeTypes": ["text/html;profile=mcp-app"]});
        }
        if let Some(variants) = &self.variants {
            capabilities["extensions"]["io.modelcontextprotocol/server-variants"] = variants.clone();
        }
        capabilities
    }

    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "/mcp" } else { &self.path }
    }
}
