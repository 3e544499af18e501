//! What a list costs a model, by the rule of seed 003: four characters are a token. `compare`
//! counts more of it, by a real tokenizer.

use kit::{Bench, Client, Identity, Scenario, Setup};
use serde_json::{Value, json};

use crate::playing;

/// Six tools of the size of Delta-MCP's demonstration, of which it says 943 tokens.
const SIX_TOOLS: &str = include_str!("../data/six-tools.json");

/// What `tools/list` is answered, as 003 counts it: nothing but the tools, in UTF-16 units.
async fn listed(client: &Client) -> (Value, usize) {
    let tools = client.request("tools/list", json!({})).await.result()["tools"].take();
    let text = json!({"tools": tools}).to_string();
    (tools, text.encode_utf16().count().div_ceil(4))
}

async fn d2_names_and_briefs_of_six_tools_cost_an_eighth(setup: Setup) {
    let six: Value = serde_json::from_str(SIX_TOOLS).unwrap();
    let tools = six["tools"].as_array().unwrap().iter().map(Value::to_string);
    let bench = Bench::start(playing(Scenario::with_tools(tools))).await;
    let (full, cost_of_full) = listed(&Client::connect_as(&bench, setup, Identity::default()).await).await;
    assert_eq!((&full, (900..1000).contains(&cost_of_full)), (&six["tools"], true), "{cost_of_full}");
    let identity = Identity { omits_schemas: true, ..Identity::offering("describe") };
    let (short, cost) = listed(&Client::connect_as(&bench, setup, identity).await).await;
    assert_eq!(short.as_array().unwrap().len(), 6);
    // In front of each stands the product, which 003 does not know.
    let names = "Odd: ".len() * 6 / 4;
    assert!((cost - names) * 8 <= cost_of_full, "{cost} of {cost_of_full}");
}
under_describe!(d2_names_and_briefs_of_six_tools_cost_an_eighth);
