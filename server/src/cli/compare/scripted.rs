//! Upstreams that answer the calls of a task as the task says, and any others as most servers would: wrong arguments
//! with an error, and the rest like a stand-in.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use mcp_disclosure_compare::transcript::{Assignment, Call};
use mcp_disclosure_core::{RawObject, Schema, Verdict};
use mcp_disclosure_gateway::upstream::{Responder, Target, UpstreamConfig};
use mcp_disclosure_transport::{ErrorText, Id, Json, Request};
use serde_json::{Value, json};

/// The script of all upstreams, and the number of calls that have reached them.
pub(super) struct Script {
    calls: Vec<Call>,
    reached: AtomicU64,
}

impl Script {
    /// The script of a task.
    pub(super) fn of(task: &Assignment) -> Arc<Self> {
        Arc::new(Self { calls: task.calls.clone(), reached: AtomicU64::new(0) })
    }

    /// The number of calls that have reached an upstream.
    pub(super) fn reached(self: &Arc<Self>) -> Arc<dyn Fn() -> u64 + Send + Sync> {
        let script = Arc::clone(self);
        Arc::new(move || script.reached.load(Ordering::Acquire))
    }

    /// These stand-ins, answering calls by this script. Other upstreams stay as they are.
    pub(super) fn given_to(self: &Arc<Self>, stand_ins: Vec<UpstreamConfig>) -> Vec<UpstreamConfig> {
        let scripted = |upstream: UpstreamConfig| match &upstream.target {
            Target::Responder(stand_in) => {
                let name = upstream.name.as_ref().map(ToString::to_string).unwrap_or_default();
                let (script, stand_in) = (Arc::clone(self), Arc::clone(stand_in));
                let actor = Actor { schemas: schemas(&*stand_in), script, name, stand_in };
                UpstreamConfig { target: Target::Responder(Arc::new(actor)), ..upstream }
            }
            _ => upstream,
        };
        stand_ins.into_iter().map(scripted).collect()
    }

    /// The answer to this call, if the script has one.
    fn answer(&self, upstream: &str, tool: &str, arguments: &RawObject) -> Option<&Value> {
        let given: Value = serde_json::from_str(arguments.text()).ok()?;
        let served = format!("{upstream}__{tool}");
        let is_meant = |call: &&Call| {
            let expected: Option<Value> = serde_json::from_str(call.arguments.text()).ok();
            (call.tool == tool || call.tool == served) && expected.as_ref() == Some(&given)
        };
        self.calls.iter().find(is_meant)?.answer.as_ref()
    }
}

/// One upstream.
struct Actor {
    script: Arc<Script>,
    name: String,
    /// Answers everything else.
    stand_in: Arc<dyn Responder>,
    /// The schema of each tool, as the upstream lists it.
    schemas: HashMap<String, String>,
}

impl Responder for Actor {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        if request.method != "tools/call" {
            return self.stand_in.respond(request);
        }
        self.script.reached.fetch_add(1, Ordering::AcqRel);
        let tool = request.params.string("name").unwrap_or_default();
        let arguments = request.params.object("arguments").unwrap_or_default();
        if let Some(answer) = self.script.answer(&self.name, &tool, &arguments) {
            return Ok(Json::of(&result(answer)));
        }
        match self.schemas.get(&tool).and_then(|schema| objection(schema, &arguments)) {
            Some(problems) => {
                let text = format!("Invalid arguments for tool {tool}: {problems}");
                Ok(Json::of(&json!({"content": [{"type": "text", "text": text}], "isError": true})))
            }
            None => self.stand_in.respond(request),
        }
    }
}

/// The schemas of the tools that a stand-in lists.
fn schemas(stand_in: &dyn Responder) -> HashMap<String, String> {
    let list = Request { id: Id::number(0), method: "tools/list".to_owned(), params: RawObject::empty() };
    let listed = stand_in.respond(&list).ok().and_then(|listed| RawObject::parse(listed.as_str()).ok());
    let tools = listed.and_then(|listed| serde_json::from_str(listed.member("tools")?).ok());
    let tools: Vec<RawObject> = tools.unwrap_or_default();
    let schema = |tool: &RawObject| Some((tool.string("name")?, tool.member("inputSchema")?.to_owned()));
    tools.iter().filter_map(schema).collect()
}

/// What is wrong with arguments, if anything is and can be found out.
fn objection(schema: &str, arguments: &RawObject) -> Option<String> {
    let given = serde_json::from_str(arguments.text()).ok()?;
    let Verdict::DoesNotFit(problems) = Schema::compile(schema).check(&given) else { return None };
    let each = problems.iter().map(|problem| {
        format!("'{}': given {}, expected {}", problem.argument, problem.given, problem.expected)
    });
    Some(each.collect::<Vec<_>>().join("; "))
}

/// The result of a call: a text as it is, anything else as JSON, and an object as structured content too.
fn result(answer: &Value) -> Value {
    match answer {
        Value::String(text) => json!({"content": [{"type": "text", "text": text}], "isError": false}),
        answer => {
            let text = answer.to_string();
            let mut result = json!({"content": [{"type": "text", "text": text}], "isError": false});
            if answer.is_object() {
                result["structuredContent"] = answer.clone();
            }
            result
        }
    }
}
