//! The gateway's handshakes with clients: `initialize` and `server/discover`.

use std::time::Duration;

use mcp_disclosure_client::Revision;
use mcp_disclosure_core::{Advertisement, EXTENSION, RawObject};
use mcp_disclosure_drafts::{
    manifest::{KEY, digest::CAPABILITY},
    variants::{self, SERVER_VARIANTS, ServerVariant},
};
use mcp_disclosure_transport::{ErrorText, Json, meta};

use super::{Caching, Offer, TASKS, delta, filter::FILTERING, finish};

/// The capability of 2025-11-25: calls of tools can be tasks, which are listed and cancelled.
const RUNS_TASKS: &str = r#"{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#;

/// The contents of a handshake result.
#[derive(Clone, Debug)]
pub(crate) struct Advertised {
    /// `serverInfo`.
    pub server_info: RawObject,
    /// Whether there are resources, including the strategies' own.
    pub resources: bool,
    /// Whether `resources/subscribe` is supported.
    pub subscribe: bool,
    /// Whether there are prompts.
    pub prompts: bool,
    /// Whether `completion/complete` is supported.
    pub completions: bool,
    /// Whether calls can be tasks.
    pub tasks: bool,
    /// Whether log messages are supported.
    pub logging: bool,
    /// Whether the list of tools has a manifest (SEP-2636).
    pub manifest: bool,
    /// Whether any tool can be resolved (SEP-1862).
    pub resolve: bool,
    /// The variants (SEP-2053), the one that serves this client first; `None` if it does not support them.
    pub variants: Option<Vec<ServerVariant>>,
    /// The strategies offered.
    pub offered: Vec<String>,
    /// The strategy that serves this client.
    pub selected: String,
    /// Extensions other than this project's, by id, with the server's settings.
    pub extensions: Vec<(&'static str, &'static str)>,
    /// What strategies add.
    pub added: Advertisement,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// Whether shared caches may not keep it.
    pub is_private: bool,
}

impl Advertised {
    fn capabilities(&self, revision: Revision) -> RawObject {
        let settings = self
            .added
            .settings
            .with_value("strategies", &self.offered)
            .with_value("selected", &self.selected);
        let disclosure = |beside: &RawObject| beside.with(EXTENSION, settings.text());
        let mut capabilities = self.added.capabilities.with("tools", self.tools().text());
        if self.resources {
            let resources = if self.subscribe {
                r#"{"listChanged":true,"subscribe":true}"#
            } else {
                r#"{"listChanged":true}"#
            };
            capabilities = capabilities.with("resources", resources);
        }
        if self.prompts {
            capabilities = capabilities.with("prompts", r#"{"listChanged":true}"#);
        }
        for (name, has) in [("completions", self.completions), ("logging", self.logging)] {
            if has {
                capabilities = capabilities.with(name, "{}");
            }
        }
        let others = RawObject::assemble(self.extensions.iter().copied());
        let (others, capabilities) = match revision {
            Revision::V2025_11_25 if self.tasks => (others, capabilities.with("tasks", RUNS_TASKS)),
            Revision::V2026_07_28 if self.tasks => (others.with(TASKS, "{}"), capabilities),
            _ => (others, capabilities),
        };
        let extensions = self.variants.iter().fold(others, |extensions, variants| {
            extensions.with(SERVER_VARIANTS, variants::settings(variants).text())
        });
        // Clients that do not know `extensions` keep unknown members of `experimental`, whose values must be
        // objects.
        capabilities
            .with("extensions", disclosure(&extensions).text())
            .with("experimental", disclosure(&self.experimental()).text())
    }

    fn experimental(&self) -> RawObject {
        match self.manifest {
            // Some SDKs remove it from `tools`.
            true => self.added.experimental.with(KEY, CAPABILITY),
            false => self.added.experimental.clone(),
        }
    }

    fn tools(&self) -> RawObject {
        let tools = RawObject::empty().with("listChanged", "true").with("filtering", FILTERING);
        let more = [("manifest", self.manifest), ("resolve", self.resolve)];
        more.iter().filter(|(_, has)| *has).fold(tools, |tools, (name, _)| tools.with(name, "true"))
    }

    fn with_instructions(&self, result: RawObject) -> RawObject {
        self.instructions.iter().fold(result, |result, text| result.with_value("instructions", text))
    }
}

/// An `initialize` request.
#[derive(Clone, Debug)]
pub(crate) struct InitializeRequest {
    /// The negotiated revision.
    pub revision: Revision,
    /// The client's disclosure offer.
    pub offer: Offer,
    /// The client's name, from `clientInfo`.
    pub client: String,
    /// Whether it is a Delta-MCP client.
    delta: bool,
}

impl InitializeRequest {
    /// Parses the parameters of `initialize`.
    ///
    /// # Errors
    /// -32602 if the protocol version is missing.
    pub(crate) fn read(params: &RawObject) -> Result<Self, ErrorText> {
        let asked = params
            .string("protocolVersion")
            .ok_or_else(|| ErrorText::invalid_params("params.protocolVersion must be a string"))?;
        let revision = Revision::parse(&asked).filter(|revision| revision.has_sessions());
        let capabilities = params.object("capabilities").unwrap_or_default();
        let delta = delta::is_asked_for(&asked, &capabilities);
        let offer = Offer::read(&capabilities).with_concerns(params);
        Ok(Self {
            revision: revision.unwrap_or(Revision::LATEST_WITH_SESSIONS),
            offer: if delta { delta::offer(offer) } else { offer },
            client: params.object("clientInfo").and_then(|info| info.string("name")).unwrap_or_default(),
            delta,
        })
    }

    /// The result of `initialize`, in the client's format.
    pub(crate) fn answer(&self, advertised: &Advertised) -> Json {
        let result = RawObject::empty()
            .with_value("protocolVersion", &self.revision.to_string())
            .with("capabilities", advertised.capabilities(self.revision).text())
            .with("serverInfo", advertised.server_info.text());
        let result = advertised.with_instructions(result);
        if self.delta { delta::answer(result, &advertised.selected) } else { result }.into()
    }
}

/// The result of `server/discover`.
pub(crate) fn discover_result(advertised: &Advertised) -> Json {
    let meta = RawObject::empty().with(meta::SERVER_INFO, advertised.server_info.text());
    let result = RawObject::empty()
        .with("resultType", "\"complete\"")
        .with_value("supportedVersions", &Revision::names())
        .with("capabilities", advertised.capabilities(Revision::V2026_07_28).text())
        .with("_meta", meta.text());
    let caching = Caching { time_to_live: Duration::from_secs(60), private: advertised.is_private };
    finish::cacheable(advertised.with_instructions(result), caching).into()
}
