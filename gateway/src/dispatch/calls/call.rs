//! `tools/call`: the strategy's decision, and the request to the upstream.

use std::sync::Arc;

use mcp_disclosure_core::{
    Decision, Era, Fault, Mirrored, RawObject, RawText, Refusal, Tool, ToolAnswer, ToolCall, ToolName,
    delivered::DESCRIPTION_REQUIRED,
};
use mcp_disclosure_transport::{ErrorText, Json, Request, beside::beside};
use serde_json::json;

use super::{
    Answer, Calls,
    passage::{LIMIT_REACHED, Passed, name_inner, recorded, refused, rejected},
};
use crate::{
    dialect::complete,
    dispatch::{Caller, RequestContext, common::text_of, variants::is_by_page},
    observe::Outcome,
    upstream::{Reports, UpstreamCall},
};

impl Calls {
    /// The arguments that a call must repeat in headers, and whether the caller was given the schema that
    /// says so.
    pub(crate) fn mirrored(&self, caller: &Caller, request: &Request) -> (Vec<Mirrored>, bool) {
        // Most catalogues have no such arguments, and need no page here.
        let mirrors = || caller.backend.catalogue().current().snapshot().mirrors_arguments();
        let is_call = request.method == "tools/call" && mirrors();
        let called = is_call.then(|| request.params.string("name")).flatten();
        let Some(name) = called else { return (Vec::new(), false) };
        // A strategy that panics does so again, where the request is answered.
        let Ok(page) = caller.guarded_page(&request.method) else { return (Vec::new(), false) };
        let Some(tool) = page.view.tool(&name) else { return (Vec::new(), false) };
        (tool.tool().mirrored().to_vec(), page.shows_schema(tool))
    }

    /// Lets the strategy decide on a call, and carries out the decision.
    pub(crate) async fn call(&self, cx: &RequestContext<'_>) -> Answer {
        let (received, call) = self.read_call(cx)?;
        // A tool of the gateway's own counts, whatever is called within it.
        if cx.page.own_tools.iter().any(|own| **own == *call.name) {
            cx.watch.starts(&cx.allowances).inspect_err(|_| refused(cx, &call, LIMIT_REACHED))?;
        }
        // Moved below, and of a call that is not forwarded needed all the same.
        let given = call.clone();
        let decided = self.decide(cx, call).await;
        let decision = decided.map_err(|fault| rejected(cx, &given, fault))?;
        let carried_out = self.carry_out(cx).await;
        carried_out.inspect_err(|_| drop(name_inner(cx, &given)))?;
        match decision {
            // A page reads no descriptions: its author did.
            Decision::Refuse(refusal)
                if refusal.code == DESCRIPTION_REQUIRED && is_by_page(cx, &given.name) =>
            {
                self.forward(cx, given, received).await
            }
            Decision::Forward(call) => {
                drop(given);
                self.forward(cx, call, received).await
            }
            Decision::Answer(answer) => {
                cx.watch.decides(Outcome::Answered);
                // What it says of choices is what they came to.
                let again = match Box::pin(self.rechosen(cx)).await {
                    Some((caller, page)) => self.decide(&cx.of(&caller, &page), given).await.ok(),
                    None => None,
                };
                match again {
                    Some(Decision::Answer(again)) => Ok(answered(cx.era(), &again)),
                    _ => Ok(answered(cx.era(), &answer)),
                }
            }
            Decision::Refuse(refusal) => {
                refused(cx, &given, refusal.code);
                Ok(refusal_of(cx.era(), refusal))
            }
        }
    }

    /// A call as it was received, and as it is meant.
    pub(super) fn read_call(&self, cx: &RequestContext<'_>) -> Result<(ToolCall, ToolCall), ErrorText> {
        let received = read_call(cx.params).inspect_err(|_| cx.watch.decides(Outcome::Invalid))?;
        let call = self.meant(cx, received.clone());
        cx.watch.names(&call.name);
        cx.watch.takes(call.arguments.as_ref());
        Ok((received, call))
    }

