//! What every request for a tool passes before it is sent to the tool's upstream: the view, whether the tool is available, the
//! check of the arguments, and the caller's allowances. All of it is watched.

use std::sync::Arc;

use mcp_disclosure_core::{Fault, RawText, Refusal, ToolCall, ToolName, VisibleTool, given, inner_call};
use mcp_disclosure_transport::{ErrorText, code};

use super::{Calls, call::length, unlisted};
use crate::{
    beside::aside,
    catalogue::Page,
    dispatch::{Caller, Watch, allowance::Running},
    negotiation::Choice,
    observe::Outcome,
    slot::Slot,
};

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
    /// It counts as running until this is dropped.
    pub(super) running: Running,
}

impl Calls {
    /// The call that a client makes, as it is meant ([`Schema::read`](mcp_disclosure_core::Schema::read)): of a tool whose schema
    /// its list withholds. Whatever decides on the call, permits or records it sees this one.
    pub(super) fn meant(&self, page: &Page, call: ToolCall) -> ToolCall {
        let Some(tool) = page.view.tool(&call.name).filter(|tool| !page.shows_schema(*tool)) else {
            return call;
        };
        let Some(given) = call.arguments.as_ref() else { return call };
        let meant = aside(length(&call), || self.checks.meant(tool, given.get()));
        ToolCall { arguments: meant.or(call.arguments), ..call }
    }

    /// Lets a call pass that the strategy decided to forward, of the one that the client made of `given`. It counts as one, unless it
    /// was `counted` before. A refusal, if its arguments are wrong, or the tool is not available.
    ///
    /// # Errors
    /// -32602 if the caller has no such tool; -32005 if it may not call now.
    pub(super) fn pass<'p>(
        &self,
        caller: &Caller,
        page: &'p Page,
        call: ToolCall,
        given: ToolCall,
        counted: Option<Running>,
        watch: &mut Watch<'_>,
    ) -> Result<Result<Passed<'p>, Refusal>, ErrorText> {
        let by = (call.name != given.name).then_some(&given.name);
        let call = if by.is_some() { self.meant(page, call) } else { call };
        watch.takes(call.arguments.as_ref());
        let Some(tool) = page.view.tool(&call.name) else {
            watch.decides(missing(page, &call.name));
            watch.names(&call.name);
            return Err(unlisted::unknown(caller, &call.name));
        };
        watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
        if !tool.tool().is_callable() {
            let refusal = Refusal::unavailable();
            watch.refuses(refusal.code);
            return Ok(Err(refusal));
        }
        let checked = (!page.shows_schema(tool)).then(|| self.checks.apply(tool.tool(), &call));
        let arguments = match checked {
            None => call.arguments,
            Some(Ok(checked)) => {
                watch.checks(checked.is_judged);
                checked.repaired.or(call.arguments)
            }
            Some(Err(problems)) => {
                let Choice { strategy, traits, .. } = &caller.choice;
                let lesson = strategy.how_to_learn(&page.view, traits, &call.name);
                let arguments = given.arguments.as_ref().map_or("{}", RawText::get);
                let right = self.checks.right_call(tool, arguments, by);
                let refusal =
                    Refusal::wrong_arguments(&call.name, &problems, lesson.as_deref(), right.as_deref());
                watch.refuses(refusal.code);
                return Ok(Err(refusal));
            }
        };
        watch.takes(arguments.as_ref());
        let count = || watch.starts(&caller.allowances);
        let running = counted.map_or_else(count, Ok).inspect_err(|_| watch.refuses(LIMIT_REACHED))?;
        let slot = caller.backend.slot(tool.tool().upstream())?;
        Ok(Ok(Passed { tool, arguments, slot, running }))
    }
}

/// Waits for the record of a call that is about to be sent, where there must be one.
pub(super) async fn recorded(watch: &mut Watch<'_>) -> Result<(), ErrorText> {
    let Some(recording) = watch.forwards() else { return Ok(()) };
    recording.await.map_err(|reason| {
        watch.decides(Outcome::Unrecorded);
        ErrorText::new(code::INTERNAL_ERROR, reason)
    })
}

/// Observes that the strategy refused a call.
pub(super) fn refused(page: &Page, call: &ToolCall, code: &'static str, watch: &mut Watch<'_>) {
    let unknown = aside(length(call), || name_inner(page, call, watch));
    match unknown.filter(|_| code == UNKNOWN_TOOL) {
        Some(name) => watch.decides(missing(page, &name)),
        None => watch.refuses(code),
    }
}

/// Observes that the strategy rejects a call, and returns the error for the client.
pub(super) fn rejected(page: &Page, call: &ToolCall, fault: Fault, watch: &mut Watch<'_>) -> ErrorText {
    let is_own = page.own_tools.iter().any(|own| **own == *call.name);
    let exists = is_own || page.view.tool(&call.name).is_some();
    watch.decides(if exists { Outcome::Invalid } else { missing(page, &call.name) });
    fault.into()
}

/// Observes that a call is not answered, since its session could not be changed by it. Returns the error for the client.
pub(super) fn unkept(page: &Page, call: &ToolCall, error: ErrorText, watch: &mut Watch<'_>) -> ErrorText {
    name_inner(page, call, watch);
    let is_of_store = error.code() == code::STORE_UNAVAILABLE;
    watch.decides(if is_of_store { Outcome::Unavailable } else { Outcome::Invalid });
    error
}

/// Of a refused call within a call, the inner tool is observed. Returns its name if the caller has no such tool.
fn name_inner(page: &Page, call: &ToolCall, watch: &mut Watch<'_>) -> Option<ToolName> {
    if let Some(tool) = page.view.tool(&call.name) {
        watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
        return None;
    }
    let members = inner_call::members(call).ok()?;
    let members = inner_call::named(&page.view, &members).unwrap_or(members);
    let inner = ToolName::parse(given::beginning(&given::string(members.member("tool")?)?)).ok()?;
    match page.view.tool(&inner) {
        Some(tool) => {
            watch.finds(tool.tool().upstream(), tool.tool().upstream_name());
            None
        }
        None => {
            watch.names(&inner);
            Some(inner)
        }
    }
}

/// What became of a call of a name that the caller sees no tool by.
fn missing(page: &Page, name: &str) -> Outcome {
    if page.view.withholds(name) { Outcome::NotPermitted } else { Outcome::Unknown }
}
