//! Concerns, under every strategy (C1 to C12).

use kit::{Bench, Client, Identity, Options, Scenario, Setup, client::names_in, scenario::raw};
use mcp_disclosure_core::{About, Concern, EXTENSION, Values};
use mcp_disclosure_gateway::negotiation::Bridge;
use serde_json::{Value, json};

use crate::{Described, connect, playing};

/// Three of each kind: one for those who want it cheap, one for those who do not, one for all.
fn scenario() -> Scenario {
    let all = |key: &str, uri: &str| {
        [("cheap", json!({"cost": "low"})), ("dear", json!({"cost": "high"})), ("open", json!({}))].map(
            |(name, concerns)| {
                let mut item = json!({"name": name, "_meta": {"concerns": concerns}});
                item[key] = format!("{uri}{name}").into();
                item
            },
        )
    };
    let tools = all("name", "").map(|mut tool| {
        tool["inputSchema"] = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        tool["description"] = json!(format!("Does what is {}.", tool["name"].as_str().unwrap()));
        raw(tool)
    });
    Scenario {
        tools: tools.into(),
        resources: all("uri", "kit://").map(raw).into(),
        templates: all("uriTemplate", "kit://{x}/").map(raw).into(),
        prompts: all("name", "").map(raw).into(),
        ..Scenario::odd()
    }
}

/// A server that declares two concerns, and has three of each kind.
pub(crate) fn options(settings: Value) -> Options {
    let levels = Values::Listed(vec![json!("low"), json!("high")]);
    let range = Values::Range { min: 0.into(), max: 10.into() };
    let about = About {
        concerns: vec![
            Concern::new("cost", "What it costs", levels, Some(json!("low"))).unwrap(),
            Concern::new("delay", "Seconds", range, None).unwrap(),
        ],
        ..About::default()
    };
    Options { about, ..playing(scenario()) }.set("concerns", settings)
}

async fn bench() -> Bench {
    Bench::start(options(json!({}))).await
}

/// What is listed of each kind, by name; what is the strategy's own left out.
pub(crate) async fn listed(client: &Client) -> [Vec<String>; 4] {
    let mut lists = [const { Vec::new() }; 4];
    for (list, kind) in lists.iter_mut().zip(["tools", "resources", "resourceTemplates", "prompts"]) {
        let items = match kind {
            "tools" if client.setup.strategy == "groups" => crate::groups::everything(client).await,
            "tools" if !client.setup.lists_tools() => {
                let found = client.call("search_tools", json!({"category": "kit"})).await.text_as_json();
                found["tools"].as_array().unwrap().clone()
            }
            _ => client.list(kind).await,
        };
        *list = names_in(&items);
        list.retain(|name| ["cheap", "dear", "open"].contains(&&**name));
    }
    lists
}

fn choosing(setup: Setup, concerns: Value) -> Identity {
    Identity::offering(setup.strategy).choosing(concerns)
}

async fn c1_where_none_is_declared_there_is_no_word_of_it(setup: Setup) {
    let bench = Bench::start(playing(scenario())).await;
    let client = Client::connect_as(&bench, setup, choosing(setup, json!({"cost": "low"}))).await;
    assert!(!client.capabilities().await.to_string().contains("\"concerns\""));
    assert_eq!(client.request("listConcerns", json!({})).await.error()["code"], -32601);
    assert_eq!(listed(&client).await[0].len(), 3);
}

async fn c3_c4_c5_what_was_chosen_first_filters_the_first_list(setup: Setup) {
    let bench = bench().await;
    for (concerns, expected) in [
        (json!({"cost": "low"}), vec!["cheap", "open"]),
        (json!({"cost": "high"}), vec!["dear", "open"]),
        (json!({"delay": 3}), vec!["cheap", "dear", "open"]),
        (json!({"cost": "high", "unheard-of": [1]}), vec!["dear", "open"]),
    ] {
        let client = Client::connect_as(&bench, setup, choosing(setup, concerns)).await;
        for of_kind in listed(&client).await {
            assert_eq!(of_kind, expected);
        }
        if !setup.has_sessions() {
            // Each request brings its choices.
            assert_eq!(client.request("updateConcerns", json!({"concerns": {}})).await.code(), -32601);
        }
    }
    let unfiltered = Client::connect(&bench, setup).await;
    assert_eq!(listed(&unfiltered).await[0].len(), 3);
}

