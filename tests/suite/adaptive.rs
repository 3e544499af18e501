//! Nothing is withheld where nothing is gained (S11).

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_core::{ListSize, Principal, View};
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json};

use crate::{connect_plain, negotiation::selected, odd, playing};

/// A gateway that withholds by this strategy what is over the budget.
fn adaptive(setup: Setup, budget: u64, options: Options) -> Options {
    let settings = options.strategies.settings.clone();
    let over_budget = setup.strategy.to_owned();
    let strategies = StrategyOptions { budget, over_budget, settings, ..StrategyOptions::default() };
    Options { strategies, ..options }
}

/// What the complete list costs.
async fn complete_list(options: Options) -> u64 {
    let bench = Bench::start(options).await;
    let snapshot = bench.gateway.backends().shared().catalogue().current().snapshot().clone();
    ListSize::complete(&View::of(snapshot, &Principal::anonymous())).tokens()
}

async fn s11_the_size_of_the_complete_list_decides(setup: Setup) {
    let cost = complete_list(odd()).await;
    let full = Bench::start(odd()).await;
    let over = Bench::start(odd().pinned(setup.strategy)).await;
    for (budget, like, name) in
        [(cost, &full, "full"), (cost - 1, &over, setup.strategy), (0, &over, setup.strategy)]
    {
        let bench = Bench::start(adaptive(setup, budget, odd())).await;
        for identity in [Identity::default(), Identity::offering("unheard-of")] {
            let client = Client::connect_as(&bench, setup, identity.clone()).await;
            assert_eq!(selected(&client).await, name, "{budget} of {cost}");
            let model = Client::connect_as(like, setup, identity).await;
            assert_eq!(client.tools().await, model.tools().await, "{budget} of {cost}");
        }
    }
}

/// The own tools of a strategy, with arguments about a tool.
fn own_tools(setup: Setup, tool: &str) -> Vec<(&'static str, Value)> {
    match setup.strategy {
        "info" => vec![("info", json!({"topic": tool}))],
        "search" => vec![("search_tools", json!({"query": tool})), ("call_tool", json!({"tool": tool}))],
        "groups" => vec![("get_group", json!({"name": tool})), ("call_tool", json!({"tool": tool}))],
        _ => vec![("describe_tools", json!({"names": [tool]}))],
    }
}

/// Whether an upstream answered, which repeats what it is given.
fn is_of_upstream(answer: &Value) -> bool {
    answer["structuredContent"].get("given").is_some()
}

/// What a user allowed under a name stays what it is.
async fn s11_a_name_is_the_same_tool_on_both_sides_of_the_budget(setup: Setup) {
    let own = own_tools(setup, "plain");
    let scenario = || Scenario::named(own.iter().map(|(name, _)| *name).chain(["plain"]));
    for budget in [u64::MAX, 0] {
        let (_bench, client) = connect_plain(adaptive(setup, budget, playing(scenario())), setup).await;
        let names = client.tools().await;
        for (name, arguments) in &own {
            let qualified = format!("kit__{name}");
            if budget > 0 {
                assert!(names.iter().any(|tool| tool["name"] == *qualified), "{names:?}");
                assert!(!names.iter().any(|tool| tool["name"] == *name), "{names:?}");
            }
            let called = client.call(name, arguments.clone()).await.result();
            assert_eq!(is_of_upstream(&called), *name == "call_tool", "{name} is the gateway's: {called}");
            let called = match budget {
                0 => client.learn_and_call(&qualified, json!({})).await.result(),
                _ => client.call(&qualified, json!({})).await.result(),
            };
            assert!(is_of_upstream(&called), "{qualified} is the upstream's: {called}");
        }
    }
}

async fn s11_a_client_that_asks_gets_what_it_asks_for(setup: Setup) {
    for budget in [u64::MAX, 0] {
        let bench = Bench::start(adaptive(setup, budget, odd())).await;
        for wanted in ["full", "resource"] {
            let client = Client::connect_as(&bench, setup, Identity::offering(wanted)).await;
            assert_eq!(selected(&client).await, wanted);
        }
        // What discloses by itself is given everything.
        let gateway = Client::connect_as(&bench, setup, Identity::offering("unheard-of").disclosing()).await;
        assert_eq!(selected(&gateway).await, "full");
    }
}

where_schemas_are_withheld!(
    s11_the_size_of_the_complete_list_decides,
    s11_a_name_is_the_same_tool_on_both_sides_of_the_budget,
    s11_a_client_that_asks_gets_what_it_asks_for,
);

/// What a client chooses may bring its list within the budget.
async fn s11_a_choice_counts(setup: Setup) {
    let options = |budget| adaptive(setup, budget, crate::concerns::options(json!({})));
    let all = complete_list(options(0)).await;
    let bench = Bench::start(options(all - 1)).await;
    let shows = async |identity| {
        let client = Client::connect_as(&bench, setup, identity).await;
        client.tools().await[0]["inputSchema"]["properties"]["n"]["type"] == "integer"
    };
    assert!(!shows(Identity::default()).await);
    assert!(shows(Identity::default().choosing(json!({"cost": "low"}))).await);
}
under_resource!(s11_a_choice_counts);

async fn s11_a_catalogue_that_outgrows_the_budget_changes_the_list(setup: Setup) {
    let cost = complete_list(odd()).await;
    let less = "[tools.rich]\nhidden = true\n";
    let (bench, client) = connect_plain(adaptive(setup, cost - 1, odd()).with_config(less), setup).await;
    let is_complete = async || !client.tool_names().await.contains(&"describe_tools".to_owned());
    assert!(is_complete().await);
    assert_ne!(client.call("echo", json!({"text": "x"})).await.result()["isError"], true);
    client.open_stream().await;
    for (config, within) in [("[server]\nname = \"all\"\n", false), (less, true)] {
        bench.configure(config).await;
        client.notification("notifications/tools/list_changed").await;
        client.notification("notifications/resources/list_changed").await;
        assert_eq!(is_complete().await, within, "a session follows the catalogue");
        let resources = client.request("resources/list", json!({})).await.text.unwrap();
        assert_eq!(resources.contains("resource:///tool_descriptions"), !within, "{resources}");
        // What was listed completely was delivered by that; what came later was not.
        let called = client.call("echo", json!({"text": "x"})).await.result();
        assert_ne!(called["isError"], true, "{called}");
        if !within {
            let refused = client.call("rich", json!({})).await.refusal("TOOL_DESCRIPTION_REQUIRED");
            assert!(refused.to_string().contains("describe_tools"), "{refused}");
        }
    }
    // Another session was listed nothing.
    bench.configure("").await;
    let other = Client::connect_as(&bench, setup, Identity::default()).await;
    assert_eq!(other.call("echo", json!({"text": "x"})).await.result()["isError"], true);
}
cases!(resource_http_session; s11_a_catalogue_that_outgrows_the_budget_changes_the_list);
