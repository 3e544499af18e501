//! Request handling: one request in, one result out.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures::FutureExt;
use mcp_disclosure_core::{Kind, Principal, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, Request, Response, code, printable::Short};
use tokio::time::Instant;
use tracing::{Instrument, Span, field::Empty};

use super::{
    Answer, Caller, Gateway, RequestContext, Watch,
    allowance::Allowance,
    calls::{LIMIT_REACHED, looked_for, meant, read_call},
    common::{panicked, unfinished},
    context::Made,
    lists::{list_manifest, listed},
    method::Method,
    variants::of_page,
};
use crate::{
    catalogue::Page,
    dialect::{RequestMeta, era_error},
    observe::{Outcome, Who},
    session::{BeginError, Location, Place, Ticket, store::StoreError},
};

/// How often a request is decided at most, each time [at once](AT_ONCE) after another. Each further time, something changed while it
/// waited.
const MOST_DECISIONS: usize = 5;
/// What is decided again later than this has run meanwhile, as the result of a task does.
const AT_ONCE: Duration = Duration::from_secs(60);

impl Gateway {
    /// Handles a request and queues its response. `place` is its reservation, which ends with it.
    pub(crate) async fn serve(
        self: Arc<Self>,
        caller: Caller,
        ticket: Option<Ticket>,
        request: Request,
        place: Place,
    ) {
        // Pinned: moved into the branches, it would take its size once more in each.
        let outcome = {
            let handling = pin!(self.handle(&caller, &request));
            match ticket {
                Some(ticket) => ticket.run(handling).await,
                None => Some(handling.await),
            }
        };
        let session = caller.session.as_ref();
        let outcome = match outcome {
            None if session.is_some_and(|session| session.in_flight.has_ended()) => {
                Some(Err(ErrorText::new(code::INVALID_REQUEST, BeginError::Ended)))
            }
            // A cancelled request has no response.
            outcome => outcome,
        };
        if let Some(outcome) = outcome {
            caller.outlet.answer(&Response::new(request.id, outcome)).await;
        }
        drop(place);
    }

    /// Handles a request. A panic becomes an internal error.
    pub async fn handle(&self, caller: &Caller, request: &Request) -> Answer {
        let varied = self.varied(caller, request);
        let (caller, request) = match &varied {
            Ok(Some((caller, request))) => (caller, request),
            _ => (caller, request),
        };
        let refused = varied.as_ref().err().cloned();
        self.observed(caller, request, refused).instrument(span(&caller.who(), &caller.label, request)).await
    }

