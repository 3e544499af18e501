//! What a request does to its caller's session, before it is answered: what was delivered, and what the session has chosen, which
//! the upstreams that are its client's alone follow.

use std::sync::{Arc, atomic::Ordering};

use mcp_disclosure_core::Effect;
use mcp_disclosure_transport::ErrorText;

use super::Calls;
use crate::{
    catalogue::Page,
    dispatch::{Caller, RequestContext},
    session::store::Delta,
};

impl Calls {
    /// Carries out what a strategy asked for; counts the fetches that it admitted, and lets them be observed.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used: the answer depends on it, and is not sent.
    pub(super) async fn carry_out(&self, cx: &RequestContext<'_>) -> Result<(), ErrorText> {
        let (mut delta, mut noted, mut refused) = (Delta::default(), Vec::new(), None);
        let effects = cx.made.effects.take().into_iter();
        delta.extend(effects.inspect(|effect| match effect {
            Effect::Delivered { tool, .. } => self.apart.reads(cx, tool),
            Effect::CalledUnread { tool } => self.apart.calls_unread(cx, tool),
            Effect::Noted(note) if !noted.contains(note) => noted.push(*note),
            Effect::Refused(code) => _ = refused.get_or_insert(*code),
            Effect::Noted(_) | Effect::Remember { .. } | Effect::Native => {}
        }));
        for (strategy, _) in delta.notes.iter().filter(|_| cx.session.is_none()) {
            tracing::warn!("strategy '{strategy}' took a note that is lost, since its client has no session");
        }
        let admitted = cx.made.admitted.load(Ordering::Relaxed);
        let recording = async {
            match &cx.session {
                Some(session) if !delta.is_empty() => Box::pin(self.sessions.remember(session, delta)).await,
                _ => Ok(()),
            }
        };
        let (recorded, ()) = tokio::join!(recording, self.sessions.count_fetches(cx, admitted));
        recorded?;
        refused.iter().for_each(|code| self.common.observer.fetch_refused(&cx.who(), code));
        noted.into_iter().for_each(|note| self.common.observer.noted(&cx.who(), note));
        Ok(())
    }

    /// Lets upstreams follow what a caller's session has chosen; this is the page of the caller. Returns whether it chose anything
    /// that some can follow: then pages may be outdated.
    pub(crate) async fn followed(&self, caller: &Caller, page: &Page) -> bool {
        let Some(session) = &caller.session else { return false };
        let memory = session.memory();
        if memory == caller.memory {
            return caller.backend.follow(&page.view).await;
        }
        // Another request has chosen meanwhile.
        let page = caller.backend.catalogue().current().page(&caller.principal, &caller.choice, &memory);
        caller.backend.follow(&page.view).await
    }

    /// The caller as its request left it, and what it sees now, if that changed its choices: upstreams may have followed.
    pub(super) async fn rechosen(&self, cx: &RequestContext<'_>) -> Option<(Caller, Arc<Page>)> {
        let session = cx.session.as_ref()?;
        if session.memory() == cx.memory || cx.backend.client().is_none() {
            return None;
        }
        let mut now = cx.caller.clone();
        now.memory = session.memory();
        // What else a strategy remembers is for the next request.
        let page = now.page();
        if page.view.choices() == cx.page.view.choices() {
            return None;
        }
        self.followed(&now, &page).await;
        let page = now.page();
        Some((now, page))
    }
}
