//! `tools/call`: the one decision point, the check of arguments, and the way to the upstream.

use std::sync::Arc;

use mcp_disclosure_core::{
    ArgumentProblem, Decision, Era, Fault, RawObject, ToolAnswer, ToolCall, ToolName, VisibleTool,
};
use serde_json::{Value, json, value::RawValue};

use super::{Caller, Gateway};
use crate::{
    catalogue::Page,
    dialect::{RequestMeta, complete},
    session::Outlet,
    upstream::{CallError, Progress, Upstream},
    wire::{ErrorText, Json, Notification, code},
};

impl Gateway {
    /// Decides on a call and runs it.
    pub(super) async fn call(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let call = read_call(params)?;
        let fetches = self.fetches.of(&caller.label);
        let cx = caller.context(self, &page.view, &fetches);
        let asked = call.name.clone();
        let outcome = caller.choice.strategy.before_call(&cx, call).await;
        self.carry_out(caller, outcome.effects);
        match outcome.answer? {
            Decision::Forward(call) => self.forward(caller, page, call, params).await,
            Decision::Answer(answer) => Ok(answered(caller.era(), &answer)),
            Decision::Refuse(refusal) => {
                tracing::info!(session = %caller.label, tool = %asked, code = refusal.code, "call refused");
                let answer = ToolAnswer { content: refusal.content, is_error: true };
                Ok(answered(caller.era(), &answer))
            }
            other => {
                tracing::error!(?other, "a decision is not known to this server");
                Err(ErrorText::new(code::INTERNAL_ERROR, "internal error: unknown decision"))
            }
        }
    }

    async fn forward(
        &self,
        caller: &Caller,
        page: &Page,
        call: ToolCall,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let Some(tool) = page.view.tool(&call.name) else {
            tracing::info!(session = %caller.label, tool = %call.name, "unknown tool called");
            return Err(ErrorText::invalid_params(format_args!("Unknown tool: {}", call.name)));
        };
        let arguments = if caller.choice.strategy.profile().withholds_schemas {
            match repaired(tool, &call) {
                Ok(repaired) => repaired.or(call.arguments),
                Err(Misfit::Unreadable(fault)) => return Err(fault.into()),
                Err(Misfit::Wrong(problems)) => {
                    return Ok(answered(caller.era(), &wrong_arguments(&call.name, &problems)));
                }
            }
        } else {
            call.arguments
        };
        // Tasks are not offered, and who does not offer them runs the call as an ordinary one.
        let relayed = params.retain(|key| key != "task").with_value("name", tool.tool().upstream_name());
        let relayed = match &arguments {
            Some(arguments) => relayed.with("arguments", arguments.get()),
            None => relayed.retain(|key| key != "arguments"),
        };
        let upstream = self.upstream(tool.tool().upstream())?;
        let result = self.relay(caller, upstream, "tools/call", &relayed).await?;
        Ok(complete(caller.era(), result))
    }

    /// Sends a request on to an upstream and brings its result back.
    pub(super) async fn relay(
        &self,
        caller: &Caller,
        upstream: &Upstream,
        method: &str,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let params = match caller.era() {
            Era::Session => params.clone(),
            Era::Stateless => RequestMeta::strip(params),
        };
        let progress = relay_of(caller, &params);
        let result = upstream.connection().request(method, params, progress, upstream.patience()).await;
        result.map_err(|error| match error {
            CallError::Answered(error) => error,
            failed => {
                tracing::warn!(upstream = %upstream.name(), method, "{failed}");
                ErrorText::new(code::UPSTREAM_FAILED, format_args!("upstream '{}' {failed}", upstream.name()))
                    .with_data(&json!({"upstream": upstream.name().as_str()}))
            }
        })
    }

    /// The upstream of this name.
    pub(super) fn upstream(&self, name: &str) -> Result<&Upstream, ErrorText> {
        self.upstreams.iter().find(|upstream| **upstream.name() == *name).ok_or_else(|| {
            ErrorText::new(code::INTERNAL_ERROR, format_args!("internal error: no upstream '{name}'"))
        })
    }
}

fn read_call(params: &RawObject) -> Result<ToolCall, ErrorText> {
    let name =
        params.string("name").ok_or_else(|| ErrorText::invalid_params("params.name must be a string"))?;
    let name = ToolName::parse(&name).map_err(ErrorText::invalid_params)?;
    let arguments = params.member("arguments").map(|text| RawValue::from_string(text.to_owned()));
    let arguments = arguments.transpose().map_err(ErrorText::invalid_params)?;
    Ok(ToolCall { name, arguments })
}

/// Why arguments do not go to a tool.
enum Misfit {
    Unreadable(Fault),
    Wrong(Vec<ArgumentProblem>),
}

/// The arguments as the tool shall see them, where they differ from what came.
fn repaired(tool: VisibleTool<'_>, call: &ToolCall) -> Result<Option<Box<RawValue>>, Misfit> {
    let given = call.arguments().map_err(Misfit::Unreadable)?;
    let checked = tool.tool().argument_check().apply(given).map_err(Misfit::Wrong)?;
    let repaired = checked.repaired.then(|| serde_json::value::to_raw_value(&checked.arguments).ok());
    Ok(repaired.flatten())
}

fn wrong_arguments(tool: &ToolName, problems: &[ArgumentProblem]) -> ToolAnswer {
    let told: Vec<Value> = problems
        .iter()
        .map(|problem| {
            json!({"argument": problem.argument, "given": problem.given, "expected": problem.expected})
        })
        .collect();
    let content = json!({"error": {
        "code": "INVALID_ARGUMENTS",
        "message": format!("The arguments do not fit the inputSchema of tool '{tool}'. It did not run."),
        "problems": told,
    }});
    ToolAnswer { content, is_error: true }
}

/// An answer of our own as a `CallToolResult`: structured, and the same as text.
fn answered(era: Era, answer: &ToolAnswer) -> Json {
    let content = Json::of(&answer.content);
    let text = json!([{"type": "text", "text": content.as_str()}]);
    let result = RawObject::empty()
        .with_value("content", &text)
        .with("structuredContent", content.as_str())
        .with_value("isError", &answer.is_error);
    complete(era, result.into())
}

/// Relays progress under the client's own token, if the request asked for progress.
fn relay_of(caller: &Caller, params: &RawObject) -> Option<Arc<dyn Progress>> {
    let token = params.object("_meta")?.member("progressToken")?.to_owned();
    Some(Arc::new(Relay { token, outlet: caller.outlet.clone() }))
}

#[derive(Debug)]
struct Relay {
    token: String,
    outlet: Outlet,
}

impl Progress for Relay {
    fn report(&self, params: &RawObject) {
        let params = params.with("progressToken", &self.token);
        self.outlet.tell(&Notification::new("notifications/progress", params));
    }
}
