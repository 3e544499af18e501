//! U16: upstreams that disclose progressively themselves. Our clients see one disclosure: ours.

use kit::{
    Bench, Client, Options, Scenario, Setup, eventually,
    process::{Process, hello, until},
};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    UPSTREAM,
    command_line::{self, ODD, configured, program},
    connected,
};

const GATEWAY: &str = env!("CARGO_BIN_EXE_gateway");

const FOREIGN: &str = env!("CARGO_BIN_EXE_disclosing-upstream");

/// The arguments of a gateway that serves the odd upstream to everyone by this strategy.
fn inner(strategy: &str, directory: &std::path::Path) -> Vec<String> {
    let scenario = directory.join("scenario");
    Scenario::odd().write(&scenario);
    let arguments = [
        "serve",
        "--strategy",
        strategy,
        "--set",
        "describe.long_briefs=shorten",
        "--name",
        "kit",
        "--",
        UPSTREAM,
    ];
    arguments.into_iter().chain(scenario.to_str()).map(str::to_owned).collect()
}

/// A gateway before one upstream, called `kit`.
async fn before(target: Target) -> Bench {
    Bench::start(Options::alone("kit", target)).await
}

/// Everything that a client is shown.
async fn shown(client: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        all.push(client.request(method, json!({})).await.result());
    }
    all
}

/// Asserts that a client sees and gets the same as before the odd upstream itself.
async fn is_as_direct(bench: &Bench, setup: Setup) {
    let (_direct, direct) = connected(setup).await;
    let client = Client::connect(bench, setup).await;
    let (mut expected, mut seen) = (shown(&direct).await, shown(&client).await);
    // A gateway says of its lists how long they may be kept, and by whom; the odd upstream does not.
    for list in expected.iter_mut().chain(&mut seen) {
        for hint in ["ttlMs", "cacheScope", "_meta"] {
            list.as_object_mut().unwrap().remove(hint);
        }
    }
    assert_eq!(seen, expected);
    for text in ["once", "twice"] {
        let answer = client.learn_and_call("rich", json!({"text": text})).await.result();
        assert_eq!(answer, direct.learn_and_call("rich", json!({"text": text})).await.result());
        assert_ne!(answer["isError"], true, "{answer}");
    }
}

async fn u16_a_gateway_behind_us_gives_complete_definitions(setup: Setup) {
    for strategy in ["resource", "info"] {
        let directory = tempfile::tempdir().unwrap();
        let bench = before(Target::command(GATEWAY, inner(strategy, directory.path()))).await;
        is_as_direct(&bench, setup).await;
    }
}

async fn u16_a_gateway_at_an_address_that_names_a_strategy_does_too(setup: Setup) {
    let directory = tempfile::tempdir().unwrap();
    let over_http = ["--transport", "http", "--listen", "127.0.0.1:0"].map(str::to_owned);
    let mut arguments = inner("concerns+describe", directory.path());
    arguments.splice(1..1, over_http);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let gateway = Process::start(&mut program(&arguments));
    let url = format!("http://{}/mcp/describe", gateway.address());
    is_as_direct(&before(Target::url(url.parse().unwrap())).await, setup).await;
}

/// A gateway before a server of another kind, and a client.
async fn foreign(mode: &str, setup: Setup) -> (Bench, Client) {
    let bench = before(Target::command(FOREIGN, [mode.to_owned()])).await;
    let client = Client::connect(&bench, setup).await;
    (bench, client)
}

/// How often `add` has run, after one call more.
async fn add(client: &Client) -> Value {
    let answer = client.learn_and_call("add", json!({"a": 1, "b": 2})).await.result();
    let said = answer["structuredContent"].clone();
    assert_eq!(said["given"], json!({"a": 1, "b": 2}), "{answer}");
    said["runs"].clone()
}

async fn u16_what_a_server_demands_before_a_call_is_done_for_our_clients(setup: Setup) {
    for mode in ["resource", "receipts", "method"] {
        let (_bench, client) = foreign(mode, setup).await;
        assert_eq!(add(&client).await, 1, "{mode}");
        // Everything has to be fetched anew, and nothing says so. The repeated call ran once.
        assert!(client.learn_and_call("change", json!({})).await.result()["structuredContent"].is_object());
        assert_eq!(add(&client).await, 2, "{mode}");
    }
}

