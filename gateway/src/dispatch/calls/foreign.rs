//! Methods beyond MCP: a strategy's own, and those that the operator names (`pass`), which are passed on as they are and observed as calls.
//!
//! The gateway cannot tell what a method that is passed on does, so it could not keep hidden tools out of its results: only callers who
//! may use everything may use it.

use mcp_disclosure_core::{Fault, RawObject, ToolName};
use mcp_disclosure_transport::{ErrorText, beside::beside, code};

use super::{Answer, Calls, passage::recorded};
use crate::{
    dialect::complete,
    dispatch::{RequestContext, method::Method},
    observe::Outcome,
};

impl Calls {
    /// A method that is not part of MCP, or not of this era. The strategy may support it.
    pub(crate) async fn foreign(&self, cx: &RequestContext<'_>) -> Answer {
        let answer = self.asked(cx).await?;
        self.carry_out(cx).await?;
        let answer = match self.rechosen(cx).await {
            // What it says of choices is what they came to.
            Some((caller, page)) => self.asked(&cx.of(&caller, &page)).await?,
            None => answer,
        };
        match answer {
            Some(result) => Ok(complete(cx.era(), result.into())),
            None => self.passed_on(cx).await,
        }
    }

    /// The strategy's own answer to a request.
    pub(super) async fn asked(&self, cx: &RequestContext<'_>) -> Result<Option<RawObject>, Fault> {
        let context = self.context(cx);
        let answer = cx.choice.strategy.request(&context, &cx.request.method, cx.params);
        beside(cx.params.text().len(), answer).await
    }

    /// Passes a request on to the upstreams for which the operator names its method: to the first that knows it.
    ///
    /// # Errors
    /// -32601 if there is none, or the caller may not use everything; -32005 if it may not call now; the upstream's error.
    async fn passed_on(&self, cx: &RequestContext<'_>) -> Answer {
        let request = cx.request;
        let slots = cx.backend.slots();
        let passes = |method: &String| **method == *request.method && method.parse::<Method>().is_err();
        let named = slots.iter().filter(|slot| slot.configured.config.settings.pass.iter().any(passes));
        let mut refused = ErrorText::method_not_found();
        for slot in named {
            let (Some(name), Ok(method)) = (slot.name(), ToolName::parse(&request.method)) else { continue };
            cx.watch.passes(name, &method);
            if !cx.principal.permits().see_all() {
                cx.watch.decides(Outcome::NotPermitted);
                return Err(ErrorText::method_not_found());
            }
            cx.watch.starts(&cx.allowances)?;
            recorded(cx).await?;
            let passed = cx.upstream_call(&*request.method, request.params.clone());
            match self.relay(cx, slot, passed).await {
                Ok(result) => return Ok(complete(cx.era(), result.shown_anywhere(&cx.page.view)?)),
                Err(error) if error.code() == code::METHOD_NOT_FOUND => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }
}
