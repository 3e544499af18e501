//! Stand-ins: upstreams in this process that return the lists of others unchanged and run nothing. They answer each call with
//! one word; or the calls of a task as the task says, and wrong arguments with an error, as most servers do.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_disclosure_compare::{
    Reached,
    transcript::{Assignment, Call},
};
use mcp_disclosure_core::{RawObject, RawText, Schema, UpstreamLists, UpstreamName, Verdict};
use mcp_disclosure_gateway::{
    Revision,
    upstream::{Introduction, Responder, Target, Upstream, UpstreamConfig, UpstreamError},
};
use mcp_disclosure_transport::{ErrorText, Json, Request};
use serde_json::{Value, json};

/// What is behind the gateways on which a task is played.
pub(in crate::cli) struct Behind {
    /// The upstreams, or what stands in for them.
    pub(in crate::cli) upstreams: Vec<UpstreamConfig>,
    /// The number of calls that have reached them.
    pub(in crate::cli) reached: Reached,
}

/// What a stand-in knows of its upstream.
#[derive(Clone, Debug)]
pub(super) struct StandIn {
    introduction: Introduction,
    lists: UpstreamLists,
}

impl StandIn {
    /// A stand-in for this upstream, which receives list requests only.
    ///
    /// # Errors
    /// The first list that fails.
    pub(super) async fn of(upstream: &Upstream) -> Result<Self, UpstreamError> {
        Ok(Self { introduction: upstream.introduction().clone(), lists: upstream.lists(None, false).await? })
    }

    fn introduce(&self) -> RawObject {
        let Introduction { capabilities, server_info, instructions, .. } = &self.introduction;
        let result = RawObject::empty()
            .with_value("protocolVersion", &Revision::LATEST_WITH_SESSIONS.to_string())
            .with("capabilities", capabilities.text())
            .with("serverInfo", server_info.text());
        match instructions {
            Some(instructions) => result.with_value("instructions", instructions),
            None => result,
        }
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

/// These stand-ins as upstreams, which answer each call with one word.
pub(super) fn upstreams(stand_ins: &[StandIn]) -> Vec<UpstreamConfig> {
    configs(stand_ins, None)
}

/// These stand-ins as upstreams that answer the calls of a task as the task says.
pub(super) fn scripted(stand_ins: &[StandIn], task: &Assignment) -> Behind {
    let script = Arc::new(Script { calls: task.calls.clone(), reached: AtomicU64::new(0) });
    let upstreams = configs(stand_ins, Some(&script));
    Behind { upstreams, reached: Arc::new(move || script.reached.load(Ordering::Acquire)) }
}

fn configs(stand_ins: &[StandIn], script: Option<&Arc<Script>>) -> Vec<UpstreamConfig> {
    let config = |stand_in: &StandIn| {
        let actor = Actor { stand_in: stand_in.clone(), script: script.cloned() };
        UpstreamConfig::new(stand_in.lists.name.clone(), Target::Responder(Arc::new(actor)))
    };
    stand_ins.iter().map(config).collect()
}

/// The calls of a task, and the number of calls that have reached an upstream.
struct Script {
    calls: Vec<Call>,
    reached: AtomicU64,
}

impl Script {
    /// The answer to this call, if the script has one.
    fn answer(&self, upstream: &UpstreamName, tool: &str, arguments: &RawObject) -> Option<&Value> {
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
    stand_in: StandIn,
    script: Option<Arc<Script>>,
}

impl Actor {
    /// The result of a call: a text as it is, anything else as JSON, and an object as structured content too.
    fn call(&self, params: &RawObject) -> Value {
        let result = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": false});
        let Some(script) = &self.script else { return result("done") };
        script.reached.fetch_add(1, Ordering::AcqRel);
        let tool = params.string("name").unwrap_or_default();
        let arguments = params.object("arguments").unwrap_or_default();
        match script.answer(&self.stand_in.lists.name, &tool, &arguments) {
            Some(Value::String(text)) => return result(text),
            Some(answer) => {
                let mut result = result(&answer.to_string());
                if answer.is_object() {
                    result["structuredContent"] = answer.clone();
                }
                return result;
            }
            None => {}
        }
        match self.stand_in.objection(&tool, &arguments) {
            Some(problems) => {
                let text = format!("Invalid arguments for tool {tool}: {problems}");
                json!({"content": [{"type": "text", "text": text}], "isError": true})
            }
            None => result("done"),
        }
    }
}

impl Responder for Actor {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        let list =
            |member: &str, items: &[RawText]| Ok(Json::of(&RawObject::empty().with_value(member, items)));
        let lists = &self.stand_in.lists;
        match &*request.method {
            "initialize" => Ok(Json::of(&self.stand_in.introduce())),
            "tools/list" => list("tools", &lists.tools),
            "resources/list" => list("resources", &lists.resources),
            "resources/templates/list" => list("resourceTemplates", &lists.templates),
            "prompts/list" => list("prompts", &lists.prompts),
            "tools/call" => Ok(Json::of(&self.call(&request.params))),
            "resources/read" => Ok(Json::of(&json!({"contents": []}))),
            "ping" | "logging/setLevel" => Ok(Json::empty_object()),
            _ => Err(ErrorText::method_not_found()),
        }
    }
}
