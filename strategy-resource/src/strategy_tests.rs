//! `resource` called directly, without a server (docs/CONTRACT.md R1 to R7, R10, R11, R14, R15).

use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use mcp_disclosure_core::{
    Effect, Effects, Era, Handles, Marks, Memory, Noted, PERMISSIVE_SCHEMA, Permits, Principal, ReceiptKey,
    Receipts, Refusal, Services, Snapshot, ToolName, Unlimited, UpstreamLists, UpstreamName,
};
use serde_json::{Value, json, value::to_raw_value};

use super::*;

fn view(count: usize, principal: &Principal) -> View {
    let mut lists = UpstreamLists::empty(UpstreamName::parse("u").unwrap());
    lists.tools = (0..count)
        .map(|at| {
            to_raw_value(&json!({
                "name": format!("tool_{at}"), "title": "T", "description": "Does it. Args: x",
                "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
                "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "_meta": {"k": 1}
            }))
            .unwrap()
            .into()
        })
        .collect();
    View::of(Arc::new(Snapshot::build(&[lists], &[])), principal)
}

fn resource() -> Resource {
    Resource::new(ResourceConfig::default())
}

fn cx<'a>(
    view: &'a View,
    client: &'a ClientTraits,
    receipts: Receipts<'a>,
    effects: &'a Effects,
) -> Context<'a> {
    let noted = Noted::new(&Memory::EMPTY, NAME);
    Context { view, client, noted, receipts, session: "test", services: &Unlimited, effects }
}

async fn read(cx: &Context<'_>, query: &str) -> (Value, Vec<Effect>) {
    let params = RawObject::empty().with_value("uri", &format!("{BASE_URI}{query}"));
    let effects = Effects::default();
    let answer = resource().request(&Context { effects: &effects, ..*cx }, READ, &params).await;
    let answer: Value = serde_json::from_str(answer.unwrap().unwrap().text()).unwrap();
    let text = answer["contents"][0]["text"].as_str().unwrap();
    (serde_json::from_str(text).unwrap(), effects.into_vec())
}

fn call(name: &str, arguments: &Value) -> ToolCall {
    let name = ToolName::parse(name).unwrap();
    ToolCall { name, arguments: Some(to_raw_value(arguments).unwrap().into()) }
}

/// Polls a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("a built-in strategy never waits"),
    }
}

#[test]
fn r1_r2_lists_are_minimal_and_name_one_resource() {
    let view = view(2, &Principal::anonymous());
    let listing = resource().list(&view, &ClientTraits::plain(Era::Session));
    assert_eq!(
        listing.tools[0].text(),
        format!(
            r#"{{"name":"tool_0","title":"T","description":"Does it. Args: x","inputSchema":{PERMISSIVE_SCHEMA},"annotations":{{"readOnlyHint":true}},"_meta":{{"k":1}}}}"#
        )
    );
    assert_eq!(listing.tools.len(), 2);
    assert_eq!(listing.resources.len(), 1);
    let description = listing.resources[0].string("description").unwrap();
    for needed in ["Step 1: PICK", "Step 2: FETCH", "Step 3: CALL", "?tools=tool_0", "CANNOT", "authorizes"] {
        assert!(description.contains(needed), "{needed}");
    }
    assert_eq!(listing.templates[0].string("uriTemplate").unwrap(), "resource:///tool_descriptions{?tools}");
}

#[test]
fn r4_r6_r7_requested_descriptions_are_delivered_and_authorized() {
    let view = view(3, &Principal::anonymous());
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let effects = Effects::default();
    let cx = cx(&view, &client, Receipts::Marks(&marks), &effects);
    let before = now(resource().before_call(&cx, call("tool_1", &json!({})))).unwrap();
    let Decision::Refuse(Refusal { content, .. }) = before else { panic!("{before:?}") };
    assert_eq!(content["error"]["resource_uri"], "resource:///tool_descriptions?tools=tool_1");
    assert!(content["error"].get("reason").is_none());

    let (answer, effects) = now(read(&cx, "?tools=nope,tool_1"));
    assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["nope", "tool_1"]);
    assert_eq!(answer["nope"]["error"], "Tool 'nope' not found");
    assert_eq!(answer["nope"]["available_tools"], json!(["tool_0", "tool_1", "tool_2"]));
    assert_eq!(
        answer["tool_1"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["name", "description", "inputSchema", "outputSchema", "annotations", "version"]
    );
    for effect in effects {
        if let Effect::Delivered { tool, digest } = effect {
            marks.mark(tool, digest);
        }
    }
    assert!(matches!(now(resource().before_call(&cx, call("tool_1", &json!({})))), Ok(Decision::Forward(_))));
    assert!(matches!(now(resource().before_call(&cx, call("tool_2", &json!({})))), Ok(Decision::Refuse(_))));
    assert!(matches!(now(resource().before_call(&cx, call("nope", &json!({})))), Ok(Decision::Forward(_))));
}

#[test]
fn r5_without_names_nothing_is_delivered() {
    let view = view(200, &Principal::anonymous());
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let effects = Effects::default();
    let cx = cx(&view, &client, Receipts::Marks(&marks), &effects);
    for query in ["", "?tools=", "?tools=,"] {
        let (answer, effects) = now(read(&cx, query));
        assert_eq!(answer["error"]["code"], "MISSING_TOOL_SELECTION");
        assert_eq!(answer["error"]["message"], wording::MISSING_SELECTION);
        assert_eq!(answer["error"]["examples"][1], "resource:///tool_descriptions?tools=tool_0,tool_1");
        assert_eq!(answer["error"]["available_count"], 200);
        assert!(effects.is_empty());
    }
    let (answer, _) = now(read(&cx, "?tools=tool_1999"));
    assert_eq!(answer["tool_1999"]["available_tools"].as_array().unwrap().len(), 20);
    assert_eq!(answer["tool_1999"]["available_count"], 200);
    let many: Vec<String> = (0..65).map(|at| format!("tool_{at}")).collect();
    assert_eq!(now(read(&cx, &format!("?tools={}", many.join(",")))).0["error"]["code"], "TOO_MANY_TOOLS");
}

