//! Names that are too long, or too many, to be any (P8).

use kit::{Bench, Client, Identity};
use serde_json::{Value, json};

use super::{WITH_SESSION, healthy};

/// No answer is longer.
const SHORT: usize = 16 * 1024;

#[tokio::test]
async fn p8_names_that_can_be_none_are_neither_repeated_nor_looked_up() {
    let bench = Bench::start(healthy()).await;
    let (long, longer) = ("u".repeat(250_000), "u".repeat(300_000));
    let many: Vec<String> = (0..1_000).map(|number| format!("n{number}")).collect();
    let uri = format!("resource:///tool_descriptions?tools={}", many.join(","));
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    let prompt = |name: &str| ("completion/complete", json!({"ref": {"type": "ref/prompt", "name": name}}));
    let (too_long, too_many) = ("at most 262144", "ore than ");
    for (strategy, (method, params), said) in [
        ("full", ("tools/call", json!({"name": long})), ""),
        ("full", ("tools/resolve", json!({"name": long})), ""),
        ("full", ("tools/describe", json!({"names": [long]})), ""),
        ("full", ("prompts/get", json!({"name": long})), ""),
        ("full", prompt(&long), ""),
        ("describe", ("tools/describe", json!({"name": long})), ""),
        ("describe", call("describe_tools", json!({"names": [long]})), ""),
        ("resource", call("describe_tools", json!({"names": long})), ""),
        ("info", call("info", json!({"topic": long})), ""),
        ("info", call("info", json!({"topic": [long, "x"]})), ""),
        ("search", call("search_tools", json!({"query": "x", "category": long})), ""),
        ("search", call("call_tool", json!({"tool": long})), ""),
        ("groups", call("get_group", json!({"name": long})), ""),
        ("groups", call("call_tool", json!({"tool": long})), ""),
        ("full", ("tools/call", json!({"name": longer})), too_long),
        ("full", ("resources/read", json!({"uri": longer})), too_long),
        ("full", prompt(&longer), too_long),
        ("resource", call("describe_tools", json!({"names": many})), too_many),
        ("describe", call("describe_tools", json!({"names": many})), too_many),
        ("describe", ("tools/describe", json!({"names": many})), too_many),
        ("full", ("tools/describe", json!({"names": many})), too_many),
        ("resource", ("resources/read", json!({"uri": uri})), too_many),
    ] {
        let identity = Identity::default().at(&format!("/mcp/{strategy}"));
        let client = Client::connect_as(&bench, WITH_SESSION, identity).await;
        let answer = client.request(method, params).await.answer().to_string();
        assert!(answer.len() < SHORT, "{strategy} {method}: {} bytes", answer.len());
        assert!(answer.contains(said) && !answer.contains(&long[..201]), "{strategy} {method}: {answer}");
    }
}
