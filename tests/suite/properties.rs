//! What must hold for any tools and sequences of requests: nothing lost, no call without a receipt, and each request answered. That
//! nothing leaks, `two_worlds` has.

use std::collections::{BTreeSet, HashSet};

use kit::{Bench, Client, Scenario, Setup, Transport, setup::Era};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::negotiation::Bridge;
use proptest::{collection, prelude::*, test_runner::TestRunner};
use serde_json::{Value, json, value::to_raw_value};

use crate::{manifest::items, playing};

/// A gateway's start costs a process, so cases are few; each of them asks much. `PROPTEST_CASES` asks for more.
const CASES: u32 = 12;

/// Runs a property that talks to a gateway, with the same cases at each run.
pub(crate) fn hold<S: Strategy>(strategy: S, property: impl AsyncFn(S::Value)) {
    hold_in(CASES, strategy, property);
}

/// The same with this many cases, unless it is asked for more.
pub(crate) fn hold_in<S: Strategy>(cases: u32, strategy: S, property: impl AsyncFn(S::Value)) {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config =
        ProptestConfig { max_shrink_iters: 64, failure_persistence: None, ..ProptestConfig::default() };
    let config = if asked { config } else { ProptestConfig { cases, ..config } };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let generator =
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, generator)
        .run(&strategy, |value| {
            runtime.block_on(property(value));
            Ok(())
        })
        .unwrap();
}

/// A combination, chosen by a number.
pub(crate) fn setup(strategy: &'static str, choice: u8) -> Setup {
    let transport = if choice & 1 == 0 { Transport::Stdio } else { Transport::Http };
    let era = if choice & 2 == 0 { Era::Session } else { Era::Stateless };
    Setup { strategy, transport, era }
}

/// JSON as text, in spellings that a careless relay would change.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        prop::sample::select(vec!["1.0", "-0", "1E+2", "0.10", "123456789012345678901234567890", "1e-400"])
            .prop_map(str::to_owned),
        any::<String>().prop_map(|text| json!(text).to_string()),
        Just(r#""\u00e9\/\ud83d\ude00""#.to_owned()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" , "))),
            collection::btree_map(any::<String>(), inner, 0..4).prop_map(object),
        ]
    })
}

fn object(members: std::collections::BTreeMap<String, String>) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}: {value}", json!(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// Members that MCP knows nothing of.
fn foreign() -> impl Strategy<Value = String> {
    collection::btree_map("x-[a-z]{1,6}", json_text(), 0..4).prop_map(object)
}

