//! What the 131 tools of eight recorded servers cost a model, by o200k_base (B9, B12, S11).

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{ListSize, RawObject, size};
use serde_json::{Value, json};

use crate::UPSTREAM;

/// The recorded servers, under this strategy for everyone; `None` if none are recorded.
async fn recorded(setup: Setup, settings: Value) -> Option<Bench> {
    let upstreams = kit::recordings::recorded()?.into_iter().map(|(name, server)| {
        let tools = server.tools.iter().map(|tool| tool.get().to_owned());
        (UPSTREAM.into(), &*name.leak(), Scenario::with_tools(tools))
    });
    let options = Options { upstreams: upstreams.collect(), ..Options::without_upstream() };
    Some(Bench::start(options.pinned(setup.strategy).set(setup.strategy, settings)).await)
}

#[test]
fn s11_estimates_are_near_the_tokenizer_for_recorded_lists() {
    let Some(servers) = kit::recordings::recorded() else { return };
    let (mut estimated, mut counted) = (0.0, 0.0);
    for (name, server) in servers {
        let tools: Vec<RawObject> = server
            .tools
            .iter()
            .map(|tool| size::shown(&RawObject::parse(tool.get()).unwrap()).compact())
            .collect();
        let list = serde_json::to_string(&tools).unwrap();
        let size = ListSize::of(&tools);
        assert_eq!(size.bytes, list.len() + 1, "the comma that the last one has not");
        let (estimate, count) = (size.tokens() as f64, tokens(&list) as f64);
        println!(
            "{name}: {} bytes, {count} tokens, {:.2} bytes a token",
            list.len(),
            list.len() as f64 / count
        );
        assert!((0.85..=1.15).contains(&(estimate / count)), "{name}: {estimate} for {count}");
        (estimated, counted) = (estimated + estimate, counted + count);
    }
    println!("{estimated} for {counted}");
    assert!((0.95..=1.05).contains(&(estimated / counted)), "{estimated} for {counted}");
}

fn tokens(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}

async fn list(bench: &Bench, setup: Setup, identity: Identity) -> (Vec<Value>, u64) {
    let client = Client::connect_as(bench, setup, identity).await;
    let tools = client.tools().await;
    let cost = tokens(&json!(tools).to_string());
    (tools, cost)
}

async fn b5_b12_the_list_of_131_recorded_tools_stays_small(setup: Setup) {
    let Some(bench) = recorded(setup, json!({"long_briefs": "shorten"})).await else { return };
    let (tools, ordinary) = list(&bench, setup, Identity::default()).await;
    // One of them can only be called as a task, which not every revision has.
    assert!((131..=132).contains(&tools.len()), "{}", tools.len());
    let shown = tools.iter().filter(|tool| tool["inputSchema"].get("properties").is_some()).count() - 1;
    assert!(shown >= 40, "{shown} schemas are listed");
    assert!(ordinary <= 7_200, "{ordinary}");
    let identity = Identity::offering("describe").omitting_schemas();
    let (tools, negotiating) = list(&bench, setup, identity).await;
    let warned = tools.iter().filter(|tool| tool["annotations"]["destructiveHint"] == true).count();
    assert!(warned >= 10, "{warned} tools are marked");
    assert!(negotiating <= 4_100, "{negotiating}");
}
under_describe!(b5_b12_the_list_of_131_recorded_tools_stays_small);

/// The labelled queries over the recorded tools.
fn tasks() -> Vec<Value> {
    include_str!("../data/tasks.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a task's labels, `UPSTREAM:NAME`, have this name.
fn is_right(task: &Value, name: &Value) -> bool {
    let labels = task["tools"].as_array().unwrap().iter();
    labels.filter_map(|label| label.as_str()?.split(':').next_back()).any(|label| *name == label)
}

async fn b10_words_that_name_nothing_are_answered_with_the_nearest_tools(setup: Setup) {
    let Some(bench) = recorded(setup, json!({"tools": "entry-only"})).await else { return };
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    let (mut asked, mut found) = (0, 0);
    for task in tasks().iter().filter(|task| !task["tools"].as_array().unwrap().is_empty()) {
        let topic = json!({"topic": task["query"]});
        let answer = client.call("info", topic).await.result()["structuredContent"].take();
        asked += 1;
        // A query can be a tool's or category's name.
        let suggested = answer["suggestions"].as_array().into_iter().flatten().map(|tool| &tool["name"]);
        found += usize::from(suggested.chain([&answer["tool"]]).any(|name| is_right(task, name)));
    }
    assert!(found * 100 >= asked * 85, "{found} of {asked}");
}
cases!(info_http_session; b10_words_that_name_nothing_are_answered_with_the_nearest_tools);

/// The cost of a tool that a model knows by a few words: the list, a search and the call, with what is sent and what is
/// read.
async fn s9_one_of_131_recorded_tools_is_usable_for_little(setup: Setup) {
    let Some(bench) = recorded(setup, json!({})).await else { return };
    let (tools, listed) = list(&bench, setup, Identity::default()).await;
    assert_eq!(tools.len(), 2);
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    let (mut usable, mut searches) = (Vec::new(), Vec::new());
    for task in tasks() {
        let query = json!({"query": task["query"]});
        let result = client.call("search_tools", query.clone()).await.result();
        let answer = result["content"][0]["text"].as_str().unwrap();
        searches.push(tokens(answer));
        let found: Value = serde_json::from_str(answer).unwrap();
        let hit = &found["tools"][0]["name"];
        if !is_right(&task, hit) {
            continue;
        }
        let call = json!({"tool": hit, "arguments": task["args"]});
        usable.push(listed + tokens(&query.to_string()) + tokens(answer) + tokens(&call.to_string()));
    }
    usable.sort_unstable();
    searches.sort_unstable();
    let median = usable[usable.len() / 2];
    assert!(usable.len() > 50, "{}", usable.len());
    let search = searches[searches.len() / 2];
    assert!(median <= 720 && search <= 450, "{median}; the list {listed}, a search {search}");
}
cases!(search_http_session; s9_one_of_131_recorded_tools_is_usable_for_little);
