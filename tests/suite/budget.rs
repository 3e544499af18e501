//! What the 131 tools of eight recorded servers cost a model, by o200k_base (B9, B12).

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json};

use crate::UPSTREAM;

const RECORDED: [(&str, &str); 8] = [
    ("everything", include_str!("../data/catalogues/everything.json")),
    ("filesystem", include_str!("../data/catalogues/filesystem.json")),
    ("memory", include_str!("../data/catalogues/memory.json")),
    ("playwright", include_str!("../data/catalogues/playwright.json")),
    ("chrome-devtools", include_str!("../data/catalogues/chromedev.json")),
    ("notion", include_str!("../data/catalogues/notion.json")),
    ("git", include_str!("../data/catalogues/git.json")),
    ("time", include_str!("../data/catalogues/time.json")),
];

/// The recorded servers, under this strategy for everyone.
async fn recorded(setup: Setup, settings: Value) -> Bench {
    let upstreams = RECORDED.map(|(name, text)| {
        let catalogue: Value = serde_json::from_str(text).unwrap();
        let tools = catalogue["tools"].as_array().unwrap().iter().map(Value::to_string);
        (UPSTREAM.into(), name, Scenario::with_tools(tools))
    });
    let strategies = StrategyOptions {
        pinned: Some(setup.strategy.to_owned()),
        settings: [(setup.strategy.to_owned(), settings)].into(),
        ..StrategyOptions::default()
    };
    Bench::start(Options { upstreams: upstreams.into(), strategies, ..crate::odd() }).await
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}

async fn list(bench: &Bench, setup: Setup, identity: Identity) -> (Vec<Value>, u64) {
    let client = Client::connect_as(bench, setup, identity).await;
    let tools = client.request("tools/list", json!({})).await.result()["tools"].take();
    let cost = tokens(&tools.to_string());
    (tools.as_array().unwrap().clone(), cost)
}

async fn b5_b12_the_list_of_131_tools_stays_small(setup: Setup) {
    let bench = recorded(setup, json!({"long_briefs": "shorten"})).await;
    let (tools, ordinary) = list(&bench, setup, Identity::default()).await;
    assert_eq!(tools.len(), 132);
    let shown = tools.iter().filter(|tool| tool["inputSchema"].get("properties").is_some()).count() - 1;
    assert!(shown >= 40, "{shown} schemas are listed");
    assert!(ordinary <= 7_000, "{ordinary}");
    let identity = Identity { omits_schemas: true, ..Identity::offering("describe") };
    let (tools, negotiating) = list(&bench, setup, identity).await;
    let warned = tools.iter().filter(|tool| tool["annotations"]["destructiveHint"] == true).count();
    assert!(warned >= 10, "{warned} tools are marked");
    assert!(negotiating <= 4_100, "{negotiating}");
}
under_describe!(b5_b12_the_list_of_131_tools_stays_small);

/// The answer of `info`, and what asking and reading cost.
async fn ask(client: &Client, topic: &str) -> (Value, u64) {
    let arguments = json!({"topic": topic});
    let result = client.call("info", arguments.clone()).await.result();
    let text = result["content"][0]["text"].as_str().unwrap();
    (result["structuredContent"].clone(), tokens(&arguments.to_string()) + tokens(text))
}

async fn b12_an_unlisted_tool_of_131_is_learned_for_little(setup: Setup) {
    let bench = recorded(setup, json!({"tools": "entry-only"})).await;
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    let overview = ask(&client, "overview").await.0;
    let (mut learned, mut at_once) = (Vec::new(), 0);
    for category in overview["categories"].as_object().unwrap().keys() {
        let (answer, cost) = ask(&client, category).await;
        for line in answer["tools"].as_array().unwrap() {
            let name = line.get("topic").unwrap_or(&line["name"]).as_str().unwrap();
            learned.push(match line.get("parameters") {
                Some(_) => {
                    at_once += 1;
                    cost
                }
                None => cost + ask(&client, name).await.1,
            });
        }
    }
    learned.sort_unstable();
    assert_eq!(learned.len(), 131);
    assert!(at_once >= 40, "{at_once}");
    // Most of it is the category, which is a whole server here.
    assert!(learned[65] <= 650, "{}", learned[65]);
}
under_info!(b12_an_unlisted_tool_of_131_is_learned_for_little);
