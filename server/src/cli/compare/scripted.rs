//! Upstreams that answer the calls of a task as the task says, and any others as most servers would: wrong arguments
//! with an error, and the rest like a stand-in.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::Builder,
    time::{Duration, Instant},
};

use mcp_disclosure_compare::transcript::{Assignment, Call};
use mcp_disclosure_core::{
    RawObject,
    arguments::{BoundedSchema, CheckLimits, STACK_BYTES},
};
use mcp_disclosure_gateway::upstream::{Responder, Target, UpstreamConfig};
use mcp_disclosure_transport::{ErrorText, Id, Json, Request};
use serde_json::{Value, json};

/// The time that checking the arguments of one call may take.
const CHECK: Duration = Duration::from_millis(100);

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
                let actor = Actor { script: Arc::clone(self), name, stand_in: Arc::clone(stand_in) };
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
    /// Answers everything else, and knows the definitions.
    stand_in: Arc<dyn Responder>,
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
        match self.schema(&tool).and_then(|schema| objection(&schema, &arguments)) {
            Some(problems) => {
                let text = format!("Invalid arguments for tool {tool}: {problems}");
                Ok(Json::of(&json!({"content": [{"type": "text", "text": text}], "isError": true})))
            }
            None => self.stand_in.respond(request),
        }
    }
}

impl Actor {
    /// The schema of a tool, as the upstream lists it.
    fn schema(&self, tool: &str) -> Option<String> {
        let list = Request { id: Id::number(0), method: "tools/list".to_owned(), params: RawObject::empty() };
        let listed = RawObject::parse(self.stand_in.respond(&list).ok()?.as_str()).ok()?;
        let tools: Vec<RawObject> = serde_json::from_str(listed.member("tools")?).ok()?;
        let tool = tools.into_iter().find(|listed| listed.string("name").as_deref() == Some(tool))?;
        tool.member("inputSchema").map(str::to_owned)
    }
}

/// What is wrong with arguments, if anything is and can be found out.
fn objection(schema: &str, arguments: &RawObject) -> Option<String> {
    let (schema, arguments) = (schema.to_owned(), arguments.text().to_owned());
    let check = move || {
        let schema = BoundedSchema::compile(&schema, CheckLimits::default()).ok()?;
        let begun = Instant::now();
        let arguments = serde_json::from_str(&arguments).ok()?;
        schema.check(&arguments, &|| begun.elapsed() > CHECK).ok()
    };
    let problems = Builder::new().stack_size(STACK_BYTES).spawn(check).ok()?.join().ok()??;
    let each = problems.iter().map(|problem| {
        format!("'{}': given {}, expected {}", problem.argument, problem.given, problem.expected)
    });
    (!problems.is_empty()).then(|| each.collect::<Vec<_>>().join("; "))
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
