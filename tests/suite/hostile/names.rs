//! Names that are too long, or too many, to be any (P8).

use kit::{Bench, Client, Identity};
use serde_json::{Value, json};

use super::{WITH_SESSION, healthy};

/// No answer is longer.
const SHORT: usize = 16 * 1024;

async fn client(bench: &Bench, strategy: &str) -> Client {
    Client::connect_as(bench, WITH_SESSION, Identity::default().at(&format!("/mcp/{strategy}"))).await
}

#[tokio::test]
async fn p8_long_names_are_cut_in_answers_whatever_they_are_for() {
    let bench = Bench::start(healthy()).await;
    let long = "u".repeat(250_000);
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    for (strategy, (method, params)) in [
        ("full", ("tools/call", json!({"name": long}))),
        ("full", ("tools/resolve", json!({"name": long}))),
        ("full", ("tools/describe", json!({"names": [long]}))),
        ("full", ("prompts/get", json!({"name": long}))),
        ("full", ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": long}}))),
        ("describe", ("tools/describe", json!({"name": long}))),
        ("describe", call("describe_tools", json!({"names": [long]}))),
        ("resource", call("describe_tools", json!({"names": long}))),
        ("info", call("info", json!({"topic": long}))),
        ("info", call("info", json!({"topic": [long, "x"]}))),
        ("search", call("search_tools", json!({"query": "x", "category": long}))),
        ("search", call("call_tool", json!({"tool": long}))),
        ("groups", call("get_group", json!({"name": long}))),
        ("groups", call("call_tool", json!({"tool": long}))),
    ] {
        let client = client(&bench, strategy).await;
        let answer = client.request(method, params).await.answer().to_string();
        assert!(answer.len() < SHORT, "{strategy} {method}: {} bytes", answer.len());
        assert!(!answer.contains(&long[..201]), "{strategy} {method}: {answer}");
    }
}

#[tokio::test]
async fn p8_what_is_longer_than_any_name_is_refused_with_its_length() {
    let bench = Bench::start(healthy()).await;
    let client = client(&bench, "full").await;
    let long = "u".repeat(300_000);
    for (method, params) in [
        ("tools/call", json!({"name": long})),
        ("resources/read", json!({"uri": long})),
        ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": long}})),
    ] {
        let error = client.request(method, params).await.error_with("at most 262144");
        assert_eq!(error["code"], -32602, "{method}");
    }
}

#[tokio::test]
async fn p8_more_than_a_hundred_names_are_an_error_that_says_so() {
    let bench = Bench::start(healthy()).await;
    let names: Vec<String> = (0..1_000).map(|number| format!("n{number}")).collect();
    let uri = format!("resource:///tool_descriptions?tools={}", names.join(","));
    let call = |tool: &str| ("tools/call", json!({"name": tool, "arguments": {"names": names}}));
    for (strategy, (method, params)) in [
        ("resource", call("describe_tools")),
        ("describe", call("describe_tools")),
        ("describe", ("tools/describe", json!({"names": names}))),
        ("full", ("tools/describe", json!({"names": names}))),
        ("resource", ("resources/read", json!({"uri": uri}))),
    ] {
        let client = client(&bench, strategy).await;
        let answer = client.request(method, params).await.answer().to_string();
        assert!(answer.len() < SHORT && answer.contains("ore than "), "{strategy} {method}: {answer}");
    }
}
