//! Which strategy serves whom (N1 to N5).

use kit::{Bench, Client, Identity, Options, Setup, Transport};
use mcp_disclosure_core::EXTENSION;
use mcp_disclosure_gateway::{builtin, negotiation::StrategyOptions};
use serde_json::json;

use crate::{connect, connect_as, connected, odd};

pub(crate) async fn selected(client: &Client) -> String {
    client.capabilities().await["extensions"][EXTENSION]["selected"].as_str().unwrap().to_owned()
}

/// Whether complete definitions are listed to it.
async fn sees_schemas(client: &Client) -> bool {
    let listed = client.request("tools/list", json!({})).await.result();
    listed["tools"][0]["inputSchema"]["required"] == json!(["text"])
}

async fn n1_what_is_offered_and_selected_is_advertised(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let capabilities = client.capabilities().await;
    let registry = builtin();
    let mut all: Vec<String> = registry.profiles().map(|profile| profile.name.to_string()).collect();
    // What stands under every strategy need not be asked for.
    all.retain(|name| registry.everywhere().all(|filter| filter != name));
    let expected = json!({"strategies": all, "selected": setup.strategy});
    assert_eq!(capabilities["extensions"][EXTENSION], expected);
    assert_eq!(capabilities["experimental"][EXTENSION], expected);
    assert_eq!(sees_schemas(&client).await, setup.strategy == "full");
}

async fn n1_the_operator_comes_before_the_client(setup: Setup) {
    let other = if setup.strategy == "full" { "resource" } else { "full" };
    let (_bench, client) = connect_as(odd().pinned(setup.strategy), setup, Identity::offering(other)).await;
    assert_eq!(selected(&client).await, setup.strategy);
    assert_eq!(sees_schemas(&client).await, setup.strategy == "full");
}

async fn n1_the_clients_first_preference_that_is_offered_wins(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let offer = json!({"strategies": ["unheard-of", setup.strategy, "full"]});
    for place in ["extensions", "experimental"] {
        let capabilities = json!({place: {EXTENSION: offer}});
        let identity = Identity { capabilities, ..Identity::default() };
        assert_eq!(selected(&Client::connect_as(&bench, setup, identity).await).await, setup.strategy);
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

async fn n4_an_offer_of_unknown_strategies_gets_the_fallback(setup: Setup) {
    let strategies = StrategyOptions { fallback: setup.strategy.to_owned(), ..StrategyOptions::default() };
    let bench = Bench::start(Options { strategies, ..odd() }).await;
    for identity in [Identity::offering("unheard-of"), Identity::default()] {
        let client = Client::connect_as(&bench, setup, identity).await;
        assert_eq!(selected(&client).await, setup.strategy);
        let last = client.tool_names().await.pop().unwrap();
        assert_eq!(
            ["describe_tools", "info", "call_tool"].contains(&&*last),
            setup.strategy != "full",
            "{last}"
        );
    }
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
    n1_what_is_offered_and_selected_is_advertised,
    n1_the_operator_comes_before_the_client,
    n1_the_clients_first_preference_that_is_offered_wins,
    n4_an_offer_of_unknown_strategies_gets_the_fallback,
);
each_way_in!(n2_clients_of_one_process_are_served_differently);

async fn n3_the_address_comes_before_everything(setup: Setup) {
    let other = if setup.strategy == "full" { "resource" } else { "full" };
    let identity = Identity::offering(other).at(&format!("/mcp/{}", setup.strategy));
    let (_bench, client) = connect_as(odd().pinned(other), setup, identity).await;
    assert_eq!(selected(&client).await, setup.strategy);
    assert_eq!(sees_schemas(&client).await, setup.strategy == "full");
}

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
    n3_the_address_comes_before_everything,
    n3_a_strategy_that_is_not_offered_has_no_address,
);

async fn n5_lists_that_depend_on_the_request_are_private(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for method in ["tools/list", "resources/list", "server/discover"] {
        let result = client.request(method, json!({})).await.result();
        assert_eq!(result["cacheScope"], "private", "{method}");
        assert!(result["ttlMs"].as_u64().is_some_and(|time| time > 0), "{method}");
    }
}
without_sessions!(n5_lists_that_depend_on_the_request_are_private);

async fn n5_lists_that_are_the_same_for_everyone_are_public(setup: Setup) {
    let (_bench, client) = connect_as(odd(), setup, Identity::default().at("/mcp/full")).await;
    for method in ["tools/list", "resources/list", "server/discover"] {
        assert_eq!(client.request(method, json!({})).await.result()["cacheScope"], "public", "{method}");
    }
}
cases!(full_http_stateless; n5_lists_that_are_the_same_for_everyone_are_public);