async fn u16_definitions_are_complete_and_the_servers_own_channel_is_gone(setup: Setup) {
    for mode in ["resource", "receipts", "method"] {
        let (_bench, client) = foreign(mode, setup).await;
        let tools = client.tools().await;
        assert_eq!(tools[0]["description"], "Version 1 of add, in full", "{mode}");
        assert_eq!(tools[0]["inputSchema"]["required"], json!(["a", "b"]), "{mode}");
        assert!(tools[0]["inputSchema"]["properties"]["disclosure_receipt"].is_null(), "{mode}");
        assert_eq!(tools[1]["description"], "Keep it", "{mode}: what is refused stays as it is listed");
        assert_eq!(tools.len(), 4);
        if mode != "method" {
            assert_eq!(client.list("resources").await, [json!({"uri": "x:///doc", "name": "doc"})]);
            let templates = client.request("resources/templates/list", json!({})).await.result();
            assert_eq!(templates["resourceTemplates"], json!([]));
            // Ours has the same URI.
            let others =
                ["resource:///tool_descriptions?tools=add", "RESOURCE:///tool%5Fdescriptions/?tools=add"];
            for uri in others.into_iter().filter(|_| setup.strategy != "resource") {
                let refused = client.read(uri).await.error();
                assert!(refused["message"].as_str().unwrap().starts_with("Resource not found"), "{refused}");
            }
        }
    }
}

async fn u16_examples_that_a_server_delivers_are_delivered(setup: Setup) {
    let (_bench, client) = foreign("resource", setup).await;
    let described = client.describe("add").await.text_as_json();
    let mut expected = json!([{"input": {"a": 1, "b": 2}}]);
    // Without the server's own receipt, and with ours where there are no sessions.
    if let Some(receipt) = kit::client::receipt_of(&described["add"]) {
        expected[0]["input"]["disclosure_receipt"] = receipt;
    }
    assert_eq!(described["add"]["examples"], expected);
}

async fn u16_a_changed_list_is_completed_again(setup: Setup) {
    for mode in ["resource", "method"] {
        let (_bench, client) = foreign(mode, setup).await;
        client.learn_and_call("announce", json!({})).await.result();
        let renewed = eventually("the new definition", async || {
            (client.tools().await[0]["description"] == "Version 2 of add, in full").then_some(())
        });
        renewed.await;
        assert_eq!(add(&client).await, 1);
    }
}

async fn u16_a_server_that_delivers_nothing_is_served_as_it_is(setup: Setup) {
    let (_bench, client) = foreign("broken", setup).await;
    let seen = shown(&client).await;
    assert_eq!(seen[0]["tools"][0]["description"], "Add numbers");
    let uris: Vec<&Value> = seen[1]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
    assert_eq!(uris, ["resource:///tool_descriptions", "x:///doc"]);
    // Its own words, since there is nothing that we could do.
    let refused = client.call("add", json!({"a": 1})).await.result();
    assert!(
        refused["content"][0]["text"].as_str().unwrap().contains("TOOL_DESCRIPTION_REQUIRED"),
        "{refused}"
    );
}

/// The arguments of a gateway of which hosts choose by `cost`: `echo` is cheap, `wait` is not.
fn with_concerns(expose: bool) -> (TempDir, Vec<String>) {
    let (folder, config) = configured(&format!(
        "[[concerns]]\nname = \"cost\"\nvalues = [\"low\", \"high\"]\n\
         [tools.echo]\nconcerns = {{ cost = \"low\" }}\n[tools.wait]\nconcerns = {{ cost = \"high\" }}\n\
         [strategy.concerns]\nexpose = {expose}\n"
    ));
    (
        folder,
        ["serve", "--config", command_line::shown(&config), "--", ODD, "ordinary"].map(str::to_owned).into(),
    )
}

