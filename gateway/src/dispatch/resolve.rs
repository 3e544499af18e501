//! `tools/resolve` (SEP-1862): what a call with these arguments would be like.
//!
//! It takes the way of a call up to the upstream, so that nothing is resolved that could not be called; through a tool
//! that calls others, it is the called one that is resolved. Nothing happens on the way: what a strategy wants to do for
//! a call is not done.

use mcp_disclosure_core::{Decision, Effects, RawObject, Tool};
use mcp_disclosure_transport::{ErrorText, Json, code};

use super::{
    Caller, Gateway,
    call::{read_call, relayed},
    relay::UpstreamRequest,
};
use crate::{catalogue::Page, dialect::complete};

/// The method.
const RESOLVE: &str = "tools/resolve";

impl Gateway {
    /// Resolves a call at the upstream that would run it.
    ///
    /// # Errors
    /// -32602 if the call would be refused, or the tool does not support this; the upstream's error.
    pub(super) async fn resolve(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let call = read_call(params)?;
        let name = call.name.clone();
        let unsupported = || {
            ErrorText::invalid_params(format_args!(
                "{name} does not support {RESOLVE}: it is as it is listed"
            ))
        };
        let (fetches, effects) = (self.fetches.of(&caller.fetcher), Effects::default());
        let cx = caller.context(self, &page.view, &fetches, &effects);
        let call = match caller.choice.strategy.before_call(&cx, call).await? {
            Decision::Forward(call) => call,
            Decision::Refuse(refusal) => {
                return Err(ErrorText::invalid_params(format_args!(
                    "{name} would be refused: {}",
                    refusal.code
                ))
                .with_data(&refusal.content));
            }
            _ => return Err(unsupported()),
        };
        let Some(tool) = page.view.tool(&call.name) else {
            return Err(ErrorText::invalid_params(format_args!("Unknown tool: {}", call.name)));
        };
        let slot = caller.backend.slot(tool.tool().upstream())?;
        if !(slot.resolves() && tool.tool().definition().member("resolve") == Some("true")) {
            return Err(unsupported());
        }
        let request = relayed(params, tool.tool(), call.arguments.as_ref());
        let result = self.relay(caller, &slot, UpstreamRequest::new(RESOLVE, request)).await?;
        let result = RawObject::parse(result.as_str()).ok();
        let resolved = result.as_ref().and_then(|result| result.object("tool"));
        let (Some(result), Some(resolved)) = (result, resolved) else {
            let message = format_args!("the result of {RESOLVE} is invalid: 'tool' is missing");
            return Err(ErrorText::new(code::UPSTREAM_FAILED, message));
        };
        let tool = refined(&tool.definition(), tool.tool(), &resolved);
        Ok(complete(caller.era(), result.with("tool", tool.text()).into()))
    }
}

/// A definition as it is served, with what the upstream says differently of this call than of the tool.
fn refined(served: &RawObject, tool: &Tool, resolved: &RawObject) -> RawObject {
    let original = tool.original();
    let news = resolved.iter().filter(|(key, value)| *key != "name" && original.member(key) != Some(*value));
    news.fold(served.clone(), |refined, (key, value)| refined.with(key, value))
}
