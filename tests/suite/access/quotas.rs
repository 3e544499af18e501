//! What a principal may ask for in a minute (docs/CONTRACT.md A3).

use kit::{Bench, Client, Identity, Reply};
use serde_json::json;
use tempfile::TempDir;

use super::{ANN, SETUP, guarded, with_token};
use crate::named;

/// A gateway before the tool `a`, where Ann has these limits.
async fn limiting(limits: &str) -> (TempDir, Bench) {
    let (tokens, config) =
        guarded(&format!("[[principals]]\nname = \"Ann\"\ntoken = \"ann\"\nlimits = {{ {limits} }}\n"));
    (tokens, Bench::start(named(["a"]).with_config(&config)).await)
}

/// It is over a limit, of which the message says this.
fn is_over(refused: &Reply, expected: &str) {
    let error = refused.error_with(expected);
    assert_eq!((refused.status, &error["code"]), (Some(429), &json!(-32005)), "{error}");
}

#[tokio::test]
async fn a3_quotas_are_a_principals_in_all_of_its_sessions() {
    let (_tokens, bench) = limiting("calls_per_minute = 2").await;
    let (one, other) = (with_token(&bench, ANN).await, with_token(&bench, ANN).await);
    one.call("a", json!({})).await.result();
    other.call("a", json!({})).await.result();
    is_over(&one.call("a", json!({})).await, "limits.calls_per_minute = 2");
}

#[tokio::test]
async fn a3_a_call_of_our_own_tools_counts_as_one_whatever_it_calls() {
    for (strategy, own, calling) in [
        ("search", ("search_tools", json!({"query": "a"})), ("call_tool", json!({"tool": "a"}))),
        ("info", ("info", json!({})), ("a", json!({}))),
        ("describe", ("describe_tools", json!({"names": ["a"]})), ("a", json!({}))),
    ] {
        let (_tokens, bench) = limiting("calls_per_minute = 3").await;
        let at = Identity::default().bearing(ANN).at(&format!("/mcp/{strategy}"));
        let ann = Client::connect_as(&bench, SETUP, at).await;
        for (tool, arguments) in [own.clone(), calling.clone(), own.clone()] {
            ann.call(tool, arguments).await.result();
        }
        for (tool, arguments) in [own, calling] {
            is_over(&ann.call(tool, arguments).await, "limits.calls_per_minute = 3");
        }
        assert_eq!(ann.calls_forwarded().await.len(), 1, "{strategy}");
    }
}

#[tokio::test]
async fn a3_requests_beside_calls_have_a_limit_of_their_own() {
    let (_tokens, bench) = limiting("requests_per_minute = 6").await;
    // Handshakes, and what is asked after each.
    let first = with_token(&bench, ANN).await;
    for method in ["tools/list", "resources/list", "prompts/list"] {
        first.request(method, json!({})).await.result();
    }
    let ann = with_token(&bench, ANN).await;
    let describe = async || ann.request("tools/describe", json!({"names": ["a"]})).await;
    describe().await.result();
    is_over(&describe().await, "limits.requests_per_minute = 6");
    ann.request("ping", json!({})).await.result();
    ann.call("a", json!({})).await.result();
}

#[tokio::test]
async fn a3_calls_that_are_refused_before_they_are_counted_have_a_limit() {
    for (method, params) in [
        ("tools/call", json!({"name": "nonsense", "arguments": {}})),
        ("tools/resolve", json!({"name": "nonsense", "arguments": {}})),
        ("tools/call", json!({})),
    ] {
        let (_tokens, bench) = limiting("calls_per_minute = 6").await;
        let ann = with_token(&bench, ANN).await;
        let mut looked_at = 0;
        let refused = loop {
            let answer = ann.request(method, params.clone()).await;
            if answer.code() != -32602 {
                break answer;
            }
            looked_at += 1;
            assert!(looked_at < 400, "{method} {params}: no limit");
        };
        assert!(looked_at >= 30, "{method} {params}: {looked_at}");
        is_over(&refused, "with those that are refused, 30 a minute");
        // Other requests are counted by themselves.
        ann.request("tools/list", json!({})).await.result();
    }
}
