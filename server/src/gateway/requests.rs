//! One request in, one result out.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use mcp_disclosure_core::{Effect, Era, Kind, RawObject};

use super::{Caller, Gateway};
use crate::{
    catalogue::Page,
    dialect::{Advertised, Offer, Revision, complete, discover_result, era_error, initialize_result},
    negotiation::Choice,
    session::{Filter, Full, Opening, Session, Severity, new_id},
    wire::{ErrorText, Id, Json, Request, code},
};

/// The methods of MCP that the gateway answers or relays, by the eras that have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
enum Method {
    #[strum(serialize = "ping")]
    Ping,
    #[strum(serialize = "server/discover")]
    Discover,
    #[strum(serialize = "subscriptions/listen")]
    Listen,
    #[strum(serialize = "tools/list")]
    ToolsList,
    #[strum(serialize = "tools/call")]
    ToolsCall,
    #[strum(serialize = "resources/list")]
    ResourcesList,
    #[strum(serialize = "resources/templates/list")]
    TemplatesList,
    #[strum(serialize = "resources/read")]
    ResourcesRead,
    #[strum(serialize = "resources/subscribe")]
    ResourcesSubscribe,
    #[strum(serialize = "resources/unsubscribe")]
    ResourcesUnsubscribe,
    #[strum(serialize = "prompts/list")]
    PromptsList,
    #[strum(serialize = "prompts/get")]
    PromptsGet,
    #[strum(serialize = "completion/complete")]
    Complete,
    #[strum(serialize = "logging/setLevel")]
    SetLevel,
}

impl Method {
    fn is_of(self, era: Era) -> bool {
        match self {
            Self::Ping | Self::SetLevel | Self::ResourcesSubscribe | Self::ResourcesUnsubscribe => {
                era == Era::Session
            }
            Self::Discover | Self::Listen => era == Era::Stateless,
            _ => true,
        }
    }
}

impl Gateway {
    /// Answers a request. A panic on the way becomes an error like any other.
    pub async fn handle(&self, caller: &Caller, request: &Request) -> Result<Json, ErrorText> {
        let answered = AssertUnwindSafe(self.answer(caller, request)).catch_unwind().await;
        let answered = answered.unwrap_or_else(|_| Err(panicked(&request.method)));
        if let Some(session) = &caller.session {
            session.touch();
        }
        answered.map_err(|error| era_error(caller.era(), error))
    }

    async fn answer(&self, caller: &Caller, request: &Request) -> Result<Json, ErrorText> {
        let method = request.method.parse::<Method>().ok().filter(|method| method.is_of(caller.era()));
        let page = self.catalogue.current().page(&caller.principal, &caller.choice);
        let params = &request.params;
        match method {
            Some(Method::ToolsList) => listed(&page, Kind::Tools, params),
            Some(Method::ResourcesList) => listed(&page, Kind::Resources, params),
            Some(Method::TemplatesList) => listed(&page, Kind::Templates, params),
            Some(Method::PromptsList) => listed(&page, Kind::Prompts, params),
            Some(Method::ToolsCall) => self.call(caller, &page, params).await,
            Some(Method::ResourcesRead) => self.read(caller, &page, params).await,
            Some(Method::PromptsGet) => self.prompt(caller, &page, params).await,
            Some(Method::Complete) => self.completion(caller, &page, params).await,
            Some(Method::ResourcesSubscribe) => self.subscribe(caller, &page, params).await,
            Some(Method::ResourcesUnsubscribe) => self.unsubscribe(caller, params).await,
            Some(Method::SetLevel) => self.set_level(caller, params),
            Some(Method::Listen) => self.listen(caller, &page, &request.id, params).await,
            Some(Method::Discover) => Ok(discover_result(&self.advertised(&page, &caller.choice))),
            Some(Method::Ping) => Ok(Json::empty_object()),
            None => self.foreign(caller, &page, request).await,
        }
    }

    /// A method that MCP does not have, or not in this era: the strategy may know it.
    async fn foreign(&self, caller: &Caller, page: &Page, request: &Request) -> Result<Json, ErrorText> {
        let fetches = self.fetches.of(&caller.label);
        let cx = caller.context(self, &page.view, &fetches);
        let outcome = caller.choice.strategy.request(&cx, &request.method, &request.params.to_raw()).await;
        self.carry_out(caller, outcome.effects);
        match outcome.answer? {
            Some(result) => Ok(complete(caller.era(), Json::of(&result))),
            None => Err(ErrorText::method_not_found(&request.method)),
        }
    }

    /// Opens a session.
    ///
    /// # Errors
    /// -32602 for parameters that are missing or wrong; -32000 where there are too many sessions.
    pub fn initialize(
        &self,
        params: &RawObject,
        opening: Opening,
    ) -> Result<(Arc<Session>, Json), ErrorText> {
        // The page is made here, by whatever strategy serves the client.
        let opened = std::panic::catch_unwind(AssertUnwindSafe(|| self.open(params, opening)));
        opened.unwrap_or_else(|_| Err(panicked("initialize")))
    }

