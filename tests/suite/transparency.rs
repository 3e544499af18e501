//! What an upstream says arrives as it was said (F1, F2, F4), with nothing more than the era demands.

use kit::{Bench, Client, Scenario, Setup};
use mcp_disclosure_core::RawObject;
use serde_json::{Value, json};

use crate::{connect, connected, odd, several};

/// What the stateless era adds to results.
const ADDED: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// A result without what the era adds; what it adds is there exactly in the era that demands it.
fn bare(setup: Setup, result: &Value, cacheable: bool) -> Value {
    let stateless = !setup.has_sessions();
    for (at, key) in ADDED.iter().enumerate() {
        assert_eq!(result.get(key).is_some(), stateless && (at == 0 || cacheable), "{key} in {result}");
    }
    let mut bare = result.clone();
    bare.as_object_mut().unwrap().retain(|key, _| !ADDED.contains(&key.as_str()));
    bare
}

async fn f1_tools_of_one_name_get_prefixes_and_reach_their_own_upstream(setup: Setup) {
    let mut other = Scenario::named(["same", "theirs"]);
    other.answers.insert("tools/call same".to_owned(), Scenario::odd().answers["tools/call rich"].clone());
    let options = several([("kit", Scenario::named(["same", "mine"])), ("other", other)]);
    let (_bench, client) = connect(options, setup).await;
    let names = client.tool_names().await;
    if setup.lists_tools() {
        assert_eq!(names[..4], ["kit__same", "mine", "other__same", "theirs"]);
    }
    assert_eq!(client.learn_and_call("kit__same", json!({"x": 1})).await.given(), json!({"x": 1}));
    assert_eq!(client.calls_forwarded().await[0]["name"], "same");
    let theirs = client.learn_and_call("other__same", json!({})).await.result();
    assert_eq!(theirs["content"][5]["type"], "hologram");
    assert_eq!(client.call("same", json!({})).await.code(), -32602);
}

async fn f2_results_and_errors_arrive_field_for_field(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let scenario = Scenario::odd();
    for tool in ["rich", "failing"] {
        let reply = client.learn_and_call(tool, json!({})).await;
        assert_eq!(
            bare(setup, &reply.result(), false),
            scenario.answer(&format!("tools/call {tool}"))["result"]
        );
        if setup.has_sessions() {
            let sent = RawObject::parse(scenario.answers[&format!("tools/call {tool}")].get()).unwrap();
            assert_eq!(reply.result_text(), sent.member("result").unwrap());
        }
    }
    let refused = client.learn_and_call("refusing", json!({})).await;
    assert_eq!(refused.error(), scenario.answer("tools/call refusing")["error"]);
}

async fn f2_resources_templates_and_prompts_arrive_field_for_field(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let scenario = Scenario::odd();
    let of = |items: &[Box<serde_json::value::RawValue>]| -> Vec<Value> {
        items.iter().map(|item| serde_json::from_str(item.get()).unwrap()).collect()
    };
    for (method, member, sent) in [
        ("resources/list", "resources", of(&scenario.resources)),
        ("resources/templates/list", "resourceTemplates", of(&scenario.templates)),
        ("prompts/list", "prompts", of(&scenario.prompts)),
    ] {
        let listed = bare(setup, &client.request(method, json!({})).await.result(), true);
        let listed = listed[member].as_array().unwrap();
        assert_eq!(listed[..sent.len()], sent, "{method}");
        assert!(listed[sent.len()..].iter().all(|ours| ours.to_string().contains("tool_descriptions")));
    }
    let read = client.read("kit://doc").await.result();
    assert_eq!(bare(setup, &read, true), scenario.answer("resources/read kit://doc")["result"]);
    let mut missing = scenario.answer("resources/read kit://missing")["error"].clone();
    if !setup.has_sessions() {
        missing["code"] = json!(-32602);
    }
    assert_eq!(client.read("kit://missing").await.error(), missing, "the code is that of the era");
    let got =
        client.request("prompts/get", json!({"name": "greet", "arguments": {"who": "me"}})).await.result();
    assert_eq!(bare(setup, &got, false), scenario.answer("prompts/get greet")["result"]);
    let reference = json!({"type": "ref/prompt", "name": "greet"});
    let asked =
        json!({"ref": reference, "argument": {"name": "who", "value": "m"}, "context": {"arguments": {}}});
    let completed = client.request("completion/complete", asked).await.result();
    assert_eq!(bare(setup, &completed, false), scenario.answer("completion/complete ")["result"]);
}

/// The trace context is not read, so it need not be well-formed (O3).
async fn f2_o3_parameters_reach_the_upstream_field_for_field(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let given = json!({"x": [1.0, {"y": null}]});
    let arguments = client.learn("rich", given.clone()).await;
    for parent in ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "NOT-A-PARENT"] {
        let meta = json!({"traceparent": parent, "tracestate": "a=1,b=2", "baggage": "user=7", "trace": "t"});
        let params = json!({"name": "rich", "arguments": arguments, "_meta": meta, "x-odd": 1});
        client.request("tools/call", params).await.result();
        let expected = json!({"name": "rich", "arguments": given, "_meta": meta, "x-odd": 1});
        assert_eq!(client.calls_forwarded().await.last(), Some(&expected));
    }
}

async fn f4_lists_are_the_same_to_the_byte(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let client = Client::connect(&bench, setup).await;
        for method in
            ["tools/list", "tools/list", "resources/list", "resources/templates/list", "prompts/list"]
        {
            seen.push((method, client.request(method, json!({})).await.result_text()));
        }
    }
    let (first, second) = seen.split_at(5);
    assert_eq!(first, second);
    assert_eq!(first[0], first[1]);
}

everywhere!(
    f2_results_and_errors_arrive_field_for_field,
    f2_o3_parameters_reach_the_upstream_field_for_field,
    f4_lists_are_the_same_to_the_byte,
);
each_strategy!(
    f1_tools_of_one_name_get_prefixes_and_reach_their_own_upstream,
    f2_resources_templates_and_prompts_arrive_field_for_field,
);
