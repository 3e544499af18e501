//! Concerns chosen by the address (B11): `/mcp?cost=low`, in both eras.

use kit::{Bench, Client, Identity, Setup};
use serde_json::{Value, json};

use crate::concerns::{listed, options};

async fn tools_at(bench: &Bench, setup: Setup, path: &str) -> Vec<String> {
    let client = Client::connect_as(bench, setup, Identity::default().at(path)).await;
    let [tools, ..] = listed(&client).await;
    tools
}

async fn b11_the_query_of_an_address_chooses(setup: Setup) {
    let bench = Bench::start(options(json!({}))).await;
    for (path, expected) in [
        ("/mcp?cost=low", vec!["cheap", "open"]),
        ("/mcp/info?cost=high", vec!["dear", "open"]),
        ("/mcp/concerns+resource?delay=7.5&cost=high", vec!["dear", "open"]),
        ("/mcp?c%6Fst=%6cow&", vec!["cheap", "open"]),
        ("/mcp?api_key=secret&utm_source=mail&cost=low", vec!["cheap", "open"]),
        ("/mcp?", vec!["cheap", "dear", "open"]),
        ("/mcp?&&", vec!["cheap", "dear", "open"]),
    ] {
        assert_eq!(tools_at(&bench, setup, path).await, expected, "{path}");
    }
    let client = Client::connect_as(&bench, setup, Identity::default().at("/mcp?cost=low")).await;
    for of_kind in listed(&client).await {
        assert_eq!(of_kind, ["cheap", "open"]);
    }
    assert_eq!(client.request("listConcerns", json!({})).await.result()["effective"], json!({"cost": "low"}));
    if !setup.has_sessions() {
        assert_eq!(client.request("tools/list", json!({})).await.result()["cacheScope"], "private");
    }
}

async fn b11_a_client_wins_over_its_address_and_that_over_the_operator(setup: Setup) {
    let bench = Bench::start(options(json!({"choices": {"cost": "high", "delay": 9}}))).await;
    let at = |own: Value| Identity::default().at("/mcp?cost=low").choosing(own);
    for (own, expected, effective) in [
        (json!({}), vec!["cheap", "open"], json!({"cost": "low", "delay": 9})),
        (json!({"cost": "high"}), vec!["dear", "open"], json!({"cost": "high", "delay": 9})),
        (json!({"cost": null}), vec!["cheap", "dear", "open"], json!({"delay": 9})),
    ] {
        let client = Client::connect_as(&bench, setup, at(own)).await;
        assert_eq!(listed(&client).await[0], expected);
        assert_eq!(client.request("listConcerns", json!({})).await.result()["effective"], effective);
    }
}

/// The status and the error of the first request at this address.
async fn refused(bench: &Bench, setup: Setup, path: &str) -> (u16, Value) {
    let reply = Client::attach(bench, setup, Identity::default().at(path)).handshake().await;
    (reply.status.unwrap(), reply.error())
}

