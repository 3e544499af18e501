//! Requests that may change what a strategy knows of a client, such as choices: what a session has chosen is followed by the upstreams that
//! are its client's alone before anything is answered.

use std::sync::Arc;

use mcp_disclosure_core::{Effects, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, Request};

use super::{Caller, Gateway, beside::beside, fetches::OfCaller};
use crate::{catalogue::Page, dialect::complete, observe::Watch};

impl Gateway {
    /// A method that is not part of MCP, or not of this era. The strategy may support it.
    pub(super) async fn foreign(
        self: &Arc<Self>,
        caller: &Caller,
        page: &Page,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Result<Json, ErrorText> {
        let fetches = self.fetches.of(&caller.fetcher, caller.peer.name(), &caller.allowances);
        let (answer, effects) = self.asked(caller, page, request, &fetches).await?;
        self.carry_out(caller, effects, &fetches).await?;
        let answer = match self.rechosen(caller).await {
            // What it says of choices is what they came to.
            Some(now) => self.asked(&now, &now.page(), request, &fetches).await?.0,
            None => answer,
        };
        match answer {
            Some(result) => Ok(complete(caller.era(), result.into())),
            None => self.passed_on(caller, page, request, watch).await,
        }
    }

    /// The strategy's own answer to a request, and its effects.
    async fn asked(
        &self,
        caller: &Caller,
        page: &Page,
        request: &Request,
        fetches: &OfCaller<'_>,
    ) -> Result<(Option<RawObject>, Effects), ErrorText> {
        let effects = Effects::default();
        let cx = caller.context(self, &page.view, fetches, &effects);
        let answer = beside(request.params.text().len(), async {
            caller.choice.strategy.request(&cx, &request.method, &request.params).await
        });
        Ok((answer.await?, effects))
    }

    /// Lets upstreams follow what a caller's session has chosen. Returns whether any can, so that earlier pages may be outdated.
    pub(super) async fn followed(&self, caller: &Caller) -> bool {
        let Some(session) = caller.session.as_ref().filter(|_| caller.backend.client().is_some()) else {
            return false;
        };
        let current = caller.backend.catalogue().current();
        let page = current.page(&caller.principal, &caller.choice, &session.memory());
        caller.backend.follow(&page.view).await;
        true
    }

    /// The caller as its request left it, where upstreams had to follow a change.
    pub(super) async fn rechosen(&self, caller: &Caller) -> Option<Caller> {
        let session = caller.session.as_ref()?;
        let is_changed = session.memory() != caller.memory;
        let followed = is_changed && self.followed(caller).await;
        followed.then(|| {
            let mut now = caller.clone();
            (now.memory, now.choice) = (session.memory(), session.choice());
            now
        })
    }
}