    fn open(&self, params: &RawObject, opening: Opening) -> Result<(Arc<Session>, Json), ErrorText> {
        let asked = params
            .string("protocolVersion")
            .ok_or_else(|| ErrorText::invalid_params("params.protocolVersion must be a string"))?;
        let revision = Revision::parse(&asked).filter(|revision| revision.has_sessions());
        let revision = revision.unwrap_or(Revision::LATEST_WITH_SESSIONS);
        let capabilities = params.object("capabilities").unwrap_or_else(RawObject::empty);
        let choice =
            self.strategies.choose(opening.address.as_deref(), &Offer::read(&capabilities), revision.era());
        let client = params.object("clientInfo").and_then(|info| info.string("name")).unwrap_or_default();
        let id = new_id().map_err(|error| {
            ErrorText::new(
                code::INTERNAL_ERROR,
                format_args!("internal error: no randomness for a session id: {error}"),
            )
        })?;
        tracing::info!(session = %id, client, %revision, strategy = %choice.name, reason = %choice.reason, "session opened");
        let page = self.catalogue.current().page(&opening.principal, &choice);
        let result = initialize_result(revision, &self.advertised(&page, &choice));
        let session = Arc::new(Session::new(id, choice, opening));
        self.sessions
            .add(Arc::clone(&session))
            .map_err(|full: Full| ErrorText::new(code::UPSTREAM_FAILED, full))?;
        Ok((session, result))
    }

    fn advertised(&self, page: &Page, choice: &Choice) -> Advertised {
        let any =
            |capability: &str| self.upstreams.iter().any(|upstream| upstream.introduction().has(capability));
        let subscribe = self.upstreams.iter().any(|upstream| {
            let resources = upstream.introduction().capabilities.object("resources");
            resources.is_some_and(|resources| resources.member("subscribe") == Some("true"))
        });
        Advertised {
            server_info: self.server_info.clone(),
            resources: page.has_resources() || any("resources"),
            subscribe,
            prompts: page.has_prompts() || any("prompts"),
            completions: any("completions"),
            logging: any("logging"),
            offered: self.strategies.offered(),
            selected: choice.name.to_string(),
            instructions: page.instructions.clone(),
            depends_on_client: choice.depends_on_client,
        }
    }

    fn set_level(&self, caller: &Caller, params: &RawObject) -> Result<Json, ErrorText> {
        let level = params.string("level").and_then(|level| level.parse::<Severity>().ok());
        let level =
            level.ok_or_else(|| ErrorText::invalid_params("params.level must be a log level of RFC 5424"))?;
        if let Some(session) = &caller.session {
            session.set_log_level(level);
        }
        self.relay_log_level();
        Ok(Json::empty_object())
    }

    async fn listen(
        &self,
        caller: &Caller,
        page: &Page,
        id: &Id,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let filter = params.member("notifications").unwrap_or("{}");
        let filter: Filter = serde_json::from_str(filter)
            .map_err(|error| ErrorText::invalid_params(format_args!("params.notifications: {error}")))?;
        // A client that goes while this waits lets go of what was held so far.
        let mut held = self.subscriptions.release_on_drop();
        for uri in filter.resources() {
            if self.hold(page, uri).await.is_ok() {
                held.add(uri);
            }
        }
        let filter = filter.keeping(|uri| held.has(uri));
        let registration = self.listeners.open(id, filter, caller.outlet.clone());
        self.shutdown.cancelled().await;
        Ok(registration.farewell().into())
    }

    pub(super) fn carry_out(&self, caller: &Caller, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Delivered { tool, digest } => {
                    if let Some(session) = &caller.session {
                        session.marks.mark(tool, digest);
                    }
                }
                Effect::ListsChanged(kinds) => {
                    if let Some(session) = &caller.session {
                        super::news::list_changed(&kinds).iter().for_each(|news| session.outbox.tell(news));
                    }
                }
                other => tracing::error!(?other, "an effect is not known to this server"),
            }
        }
    }
}

fn panicked(method: &str) -> ErrorText {
    tracing::error!(method, "answering panicked");
    ErrorText::new(code::INTERNAL_ERROR, "internal error: answering this request panicked")
}

/// Lists are sent whole, so no cursor was ever given out.
fn listed(page: &Page, kind: Kind, params: &RawObject) -> Result<Json, ErrorText> {
    if params.member("cursor").is_some() {
        return Err(ErrorText::invalid_params(
            "params.cursor is not one of ours: lists are sent in one page",
        ));
    }
    Ok(page.list(kind))
}
