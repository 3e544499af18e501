//! Stand-ins: upstreams in this process that return the lists of others unchanged and run nothing. They answer the calls of a
//! task as the task says, others with one word, and wrong arguments with an error, as most servers do.

use std::sync::{Arc, atomic::Ordering};

use mcp_disclosure_compare::{
    Reached,
    transcript::{Assignment, Call},
};
use mcp_disclosure_core::{RawObject, RawText, Schema, UpstreamLists, Verdict};
use mcp_disclosure_gateway::{
    Revision,
    slot::Status,
    upstream::{Introduction, Responder, Target, UpstreamConfig},
};
use mcp_disclosure_transport::{ErrorText, Json, Request};
use serde_json::{Value, json};

/// What a stand-in knows of its upstream and of the task.
#[derive(Clone)]
pub(in crate::cli) struct StandIn {
    introduction: Arc<Introduction>,
    pub(super) lists: Arc<UpstreamLists>,
    /// The calls of the task.
    calls: Arc<[Call]>,
    /// The number of calls that have reached this one and the others.
    reached: Reached,
}

impl StandIn {
    /// A stand-in for an upstream of this status, if it has listed.
    pub(super) fn of(status: &Status) -> Option<Self> {
        let (introduction, lists) = (status.introduction.clone()?, status.offered().cloned()?);
        Some(Self { introduction, lists, calls: Arc::default(), reached: Reached::default() })
    }

    fn introduce(&self) -> RawObject {
        let Introduction { capabilities, server_info, instructions, .. } = &*self.introduction;
        let result = RawObject::empty()
            .with_value("protocolVersion", &Revision::LATEST_WITH_SESSIONS.to_string())
            .with("capabilities", capabilities.text())
            .with("serverInfo", server_info.text());
        instructions.iter().fold(result, |result, text| result.with_value("instructions", text))
    }

    /// The calls of the task are answered as the task says, others with one word, and wrong arguments with an error.
    fn answer(&self, tool: &str, arguments: &RawObject) -> Value {
        match self.meant(tool, arguments) {
            Some(Call { answer: Some(Value::String(text)), .. }) => result(text),
            Some(Call { answer: Some(answer), .. }) => {
                let mut result = result(&answer.to_string());
                if answer.is_object() {
                    result["structuredContent"] = answer.clone();
                }
                result
            }
            // What is made of a schema may not fit all of it.
            Some(_) => result(DONE),
            None => match self.objection(tool, arguments) {
                Some(problems) => {
                    let mut refusal = result(&format!("Invalid arguments for tool {tool}: {problems}"));
                    refusal["isError"] = true.into();
                    refusal
                }
                None => result(DONE),
            },
        }
    }

    /// The call of the task that this is.
    fn meant(&self, tool: &str, arguments: &RawObject) -> Option<&Call> {
        let given: Value = serde_json::from_str(arguments.text()).ok()?;
        let served = format!("{}__{tool}", self.lists.name);
        let is_meant = |call: &&Call| {
            let expected: Option<Value> = serde_json::from_str(call.arguments.text()).ok();
            (call.tool == tool || call.tool == served) && expected.as_ref() == Some(&given)
        };
        self.calls.iter().find(is_meant)
    }

    /// What is wrong with the arguments of a call, if anything is and can be found out.
    fn objection(&self, tool: &str, arguments: &RawObject) -> Option<String> {
        let mut definitions = self.lists.tools.iter().filter_map(|listed| RawObject::of(listed).ok());
        let definition = definitions.find(|listed| listed.string("name").as_deref() == Some(tool))?;
        let schema = Schema::compile(definition.member("inputSchema")?);
        let given = serde_json::from_str(arguments.text()).ok()?;
        let Verdict::DoesNotFit(problems) = schema.check(&given) else { return None };
        let each = problems.iter().map(|problem| {
            format!("'{}': given {}, expected {}", problem.argument, problem.given, problem.expected)
        });
        Some(each.collect::<Vec<_>>().join("; "))
    }
}

/// These stand-ins as upstreams, and the number of calls that have reached them.
pub(super) fn scripted(stand_ins: &[StandIn], task: &Assignment) -> (Vec<UpstreamConfig>, Reached) {
    let (calls, reached) = (Arc::<[Call]>::from(&*task.calls), Reached::default());
    let config = |stand_in: &StandIn| {
        let (calls, reached) = (Arc::clone(&calls), Arc::clone(&reached));
        let scripted = StandIn { calls, reached, ..stand_in.clone() };
        UpstreamConfig::new(stand_in.lists.name.clone(), Target::Responder(Arc::new(scripted)))
    };
    (stand_ins.iter().map(config).collect(), reached)
}

/// The one word.
const DONE: &str = "done";

/// A result that is a text.
fn result(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": false})
}

impl Responder for StandIn {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        let list =
            |member: &str, items: &[RawText]| Ok(Json::of(&RawObject::empty().with_value(member, items)));
        let lists = &self.lists;
        match &*request.method {
            "initialize" => Ok(Json::of(&self.introduce())),
            "tools/list" => list("tools", &lists.tools),
            "resources/list" => list("resources", &lists.resources),
            "resources/templates/list" => list("resourceTemplates", &lists.templates),
            "prompts/list" => list("prompts", &lists.prompts),
            "tools/call" => {
                self.reached.fetch_add(1, Ordering::AcqRel);
                let tool = request.params.string("name").unwrap_or_default();
                let arguments = request.params.object("arguments").unwrap_or_default();
                Ok(Json::of(&self.answer(&tool, &arguments)))
            }
            "resources/read" => Ok(Json::of(&json!({"contents": []}))),
            "ping" | "logging/setLevel" => Ok(Json::empty_object()),
            _ => Err(ErrorText::method_not_found()),
        }
    }
}
