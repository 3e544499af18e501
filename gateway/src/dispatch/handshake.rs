//! Handshakes: which revisions clients are offered, and what the results of `initialize` and `server/discover` say of this server. A client that is a gateway is refused if this
//! one leads to it, and learns where this one leads.

use std::time::Duration;

use mcp_disclosure_core::{EXTENSION, Era, ListHints, RawObject, SKILLS};
use mcp_disclosure_drafts::{
    manifest::{KEY, digest::CAPABILITY},
    variants::{self, SERVER_VARIANTS},
};
use mcp_disclosure_transport::{ErrorText, Json, meta};

use super::{Caller, Common, Gateway};
use crate::{
    DRAFTS,
    backend::Backend,
    catalogue::Page,
    dialect::{FILTERING, InitializeRequest, Revision, TASKS, cacheable, unsupported},
    lineage::Chain,
};

/// The capability of 2025-11-25: calls of tools can be tasks, which are listed and cancelled.
const RUNS_TASKS: &str = r#"{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#;

/// The capability of a list that may change.
const LISTED: &str = r#"{"listChanged":true}"#;

/// The same, of resources that can be subscribed to.
const SUBSCRIBED: &str = r#"{"listChanged":true,"subscribe":true}"#;

/// Which revisions of MCP clients are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum OfferedRevisions {
    /// All.
    #[default]
    All,
    /// Those with sessions to clients that upstreams may need to reach between requests, otherwise all.
    Auto,
    /// Those with sessions, up to 2025-11-25.
    Sessions,
}

impl Gateway {
    /// Refuses a stateless client that should open a session instead. Official clients then do.
    ///
    /// An upstream with a session may send requests at any time, and between requests a stateless client cannot be
    /// reached. Only `server/discover` is refused for that reason, as by a server that knows sessions only: official
    /// clients then open one, and a client that needs no discovery goes on.
    ///
    /// # Errors
    /// -32601 for `server/discover`, -32022 with the revisions to use for other requests.
    pub(super) fn offer_sessions(&self, caller: &Caller, is_discovery: bool) -> Result<(), ErrorText> {
        let is_refused = match self.revisions {
            OfferedRevisions::All => false,
            OfferedRevisions::Sessions => true,
            OfferedRevisions::Auto => {
                is_discovery && caller.can_be_asked() && caller.backend.may_ask_anytime()
            }
        };
        if caller.era() == Era::Session || !is_refused {
            return Ok(());
        }
        Err(match is_discovery {
            true => ErrorText::method_not_found(),
            false => unsupported(&Revision::V2026_07_28.to_string(), |revision| revision.has_sessions()),
        })
    }
}

impl Common {
    /// Whether the sender of a handshake with these capabilities is a gateway.
    ///
    /// # Errors
    /// If this gateway leads to one that it came through, or they are too many.
    pub(super) fn admit_chain(&self, backend: &Backend, capabilities: &RawObject) -> Result<bool, ErrorText> {
        let Some(chain) = Chain::read(capabilities) else { return Ok(false) };
        self.lineage
            .admit(&chain, &backend.leads_to(), &self.limits)
            .inspect_err(|refused| tracing::debug!(reason = refused.message(), "a gateway is refused"))?;
        Ok(true)
    }

    /// The result of `initialize`, in the client's format.
    pub(super) fn initialized(
        &self,
        initialize: &InitializeRequest,
        caller: &Caller,
        page: &Page,
        is_gateway: bool,
    ) -> Json {
        let result = RawObject::empty()
            .with_value("protocolVersion", &initialize.revision.to_string())
            .with("capabilities", self.capabilities(caller, page, initialize.revision, is_gateway).text())
            .with("serverInfo", caller.backend.server_info().text());
        initialize.answer(with_instructions(result, page), selected(caller, page)).into()
    }

    /// The result of `server/discover`.
    pub(super) fn discovered(&self, caller: &Caller, page: &Page, is_gateway: bool) -> Json {
        let meta = RawObject::empty().with(meta::SERVER_INFO, caller.backend.server_info().text());
        let capabilities = self.capabilities(caller, page, Revision::V2026_07_28, is_gateway);
        let result = RawObject::empty()
            .with("resultType", "\"complete\"")
            .with_value("supportedVersions", &Revision::names())
            .with("capabilities", capabilities.text())
            .with("_meta", meta.text());
        let hints = ListHints { time_to_live: Duration::from_secs(60), private: page.is_private, meta: None };
        cacheable(with_instructions(result, page), &hints).into()
    }

