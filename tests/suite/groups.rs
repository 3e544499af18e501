//! `groups` (G1 to G17): groups for clients that declare `io.modelcontextprotocol/groups`, everything for all others.

use std::collections::HashMap;

use kit::{
    Bench, Client, Identity, Options, Scenario, Setup, eventually,
    scenario::{control, raw},
};
use mcp_disclosure_core::{EXTENSION, GROUPS, RawObject};
use serde_json::{Value, json, value::RawValue};

use crate::{connect, connect_plain, connected, manifest::items, odd, playing, several};

const NOUNS: [&str; 4] = ["issue", "label", "branch", "release"];
const VERBS: [&str; 4] = ["list", "open", "close", "edit"];

fn tool(name: &str) -> String {
    let which = json!({"type": "string", "description": "Which one is meant, in words that cost more than asking for them"});
    let schema = json!({"type": "object", "properties": {"which": which}});
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": schema}).to_string()
}

/// Two upstreams, the first of which has sixteen tools of four categories.
fn two() -> Options {
    let forge = NOUNS.iter().flat_map(|noun| VERBS.iter().map(move |verb| tool(&format!("{verb}_{noun}"))));
    let files = ["read_file", "write_file", "move_file"].map(tool);
    several([("kit", Scenario::with_tools(forge)), ("files", Scenario::with_tools(files))])
}

/// The same, where these strategies are offered.
fn offering(offered: &[&str]) -> Options {
    let mut options = two();
    options.strategies.offered = offered.iter().map(|name| (*name).to_owned()).collect();
    options
}

async fn group(client: &Client, name: &str) -> Value {
    client.request("groups/get", json!({"name": name})).await.result()
}

fn names(items: &Value) -> Vec<String> {
    let items = items.as_array().into_iter().flatten();
    items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// Every group that can be reached, by name.
async fn reachable(client: &Client) -> HashMap<String, Value> {
    let mut next = names(&client.request("groups/list", json!({})).await.result()["groups"]);
    let mut found = HashMap::new();
    while let Some(name) = next.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let contents = group(client, &name).await;
        next.extend(names(&contents["contents"]["groups"]));
        found.insert(name, contents);
    }
    found
}

/// Every tool, at the top and in groups.
pub(crate) async fn everything(client: &Client) -> Vec<Value> {
    let mut all = client.tools().await;
    if all.iter().any(|tool| tool["name"] == "get_group") {
        let shown = client.call("get_group", json!({"name": "kit"})).await.result();
        all.extend(shown["structuredContent"]["tools"].as_array().into_iter().flatten().cloned());
        return all;
    }
    for (_, contents) in reachable(client).await {
        all.extend(contents["contents"]["tools"].as_array().into_iter().flatten().cloned());
    }
    all
}

async fn g1_the_extension_is_advertised_where_the_operator_turns_it_on(setup: Setup) {
    for (options, is_on) in [
        (two(), false),
        (offering(&["full", "info"]), false),
        (two().set("groups", json!({})).pinned("full"), false),
        (offering(&["full", "groups"]), true),
        (two().set("groups", json!({})), true),
        (two().pinned(setup.strategy), true),
    ] {
        let said = format!("{:?}", options.strategies);
        let bench = Bench::start(options).await;
        for identity in [Identity::default(), Identity::grouping()] {
            let client = Client::connect_as(&bench, setup, identity).await;
            let extension = &client.capabilities().await["extensions"][GROUPS];
            assert_eq!(*extension == json!({"listChanged": true}), is_on, "{said}: {extension}");
        }
        let client = Client::connect_as(&bench, setup, Identity::grouping()).await;
        let reply = client.request("groups/list", json!({})).await.answer();
        assert_eq!(reply.get("result").is_some(), is_on, "{said}: {reply}");
    }
}

async fn g2_groups_do_not_exist_for_clients_that_do_not_declare_them(setup: Setup) {
    for options in [offering(&["full", "groups"]), two().pinned(setup.strategy)] {
        let bench = Bench::start(options).await;
        let plain = Identity::default().declaring(EXTENSION, json!({"strategies": [setup.strategy]}));
        for identity in [Identity::default(), plain] {
            let client = Client::connect_as(&bench, setup, identity).await;
            for method in ["groups/list", "groups/get"] {
                assert_eq!(client.request(method, json!({"name": "files"})).await.code(), -32601);
            }
        }
    }
}

