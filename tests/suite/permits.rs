//! What a principal may not use is answered byte by byte like what does not exist (R10).

use kit::{Bench, Client, HeaderAdmission, Identity, Options, Reply, Setup};
use mcp_disclosure_gateway::negotiation::{Bridge, StrategyOptions};
use serde_json::{Value, json};

use crate::named;

/// Not permitted, and unknown: of one length, so that answers can be compared byte by byte.
const HIDDEN: &str = "secret_tool_a";
const UNKNOWN: &str = "absent_tool_b";

/// A client that may use `open_one` and `open_two`, with the bridge listed as well.
async fn restricted(setup: Setup) -> (Bench, Client) {
    let admission = HeaderAdmission::default().knowing("ann", &["open_one", "open_two"]).on_stdio("ann");
    let strategies = StrategyOptions { bridge: Bridge::Always, ..StrategyOptions::default() };
    let names = ["open_one", HIDDEN, "open_two"];
    let bench = Bench::start(Options { admission, strategies, ..named(names) }).await;
    let identity = Identity::offering(setup.strategy).known_as("ann");
    let client = Client::connect_as(&bench, setup, identity).await;
    (bench, client)
}

/// The answer with the name that was asked for left out, and without what differs each time.
fn anonymous(reply: &Reply, name: &str) -> (Option<u16>, String) {
    let mut answer = reply.answer();
    answer["id"].take();
    (reply.status, answer.to_string().replace(name, "NAME"))
}

async fn r10_what_is_not_permitted_is_answered_like_an_unknown_name(setup: Setup) {
    let (_bench, client) = restricted(setup).await;
    let query = |name: &str| format!("resource:///tool_descriptions?tools={name}");
    for (method, with) in [
        ("tools/call", (|name| json!({"name": name, "arguments": {"x": 1}})) as fn(&str) -> Value),
        ("tools/call", |name| json!({"name": name, "arguments": {"disclosure_receipt": "x"}})),
        ("tools/call", |name| json!({"name": format!("kit__{name}")})),
        ("tools/call", |name| json!({"name": "describe_tools", "arguments": {"names": [name]}})),
        ("tools/describe", |name| json!({"name": name})),
        ("tools/call", |name| json!({"name": "info", "arguments": {"topic": format!("tool:{name}")}})),
    ] {
        let (hidden, unknown) =
            (client.request(method, with(HIDDEN)).await, client.request(method, with(UNKNOWN)).await);
        assert_eq!(anonymous(&hidden, HIDDEN), anonymous(&unknown, UNKNOWN), "{method}");
    }
    let (hidden, unknown) = (client.read(&query(HIDDEN)).await, client.read(&query(UNKNOWN)).await);
    assert_eq!(anonymous(&hidden, HIDDEN), anonymous(&unknown, UNKNOWN));
    // Fetching does not widen what is permitted.
    assert_eq!(client.call(HIDDEN, json!({})).await.error()["message"], format!("Unknown tool: {HIDDEN}"));
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn r10_what_is_not_permitted_is_never_enumerated(setup: Setup) {
    let (_bench, client) = restricted(setup).await;
    client.request("tools/list", json!({})).await.result();
    client.request("resources/list", json!({})).await.result();
    client.request("resources/templates/list", json!({})).await.result();
    client.request("server/discover", json!({})).await;
    client.read("resource:///tool_descriptions").await;
    client.describe(UNKNOWN).await;
    client.call("describe_tools", json!({"names": []})).await;
    client.call("info", json!({})).await;
    client.call("info", json!({"topic": "kit"})).await;
    for arguments in [json!({}), json!({"category": "kit"}), json!({"query": "open one two", "limit": 50})] {
        client.call("search_tools", arguments).await;
    }
    for name in ["", "kit", UNKNOWN] {
        client.call("get_group", json!({"name": name})).await;
        client.request("groups/get", json!({"name": name})).await;
    }
    client.request("groups/list", json!({})).await;
    client.call("open_one", json!({})).await.result();
    for message in client.inbox.since(0) {
        assert!(!message.contains("secret"), "{message}");
    }
    let listed = client.request("tools/list", json!({})).await.result();
    let names: Vec<&Value> = listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    if setup.lists_tools() {
        assert_eq!(names[..2], ["open_one", "open_two"]);
    }
    client.learn_and_call("open_two", json!({})).await.result();
}
each_strategy!(
    r10_what_is_not_permitted_is_answered_like_an_unknown_name,
    r10_what_is_not_permitted_is_never_enumerated,
);

async fn r10_a_session_is_its_principals_alone(setup: Setup) {
    let admission = HeaderAdmission::default().knowing("ann", &["a"]).knowing("bob", &["a"]);
    let bench = Bench::start(Options { admission, ..named(["a"]) }).await;
    let identity = |name| Identity::offering(setup.strategy).known_as(name);
    let ann = Client::connect_as(&bench, setup, identity("ann")).await;
    let mut bob = Client::attach(&bench, setup, identity("bob"));
    bob.session.clone_from(&ann.session);
    let stolen = bob.request("tools/list", json!({})).await;
    bob.session = Some("0123456789abcdef0123456789abcdef".to_owned());
    let made_up = bob.request("tools/list", json!({})).await;
    assert_eq!(stolen.status, Some(404));
    assert_eq!(anonymous(&stolen, "-"), anonymous(&made_up, "-"));
    ann.request("tools/list", json!({})).await.result();
}
cases!(full_http_session resource_http_session; r10_a_session_is_its_principals_alone);

async fn r10_lists_of_a_known_principal_are_private(setup: Setup) {
    let (_bench, client) = restricted(setup).await;
    for method in ["tools/list", "resources/list", "prompts/list"] {
        assert_eq!(client.request(method, json!({})).await.result()["cacheScope"], "private");
    }
}
without_sessions!(r10_lists_of_a_known_principal_are_private);
