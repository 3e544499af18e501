//! Methods beyond MCP: a strategy's own, and those that the operator names (`pass`), which are passed on as they are and observed as calls.
//!
//! The gateway cannot tell what a method that is passed on does, so it could not keep hidden tools out of its results: only callers who
//! may use everything may use it.

use mcp_disclosure_core::{Effects, Fault, RawObject, ToolName};
use mcp_disclosure_transport::{ErrorText, Request, code};

use super::{Answer, Calls, passage::recorded};
use crate::{
    beside::beside,
    catalogue::Page,
    dialect::complete,
    dispatch::{Caller, Watch, fetches::OfCaller, method::is_of_mcp},
    observe::Outcome,
};

impl Calls {
    /// A method that is not part of MCP, or not of this era. The strategy may support it.
    pub(crate) async fn foreign(
        &self,
        caller: &Caller,
        page: &Page,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Answer {
        let fetches = caller.services(&self.common.fetches);
        let asked = (&*request.method, &request.params);
        let (answer, effects) = self.asked(caller, page, asked, &fetches).await?;
        self.carry_out(caller, effects, &fetches).await?;
        let answer = match self.rechosen(caller, page).await {
            // What it says of choices is what they came to.
            Some(now) => self.asked(&now, &now.page(), asked, &fetches).await?.0,
            None => answer,
        };
        match answer {
            Some(result) => Ok(complete(caller.era(), result.into())),
            None => self.passed_on(caller, page, request, watch).await,
        }
    }

    /// The strategy's own answer to a request, and its effects.
    pub(super) async fn asked(
        &self,
        caller: &Caller,
        page: &Page,
        (method, params): (&str, &RawObject),
        fetches: &OfCaller<'_>,
    ) -> Result<(Option<RawObject>, Effects), Fault> {
        let effects = Effects::default();
        let cx = self.context(caller, &page.view, fetches, &effects);
        let answer = caller.choice.strategy.request(&cx, method, params);
        Ok((beside(params.text().len(), answer).await?, effects))
    }

    /// Passes a request on to the upstreams for which the operator names its method: to the first that knows it.
    ///
    /// # Errors
    /// -32601 if there is none, or the caller may not use everything; -32005 if it may not call now; the upstream's error.
    async fn passed_on(
        &self,
        caller: &Caller,
        page: &Page,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Answer {
        let slots = caller.backend.slots();
        let passes = |method: &String| **method == *request.method && !is_of_mcp(method);
        let named = slots.iter().filter(|slot| slot.configured().config().settings.pass.iter().any(passes));
        let mut refused = ErrorText::method_not_found();
        for slot in named {
            let (Some(name), Ok(method)) = (slot.name(), ToolName::parse(&request.method)) else { continue };
            watch.passes(name, &method);
            if !caller.principal.permits().see_all() {
                watch.decides(Outcome::NotPermitted);
                return Err(ErrorText::method_not_found());
            }
            let _running = watch.starts(&caller.allowances)?;
            recorded(watch).await?;
            let passed = caller.upstream_call(&*request.method, request.params.clone());
            match self.relay(caller, slot, passed).await.map_err(|failed| failed.watched(watch)) {
                Ok(result) => return Ok(complete(caller.era(), result.shown_anywhere(&page.view)?)),
                Err(error) if error.code() == code::METHOD_NOT_FOUND => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }
}