    /// The strategy's decision on a call.
    pub(super) async fn decide(&self, cx: &RequestContext<'_>, call: ToolCall) -> Result<Decision, Fault> {
        let context = self.context(cx);
        beside(length(&call), cx.choice.strategy.before_call(&context, call)).await
    }

    async fn forward(&self, cx: &RequestContext<'_>, call: ToolCall, given: ToolCall) -> Answer {
        let Passed { tool, arguments, slot } = match self.pass(cx, call, given)? {
            Ok(passed) => passed,
            Err(refusal) => return Ok(refusal_of(cx.era(), refusal)),
        };
        let as_task = self.as_task(cx, tool, &slot);
        let as_task = as_task.inspect_err(|_| cx.watch.decides(Outcome::Invalid))?;
        recorded(cx).await?;
        self.apart.calls(cx, tool.tool().key());
        let mirrored = Mirrored::headers(tool.tool().mirrored(), arguments.as_ref().map(RawText::get));
        let relayed = relayed(cx.params, tool.tool(), arguments.as_ref(), as_task.member(cx.params));
        // Arguments may be as large as a message, and the upstream may be slow: they are freed before
        // waiting.
        drop(arguments);
        let request = cx.upstream_call("tools/call", as_task.declared(relayed));
        let mut request = UpstreamCall { mirrored, ..request };
        if as_task.is_possible() {
            request.reports = Reports::of("tools/call", cx.reply_route(), cx.params, true);
        }
        let reports = Arc::clone(&request.reports);
        let answered = self.relay(cx, &slot, request).await?;
        let begun = self.begun(cx, as_task, reports, tool.tool(), &slot, answered);
        Ok(complete(cx.era(), begun.await?))
    }
}

/// The length of a call's arguments, in bytes.
pub(super) fn length(call: &ToolCall) -> usize {
    call.arguments.as_ref().map_or(0, |arguments| arguments.get().len())
}

/// The call's parameters as sent to the upstream: with the upstream's name for the tool, these arguments, and this `task`.
pub(super) fn relayed(
    params: &RawObject,
    tool: &Tool,
    arguments: Option<&RawText>,
    task: Option<&str>,
) -> RawObject {
    // Arguments may be as large as a message: they are copied at most once.
    let same_arguments = match (params.member("arguments"), arguments) {
        (None, None) => true,
        (Some(given), Some(arguments)) => std::ptr::eq(given, arguments.get()),
        _ => false,
    };
    let same_name = params.decoded("name").is_some_and(|name| name == **tool.upstream_name());
    if same_arguments && same_name && params.member("task") == task {
        return params.clone();
    }
    let name = Json::of(tool.upstream_name());
    let rest = params.iter().filter(|(key, _)| !matches!(*key, "task" | "arguments"));
    let rest = rest.map(|(key, value)| (key, if key == "name" { name.as_str() } else { value }));
    let given = [("task", task), ("arguments", arguments.map(RawText::get))];
    RawObject::assemble(rest.chain(given.into_iter().filter_map(|(key, value)| Some((key, value?)))))
}

pub(crate) fn read_call(params: &RawObject) -> Result<ToolCall, ErrorText> {
    let name = text_of(params, "name")?;
    let name = ToolName::parse(&name).map_err(ErrorText::invalid_params)?;
    Ok(ToolCall { name, arguments: params.share("arguments") })
}

/// A refusal as a tool result.
fn refusal_of(era: Era, refusal: Refusal) -> Json {
    answered(era, &ToolAnswer { content: refusal.content, is_error: true })
}

/// The gateway's own answer as a `CallToolResult`: a text, or structured content and the same as text.
fn answered(era: Era, answer: &ToolAnswer) -> Json {
    let content = Json::of(&answer.content);
    let text = answer.content.as_str();
    let shown = json!([{"type": "text", "text": text.unwrap_or(content.as_str())}]);
    let mut result = RawObject::empty().with_value("content", &shown);
    if text.is_none() {
        result = result.with("structuredContent", content.as_str());
    }
    complete(era, result.with_value("isError", &answer.is_error).into())
}
