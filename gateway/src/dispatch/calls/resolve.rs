//! `tools/resolve` (SEP-1862): what a call with these arguments would be like.
//!
//! It takes the way of a call up to the upstream, so that nothing is resolved that could not be called, and the upstream
//! sees nothing that a call would not send; through a tool that calls others, it is the called one that is resolved. The effects that a
//! strategy asks for with a call are not carried out.

use mcp_disclosure_core::{Decision, RawObject, Refusal, Tool, given::shown, with_pages};
use mcp_disclosure_transport::ErrorText;

use super::{
    Answer, Calls,
    call::relayed,
    passage::{Passed, recorded, refused, rejected},
};
use crate::{dialect::complete, dispatch::RequestContext, error::upstream_failed, observe::Outcome};

/// The method.
const RESOLVE: &str = "tools/resolve";

impl Calls {
    /// Resolves a call at the upstream that would run it.
    ///
    /// # Errors
    /// -32602 if the call would be refused, or the tool does not support this; -32005 if the caller may not call now; the
    /// upstream's error.
    pub(crate) async fn resolve(&self, cx: &RequestContext<'_>) -> Answer {
        let (received, call) = self.read_call(cx)?;
        let (name, given) = (call.name.clone(), call.clone());
        let unsupported = || {
            ErrorText::invalid_params(format_args!(
                "{} does not support {RESOLVE}: it is as it is listed",
                shown(&name)
            ))
        };
        let call = match self.decide(cx, call).await {
            Ok(Decision::Forward(call)) => call,
            Ok(Decision::Refuse(refusal)) => {
                refused(cx, &given, refusal.code);
                return Err(refusal_of(&name, &refusal));
            }
            Ok(_) => {
                cx.watch.decides(Outcome::Invalid);
                return Err(unsupported());
            }
            Err(fault) => return Err(rejected(cx, &given, fault)),
        };
        drop(given);
        let passed = self.pass(cx, call, received)?;
        let Passed { tool, arguments, slot } = passed.map_err(|refusal| refusal_of(&name, &refusal))?;
        if !(slot.says("tools", "resolve") && tool.tool().definition().member("resolve") == Some("true")) {
            cx.watch.decides(Outcome::Invalid);
            return Err(unsupported());
        }
        recorded(cx).await?;
        let request = relayed(cx.params, tool.tool(), arguments.as_ref(), None);
        drop(arguments);
        let relayed = self.relay(cx, &slot, cx.upstream_call(RESOLVE, request)).await?;
        let result = relayed.object(&cx.page.view)?;
        let upstream = tool.tool().upstream();
        let resolved = result.object("tool").ok_or_else(|| {
            upstream_failed(upstream, format_args!("sent an invalid result of {RESOLVE}: 'tool' is missing"))
        })?;
        let resolved =
            with_pages(&resolved, |uri| cx.page.view.served_uri(upstream, uri)).unwrap_or(resolved);
        let tool = refined(&tool.definition(), tool.tool(), &resolved);
        Ok(complete(cx.era(), result.with("tool", tool.text()).into()))
    }
}

/// The error for a call that would be refused.
fn refusal_of(name: &str, refusal: &Refusal) -> ErrorText {
    ErrorText::invalid_params(format_args!("{} would be refused: {}", shown(name), refusal.code))
        .with_data(&refusal.content)
}

/// A definition as it is served, with what the upstream says differently of this call than of the tool.
fn refined(served: &RawObject, tool: &Tool, resolved: &RawObject) -> RawObject {
    let original = tool.original();
    let news = resolved.iter().filter(|(key, value)| *key != "name" && original.member(key) != Some(*value));
    news.fold(served.clone(), |refined, (key, value)| refined.with(key, value))
}