#[test]
fn nothing_lost_f1_f2() {
    let tool = (json_text(), foreign(), foreign());
    hold((collection::vec(tool, 1..6), any::<u8>()), async |(drawn, choice)| {
        let mut scenario = Scenario::with_tools(drawn.iter().enumerate().map(|(at, (meta, more, _))| {
            let tool = RawObject::parse(more.as_str()).unwrap();
            let tool = tool.with_value("name", &format!("tool {at}")).with("_meta", meta);
            tool.with("inputSchema", r#"{"type" : "object"}"#).text().to_owned()
        }));
        for (at, (content, _, more)) in drawn.iter().enumerate() {
            let result = RawObject::parse(more.as_str()).unwrap().with("structuredContent", content);
            let answer = to_raw_value(&RawObject::empty().with("result", result.text())).unwrap();
            scenario.answers.insert(format!("tools/call tool {at}"), answer);
        }
        let bench = Bench::start(playing(scenario.clone())).await;
        for strategy in ["full", "resource", "describe", "info", "search", "groups"] {
            let client = Client::connect(&bench, setup(strategy, choice)).await;
            if strategy == "full" {
                let sent = scenario.tools.iter().map(|tool| RawObject::parse(tool.get()).unwrap());
                let listed = items(&client, "tools/list", json!({}), "tools").await;
                assert_eq!(listed, sent.collect::<Vec<_>>());
            }
            for at in 0..drawn.len() {
                let name = format!("tool {at}");
                let got =
                    RawObject::parse(client.learn_and_call(&name, json!({})).await.result_text()).unwrap();
                let sent = RawObject::parse(scenario.answers[&format!("tools/call {name}")].get()).unwrap();
                let sent = sent.object("result").unwrap();
                for (key, value) in sent.iter() {
                    assert_eq!(got.member(key), Some(value), "{key}");
                }
                let added = got.iter().filter(|(key, _)| sent.member(key).is_none());
                assert!(added.map(|(key, _)| key).all(|key| key == "resultType"));
            }
        }
    });
}

const TOOLS: [&str; 4] = ["a", "b", "c", "d"];

/// What one of two clients does.
#[derive(Clone, Debug)]
enum Step {
    List,
    Read(BTreeSet<usize>),
    Call(usize),
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let step = prop_oneof![
        Just(Step::List),
        collection::btree_set(0..4usize, 0..3).prop_map(Step::Read),
        (0..4usize).prop_map(Step::Call),
    ];
    (0..2usize, step)
}

#[test]
fn no_call_without_receipt_r7_r8() {
    hold((collection::vec(step(), 1..24), any::<bool>()), async |(steps, over_http)| {
        let setup = setup("resource", u8::from(over_http));
        let bench = Bench::start(playing(Scenario::named(TOOLS))).await;
        let clients = [Client::connect(&bench, setup).await, Client::connect(&bench, setup).await];
        let mut read: [HashSet<usize>; 2] = Default::default();
        let mut expected: Vec<&str> = Vec::new();
        for (who, step) in steps {
            let client = &clients[who];
            match step {
                Step::List => drop(client.request("tools/list", json!({})).await.result()),
                Step::Read(tools) => {
                    let names: Vec<&str> = tools.iter().map(|tool| TOOLS[*tool]).collect();
                    client.describe(&names.join(",")).await.result();
                    read[who].extend(tools);
                }
                Step::Call(tool) => {
                    let refused = client.call(TOOLS[tool], json!({})).await.result()["isError"] == true;
                    assert_eq!(refused, !read[who].contains(&tool));
                    if !refused {
                        expected.push(TOOLS[tool]);
                    }
                }
            }
        }
        let forwarded = clients[0].calls_forwarded().await;
        assert_eq!(
            forwarded.iter().map(|call: &Value| call["name"].as_str().unwrap()).collect::<Vec<_>>(),
            expected
        );
    });
}

/// Everything that MCP can be asked, and something it cannot.
const METHODS: [&str; 16] = [
    "tools/list",
    "tools/call",
    "tools/describe",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "initialize",
    "ping",
    "nothing/known",
];

/// Parameters that are nearly right.
fn parameters() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just(json!("a").to_string()),
        Just(json!("describe_tools").to_string()),
        Just(json!("info").to_string()),
        Just(json!("resource:///tool_descriptions?tools=%zz,%ff,a&tools").to_string()),
        Just(json!({"type": "ref/prompt", "name": 7}).to_string()),
        json_text(),
    ];
    let key = prop::sample::select(vec![
        "name",
        "uri",
        "arguments",
        "ref",
        "argument",
        "level",
        "cursor",
        "names",
        "topic",
        "x",
    ]);
    collection::btree_map(key.prop_map(str::to_owned), name, 0..4).prop_map(object)
}

#[test]
fn every_request_is_answered_f6_f7() {
    let requests = collection::vec((prop::sample::select(METHODS.to_vec()), parameters()), 1..40);
    hold((requests, any::<u8>()), async |(requests, choice)| {
        let bench = Bench::start(playing(Scenario::named(TOOLS)).bridge(Bridge::Always)).await;
        for strategy in ["full", "resource", "describe", "info", "search", "groups"] {
            let client = Client::connect(&bench, setup(strategy, choice)).await;
            for (method, params) in &requests {
                let params: Value = serde_json::from_str(params).unwrap();
                let reply = client.request(method, params.clone()).await;
                let is_ours_to_blame = reply.answer()["error"]["code"] == -32603;
                assert!(!is_ours_to_blame, "{method} {params}: {reply:?}");
            }
        }
    });
}