    /// Answers a request, with this error if there is one.
    async fn observed(&self, caller: &Caller, request: &Request, refused: Option<ErrorText>) -> Answer {
        let watch = Watch::begin(&self.common.observer, caller.who(), &caller.label, request);
        let answering = async {
            if let Some(error) = refused {
                watch.decides(Outcome::Invalid);
                return Err(error);
            }
            let answered = tokio::select! {
                biased;
                answered = self.answer(caller, request, &watch) => Some(answered),
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

    /// A call in a session that could not be read has no caller, and is observed all the same.
    pub(crate) fn unreached(&self, principal: &Principal, session: &str, at: &Location, request: &Request) {
        let label = Short(session).to_string();
        let strategy = at.strategy.as_deref().unwrap_or_default();
        let who = Who { principal: principal.id(), session: Some(&label), strategy, client: "" };
        span(&who, &label, request).in_scope(|| {
            let watch = Watch::begin(&self.common.observer, who, &label, request);
            if let Ok(call) = read_call(&request.params) {
                watch.names(&call.name);
                watch.takes(call.arguments.as_ref());
            }
            watch.settle(&Err(StoreError::Unreachable.into()));
        });
    }

    async fn answer(&self, caller: &Caller, request: &Request, watch: &Watch<'_>) -> Answer {
        let method = request.method.parse::<Method>().ok().filter(|method| method.is_of(caller.era()));
        // Calls are counted where they pass, but refusing one is work as well. Pings tell a client that this server is there.
        match method {
            Some(Method::Ping) => {}
            Some(method) if method.is_call() => {
                Allowance::attempt(&caller.allowances).inspect_err(|_| watch.refuses(LIMIT_REACHED))?;
            }
            _ => Allowance::request(&caller.allowances)?,
        }
        self.offer_sessions(caller, method == Some(Method::Discover))?;
        let (mut now, mut decisions, mut since) = (None::<Box<Caller>>, 1, caller.arrived);
        loop {
            let caller = now.as_deref().unwrap_or(caller);
            let begun = Instant::now();
            let page = self.page(caller, method, &request.params, watch).await;
            let named = of_page(&request.method, &page, &request.params);
            let cx = RequestContext {
                common: &self.common,
                caller,
                page: &page,
                request,
                method,
                params: named.as_ref().unwrap_or(&request.params),
                since,
                watch,
                has_begun: false,
                made: Made::default(),
            };
            let answered = self.decided(&cx).await;
            if !cx.is_outdated() || decisions == MOST_DECISIONS {
                return answered;
            }
            tracing::debug!(
                method = request.method,
                "decided again, since something changed before it was sent"
            );
            watch.begins_again();
            let readmitted = Box::new(Box::pin(self.readmitted(caller)).await?);
            decisions += 1;
            if begun.elapsed() >= AT_ONCE {
                (decisions, since) = (1, Instant::now());
            }
            now = Some(readmitted);
        }
    }

    /// The page that a request is decided with: once what it asks for is listed, as far as that can be waited for.
    async fn page(
        &self,
        caller: &Caller,
        method: Option<Method>,
        params: &RawObject,
        watch: &Watch<'_>,
    ) -> Arc<Page> {
        // Looked at first: what is settled then is in the page.
        let (is_settled, mut page) = (caller.backend.is_settled(), caller.page());
        // Before all upstreams are waited for: that of the called tool is enough.
        if method.is_some_and(Method::is_call) && looked_for(caller, &page, params, watch).await {
            page = caller.page();
        }
        if !is_settled && method.is_none_or(|method| needs_all(method, &page, params)) {
            caller.backend.settled().await;
            page = caller.page();
        }
        if method != Some(Method::Ping) && self.calls.followed(caller, &page).await {
            page = caller.page();
        }
        page
    }

    /// Decides on a request and answers it, unless what it is decided with changes before anything is sent.
    async fn decided(&self, cx: &RequestContext<'_>) -> Answer {
        cx.still_permitted()?;
        if cx.method.is_some()
            && self.calls.may_be_left(cx)
            && let Some(answered) = Box::pin(self.calls.left_to_upstream(cx)).await
        {
            return answered;
        }
        // Boxed but for calls: a future is as large as its largest branch, and is copied where it begins.
        match cx.method {
            Some(Method::ToolsList) => Box::pin(self.list_tools(cx)).await,
            // The client's list withholds something, or the operator offers none. The strategy may have either of its own.
            Some(Method::ToolsManifest | Method::ToolsDescribe) if !cx.page.has_manifest() => {
                Box::pin(self.calls.foreign(cx)).await
            }
            Some(Method::ToolsManifest) => list_manifest(cx),
            Some(Method::ToolsDescribe) => Box::pin(self.describe_tools(cx)).await,
            Some(Method::ToolsResolve) => Box::pin(self.calls.resolve(cx)).await,
            Some(Method::ResourcesList) => listed(cx, Kind::Resources),
            Some(Method::TemplatesList) => listed(cx, Kind::Templates),
            Some(Method::PromptsList) => listed(cx, Kind::Prompts),
            Some(Method::ToolsCall) => self.calls.call(cx).await,
            Some(Method::ResourcesRead) => Box::pin(self.calls.read(cx)).await,
            Some(Method::PromptsGet) => Box::pin(self.calls.prompt(cx)).await,
            Some(Method::Complete) => Box::pin(self.calls.completion(cx)).await,
            Some(Method::ResourcesSubscribe) => Box::pin(self.sessions.subscribe(cx)).await,
            Some(Method::ResourcesUnsubscribe) => Box::pin(self.sessions.unsubscribe(cx)).await,
            Some(Method::SetLevel) => Box::pin(self.sessions.set_level(cx)).await,
            Some(Method::Skills) => Box::pin(self.calls.of_skills(cx)).await,
            Some(Method::Tasks) => Box::pin(self.calls.of_tasks(cx)).await,
            Some(Method::Listen) => Box::pin(self.calls.listen(cx)).await,
            Some(Method::Discover) => {
                let declared = RequestMeta::declared(cx.params).unwrap_or_default();
                let is_gateway = self.common.admit_chain(&cx.backend, &declared)?;
                Ok(self.common.discovered(cx, cx.page, is_gateway))
            }
            Some(Method::Ping) => Ok(Json::empty_object()),
            None => Box::pin(self.calls.foreign(cx)).await,
        }
    }
}

/// Whether the response depends on upstreams that may not have listed anything yet: that of a list does, that of a
/// request for something that is not listed, and what a strategy answers by itself.
fn needs_all(method: Method, page: &Page, params: &RawObject) -> bool {
    let is_listed =
        |kind, member| params.string(member).is_some_and(|key| page.view.entry(kind, &key).is_some());
    match method {
        Method::Ping | Method::Discover | Method::SetLevel | Method::ResourcesUnsubscribe | Method::Tasks => {
            false
        }
        _ if method.is_call() => meant(page, params).is_none_or(|tool| page.view.tool(&tool).is_none()),
        Method::PromptsGet => !is_listed(Kind::Prompts, "name"),
        Method::ResourcesRead | Method::ResourcesSubscribe => !is_listed(Kind::Resources, "uri"),
        Method::Listen => params
            .object("notifications")
            .is_some_and(|wanted| wanted.member("resourceSubscriptions").is_some()),
        _ => true,
    }
}

/// The span of a request.
fn span(who: &Who<'_>, session: &str, request: &Request) -> Span {
    // Of the highest level, so that each line that is logged has it.
    tracing::error_span!(
        "request",
        request = request.id.as_str(),
        method = request.method,
        session,
        principal = who.principal,
        strategy = who.strategy,
        upstream = Empty,
    )
}
