//! What a request is decided with. What is sent to an upstream is sent by a decision that holds: whoever waited asks here before it
//! sends. Where something changed, nothing is sent, and the request is decided again (`requests`).

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use mcp_disclosure_core::{Effects, Kind, RawObject};
use mcp_disclosure_transport::{ErrorText, Request, code};
use tokio::time::Instant;

use super::{Caller, Common, Watch, method::Method};
use crate::{
    backend::Backend,
    catalogue::Page,
    session::ReplyRoute,
    slot::{Lost, Slot},
    upstream::{Owner, Reports, Upstream, UpstreamCall},
};

/// A request, and what it is decided with: its caller's permissions, and a page of the catalogue.
#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(super) common: &'a Common,
    pub(super) caller: &'a Caller,
    pub(super) page: &'a Arc<Page>,
    /// As the client sent it.
    pub(super) request: &'a Request,
    /// Its method, if it is one of MCP that its era has.
    pub(super) method: Option<Method>,
    /// Its parameters, with the names by which clients know what a page calls otherwise.
    pub(super) params: &'a RawObject,
    /// Since when it waits for upstreams, however often it is decided.
    pub(super) since: Instant,
    pub(super) watch: &'a Watch<'a>,
    /// Whether the decision is carried out already, and not made again.
    pub(super) has_begun: bool,
    pub(super) made: Made,
}

/// What a decision on a request came to so far.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// Whether it did not hold when it was to be carried out.
    is_outdated: AtomicBool,
    /// What the strategy asks for.
    pub(super) effects: Effects,
    /// How many fetches were admitted.
    pub(super) admitted: AtomicU32,
}

impl Deref for RequestContext<'_> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        self.caller
    }
}

impl<'a> RequestContext<'a> {
    /// The same request, decided with another page.
    pub(super) fn of<'b>(&'b self, caller: &'b Caller, page: &'b Arc<Page>) -> RequestContext<'b>
    where
        'a: 'b,
    {
        RequestContext { caller, page, made: Made::default(), ..*self }
    }

    /// The same request, for what follows from it: that is not decided again.
    pub(super) fn begun(&self) -> RequestContext<'_> {
        RequestContext { has_begun: true, made: Made::default(), ..*self }
    }

    /// Whether the decision did not hold when it was to be carried out.
    pub(super) fn is_outdated(&self) -> bool {
        self.made.is_outdated.load(Ordering::Relaxed)
    }

    /// Checks that this is so still, unless the decision is carried out already.
    fn holds(&self, is_so: impl FnOnce() -> bool) -> Result<(), ErrorText> {
        if self.has_begun || is_so() {
            return Ok(());
        }
        self.made.is_outdated.store(true, Ordering::Relaxed);
        let message = "what this client may use changes too often to answer; send the request again";
        Err(ErrorText::new(code::UPSTREAM_FAILED, message))
    }

    /// Checks that the decision holds: neither the catalogue nor what callers are permitted has changed since.
    ///
    /// # Errors
    /// -32000; then the request is decided again, and the error reaches no client.
    pub(super) fn still_holds(&self) -> Result<(), ErrorText> {
        self.holds(|| self.page.view.is_of(self.backend.catalogue().current().snapshot()))?;
        self.still_permitted()
    }

    /// Checks that what callers are permitted has not changed since, for a request that its upstream knows already.
    ///
    /// # Errors
    /// As of [`still_holds`](Self::still_holds).
    pub(super) fn still_permitted(&self) -> Result<(), ErrorText> {
        self.holds(|| self.common.last_change() == self.admitted_at)
    }

    /// The same for a request that is sent again, whose tool, prompt or resource may not have been hidden since either.
    ///
    /// # Errors
    /// As of [`still_holds`](Self::still_holds).
    pub(super) fn still_sees(&self, upstream: &str, request: &UpstreamCall) -> Result<(), ErrorText> {
        self.still_permitted()?;
        self.holds(|| {
            let view = self.view();
            let own = |key: &str| request.params.string(key).unwrap_or_default();
            match &*request.method {
                "tools/call" => view.tool_of(upstream, &own("name")).is_some(),
                "prompts/get" => view
                    .entries(Kind::Prompts)
                    .any(|entry| **entry.upstream() == *upstream && *entry.upstream_key() == *own("name")),
                "resources/read" => !view.refuses_resource(&own("uri"))(upstream),
                _ => true,
            }
        })
    }

    /// The upstream of a slot for what was decided, as of [`Slot::connected`]: once what it lists is in the catalogue.
    ///
    /// # Errors
    /// Those of [`Slot::connected`], and of [`still_holds`](Self::still_holds).
    pub(super) async fn connected(
        &self,
        slot: &Slot,
        lost: Option<&Lost>,
        since: Instant,
    ) -> Result<Arc<Upstream>, ErrorText> {
        let upstream = slot.connected(lost, since).await?;
        if !self.has_begun {
            self.backend.takes_over(slot, &upstream).await;
        }
        self.still_holds()?;
        Ok(upstream)
    }

    /// Waits until a slot's upstream can be sent what was decided, in the same way.
    ///
    /// # Errors
    /// Those of [`connected`](Self::connected).
    pub(super) async fn ready(&self, slot: Arc<Slot>) -> Result<(), ErrorText> {
        self.connected(&slot, None, self.since).await.map(drop)
    }

    /// The backend whose upstreams the request may reach, once its caller's own were started, if it gets any.
    ///
    /// # Errors
    /// Those of [`Caller::reach`].
    pub(super) async fn reach(&self) -> Result<&'a Arc<Backend>, ErrorText> {
        self.caller.reach(&self.common.backends).await
    }

    /// A request to an upstream for the caller, with parameters in the form of its era, on which it hears what it asks for.
    pub(super) fn upstream_call(&self, method: impl Into<String>, params: RawObject) -> UpstreamCall {
        let session = self.session.as_ref().map(|session| Arc::clone(session.id()));
        let method = method.into();
        UpstreamCall {
            reports: Reports::of(&method, self.reply_route(), &params, false),
            method,
            params,
            owner: session.map_or(Owner::Request, Owner::Session),
            peer: Some(Arc::clone(self.peer.name())),
            mirrored: Vec::new(),
            trace: self.watch.trace.clone(),
        }
    }

    /// A route that nothing reaches the client by, once its request is answered.
    pub(super) fn ended_route(&self) -> ReplyRoute {
        ReplyRoute { outlet: self.outlet.ended(), log_level: None, ..self.reply_route() }
    }

    /// Where messages about this request are sent.
    pub(super) fn reply_route(&self) -> ReplyRoute {
        ReplyRoute { outlet: self.outlet.clone(), era: self.era(), rounds: None, log_level: self.log_level }
    }
}