async fn g5_definitions_are_those_of_the_complete_list_to_the_byte(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let grouping = Client::connect(&bench, setup).await;
    let plain = Client::connect_as(&bench, setup, Identity::offering("full")).await;
    let got = RawObject::parse(grouping.request("groups/get", json!({"name": "kit"})).await.result_text());
    let contents = got.unwrap().object("contents").unwrap();
    let got: Vec<RawObject> = serde_json::from_str(contents.member("tools").unwrap()).unwrap();
    assert_eq!(got, items(&plain, "tools/list", json!({}), "tools").await);
}

async fn g11_g12_nothing_is_remembered_and_nothing_has_to_be_fetched(setup: Setup) {
    let (bench, client) = connect(two(), setup).await;
    assert_eq!(client.call("close_label", json!({"which": "a"})).await.given(), json!({"which": "a"}));
    let other = Client::connect(&bench, setup).await;
    let (first, second, third) =
        tokio::join!(group(&client, "kit-label"), group(&other, "kit-label"), group(&client, "kit-label"));
    assert_eq!((&first, &first), (&second, &third));
    // Wrong arguments are answered with what is wrong, and not with what to read first.
    let wrong = client.call("close_label", json!({"which": 7})).await.result();
    assert!(!wrong.to_string().contains("get_group"), "{wrong}");
}

async fn g13_g14_lists_depend_on_what_each_client_declares(setup: Setup) {
    let bench = Bench::start(offering(&["groups", "full"])).await;
    for _ in 0..2 {
        let grouping = Client::connect_as(&bench, setup, Identity::grouping()).await;
        let plain = Client::connect_as(&bench, setup, Identity::default()).await;
        assert_eq!((grouping.tool_names().await.len(), plain.tool_names().await.len()), (0, 19));
        for client in [&grouping, &plain] {
            let list = client.request("tools/list", json!({})).await.result();
            assert_eq!(list["cacheScope"] == "private", !setup.has_sessions());
        }
    }
}

/// An upstream with groups of its own. What is in them is in no list.
fn with_own_groups() -> Options {
    let mut scenario = Scenario::with_tools([tool("plain")]);
    let mut hello: Value = serde_json::from_str(scenario.initialize.get()).unwrap();
    hello["capabilities"]["extensions"] = json!({GROUPS: {}});
    scenario.initialize = raw(hello);
    let parsed = |name: &str| -> Value { serde_json::from_str(&tool(name)).unwrap() };
    for (request, result) in [
        ("groups/list ", json!({"groups": [{"name": "a", "description": "About a", "_meta": {"x": 1.0}}]})),
        (
            "groups/get a",
            json!({"instructions": "Mind a.", "contents": {
            "tools": [parsed("one"), parsed("two")], "prompts": [{"name": "greet"}], "groups": [{"name": "b", "description": "About b"}]}}),
        ),
        (
            "groups/get b",
            json!({"contents": {"tools": [parsed("two")], "resources": [{"uri": "kit://b", "name": "b"}], "groups": [{"name": "a", "description": "About a"}]}}),
        ),
    ] {
        scenario.on(request, result);
    }
    playing(scenario)
}

async fn g8_an_upstreams_own_groups_are_passed_on_under_its_name(setup: Setup) {
    let (bench, client) = connect(with_own_groups(), setup).await;
    let list = client.request("groups/list", json!({})).await.result();
    assert_eq!(list["groups"], json!([{"name": "kit-a", "description": "About a", "_meta": {"x": 1.0}}]));
    let a = group(&client, "kit-a").await;
    assert_eq!(
        (names(&a["contents"]["tools"]), &a["instructions"]),
        (vec!["one".to_owned(), "two".to_owned()], &json!("Mind a."))
    );
    assert_eq!(names(&a["contents"]["groups"]), ["kit-b"]);
    assert_eq!(names(&a["contents"]["prompts"]), ["greet"]);
    let b = group(&client, "kit-b").await;
    assert_eq!(b["contents"]["tools"][0], a["contents"]["tools"][1]);
    assert_eq!(
        (b["contents"]["resources"][0]["uri"].as_str(), b["contents"].get("groups")),
        (Some("kit://b"), None)
    );
    assert_eq!(client.tool_names().await, ["plain"]);
    assert_eq!(client.request("prompts/list", json!({})).await.result()["prompts"], json!([]));
    let resources = client.request("resources/list", json!({})).await.result();
    assert!(!resources.to_string().contains("kit://b"));
    client.call("two", json!({})).await.result();
    let plain = Client::connect_as(&bench, setup, Identity::default()).await;
    assert_eq!(plain.tool_names().await, ["plain", "one", "two"]);
    assert!(plain.request("resources/list", json!({})).await.result().to_string().contains("kit://b"));
}

