//! Nothing is withheld where nothing is gained (S11).

use kit::{Bench, Client, Identity, Options, Setup};
use mcp_disclosure_core::{CompleteList, EXTENSION, Principal, View};
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json};

use crate::odd;

/// Adaptive, with this strategy over the budget.
fn adaptive(setup: Setup, budget: u64) -> StrategyOptions {
    StrategyOptions {
        fallback: "adaptive".to_owned(),
        budget,
        over_budget: setup.strategy.to_owned(),
        ..StrategyOptions::default()
    }
}

/// What the complete list of the odd upstream costs.
async fn complete_list() -> u64 {
    let bench = Bench::start(odd()).await;
    let snapshot = bench.gateway.backends().shared().catalogue().current().snapshot().clone();
    CompleteList::of(&View::of(snapshot, &Principal::anonymous())).tokens()
}

async fn selected(client: &Client) -> String {
    let capabilities = match client.setup.has_sessions() {
        true => client.introduction["capabilities"].clone(),
        false => client.request("server/discover", json!({})).await.result()["capabilities"].clone(),
    };
    capabilities["extensions"][EXTENSION]["selected"].as_str().unwrap().to_owned()
}

async fn listed(client: &Client) -> Vec<Value> {
    client.request("tools/list", json!({})).await.result()["tools"].as_array().unwrap().clone()
}

async fn s11_the_size_of_the_complete_list_decides(setup: Setup) {
    let cost = complete_list().await;
    let full = Bench::start(odd()).await;
    let pinned = Some(setup.strategy.to_owned());
    let over = Bench::start(Options {
        strategies: StrategyOptions { pinned, ..StrategyOptions::default() },
        ..odd()
    });
    let over = over.await;
    for (budget, like, name) in
        [(cost, &full, "full"), (cost - 1, &over, setup.strategy), (0, &over, setup.strategy)]
    {
        let bench = Bench::start(Options { strategies: adaptive(setup, budget), ..odd() }).await;
        for identity in [Identity::default(), Identity::offering("unheard-of")] {
            let client = Client::connect_as(&bench, setup, identity.clone()).await;
            assert_eq!(selected(&client).await, name, "{budget} of {cost}");
            let model = Client::connect_as(like, setup, identity).await;
            assert_eq!(listed(&client).await, listed(&model).await, "{budget} of {cost}");
        }
    }
}

async fn s11_calls_are_decided_on_by_what_serves(setup: Setup) {
    for (budget, serves) in [(u64::MAX, "full"), (0, setup.strategy)] {
        let bench = Bench::start(Options { strategies: adaptive(setup, budget), ..odd() }).await;
        let client = Client::connect_as(&bench, setup, Identity::default()).await;
        let called = client.call("rich", json!({})).await.result();
        assert_eq!(called["isError"] == true, serves == "resource", "{called}");
        let read = client.read("resource:///tool_descriptions?tools=rich").await.text.unwrap();
        assert_eq!(read.contains("inputSchema"), serves == "resource", "{read}");
        let own = client.call("info", json!({})).await;
        assert_eq!(own.answer().get("result").is_some(), serves == "info", "{own:?}");
    }
}

async fn s11_a_client_that_asks_gets_what_it_asks_for(setup: Setup) {
    for budget in [u64::MAX, 0] {
        let bench = Bench::start(Options { strategies: adaptive(setup, budget), ..odd() }).await;
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
    s11_calls_are_decided_on_by_what_serves,
    s11_a_client_that_asks_gets_what_it_asks_for,
);

/// What a client chooses may bring its list within the budget.
async fn s11_a_choice_counts(setup: Setup) {
    let options = |budget| {
        let options = crate::concerns::options(json!({}));
        let settings = options.strategies.settings.clone();
        Options { strategies: StrategyOptions { settings, ..adaptive(setup, budget) }, ..options }
    };
    let bench = Bench::start(options(0)).await;
    let snapshot = bench.gateway.backends().shared().catalogue().current().snapshot().clone();
    let all = CompleteList::of(&View::of(snapshot, &Principal::anonymous())).tokens();
    let bench = Bench::start(options(all - 1)).await;
    let shows = async |identity| {
        let client = Client::connect_as(&bench, setup, identity).await;
        listed(&client).await[0]["inputSchema"]["properties"]["n"]["type"] == "integer"
    };
    assert!(!shows(Identity::default()).await);
    assert!(shows(Identity::default().choosing(json!({"cost": "low"}))).await);
}
under_resource!(s11_a_choice_counts);

async fn s11_a_catalogue_that_outgrows_the_budget_changes_the_list(setup: Setup) {
    let cost = complete_list().await;
    let less = "[tools.rich]\nhidden = true\n";
    let bench =
        Bench::start(Options { strategies: adaptive(setup, cost - 1), config: less.to_owned(), ..odd() });
    let bench = bench.await;
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    let is_complete = async || {
        let listed = listed(&client).await;
        !listed.iter().any(|tool| tool["name"] == "describe_tools")
    };
    assert!(is_complete().await);
    assert_ne!(client.call("echo", json!({"text": "x"})).await.result()["isError"], true);
    client.open_stream().await;
    for (config, within) in [("[server]\nname = \"all\"\n", false), (less, true)] {
        std::fs::write(bench.directory.path().join("disclosure.toml"), config).unwrap();
        bench.reloads.reload(true).await.unwrap();
        client.notification("notifications/tools/list_changed").await;
        client.notification("notifications/resources/list_changed").await;
        assert_eq!(is_complete().await, within, "a session follows the catalogue");
        let resources = client.request("resources/list", json!({})).await.text.unwrap();
        assert_eq!(resources.contains("resource:///tool_descriptions"), !within, "{resources}");
        let called = client.call("echo", json!({"text": "x"})).await.result();
        assert_eq!(called["isError"] != true, within, "{called}");
    }
}
only!(resource_http_session = "resource" Http Session; s11_a_catalogue_that_outgrows_the_budget_changes_the_list);