async fn b11_what_an_address_says_and_is_not_understood_is_refused(setup: Setup) {
    let bench = Bench::start(options(json!({}))).await;
    let declared = "Parameters of the address are the declared concerns: cost={low, high}, delay={0 to 10}.";
    for (query, expected) in [
        ("cots=low", "No concern 'cots' is declared (did you mean 'cost'?)."),
        ("cost=lo", "Concern 'cost' has no value \"lo\". Permitted: low, high."),
        ("cost=", "Concern 'cost' has no value \"\"."),
        ("cost=low,high", "Concern 'cost' has no value \"low,high\"."),
        // Decoded once.
        ("a+b=x", "No concern 'a b' is declared"),
        ("cost=c+d%2B", "Concern 'cost' has no value \"c d+\"."),
        ("cost=%E2%82%AC%C3%A4", "Concern 'cost' has no value \"\u{20ac}\u{e4}\"."),
        ("delay=11", "Concern 'delay' has no value \"11\". Permitted: 0 to 10."),
        ("cost=low&mood=%1B%5B31m", "No concern 'mood' is declared"),
        ("cost=%00low", "Concern 'cost' has no value"),
        ("cost=low&cost=low", "repeats a name"),
        ("cost=low&c%6Fst=high", "repeats a name"),
        ("cost=%", "is not percent-encoded UTF-8"),
        ("cost=%FF", "is not percent-encoded UTF-8"),
        ("%C3=1", "is not percent-encoded UTF-8"),
    ] {
        let (status, error) = refused(&bench, setup, &format!("/mcp?{query}")).await;
        let message = error["message"].as_str().unwrap();
        assert_eq!((status, &error["code"]), (400, &json!(-32600)), "{query}: {error}");
        assert!(message.contains(expected), "{query}: {message}");
        assert_eq!(message.ends_with(declared), expected.contains("oncern"), "{query}: {message}");
    }
    let many = |count: usize| (0..count).map(|at| format!("a{at}=1&")).collect::<String>();
    let (status, error) = refused(&bench, setup, &format!("/mcp?{}", many(1000))).await;
    assert_eq!(status, 400);
    assert!(error["message"].as_str().unwrap().len() < 2000, "{error}");
    let (status, error) = refused(&bench, setup, &format!("/mcp?{}", &many(10_000)[..60_000])).await;
    assert_eq!(status, 414);
    assert!(error["message"].as_str().unwrap().contains("at most 8192 are allowed"), "{error}");
}

async fn b11_where_nothing_is_declared_an_address_cannot_choose(setup: Setup) {
    let bench = Bench::start(crate::odd()).await;
    let (status, error) = refused(&bench, setup, "/mcp?cost=low").await;
    assert_eq!(status, 400);
    assert!(error["message"].as_str().unwrap().contains("No concerns are declared here"), "{error}");
    let client = Client::connect_as(&bench, setup, Identity::default().at("/mcp?access_token=x")).await;
    client.request("tools/list", json!({})).await.result();
}

async fn b11_operators_say_which_parameters_are_no_choices(setup: Setup) {
    let settings = json!({"ignored_parameters": ["tenant", "cost"]});
    let bench = Bench::start(options(settings)).await;
    assert_eq!(tools_at(&bench, setup, "/mcp?tenant=7").await.len(), 3);
    // What is declared is a choice all the same.
    assert_eq!(tools_at(&bench, setup, "/mcp?cost=low").await, ["cheap", "open"]);
    assert_eq!(refused(&bench, setup, "/mcp?api_key=x").await.0, 400);
}

async fn b11_the_query_of_initialize_holds_for_the_session(setup: Setup) {
    let bench = Bench::start(options(json!({}))).await;
    let client = Client::connect_as(&bench, setup, Identity::default().at("/mcp?cost=low")).await;
    client.open_stream().await;
    for path in ["/mcp", "/mcp?cost=high", "/mcp?cots=%"] {
        let mut elsewhere = Client::attach(&bench, setup, Identity::default().at(path));
        elsewhere.session.clone_from(&client.session);
        let listed = elsewhere.request("listConcerns", json!({})).await.result();
        assert_eq!(listed["effective"], json!({"cost": "low"}), "{path}");
    }
    // What the client says later still wins.
    client.request("updateConcerns", json!({"concerns": {"cost": "high"}})).await.result();
    assert_eq!(listed(&client).await[0], ["dear", "open"]);
    client.notification("notifications/tools/list_changed").await;
}

over_http!(
    b11_a_client_wins_over_its_address_and_that_over_the_operator,
    b11_operators_say_which_parameters_are_no_choices,
    b11_the_query_of_an_address_chooses,
    b11_what_an_address_says_and_is_not_understood_is_refused,
    b11_where_nothing_is_declared_an_address_cannot_choose,
);
cases!(full_http_session; b11_the_query_of_initialize_holds_for_the_session);
