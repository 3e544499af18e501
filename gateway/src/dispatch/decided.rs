//! What a request is decided with. What is sent to an upstream is sent by a decision that holds: whoever waited asks here before it
//! sends. Where something changed, nothing is sent, and the request is decided again (`requests`).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use mcp_disclosure_core::Kind;
use mcp_disclosure_transport::{ErrorText, code};
use tokio::time::Instant;

use super::{Caller, Common};
use crate::{
    backend::Backend,
    catalogue::Page,
    slot::{Lost, Slot},
    upstream::{Upstream, UpstreamCall},
};

/// What a request is decided with.
#[derive(Debug)]
pub(super) struct Decided {
    common: Arc<Common>,
    backend: Arc<Backend>,
    page: Arc<Page>,
    /// The last change of permissions before its caller was admitted.
    admitted_at: u64,
    is_outdated: AtomicBool,
}

impl Decided {
    fn outdated(&self) -> ErrorText {
        self.is_outdated.store(true, Ordering::Relaxed);
        let message = "what this client may use changes too often to answer; send the request again";
        ErrorText::new(code::UPSTREAM_FAILED, message)
    }
}

impl Caller {
    /// Its request is decided with this page, by the permissions that it has.
    pub(super) fn decides_with(&self, common: &Arc<Common>, page: &Arc<Page>) {
        let _first = self.decided.set(Arc::new(Decided {
            common: Arc::clone(common),
            backend: Arc::clone(&self.backend),
            page: Arc::clone(page),
            admitted_at: self.admitted_at,
            is_outdated: AtomicBool::new(false),
        }));
    }

    /// Checks that the decision on its request holds: neither the catalogue nor what callers are permitted has changed since.
    ///
    /// # Errors
    /// -32000; then the request is decided again, and the error reaches no client.
    pub(super) fn still_holds(&self) -> Result<(), ErrorText> {
        let Some(decided) = self.decided.get() else { return Ok(()) };
        match decided.page.view.is_of(decided.backend.catalogue().current().snapshot()) {
            true => self.still_permitted(),
            false => Err(decided.outdated()),
        }
    }

    /// Checks that what callers are permitted has not changed since, for a request that its upstream knows already.
    ///
    /// # Errors
    /// As of [`still_holds`](Self::still_holds).
    pub(super) fn still_permitted(&self) -> Result<(), ErrorText> {
        let Some(decided) = self.decided.get() else { return Ok(()) };
        if decided.common.last_change() == decided.admitted_at { Ok(()) } else { Err(decided.outdated()) }
    }

    /// The same for a request that is sent again, whose tool, prompt or resource may not have been hidden since either.
    ///
    /// # Errors
    /// As of [`still_holds`](Self::still_holds).
    pub(super) fn still_sees(&self, upstream: &str, request: &UpstreamCall) -> Result<(), ErrorText> {
        self.still_permitted()?;
        let Some(decided) = self.decided.get() else { return Ok(()) };
        let view = decided.backend.catalogue().current().view(&self.principal, &self.choice);
        let own = |key: &str| request.params.string(key).unwrap_or_default();
        let is_seen = match &*request.method {
            "tools/call" => view.tool_of(upstream, &own("name")).is_some(),
            "prompts/get" => view
                .entries(Kind::Prompts)
                .any(|entry| **entry.upstream() == *upstream && *entry.upstream_key() == *own("name")),
            "resources/read" => !view.refuses_resource(&own("uri"))(upstream),
            _ => true,
        };
        if is_seen { Ok(()) } else { Err(decided.outdated()) }
    }

    /// Whether the decision on its request did not hold when it was to be carried out.
    pub(super) fn is_outdated(&self) -> bool {
        self.decided.get().is_some_and(|decided| decided.is_outdated.load(Ordering::Relaxed))
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
        if let Some(decided) = self.decided.get() {
            decided.backend.takes_over(slot, &upstream).await;
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
}
