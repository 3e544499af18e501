//! Request handling: one request in, one result out.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use futures::FutureExt;
use mcp_disclosure_core::{Kind, Lifecycle, Permits, RawObject, SKILLS, digest::random_id};
use mcp_disclosure_transport::{ErrorText, Json, LoggingLevel, Request, code, printable::Short};
use tracing::Instrument;

use super::{
    Caller, Gateway, allowance::Allowance, method::Method, pages::of_page, passage::LIMIT_REACHED, unlisted,
    unopened::Unopened,
};
use crate::{
    DRAFTS,
    backend::Backend,
    catalogue::Page,
    dialect::{Advertised, InitializeRequest, RequestMeta, discover_result, era_error},
    explain::Explanation,
    negotiation::Choice,
    observe::{Outcome, Watch, protected},
    session::{Full, Opening, Session, store::Delta},
};

impl Gateway {
    /// Handles a request. A panic becomes an internal error.
    pub async fn handle(self: &Arc<Self>, caller: &Caller, request: &Request) -> Result<Json, ErrorText> {
        let varied = self.varied(caller, request);
        let (caller, request) = match &varied {
            Ok(Some((caller, request))) => (caller, request),
            _ => (caller, request),
        };
        let refused = varied.as_ref().err().cloned();
        self.observed(caller, request, refused).instrument(caller.span(request)).await
    }

    /// Answers a request, with this error if there is one.
    async fn observed(
        self: &Arc<Self>,
        caller: &Caller,
        request: &Request,
        refused: Option<ErrorText>,
    ) -> Result<Json, ErrorText> {
        let mut watch = Watch::begin(self, caller, request);
        let traced = watch.trace().map(|trace| Box::new(caller.followed(trace)));
        let caller = traced.as_deref().unwrap_or(caller);
        let answering = async {
            if let Some(error) = refused {
                watch.decides(Outcome::Invalid);
                return Err(error);
            }
            let answered = tokio::select! {
                biased;
                answered = self.answer(caller, request, &mut watch) => Some(answered),
                () = self.drained.cancelled() => None,
            };
            answered.unwrap_or_else(|| {
                watch.decides(Outcome::Failed);
                Err(unfinished())
            })
        };
        let answered = AssertUnwindSafe(answering).catch_unwind().await;
        let answered = answered.unwrap_or_else(|_| {
            watch.decides(Outcome::Panicked);
            Err(panicked(&request.method))
        });
        watch.settle(&answered);
        if let Some(session) = &caller.session {
            session.touch();
        }
        answered.map_err(|error| era_error(caller.era(), error))
    }

