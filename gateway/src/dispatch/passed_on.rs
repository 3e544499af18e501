//! Methods beyond MCP that the operator names (`pass`): they are passed on as they are, and observed as calls.
//!
//! What they do is known to nobody here, so nothing of what is hidden can be left out of them: who may not use everything may not use
//! them.

use mcp_disclosure_core::ToolName;
use mcp_disclosure_transport::{ErrorText, Json, Request, code};

use super::{
    Caller, Gateway, allowance::Allowance, links, passage::recorded, relay::UpstreamRequest,
    requests::is_of_mcp,
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
        let unknown = || ErrorText::method_not_found(&request.method);
        let slots = caller.backend.slots();
        let passes = |method: &String| **method == *request.method && !is_of_mcp(method);
        let named = slots.iter().filter(|slot| slot.configured().config().settings.pass.iter().any(passes));
        let mut refused = unknown();
        for slot in named {
            let (Some(name), Ok(method)) = (slot.name(), ToolName::parse(&request.method)) else { continue };
            watch.passes(name, &method);
            if !caller.principal.permits().see_all() {
                watch.decides(Outcome::NotPermitted);
                return Err(unknown());
            }
            let _running = Allowance::call(&caller.allowances)?;
            recorded(watch).await?;
            let passed = UpstreamRequest::new(request.method.to_string(), request.params.clone());
            match self.relay(caller, slot, passed).await.map_err(|failed| failed.watched(watch)) {
                Ok(result) => return Ok(complete(caller.era(), links::shown(&page.view, name, result)?)),
                Err(error) if error.code() == code::METHOD_NOT_FOUND => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }
}