#[test]
fn r10_tools_that_are_not_permitted_do_not_exist() {
    let view = view(2, &Principal::new("p", Permits::of_tools(["*/tool_0"])));
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let effects = Effects::default();
    let cx = cx(&view, &client, Receipts::Marks(&marks), &effects);
    let (answer, effects) = now(read(&cx, "?tools=tool_1,zzz"));
    let as_unknown = answer["zzz"].to_string().replace("zzz", "tool_1");
    assert_eq!(answer["tool_1"].to_string(), as_unknown);
    assert!(effects.is_empty());
    assert!(matches!(now(resource().before_call(&cx, call("tool_1", &json!({})))), Ok(Decision::Forward(_))));
}

#[derive(Debug)]
struct Closed;

impl Services for Closed {
    fn admit_fetch(&self) -> Result<(), Duration> {
        Err(Duration::from_millis(1500))
    }
}

#[test]
fn r11_a_limited_fetch_authorizes_nothing() {
    let view = view(1, &Principal::anonymous());
    let (client, marks) = (ClientTraits::plain(Era::Session), Marks::default());
    let effects = Effects::default();
    let cx = Context { services: &Closed, ..cx(&view, &client, Receipts::Marks(&marks), &effects) };
    let (answer, effects) = now(read(&cx, "?tools=tool_0"));
    assert_eq!(answer["error"]["code"], "RATE_LIMITED");
    assert_eq!(answer["error"]["retry_after_seconds"], 2);
    assert!(effects.is_empty());
}

#[test]
fn r14_without_sessions_the_receipt_is_an_argument_the_tool_never_sees() {
    let view = view(2, &Principal::anonymous());
    let key = ReceiptKey::new(&[7; 32]).unwrap();
    let handles = Handles {
        key: &key,
        principal: None,
        lifetime: Duration::from_secs(60),
        now: UNIX_EPOCH + Duration::from_secs(1000),
        nonce: [0; 4],
    };
    let client = ClientTraits::plain(Era::Stateless);
    let effects = Effects::default();
    let cx = cx(&view, &client, Receipts::Handles(handles), &effects);
    let (answer, effects) = now(read(&cx, "?tools=tool_0"));
    assert!(effects.is_empty());
    let schema = &answer["tool_0"]["inputSchema"];
    assert_eq!(schema["required"], json!(["x", "disclosure_receipt"]));
    let receipt = schema["properties"]["disclosure_receipt"]["const"].clone();

    let decide = |cx: &Context<'_>, name: &str, arguments: Value| {
        now(resource().before_call(cx, call(name, &arguments))).unwrap()
    };
    let Decision::Forward(passed) = decide(&cx, "tool_0", json!({"x": 1e3, "disclosure_receipt": receipt}))
    else {
        panic!("a valid receipt was refused")
    };
    assert_eq!(passed.arguments.unwrap().get(), r#"{"x":1000.0}"#);
    let reason = |cx: &Context<'_>, name: &str, arguments: Value| match decide(cx, name, arguments) {
        Decision::Refuse(refusal) => refusal.content["error"]["reason"].clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(&cx, "tool_0", json!({"x": 1})), "MISSING");
    assert_eq!(reason(&cx, "tool_0", json!({"disclosure_receipt": "forged"})), "INVALID");
    assert_eq!(reason(&cx, "tool_1", json!({"disclosure_receipt": receipt})), "INVALID");
    let later = Handles { now: UNIX_EPOCH + Duration::from_secs(1060), ..handles };
    let later = Context { receipts: Receipts::Handles(later), ..cx };
    assert_eq!(reason(&later, "tool_0", json!({"disclosure_receipt": receipt})), "EXPIRED");
}

#[test]
fn r15_the_bridge_answers_like_the_resource() {
    let view = view(2, &Principal::anonymous());
    let client = ClientTraits { bridge: true, ..ClientTraits::plain(Era::Session) };
    let marks = Marks::default();
    let effects = Effects::default();
    let cx = cx(&view, &client, Receipts::Marks(&marks), &effects);
    assert_eq!(resource().own(&view, &client).tools[0].name(), "describe_tools");
    for (names, query, failed) in
        [(json!(["tool_0", "zzz"]), "?tools=tool_0,zzz", false), (json!([]), "", true)]
    {
        let effects = Effects::default();
        let cx = Context { effects: &effects, ..cx };
        let decision = now(resource().before_call(&cx, call("describe_tools", &json!({"names": names}))));
        let Decision::Answer(answer) = decision.unwrap() else { panic!("not answered") };
        let (mut content, by_resource) = now(read(&cx, query));
        // The messages are those of the bridge (B6).
        if failed {
            content["error"]["message"] = wording::MISSING_NAMES.into();
            content["error"]["examples"] = json!([{"names": ["tool_0"]}, {"names": ["tool_0", "tool_1"]}]);
        }
        // Only the resource delivers what no call needs (B9).
        if let Some(entry) = content.get_mut("tool_0").and_then(Value::as_object_mut) {
            entry.retain(|key, _| !matches!(key.as_str(), "outputSchema" | "annotations" | "version"));
        }
        assert_eq!(answer, ToolAnswer { content, is_error: failed });
        assert_eq!(effects.into_vec(), by_resource);
    }
}
