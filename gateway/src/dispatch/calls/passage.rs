//! What every request for a tool passes before it is sent to the tool's upstream: the view, whether the tool is available, the
//! check of the arguments, and the caller's allowances. All of it is watched.

use std::sync::Arc;

use mcp_disclosure_core::{Fault, RawText, Refusal, ToolCall, ToolName, VisibleTool, given, inner_call};
use mcp_disclosure_transport::{ErrorText, beside::aside, code};

use super::{Calls, call::length, unlisted};
use crate::{catalogue::Page, dispatch::RequestContext, negotiation::Choice, observe::Outcome, slot::Slot};

/// The code by which tools that call others refuse names that no tool has.
const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";

/// The code by which calls over a limit are observed.
pub(crate) const LIMIT_REACHED: &str = "LIMIT_REACHED";

/// A call that may be sent.
pub(super) struct Passed<'p> {
    pub(super) tool: VisibleTool<'p>,
    /// As they were received, or repaired.
    pub(super) arguments: Option<RawText>,
    pub(super) slot: Arc<Slot>,
}

impl Calls {
    /// The call that a client makes, as it is meant ([`Schema::read`](mcp_disclosure_core::Schema::read)): of a tool whose schema
    /// its list withholds. Whatever decides on the call, permits or records it sees this one.
    pub(super) fn meant(&self, cx: &RequestContext<'_>, call: ToolCall) -> ToolCall {
        let Some(tool) = cx.page.view.tool(&call.name).filter(|tool| !cx.page.shows_schema(*tool)) else {
            return call;
        };
        let Some(given) = call.arguments.as_ref() else { return call };
        let meant = aside(length(&call), || self.checks.meant(tool, given.get()));
        ToolCall { arguments: meant.or(call.arguments), ..call }
    }

    /// Lets a call pass that the strategy decided to forward, of the one that the client made of `given`. A refusal, if its arguments are wrong, or the tool is not available.
    ///
    /// # Errors
    /// -32602 if the caller has no such tool; -32005 if it may not call now.
    pub(super) fn pass<'p>(
        &self,
        cx: &RequestContext<'p>,
        call: ToolCall,
        given: ToolCall,
    ) -> Result<Result<Passed<'p>, Refusal>, ErrorText> {
        let by = (call.name != given.name).then_some(&given.name);
        let call = if by.is_some() { self.meant(cx, call) } else { call };
        cx.watch.takes(call.arguments.as_ref());
        let Some(tool) = cx.page.view.tool(&call.name) else {
            cx.watch.decides(missing(cx.page, &call.name));
            cx.watch.names(&call.name);
            return Err(unlisted::unknown(cx, &call.name));
        };
        cx.watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
        if !tool.tool().is_callable() {
            let refusal = Refusal::unavailable();
            cx.watch.refuses(refusal.code);
            return Ok(Err(refusal));
        }
        let checked = (!cx.page.shows_schema(tool)).then(|| self.checks.apply(tool.tool(), &call));
        let arguments = match checked {
            None => call.arguments,
            Some(Ok(checked)) => {
                cx.watch.checks(checked.is_judged);
                checked.repaired.or(call.arguments)
            }
            Some(Err(problems)) => {
                let Choice { strategy, traits, .. } = &cx.choice;
                let lesson = strategy.how_to_learn(&cx.page.view, traits, &call.name);
                let arguments = given.arguments.as_ref().map_or("{}", RawText::get);
                let right = aside(arguments.len(), || self.checks.right_call(tool, arguments, by));
                let refusal =
                    Refusal::wrong_arguments(&call.name, &problems, lesson.as_deref(), right.as_deref());
                cx.watch.refuses(refusal.code);
                return Ok(Err(refusal));
            }
        };
        cx.watch.takes(arguments.as_ref());
        cx.watch.starts(&cx.allowances).inspect_err(|_| cx.watch.refuses(LIMIT_REACHED))?;
        let slot = cx.backend.slot(tool.tool().upstream())?;
        Ok(Ok(Passed { tool, arguments, slot }))
    }
}

/// Waits for the record of a call that is about to be sent, where there must be one.
pub(super) async fn recorded(cx: &RequestContext<'_>) -> Result<(), ErrorText> {
    let Some(recording) = cx.watch.forwards() else { return Ok(()) };
    recording.await.map_err(|reason| {
        cx.watch.decides(Outcome::Unrecorded);
        ErrorText::new(code::INTERNAL_ERROR, reason)
    })
}

/// Observes that the strategy refused a call.
pub(super) fn refused(cx: &RequestContext<'_>, call: &ToolCall, code: &'static str) {
    let unknown = aside(length(call), || name_inner(cx, call));
    match unknown.filter(|_| code == UNKNOWN_TOOL) {
        Some(name) => cx.watch.decides(missing(cx.page, &name)),
        None => cx.watch.refuses(code),
    }
}

/// Observes that the strategy rejects a call, and returns the error for the client.
pub(super) fn rejected(cx: &RequestContext<'_>, call: &ToolCall, fault: Fault) -> ErrorText {
    let is_own = cx.page.own_tools.iter().any(|own| **own == *call.name);
    let exists = is_own || cx.page.view.tool(&call.name).is_some();
    cx.watch.decides(if exists { Outcome::Invalid } else { missing(cx.page, &call.name) });
    fault.into()
}

/// Of a call within a call that is not forwarded, the inner tool is observed. Returns its name if the caller has no such tool.
pub(super) fn name_inner(cx: &RequestContext<'_>, call: &ToolCall) -> Option<ToolName> {
    if let Some(tool) = cx.page.view.tool(&call.name) {
        cx.watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
        return None;
    }
    let members = inner_call::members(call).ok()?;
    let members = inner_call::named(&cx.page.view, &members).unwrap_or(members);
    let inner = ToolName::parse(given::beginning(&given::string(members.member("tool")?)?)).ok()?;
    match cx.page.view.tool(&inner) {
        Some(tool) => {
            cx.watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
            None
        }
        None => {
            cx.watch.names(&inner);
            Some(inner)
        }
    }
}

/// What became of a call of a name that the caller sees no tool by.
fn missing(page: &Page, name: &str) -> Outcome {
    if page.view.withholds(name) { Outcome::NotPermitted } else { Outcome::Unknown }
}