    /// The capabilities in a revision. A gateway gets the chain of those that this one leads to.
    fn capabilities(&self, caller: &Caller, page: &Page, revision: Revision, is_gateway: bool) -> RawObject {
        let (backend, choice, permits) = (&caller.backend, &caller.choice, caller.principal.permits());
        let (added, has_manifest) = (&page.advertisement, page.has_manifest());
        let tools = with_those(
            RawObject::empty().with("listChanged", "true").with("filtering", FILTERING),
            &[("manifest", "true", has_manifest), ("resolve", "true", DRAFTS && backend.resolves())],
        );
        let resources = if backend.can_subscribe() { SUBSCRIBED } else { LISTED };
        let runs_tasks = |by: Revision| revision == by && backend.may_run_tasks();
        let capabilities = with_those(
            added.capabilities.with("tools", tools.text()),
            &[
                ("resources", resources, page.has_resources || backend.has("resources")),
                ("prompts", LISTED, page.has_prompts || backend.has("prompts")),
                ("completions", "{}", backend.has("completions")),
                ("logging", "{}", backend.has("logging")),
                ("tasks", RUNS_TASKS, runs_tasks(Revision::V2025_11_25)),
            ],
        );
        let reads_directories = |reads| if reads { r#"{"directoryRead":true}"# } else { "{}" };
        let skills = backend.skills().map(|reads| (SKILLS, reads_directories(reads)));
        let extensions = self.strategies.extensions(choice, permits).into_iter().chain(skills);
        let mut extensions =
            with_those(RawObject::assemble(extensions), &[(TASKS, "{}", runs_tasks(Revision::V2026_07_28))]);
        if let Some(hints) = choice.hints() {
            let variants = variants::settings(&self.strategies.variants(choice, permits, hints));
            extensions = extensions.with(SERVER_VARIANTS, variants.text());
        }
        // Some SDKs remove it from `tools`.
        let experimental = with_those(added.experimental.clone(), &[(KEY, CAPABILITY, has_manifest)]);
        let settings = added
            .settings
            .with_value("strategies", &self.strategies.offered_to(permits))
            .with_value("selected", selected(caller, page));
        // Clients that do not know `extensions` keep unknown members of `experimental`, whose values must be
        // objects.
        let capabilities = capabilities
            .with("extensions", extensions.with(EXTENSION, settings.text()).text())
            .with("experimental", experimental.with(EXTENSION, settings.text()).text());
        if !is_gateway {
            return capabilities;
        }
        self.lineage.below_and_own(&backend.leads_to()).add_to(&capabilities)
    }
}

impl Backend {
    /// Whether an upstream may send requests outside of a client's request: one with a session, or one that has not
    /// said yet whether it needs one.
    fn may_ask_anytime(&self) -> bool {
        !self
            .slots()
            .iter()
            .all(|slot| slot.introduction().is_some_and(|introduction| introduction.eras.stateless))
    }

    /// The gateways among its upstreams, and those that they lead to.
    pub(super) fn leads_to(&self) -> Chain {
        let upstreams = self.upstreams();
        let below = upstreams.iter().map(|upstream| &upstream.introduction().leads_to);
        below.flat_map(Chain::iter).collect()
    }
}

/// The strategy that serves a client.
fn selected<'a>(caller: &'a Caller, page: &'a Page) -> &'a str {
    page.selected.as_ref().map_or(&*caller.choice.name, |selected| &*selected.name)
}

fn with_instructions(result: RawObject, page: &Page) -> RawObject {
    page.instructions.iter().fold(result, |result, text| result.with_value("instructions", text))
}

/// The object with those of these members that there are.
fn with_those(object: RawObject, members: &[(&str, &str, bool)]) -> RawObject {
    let present = members.iter().filter(|(.., is_there)| *is_there);
    present.fold(object, |object, (name, value, _)| object.with(name, value))
}