async fn c7_a_value_that_is_not_declared_is_refused_or_left_out(setup: Setup) {
    let strict = bench().await;
    for wrong in
        [json!({"cost": "huge"}), json!({"delay": 11}), json!({"cost": ["low"]}), json!("low"), json!(null)]
    {
        let mut client = Client::attach(&strict, setup, choosing(setup, wrong.clone()));
        let error = client.handshake().await.error();
        assert_eq!(error["code"], -32602, "{wrong}");
        assert!(error["message"].as_str().unwrap().to_lowercase().contains("concern"), "{error}");
    }
    let lax = Bench::start(options(json!({"on_invalid_value": "ignore"}))).await;
    let client = Client::connect_as(&lax, setup, choosing(setup, json!({"cost": "huge", "delay": 1}))).await;
    assert_eq!(listed(&client).await[0].len(), 3);
    let clamping = Bench::start(options(json!({"on_invalid_value": "clamp"}))).await;
    let client = Client::connect_as(&clamping, setup, choosing(setup, json!({"cost": 17}))).await;
    assert_eq!(listed(&client).await[0], ["dear", "open"]);
}

/// What enumerates or counts tools, and what suggests some for a name that is nearly one of them.
fn enumerating() -> [(&'static str, Value); 14] {
    let call = |tool: &str, arguments: Value| ("tools/call", json!({"name": tool, "arguments": arguments}));
    [
        ("tools/list", json!({})),
        ("server/discover", json!({})),
        ("tools/describe", json!({"name": "deer"})),
        ("groups/list", json!({})),
        ("groups/get", json!({"name": "kit"})),
        ("resources/read", json!({"uri": "resource:///tool_descriptions"})),
        ("resources/read", json!({"uri": "resource:///tool_descriptions?tools=deer"})),
        call("describe_tools", json!({"names": ["deer"]})),
        call("info", json!({})),
        call("info", json!({"topic": "deer"})),
        call("search_tools", json!({})),
        call("search_tools", json!({"query": "does what is deer", "detail": "full"})),
        call("call_tool", json!({"tool": "deer"})),
        call("get_group", json!({"name": "kit"})),
    ]
}

async fn c10_what_is_filtered_is_known_by_its_exact_name_only(setup: Setup) {
    let bench = Bench::start(options(json!({})).bridge(Bridge::Always)).await;
    let client = Client::connect_as(&bench, setup, choosing(setup, json!({"cost": "low"}))).await;
    assert_eq!(listed(&client).await[0], ["cheap", "open"]);
    for (method, params) in enumerating() {
        let answer = client.request(method, params.clone()).await.text.unwrap().replace('\\', "");
        for hidden in ["dear", "3 tools", "count\":3", "total_tools\":3"] {
            assert!(!answer.contains(hidden), "{hidden} after {method} {params}: {answer}");
        }
    }
    // Described as its strategy has it, authorized by that, and called.
    let arguments = client.learn("dear", json!({"n": 1})).await;
    let result = client.call("dear", arguments).await.result();
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(client.calls_forwarded().await.len(), 1);
    assert_eq!(client.read("kit://dear").await.result()["contents"][0]["uri"], "kit://dear");
}

async fn c9_mappings_are_shown_where_that_is_asked_for(setup: Setup) {
    let files = Described::by([
        &json!({"name": "open", "description": "Opens.", "inputSchema": {}, "concerns": {"delay": [1, 2]}}),
    ]);
    for expose in [true, false] {
        let (_bench, client) = connect(files.before(options(json!({"expose": expose}))), setup).await;
        let listed = client.request("tools/list", json!({})).await.result();
        let mapped = if expose { json!({"delay": [1, 2]}) } else { json!({}) };
        // `describe` lists names and briefs, and nothing else; `search` lists no tools.
        let is_minimal = setup.strategy == "describe" || !setup.lists_tools();
        let shown = if is_minimal { Value::Null } else { mapped.clone() };
        assert_eq!(listed["tools"][2]["_meta"]["concerns"], shown);
        let prompts = client.request("prompts/list", json!({})).await.result();
        assert_eq!(prompts["prompts"][0]["_meta"]["concerns"], json!({"cost": "low"}));
        if setup.strategy == "describe" {
            let described = client.request("tools/describe", json!({"name": "open"})).await.result();
            assert_eq!(described["_meta"]["concerns"], mapped);
        }
    }
}

async fn c12_defaults_filter_once_anything_was_chosen(setup: Setup) {
    let bench = Bench::start(options(json!({"unset": "default", "on_invalid_value": "clamp"}))).await;
    for (chosen, expected) in
        [(json!({"delay": 3}), ["cheap", "open"]), (json!({"delay": 3, "cost": "high"}), ["dear", "open"])]
    {
        let client = Client::connect_as(&bench, setup, choosing(setup, chosen)).await;
        assert_eq!(listed(&client).await[0], expected);
    }
    let unfiltered = Client::connect(&bench, setup).await;
    assert_eq!(listed(&unfiltered).await[0].len(), 3);
    if setup.has_sessions() {
        let chosen = json!({"concerns": {"delay": 99, "mood": 1}});
        let updated = unfiltered.request("updateConcerns", chosen).await.result();
        assert_eq!(updated["concerns"], json!({"cost": "low", "delay": 10}));
        assert_eq!(updated["warnings"].as_array().unwrap().len(), 2, "{updated}");
    }
}

async fn c3_a_list_right_after_initialized_is_filtered(setup: Setup) {
    let bench = bench().await;
    let first = choosing(setup, json!({"cost": "high", "delay": 2}));
    let identity = first.choosing_afterwards(json!({"cost": "low", "delay": 99}));
    let client = Client::connect_as(&bench, setup, identity).await;
    assert_eq!(listed(&client).await[0], ["cheap", "open"]);
}

async fn c3_c6_an_update_holds_from_the_next_request_on(setup: Setup) {
    let bench = bench().await;
    let client = Client::connect(&bench, setup).await;
    client.open_stream().await;
    let update = |concerns: Value| client.request("updateConcerns", json!({"concerns": concerns}));
    assert_eq!(
        update(json!({"cost": "high", "mood": 1})).await.result(),
        json!({
            "concerns": {"cost": "high"},
            "warnings": ["Unknown concern 'mood' was ignored. Declared concerns: cost, delay."],
        })
    );
    assert_eq!(listed(&client).await[0], ["dear", "open"]);
    for method in ["tools", "resources", "prompts"] {
        client.notification(&format!("notifications/{method}/list_changed")).await;
    }
    // The lists stay the same, so no change is announced; what is refused changes nothing.
    let before = client.inbox.since(0).len();
    assert_eq!(update(json!({"delay": 4})).await.result()["concerns"], json!({"cost": "high", "delay": 4}));
    let by_variant = json!({"io.modelcontextprotocol/server-variant": "resource"});
    let by_variant = json!({"concerns": {"delay": 5}, "_meta": by_variant});
    assert_eq!(client.request("updateConcerns", by_variant).await.result()["concerns"]["delay"], 5);
    for wrong in [json!({"cost": "low", "delay": 11}), json!(7)] {
        assert_eq!(update(wrong).await.error()["code"], -32602);
    }
    assert_eq!(client.request("updateConcerns", json!({})).await.error()["code"], -32602);
    assert_eq!(listed(&client).await[0], ["dear", "open"]);
    let since = client.inbox.since(before);
    assert!(since.iter().all(|message| !message.contains("list_changed")), "{since:?}");
    assert_eq!(update(json!({"cost": null, "delay": null})).await.result()["concerns"], json!({}));
    assert_eq!(listed(&client).await[0].len(), 3);
    // Another session has choices of its own.
    let other = Client::connect(&bench, setup).await;
    assert_eq!(listed(&other).await[0].len(), 3);
}

async fn b11_every_client_starts_with_the_operators_choices(setup: Setup) {
    let (bench, client) = connect(options(json!({"choices": {"cost": "low", "delay": "3"}})), setup).await;
    for of_kind in listed(&client).await {
        assert_eq!(of_kind, ["cheap", "open"]);
    }
    let effective = json!({"cost": "low", "delay": 3});
    let capabilities = client.capabilities().await;
    assert_eq!(capabilities["extensions"][EXTENSION]["effective"], effective);
    assert_eq!(capabilities["experimental"]["concerns"]["effective"], effective);
    assert_eq!(client.request("listConcerns", json!({})).await.result()["effective"], effective);
    for (own, expected) in [
        (json!({"cost": "high"}), vec!["dear", "open"]),
        (json!({"delay": 1}), vec!["cheap", "open"]),
        (json!({"cost": null}), vec!["cheap", "dear", "open"]),
    ] {
        let client = Client::connect_as(&bench, setup, choosing(setup, own)).await;
        assert_eq!(listed(&client).await[0], expected);
    }
    if !setup.has_sessions() {
        return;
    }
    // An update starts from them.
    let update = |concerns: Value| client.request("updateConcerns", json!({"concerns": concerns}));
    assert_eq!(update(json!({"delay": 1})).await.result()["concerns"], json!({"cost": "low", "delay": 1}));
    assert_eq!(update(json!({"cost": null})).await.result()["concerns"], json!({"delay": 1}));
    assert_eq!(client.request("listConcerns", json!({})).await.result()["effective"], json!({"delay": 1}));
}

async fn b11_a_declaration_that_loses_a_chosen_concern_serves_on(setup: Setup) {
    let declared = |name: &str| format!("[[concerns]]\nname = \"{name}\"\nvalues = [\"low\", \"high\"]\n");
    let chosen = options(json!({"choices": {"cost": "low"}}));
    let about = About { concerns: Vec::new(), ..chosen.about.clone() };
    let (bench, client) = connect(Options { about, config: declared("cost"), ..chosen }, setup).await;
    assert_eq!(listed(&client).await[0], ["cheap", "open"]);
    for (name, expected) in [("speed", vec!["cheap", "dear", "open"]), ("cost", vec!["cheap", "open"])] {
        bench.configure(&declared(name)).await;
        assert_eq!(listed(&client).await[0], expected);
        let newcomer = Client::connect(&bench, setup).await;
        assert_eq!(listed(&newcomer).await[0], expected);
    }
}

async fn b11_a_category_maps_all_of_its_tools_and_a_tool_wins(setup: Setup) {
    let config = r#"
        [[concerns]]
        name = "cost"
        values = ["low", "high"]
        [categories.group]
        tools = ["open", "dear"]
        concerns = { cost = "low" }
        [tools.cheap]
        category = "group"
        concerns = { cost = ["low", "high"] }
    "#;
    let about = About::default();
    let bench = Bench::start(Options { about, config: config.to_owned(), ..options(json!({})) }).await;
    // What the upstream says of `dear`, and what is said of `cheap` itself, is stronger.
    for (value, expected) in [("low", ["cheap", "open"]), ("high", ["cheap", "dear"])] {
        let client = Client::connect_as(&bench, setup, choosing(setup, json!({"cost": value}))).await;
        assert_eq!(listed(&client).await[0], expected);
    }
}

everywhere!(c10_what_is_filtered_is_known_by_its_exact_name_only);
each_strategy!(
    b11_every_client_starts_with_the_operators_choices,
    c1_where_none_is_declared_there_is_no_word_of_it,
    c3_c4_c5_what_was_chosen_first_filters_the_first_list,
    c9_mappings_are_shown_where_that_is_asked_for,
    c12_defaults_filter_once_anything_was_chosen,
);
each_way_in!(c7_a_value_that_is_not_declared_is_refused_or_left_out);
with_sessions!(c3_c6_an_update_holds_from_the_next_request_on);
each_transport_with_sessions!(c3_a_list_right_after_initialized_is_filtered);
under_full!(
    b11_a_category_maps_all_of_its_tools_and_a_tool_wins,
    b11_a_declaration_that_loses_a_chosen_concern_serves_on,
);
