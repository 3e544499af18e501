//! Which strategy serves whom (N1 to N5).

use kit::{Bench, Client, Identity, Options, Setup, Transport};
use mcp_disclosure_core::{EXTENSION, GROUPS};
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::json;

use crate::{connect, connect_as, odd};

pub(crate) async fn selected(client: &Client) -> String {
    client.capabilities().await["extensions"][EXTENSION]["selected"].as_str().unwrap().to_owned()
}

/// Whether complete definitions are listed to it.
async fn sees_schemas(client: &Client) -> bool {
    let listed = client.request("tools/list", json!({})).await.result();
    listed["tools"][0]["inputSchema"]["required"] == json!(["text"])
}

async fn n1_n3_n4_the_address_decides_then_the_operator_then_the_client_then_the_fallback(setup: Setup) {
    let strategy = setup.strategy;
    let other = if strategy == "full" { "resource" } else { "full" };
    let falling_back = || {
        let strategies = StrategyOptions { fallback: strategy.to_owned(), ..StrategyOptions::default() };
        Options { strategies, ..odd() }
    };
    let offer = json!({"strategies": ["unheard-of", strategy, "full"]});
    let preferring = |place: &str| {
        let mut capabilities = json!({place: {EXTENSION: offer}});
        if strategy.ends_with("groups") {
            capabilities[place][GROUPS] = json!({});
        }
        Identity { capabilities, ..Identity::default() }
    };
    let mut all = vec![
        (odd().pinned(strategy), Identity::offering(other)),
        (odd(), preferring("experimental")),
        (odd(), preferring("extensions")),
        (falling_back(), Identity::offering("unheard-of")),
        (falling_back(), Identity::default()),
    ];
    if setup.is_http() {
        let identity = Identity::offering(other).at(&format!("/mcp/{strategy}"));
        all.push((odd().pinned(other), identity));
    }
    for (options, identity) in all {
        let said = format!("{:?} {identity:?}", options.strategies);
        let falls_back = options.strategies.fallback == strategy;
        let (_bench, client) = connect_as(options, setup, identity).await;
        assert_eq!(selected(&client).await, strategy, "{said}");
        assert_eq!(sees_schemas(&client).await, strategy == "full", "{said}");
        if falls_back {
            let last = client.tool_names().await.pop().unwrap();
            let is_own = ["describe_tools", "info", "call_tool"].contains(&&*last);
            assert_eq!(is_own, strategy != "full", "{last}");
        }
    }
}

async fn n2_clients_of_one_process_are_served_differently(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let full = Client::connect_as(&bench, setup, Identity::offering("full")).await;
    let minimal = Client::connect_as(&bench, setup, Identity::offering("resource")).await;
    for _ in 0..2 {
        assert!(sees_schemas(&full).await);
        assert!(!sees_schemas(&minimal).await);
    }
    assert_ne!(full.call("rich", json!({})).await.result()["isError"], true);
    assert_eq!(minimal.call("rich", json!({})).await.result()["isError"], true);
}

async fn n3_a_strategy_may_be_named_with_the_filters_under_it(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let presenter = setup.strategy.rsplit('+').next().unwrap();
    for name in [presenter.to_owned(), format!("concerns+{presenter}")] {
        let client = Client::connect_as(&bench, setup, Identity::offering(&name)).await;
        assert_eq!(selected(&client).await, *name);
        assert_eq!(sees_schemas(&client).await, setup.strategy == "full");
        let listed = client.request("tools/list", json!({})).await.text.unwrap();
        assert!(!listed.contains("describe_tools"), "{listed}");
        if setup.transport == Transport::Http {
            let client =
                Client::connect_as(&bench, setup, Identity::default().at(&format!("/mcp/{name}"))).await;
            assert_eq!(selected(&client).await, *name);
        }
    }
    let pinned = format!("concerns+{presenter}");
    let (_bench, client) = connect(odd().pinned(&pinned), setup).await;
    let settings = &client.capabilities().await["extensions"][EXTENSION];
    assert_eq!(settings["selected"], json!(pinned));
    assert!(!settings["strategies"].as_array().unwrap().contains(&json!(pinned)), "{settings}");
    for odd in ["concerns+", "concerns+concerns+full", "full+concerns", "concerns+nope"] {
        let client = Client::connect_as(&bench, setup, Identity::offering(odd)).await;
        assert_eq!(selected(&client).await, "full", "{odd}");
    }
}

each_strategy!(
    n3_a_strategy_may_be_named_with_the_filters_under_it,
    n1_n3_n4_the_address_decides_then_the_operator_then_the_client_then_the_fallback,
);
each_way_in!(n2_clients_of_one_process_are_served_differently);

async fn n3_a_strategy_that_is_not_offered_has_no_address(setup: Setup) {
    let strategies =
        StrategyOptions { offered: vec![setup.strategy.to_owned()], ..StrategyOptions::default() };
    let bench = Bench::start(Options { strategies, ..odd() }).await;
    let other = if setup.strategy == "full" { "resource" } else { "full" };
    for (strategy, status) in [(setup.strategy, 200), (other, 404), ("unheard-of", 404)] {
        let path = format!("/mcp/{strategy}");
        let mut client = Client::attach(&bench, setup, Identity::default().at(&path));
        let reply = client.handshake().await;
        assert_eq!(reply.status, Some(status), "{path}");
    }
}
cases!(
    full_http_session resource_http_stateless;
    n3_a_strategy_that_is_not_offered_has_no_address,
);