under_groups!(
    g1_the_extension_is_advertised_where_the_operator_turns_it_on,
    g2_groups_do_not_exist_for_clients_that_do_not_declare_them,
    g5_definitions_are_those_of_the_complete_list_to_the_byte,
    g8_an_upstreams_own_groups_are_passed_on_under_its_name,
    g11_g12_nothing_is_remembered_and_nothing_has_to_be_fetched,
    g13_g14_lists_depend_on_what_each_client_declares,
);

/// How often the upstream was asked for its groups.
async fn listed_groups(client: &Client) -> usize {
    client.journal().await.iter().filter(|message| message["method"] == "groups/list").count()
}

async fn g8_lists_stay_where_a_group_is_not_answered_later(setup: Setup) {
    let mut options = with_own_groups();
    let (_, _, scenario) = &mut options.upstreams[0];
    // Neither a result nor an error.
    let unanswered = RawValue::from_string(json!({"result": 7}).to_string()).unwrap();
    scenario.answers.insert("groups/get b".to_owned(), unanswered);
    let (_bench, client) = connect_plain(options, setup).await;
    let before = client.tool_names().await;
    assert_eq!(before, ["plain", "one", "two"], "at first, what is answered is served");
    let asked = listed_groups(&client).await;
    // The second time is after the first has ended.
    for times in 1..=2 {
        client.read(&control("tool")).await.result();
        eventually("lists are fetched again", async || {
            (listed_groups(&client).await >= asked + times).then_some(())
        })
        .await;
    }
    assert_eq!(client.tool_names().await, before);
}
under_groups!(g8_lists_stay_where_a_group_is_not_answered_later);

async fn g15_changed_groups_at_the_top_are_announced_and_no_others(setup: Setup) {
    const CHANGED: &str = "notifications/groups/list_changed";
    let (bench, client) = connected(setup).await;
    let _listening = if setup.has_sessions() {
        client.open_stream().await;
        None
    } else {
        let filter = json!({"notifications": {"toolsListChanged": true, GROUPS: true}});
        let listening = client.start("subscriptions/listen", filter).await;
        let heard = client.notification("notifications/subscriptions/acknowledged").await;
        assert_eq!(heard["params"]["notifications"][GROUPS], true, "{heard}");
        Some(listening)
    };
    let plain = Client::connect_as(&bench, setup, Identity::default()).await;
    plain.open_stream_of_session().await;
    // The number of tools is part of the description.
    client.read(&control("tool")).await.result();
    client.notification(CHANGED).await;
    if setup.has_sessions() {
        plain.notification("notifications/tools/list_changed").await;
        assert!(plain.inbox.since(0).iter().all(|message| !message.contains(CHANGED)));
    }
}
under_groups!(g15_changed_groups_at_the_top_are_announced_and_no_others);

async fn b7_hosts_that_know_no_groups_get_a_tool_that_shows_them(setup: Setup) {
    let (_bench, client) = connect_plain(two().pinned(setup.strategy), setup).await;
    let list = client.request("tools/list", json!({})).await.result();
    assert_eq!(names(&list["tools"]), ["get_group", "call_tool"]);
    let description = list["tools"][0]["description"].as_str().unwrap();
    assert!(description.contains("kit-issue (4)") && description.len() <= 2_000, "{description}");
    let shown =
        client.call("get_group", json!({"name": "kit-issue"})).await.result()["structuredContent"].clone();
    assert_eq!(shown["tools"][1]["name"], "open_issue");
    let arguments = json!({"tool": "open_issue", "arguments": {"which": "x"}});
    assert_eq!(client.call("call_tool", arguments).await.given(), json!({"which": "x"}));
    assert_eq!(client.call("open_issue", json!({"which": "y"})).await.given()["which"], "y");
}
under_groups!(b7_hosts_that_know_no_groups_get_a_tool_that_shows_them);