    async fn answer(
        self: &Arc<Self>,
        caller: &Caller,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Result<Json, ErrorText> {
        let method = request.method.parse::<Method>().ok().filter(|method| method.is_of(caller.era()));
        // Calls are counted where they pass, but refusing one is work as well. Pings tell a client that this server is there.
        match method {
            Some(Method::Ping) => {}
            Some(Method::ToolsCall | Method::ToolsResolve) => {
                Allowance::attempt(&caller.allowances).inspect_err(|_| watch.refuses(LIMIT_REACHED))?;
            }
            _ => Allowance::request(&caller.allowances)?,
        }
        self.offer_sessions(caller, method == Some(Method::Discover))?;
        let params = &request.params;
        // Looked at first: what is settled then is in the page.
        let is_settled = caller.backend.is_settled();
        let mut page = caller.page();
        if !is_settled && method.is_none_or(|method| method.needs_all(&page, params)) {
            caller.backend.settled().await;
            page = caller.page();
        }
        if method != Some(Method::Ping) && self.followed(caller).await {
            page = caller.page();
        }
        if matches!(method, Some(Method::ToolsCall | Method::ToolsResolve)) {
            if unlisted::looked_for(caller, &page, params).await {
                page = caller.page();
            }
            if unlisted::relisted(caller, &page, params, watch).await? {
                page = caller.page();
            }
        }
        let of_era = method.is_some();
        if of_era && let Some(answered) = Box::pin(self.left_to_upstream(caller, &page, request, watch)).await
        {
            return answered;
        }
        let paged = of_page(&request.method, &page, params);
        let params = paged.as_ref().unwrap_or(params);
        // Boxed but for calls: a future is as large as its largest branch, and is copied where it is spawned.
        match method {
            Some(Method::ToolsList) => Box::pin(self.tools(caller, &page, params)).await,
            // The client's list withholds something, or the operator offers none. The strategy may have either of its own.
            Some(Method::ToolsManifest | Method::ToolsDescribe) if !page.has_manifest() => {
                Box::pin(self.foreign(caller, &page, request, watch)).await
            }
            Some(Method::ToolsManifest) => Box::pin(self.manifest(&page, params)).await,
            Some(Method::ToolsDescribe) => Box::pin(self.describe(caller, &page, params)).await,
            Some(Method::ToolsResolve) => Box::pin(self.resolve(caller, &page, params, watch)).await,
            Some(Method::ResourcesList) => self.listed(caller, &page, Kind::Resources, params),
            Some(Method::TemplatesList) => self.listed(caller, &page, Kind::Templates, params),
            Some(Method::PromptsList) => self.listed(caller, &page, Kind::Prompts, params),
            Some(Method::ToolsCall) => self.call(caller, &page, params, watch).await,
            Some(Method::ResourcesRead) => Box::pin(self.read(caller, &page, params)).await,
            Some(Method::PromptsGet) => Box::pin(self.prompt(caller, &page, params)).await,
            Some(Method::Complete) => Box::pin(self.completion(caller, &page, params)).await,
            Some(Method::ResourcesSubscribe) => Box::pin(self.subscribe(caller, &page, params)).await,
            Some(Method::ResourcesUnsubscribe) => Box::pin(self.unsubscribe(caller, params)).await,
            Some(Method::SetLevel) => Box::pin(self.set_level(caller, params)).await,
            Some(Method::Skills) => Box::pin(self.of_skills(caller, &page, request)).await,
            Some(Method::Tasks) => Box::pin(self.of_tasks(caller, &page, request)).await,
            Some(Method::Listen) => Box::pin(self.listen(caller, &page, &request.id, params)).await,
            Some(Method::Discover) => {
                let declared = RequestMeta::declared(params).unwrap_or_default();
                let is_gateway = self.admit(&caller.backend, &declared)?.is_some();
                let result = discover_result(&self.advertised(
                    &caller.backend,
                    &page,
                    &caller.choice,
                    caller.principal.permits(),
                ));
                Ok(self.led_on(&caller.backend, is_gateway, result))
            }
            Some(Method::Ping) => Ok(Json::empty_object()),
            None => Box::pin(self.foreign(caller, &page, request, watch)).await,
        }
    }

    /// Opens a session.
    ///
    /// # Errors
    /// -32602 for missing or invalid parameters; -32600 if the strategy rejects the address; -32005 if the peer holds too many resources; -32000 if there
    /// are too many sessions, or no upstream could be started for this one.
    pub async fn initialize(
        &self,
        params: &RawObject,
        mut opening: Opening,
    ) -> Result<(Arc<Session>, Json), ErrorText> {
        let initialize = InitializeRequest::read(params)?;
        Allowance::request(&self.allowances.of(&opening.principal, opening.peer.name()))?;
        let revision = initialize.revision;
        // Checked before upstreams are started for this client, which could lead back here.
        let declared = params.object("capabilities").unwrap_or_default();
        let chain = self.admit(self.backends.shared(), &declared)?;
        let is_gateway = chain.is_some();
        chain.into_iter().for_each(|chain| opening.client.came_through(chain));
        let chosen = initialize.offer.settings.member("concerns");
        chosen.into_iter().for_each(|chosen| opening.client.chose(chosen));
        let strategy = opening.address.location.strategy.as_deref();
        let choice =
            self.strategies.choose(strategy, opening.principal.permits(), &initialize.offer, revision.era());
        let choice = choice.in_revision(revision);
        let id = random_id().map_err(|error| {
            ErrorText::new(
                code::INTERNAL_ERROR,
                format_args!("internal error: no randomness for a session id: {error}"),
            )
        })?;
        // Checked first, so that no upstreams are started in vain.
        self.sessions.room().map_err(no_room)?;
        self.reach_store().await?;
        let place = opening.peer.session()?;
        let backend = self.backends.for_session(&id, &opening.client, &opening.peer).await?;
        let unopened = Unopened::new(self, &id);
        backend.recalled().await;
        tracing::info!(session = %Short(&id), principal = opening.principal.id(), client = initialize.client, %revision, strategy = %choice.name, reason = %choice.reason, "session opened");
        let (own, parameters) = (Arc::clone(&backend), std::mem::take(&mut opening.address.parameters));
        let opened = self.opening(&initialize, &opening, &choice);
        let session = Session::new(id, revision, choice, opening, own, place, &self.limits);
        let session = Arc::new(session.of_client(&initialize.client));
        self.arrive(&session, &parameters).await.inspect_err(|_| self.let_go(&session))?;
        if !initialize.offer.settings.is_empty() {
            let said = Lifecycle::Opened(&initialize.offer.settings);
            self.notify_strategy(&session, &said).inspect_err(|_| self.let_go(&session))?;
        }
        // What is not known yet is not declared to the client, so it need not be followed.
        if backend.is_settled() {
            let current = backend.catalogue().current();
            let page = || current.page(&session.principal(), &session.choice(), &session.memory());
            // Building the page calls the strategy, which may panic. It then does so below, too.
            if let Ok(page) = catch_unwind(AssertUnwindSafe(page)) {
                backend.follow(&page.view).await;
            }
        }
        let result = catch_unwind(AssertUnwindSafe(|| self.open_session(&initialize, &backend, &session)));
        let result = result.unwrap_or_else(|_| Err(panicked("initialize")));
        let result = result.inspect_err(|_| self.let_go(&session))?;
        self.publish(&session, opened).await.inspect_err(|_| {
            self.end_session(session.id());
        })?;
        let result = self.led_on(&backend, is_gateway, result);
        backend.audience().join(&session);
        protected(|| {
            self.observer.opened(&session.who(&Short(session.id()).to_string(), &session.principal()));
        });
        unopened.keep();
        Ok((session, result))
    }

    /// Processes the client's `initialize`, builds the result, and adds the session.
    fn open_session(
        &self,
        initialize: &InitializeRequest,
        backend: &Backend,
        session: &Arc<Session>,
    ) -> Result<Json, ErrorText> {
        let (choice, memory) = (&session.choice(), session.memory());
        let InitializeRequest { client, revision, offer, .. } = initialize;
        let page = backend.catalogue().current().page(&session.principal(), choice, &memory);
        let revision = *revision;
        self.explained.explain(|| {
            Explanation { client, revision, offer, choice, page: &page, memory: &memory }.to_string()
        });
        let result =
            initialize.answer(&self.advertised(backend, &page, choice, session.principal().permits()));
        self.sessions.add(Arc::clone(session)).map_err(no_room)?;
        Ok(result)
    }

    /// Ends a session; `false` if the id is unknown.
    pub fn end_session(&self, id: &str) -> bool {
        let Some(session) = self.sessions.end(id) else { return false };
        tracing::info!(session = %Short(id), "session ended");
        self.let_go(&session);
        true
    }

    /// Releases the resources of a session.
    pub(super) fn let_go(&self, session: &Session) {
        let backend = Arc::clone(session.backend());
        backend.audience().leave(session);
        backend.release_all(session);
        self.tasks.end_session(session.id());
        self.backends.end_session(session.id());
    }

    fn advertised(&self, backend: &Backend, page: &Page, choice: &Choice, permits: &Permits) -> Advertised {
        let reads_directories = |reads| if reads { r#"{"directoryRead":true}"# } else { "{}" };
        let skills = backend.skills().map(|reads| (SKILLS, reads_directories(reads)));
        let skills: Vec<_> = skills.into_iter().collect();
        Advertised {
            server_info: backend.server_info(),
            resources: page.has_resources() || backend.has("resources"),
            subscribe: backend.can_subscribe(),
            prompts: page.has_prompts() || backend.has("prompts"),
            completions: backend.has("completions"),
            logging: backend.has("logging"),
            tasks: backend.may_run_tasks(),
            offered: self.strategies.offered_to(permits),
            manifest: page.has_manifest(),
            resolve: DRAFTS && backend.resolves(),
            variants: choice.hints().map(|hints| self.strategies.variants(choice, permits, hints)),
            selected: page.selected.as_ref().map_or_else(|| choice.name.to_string(), |by| by.name.clone()),
            instructions: page.instructions.clone(),
            extensions: [self.strategies.extensions(choice, permits), skills].concat(),
            added: page.advertisement.clone(),
            depends_on_client: page.depends_on_client,
        }
    }

    async fn set_level(self: &Arc<Self>, caller: &Caller, params: &RawObject) -> Result<Json, ErrorText> {
        let level = params.string("level").and_then(|level| level.parse::<LoggingLevel>().ok());
        let level =
            level.ok_or_else(|| ErrorText::invalid_params("params.level must be a log level of RFC 5424"))?;
        if let Some(session) = &caller.session {
            self.record(session, Delta { log_level: Some(level), ..Delta::default() }).await?;
        }
        caller.backend.relay_log_level();
        Ok(Json::empty_object())
    }
}

/// The answer to what runs when the gateway ends.
pub(crate) fn unfinished() -> ErrorText {
    ErrorText::new(
        code::INTERNAL_ERROR,
        "the gateway is shutting down, and the request did not finish in time",
    )
}

pub(super) fn panicked(method: &str) -> ErrorText {
    tracing::error!(method, "request handler panicked");
    ErrorText::new(code::INTERNAL_ERROR, "internal error: answering this request panicked")
}

pub(super) fn no_room(full: Full) -> ErrorText {
    ErrorText::new(code::UPSTREAM_FAILED, full)
}