#[test]
fn u16_choices_reach_an_upstream_that_is_the_clients_alone() {
    let (_folder, inner) = with_concerns(false);
    let inner: Vec<&str> = inner.iter().map(String::as_str).collect();
    let arguments = [&["serve", "--strategy", "full", "--", GATEWAY], &inner[..]].concat();
    for said in ["initialize", "initialized", "later"] {
        let mut gateway = Process::start(&mut program(&arguments));
        let cheap = json!({"cost": "low"});
        let mut params = hello();
        if said == "initialize" {
            params["concerns"] = cheap.clone();
        }
        let answer = gateway.request("initialize", params);
        assert_eq!(answer["result"]["capabilities"]["concerns"][0]["name"], "cost", "{answer}");
        let chosen = if said == "initialized" { json!({"concerns": cheap}) } else { json!({}) };
        gateway.line(
            json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": chosen}).to_string(),
        );
        if said == "later" {
            assert_eq!(gateway.tool_names(), ["echo", "wait"]);
            let updated = gateway.request("updateConcerns", json!({"concerns": cheap}));
            assert_eq!(updated["result"]["concerns"], cheap, "{updated}");
        }
        // Only the upstream knows which tool is cheap.
        assert!(until(|| gateway.tool_names() == ["echo"]), "{said}");
        gateway.request("updateConcerns", json!({"concerns": {"cost": "high"}}));
        assert!(until(|| gateway.tool_names() == ["wait"]), "{said}");
        gateway.request("updateConcerns", json!({"concerns": {"cost": null}}));
        assert!(until(|| gateway.tool_names() == ["echo", "wait"]), "{said}");
    }
}

#[test]
fn b11_choices_of_operators_and_of_the_tool_reach_an_upstream_that_is_the_clients_alone() {
    let (_folder, inner) = with_concerns(false);
    let inner: Vec<&str> = inner.iter().map(String::as_str).collect();
    let flags = ["serve", "--strategy", "concerns", "--concern", "cost=low", "--", GATEWAY];
    let mut gateway = Process::start(&mut program(&[&flags[..], &inner].concat()));
    gateway.initialize();
    assert!(until(|| gateway.tool_names() == ["echo", "choose_concerns"]));
    for (chosen, listed) in [(json!("high"), &["wait"][..]), (json!(null), &["echo", "wait"])] {
        gateway.call("choose_concerns", json!({"concerns": {"cost": chosen}}));
        assert!(until(|| gateway.tool_names() == [listed, &["choose_concerns"]].concat()), "{chosen}");
    }
    gateway.finish().says(0, &[]);
    // It is the upstream that declares, so its declaration decides at the start.
    let flags = ["serve", "--concern", "cost=huge", "--", GATEWAY];
    let mut refused = Process::start(&mut program(&[&flags[..], &inner].concat()));
    refused.ask("initialize", hello());
    refused.ended().says(64, &["concern 'cost' has no value \"huge\""]);
}

async fn u16_concerns_of_a_shared_upstream_filter_where_its_lists_say_what_fits(setup: Setup) {
    for expose in [true, false] {
        let (_folder, inner) = with_concerns(expose);
        let bench = before(Target::command(GATEWAY, inner)).await;
        let cheap = kit::Identity::offering("full").choosing(json!({"cost": "low"}));
        let choosing = Client::connect_as(&bench, setup, cheap).await;
        let other = Client::connect(&bench, setup).await;
        assert_eq!(choosing.tools().await.len(), if expose { 1 } else { 2 });
        assert_eq!(other.tools().await.len(), 2);
    }
}

each_strategy!(u16_a_gateway_behind_us_gives_complete_definitions);
under_full!(u16_what_a_server_demands_before_a_call_is_done_for_our_clients);
under_full! {
    u16_concerns_of_a_shared_upstream_filter_where_its_lists_say_what_fits,
    u16_a_gateway_at_an_address_that_names_a_strategy_does_too,
    u16_definitions_are_complete_and_the_servers_own_channel_is_gone,
    u16_a_changed_list_is_completed_again,
    u16_a_server_that_delivers_nothing_is_served_as_it_is,
}
under_resource! { u16_examples_that_a_server_delivers_are_delivered }
