//! Pins: tools that every strategy lists completely, and that are called without being learned (S12).

use kit::{Bench, Client, Identity, Options, Scenario, Setup, eventually};
use serde_json::{Value, json};

use crate::{connect, connect_as, connect_plain, playing};

/// A tool with everything that strategies withhold.
fn complete(name: &str) -> Value {
    let long = "What it means is explained at such length that it costs more than asking for it. ".repeat(3);
    json!({
        "name": name,
        "title": "Title",
        "description": format!("Does what {name} does. {long}"),
        "inputSchema": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "description": long}}},
        "outputSchema": {"type": "object", "properties": {"given": {"description": long}}},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
        "_meta": {"kit": 1},
    })
}

const PINS: &str = "[pins]\ntools = [\"kit/he*\"]\n";

/// A gateway before three tools, of which `held` is pinned.
fn options() -> Options {
    let tools = ["first", "held", "last"].map(|name| complete(name).to_string());
    playing(Scenario::with_tools(tools)).with_config(PINS)
}

/// Clients of a strategy: one that knows nothing, one that negotiates, one that wants no schemas, and the shortest lists'.
async fn clients(bench: &Bench, setup: Setup) -> Vec<Client> {
    let plain = Identity::default();
    let native = Identity::offering(setup.strategy);
    let omitting = native.clone().omitting_schemas();
    let mut clients = Vec::new();
    for identity in [plain, native, omitting] {
        clients.push(Client::connect_as(bench, setup, identity).await);
    }
    clients
}

fn named<'t>(tools: &'t [Value], name: &str) -> Vec<&'t Value> {
    tools.iter().filter(|tool| tool["name"] == name).collect()
}

async fn s12_a_pinned_tool_is_listed_to_the_letter(setup: Setup) {
    let bench = Bench::start(options().pinned(setup.strategy)).await;
    for client in clients(&bench, setup).await {
        let tools = client.tools().await;
        assert_eq!(named(&tools, "held"), [&complete("held")], "once, and complete");
        for other in ["first", "last"] {
            assert_ne!(named(&tools, other), [&complete(other)], "still withheld");
        }
        if !setup.lists_tools() {
            continue;
        }
        let own = tools.iter().filter(|tool| tool["name"] == "info" || tool["name"] == "describe_tools");
        assert_eq!(tools.len() - own.count(), 3, "in its place");
        assert_eq!(tools[1]["name"], "held");
    }
}

async fn s12_a_pinned_tool_is_called_at_once(setup: Setup) {
    let bench = Bench::start(options().pinned(setup.strategy)).await;
    for client in clients(&bench, setup).await {
        let before = client.calls_forwarded().await.len();
        // Its schema is shown, so its arguments are left to the upstream.
        assert_eq!(client.call("held", json!({"x": "seven"})).await.given(), json!({"x": "seven"}));
        let refused = client.call("last", json!({"x": "seven"})).await.result();
        assert_eq!(refused["isError"], true, "{refused}");
        let called: Vec<Value> = client.calls_forwarded().await;
        assert_eq!(called[before..].iter().map(|call| &call["name"]).collect::<Vec<_>>(), ["held"]);
    }
}

async fn s12_a_model_reads_that_some_tools_can_be_called_at_once(setup: Setup) {
    // Without those that are listed for being cheap.
    let options = || match setup.strategy {
        "resource" | "search" | "groups" => options().pinned(setup.strategy),
        _ => options().pinned(setup.strategy).set(setup.strategy, json!({"inline_schema_bytes": 0})),
    };
    let with = Bench::start(options()).await;
    let without = Bench::start(options().with_config("")).await;
    let own = async |bench| {
        let client = Client::connect_as(bench, setup, Identity::default()).await;
        let own = |tool: &&Value| match setup.strategy {
            "search" => tool["name"] == "search_tools",
            "groups" => tool["name"] == "get_group",
            _ => true,
        };
        let tools = client.tools().await;
        tools.iter().rfind(own).unwrap()["description"].as_str().unwrap().to_owned()
    };
    let says = |text: &str| text.contains("listed with") && text.contains("at once");
    let (with, without) = (own(&with).await, own(&without).await);
    assert!(says(&with) && !says(&without), "{with}\n---\n{without}");
    assert!(with.len() <= 2_000, "{}", with.len());
}

where_schemas_are_withheld!(
    s12_a_pinned_tool_is_listed_to_the_letter,
    s12_a_pinned_tool_is_called_at_once,
    s12_a_model_reads_that_some_tools_can_be_called_at_once,
);

