//! Methods beyond MCP that the operator names (`pass`): they are passed on as they are, and observed as calls.
//!
//! The gateway cannot tell what such a method does, so it could not keep hidden tools out of its results: only callers who may use
//! everything may use it.

use mcp_disclosure_core::ToolName;
use mcp_disclosure_transport::{ErrorText, Json, Request, code};

use super::{
    Caller, Gateway, allowance::Allowance, method::is_of_mcp, passage::recorded, relay::UpstreamRequest,
};
use crate::{
    catalogue::Page,
    dialect::complete,
    observe::{Outcome, Watch},
};

impl Gateway {
    /// Passes a request on to the upstreams for which the operator names its method: to the first that knows it.
    ///
    /// # Errors
    /// -32601 if there is none, or the caller may not use everything; -32005 if it may not call now; the upstream's error.
    pub(super) async fn passed_on(
        &self,
        caller: &Caller,
        page: &Page,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Result<Json, ErrorText> {
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
            let _running = Allowance::call(&caller.allowances)?;
            recorded(watch).await?;
            let passed = UpstreamRequest::new(request.method.to_string(), request.params.clone());
            match self.relay(caller, slot, passed).await.map_err(|failed| failed.watched(watch)) {
                Ok(result) => return Ok(complete(caller.era(), result.shown(&page.view)?)),
                Err(error) if error.code() == code::METHOD_NOT_FOUND => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }
}