async fn s12_an_executor_gives_a_pinned_tool_an_object(setup: Setup) {
    let executor = if setup.strategy == "info" { "invoke" } else { "call_tool" };
    let options = options().pinned(setup.strategy).set("info", json!({"tools": "entry-only"}));
    let (_bench, client) = connect_plain(options, setup).await;
    let call = async |arguments: Value| {
        client.call(executor, json!({"tool": "held", "arguments": arguments})).await.result()
    };
    let given = json!({"x": "seven", "more": [1]});
    for arguments in [given.clone(), json!(given.to_string()), json!(format!(" {given}"))] {
        assert_eq!(call(arguments.clone()).await["structuredContent"]["given"], given, "{arguments}");
    }
    let before = client.calls_forwarded().await.len();
    for arguments in [json!("words"), json!("[1]"), json!([1]), json!(7), json!(true), json!("\"{}\"")] {
        let refused = call(arguments.clone()).await;
        let error = &refused["structuredContent"]["error"];
        assert_eq!(error["code"], "INVALID_ARGUMENTS", "{arguments}: {refused}");
        assert_eq!(error["problems"][0]["argument"], "arguments", "{arguments}");
    }
    assert_eq!(client.calls_forwarded().await.len(), before);
}

cases!(
    info_http_session info_stdio_stateless search_stdio_session search_http_stateless;
    s12_an_executor_gives_a_pinned_tool_an_object,
);

async fn s12_a_receipt_is_taken_though_none_is_asked_for(setup: Setup) {
    let bench = Bench::start(options().pinned(setup.strategy)).await;
    let client = Client::connect_as(&bench, setup, Identity::offering("resource")).await;
    let learned = client.learn("held", json!({"x": 1})).await;
    assert_eq!(client.call("held", learned).await.given(), json!({"x": 1}));
    let invented = client.call("held", json!({"x": 1, "disclosure_receipt": "none"})).await.result();
    assert_ne!(invented["isError"], true, "{invented}");
}
under_resource!(s12_a_receipt_is_taken_though_none_is_asked_for);

async fn s12_full_says_to_hosts_what_the_operator_said(setup: Setup) {
    let config =
        "[pins]\ntools = [\"held\"]\n[tools.held]\nbrief = \" Holds it \"\n[tools.last]\nbrief = \"Lasts\"\n";
    let (bench, client) = connect(options().with_config(config), setup).await;
    let listed = client.tools().await;
    assert_eq!(listed[0], complete("first"), "nothing was said of it");
    let with = |name: &str, meta: Value| {
        let mut tool = complete(name);
        tool["_meta"] = meta;
        tool
    };
    let held = json!({"kit": 1, "anthropic/alwaysLoad": true, "anthropic/searchHint": "Holds it"});
    assert_eq!(listed[1], with("held", held));
    assert_eq!(listed[2], with("last", json!({"kit": 1, "anthropic/searchHint": "Lasts"})));
    // What is delivered as a definition is the upstream's.
    let describing = Client::connect_as(&bench, setup, Identity::offering("describe")).await;
    let definition = describing.request("tools/describe", json!({"name": "held"})).await.result();
    assert_eq!(definition["_meta"]["kit"], 1);
    for client in [describing, Client::connect_as(&bench, setup, Identity::offering("resource")).await] {
        let listed = client.request("tools/list", json!({})).await.text.unwrap();
        assert!(!listed.contains("anthropic/"), "{listed}");
    }
}
under_full!(s12_full_says_to_hosts_what_the_operator_said);

/// A pin says how a tool is listed, and the choice of a client whether.
async fn s12_a_pin_is_no_exception_from_a_choice(setup: Setup) {
    let options = crate::concerns::options(json!({})).with_config("[pins]\ntools = [\"dear\"]\n");
    let identity = Identity::offering(setup.strategy);
    let (bench, client) = connect_as(options, setup, identity.clone()).await;
    let listed = client.tools().await;
    assert_eq!(named(&listed, "dear")[0]["inputSchema"]["properties"]["n"]["type"], "integer");
    let client = Client::connect_as(&bench, setup, identity.choosing(json!({"cost": "low"}))).await;
    assert_eq!(named(&client.tools().await, "dear"), Vec::<&Value>::new());
    assert_ne!(client.call("dear", json!({"n": 1})).await.result()["isError"], true, "by its name as before");
}

each_strategy!(s12_a_pin_is_no_exception_from_a_choice);

async fn s12_pins_are_read_again(setup: Setup) {
    let (bench, client) = connect(options().pinned(setup.strategy), setup).await;
    assert_eq!(named(&client.tools().await, "held"), [&complete("held")]);
    client.open_stream().await;
    bench.configure("[pins]\ntools = [\"last\"]\n").await;
    client.notification("notifications/tools/list_changed").await;
    eventually("the new pin", async || {
        let tools = client.tools().await;
        (named(&tools, "last") == [&complete("last")]).then_some(())
    })
    .await;
    assert_ne!(named(&client.tools().await, "held"), [&complete("held")]);
}
cases!(resource_http_session describe_stdio_session; s12_pins_are_read_again);
