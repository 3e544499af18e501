//! What `info` lists and answers (I1 to I9), with the other tools as stubs and without them.

use kit::{Bench, Client, Identity, Options, Reply, Scenario, Setup, client::names_in, eventually};
use mcp_disclosure_core::{About, Category, RawObject};
use mcp_disclosure_gateway::negotiation::Bridge;
use serde_json::{Value, json};

use crate::{
    Described, connect, connected,
    describe::{withholds, without_schema},
    named, odd,
    refusals::briefly,
};

/// The same with `info` and `invoke` listed and nothing else.
pub(crate) fn entry_only(options: Options) -> Options {
    options.set("info", json!({"tools": "entry-only"}))
}

/// A gateway with categories: `solve` and `graph` are symbolic, `graph` is a tool of the category `graph`'s name,
/// and `stray` is in none.
async fn mathematics(setup: Setup, change: impl Fn(Options) -> Options) -> (Bench, Client, Described) {
    let files = Described::by([]);
    let dear = "What it means is explained at such length that it costs more than asking for it. ".repeat(3);
    for (name, category) in [("solve", "symbolic"), ("graph", "symbolic"), ("plot", "graph")] {
        let mut file = briefly(name, &format!("Does {name}"));
        file["category"] = category.into();
        file["inputSchema"]["properties"] = json!({"x": {"description": dear}});
        files.write(&file);
    }
    let symbolic = Category { name: "symbolic".to_owned(), description: "Symbolic algebra".to_owned() };
    let about = About {
        name: "Math".to_owned(),
        version: "1.0.0".to_owned(),
        description: "Computes.".to_owned(),
        facts: RawObject::empty().with("gpu_available", "false"),
        categories: vec![symbolic],
        concerns: Vec::new(),
    };
    let options = Options { about, ..named(["solve", "graph", "plot", "stray"]) };
    let (bench, client) = connect(change(files.before(options)), setup).await;
    (bench, client, files)
}

/// What a topic is answered.
async fn ask(client: &Client, topic: &str) -> Value {
    let result = client.call("info", json!({"topic": topic})).await.result();
    assert_eq!(result["isError"], false, "{result}");
    answered(&result)
}

/// The answer, which is the same as text and structured.
pub(crate) fn answered(result: &Value) -> Value {
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    text
}

async fn i1_every_client_sees_the_same(setup: Setup) {
    let mut seen = Vec::new();
    for bridge in [Bridge::Auto, Bridge::Never] {
        let bench = Bench::start(odd().pinned("info").bridge(bridge)).await;
        for identity in [Identity::default(), Identity::offering("info")] {
            let client = Client::connect_as(&bench, setup, identity).await;
            seen.push(client.tools().await);
            if !setup.has_sessions() {
                let listed = client.request("tools/list", json!({})).await.result();
                // Only a client that discloses by itself sees something else.
                assert_eq!(listed["cacheScope"], "private");
            }
        }
    }
    assert_eq!(seen[0].last().unwrap()["name"], "info");
    assert!(seen.iter().all(|tools| *tools == seen[0]));
}

async fn i2_i3_i8_the_overview_names_categories_with_counts_and_their_tools(setup: Setup) {
    let (_bench, client, _files) = mathematics(setup, |options| options).await;
    let expected = json!({
        "name": "Math", "version": "1.0.0", "description": "Computes.",
        "categories": {
            "symbolic": {"count": 2, "description": "Symbolic algebra", "tools": "solve, graph"},
            "graph": {"count": 1, "tools": "plot"},
            "kit": {"count": 1, "description": "Be odd.", "tools": "stray"},
        },
        "total_tools": 4, "gpu_available": false,
    });
    assert_eq!(ask(&client, "overview").await, expected);
    for arguments in [json!({}), json!({"topic": ""}), json!({"topic": " \n"}), json!({"topic": null})] {
        let params = json!({"name": "info", "arguments": arguments});
        assert_eq!(answered(&client.request("tools/call", params).await.result()), expected, "{arguments}");
    }
    assert_eq!(answered(&client.request("tools/call", json!({"name": "info"})).await.result()), expected);
    assert_eq!(ask(&client, "kit").await["tools"], json!([{"name": "stray", "brief": "Does stray."}]));
}

async fn i7_stubs_say_what_a_tool_does_and_are_called_by_name(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let mut listed = client.tools().await;
    assert_eq!(listed.pop().unwrap()["name"], "info");
    withholds(&listed, without_schema);
    assert_eq!(listed[0]["description"], "Echoes what it is given. Then it rests.");
    assert_eq!(client.call("invoke", json!({"tool": "rich"})).await.code(), -32602);
    assert_ne!(client.call("rich", json!({})).await.result()["isError"], true);
}

under_info!(
    i1_every_client_sees_the_same,
    i2_i3_i8_the_overview_names_categories_with_counts_and_their_tools,
    i7_stubs_say_what_a_tool_does_and_are_called_by_name,
);

/// A gateway that lists `info` and `invoke` only, before the odd upstream.
async fn entered(setup: Setup) -> (Bench, Client) {
    connect(entry_only(odd()), setup).await
}

async fn invoke(client: &Client, tool: &str, arguments: Value) -> Reply {
    client.call("invoke", json!({"tool": tool, "arguments": arguments})).await
}

async fn i7_entry_only_lists_two_tools_and_explains_all(setup: Setup) {
    let (_bench, client, _files) = mathematics(setup, entry_only).await;
    let listed = client.tools().await;
    assert_eq!(names_in(&listed), ["info", "invoke"]);
    assert_eq!(listed[1]["inputSchema"]["required"], json!(["tool"]));
    assert!(listed[0]["description"].as_str().unwrap().contains("4 tools:\n- symbolic (2): "));
    assert_eq!(ask(&client, "symbolic").await["tools"][0]["name"], "solve");
    let explained = invoke(&client, "info", json!({"topic": "solve"})).await.result();
    assert_eq!(answered(&explained), ask(&client, "solve").await);
    let overview = client.call("invoke", json!({"tool": "info"})).await.result();
    assert_eq!(answered(&overview)["total_tools"], 4);
}

async fn i7_invoke_returns_the_tools_result_untouched(setup: Setup) {
    let (_bench, client) = entered(setup).await;
    for tool in ["rich", "failing"] {
        let through = invoke(&client, tool, json!({})).await.result_text();
        assert_eq!(through, client.call(tool, json!({})).await.result_text());
        if setup.has_sessions() {
            let sent =
                RawObject::parse(Scenario::odd().answers[&format!("tools/call {tool}")].get()).unwrap();
            assert_eq!(through, sent.member("result").unwrap());
        }
    }
    let refused = invoke(&client, "refusing", json!({})).await.error();
    assert_eq!(refused, Scenario::odd().answer("tools/call refusing")["error"]);
    let params = json!({
        "name": "invoke", "arguments": {"tool": "progress", "arguments": {"x": 1}},
        "_meta": {"progressToken": "mine"}, "x-odd": 1,
    });
    let reply = client.request("tools/call", params).await;
    assert_eq!(reply.given(), json!({"x": 1}));
    assert_eq!(reply.notifications.len(), 3);
    let forwarded = client.calls_forwarded().await;
    let last = forwarded.last().unwrap();
    assert_eq!((&last["name"], &last["x-odd"]), (&json!("progress"), &json!(1)));
}

/// Wrong calls of other tools by this one are errors, and do not run.
pub(crate) async fn refuses_wrong_calls(client: &Client, by: &str) {
    let (tool, object) = ("a string: the name of the tool to call", "a JSON object");
    let another = "the name of another tool; it cannot call itself";
    let differ = "one value; the one in arguments and the one beside arguments differ";
    for (arguments, argument, expected) in [
        (json!({}), "tool", tool),
        (json!({"tool": null}), "tool", tool),
        (json!({"tool": ""}), "tool", tool),
        (json!({"tool": 7}), "tool", tool),
        (json!({"arguments": {"x": 1}}), "tool", tool),
        (json!({"tool": by, "arguments": {"tool": "rich"}}), "tool", another),
        (json!({"tool": "rich", "arguments": {"x": 1}, "x": 2}), "x", differ),
        (json!({"tool": "rich", "arguments": "words", "x": 2}), "arguments", object),
        (json!({"tool": "rich", "arguments": "words"}), "arguments", object),
        (json!({"tool": "rich", "arguments": [1]}), "arguments", object),
        (json!({"tool": "echo", "arguments": {"text": 1}}), "text", "a value of type string"),
        (json!({"tool": "echo"}), "text", "a value: it is required"),
        (json!([1]), "arguments", object),
    ] {
        let error = answered(&client.call(by, arguments.clone()).await.result())["error"].take();
        assert_eq!(error["code"], "INVALID_ARGUMENTS", "{arguments}");
        let problem = ["argument", "expected"].map(|member| &error["problems"][0][member]);
        assert_eq!(problem, [argument, expected], "{arguments}");
    }
    for arguments in [
        json!({"tool": "ehco"}),
        json!({"name": "ehco", "arguments": {}}),
        json!({"arguments": {"tool_name": "ehco", "arguments": "{}"}}),
    ] {
        let result = client.call(by, arguments.clone()).await.result();
        let answer = answered(&result);
        assert_eq!((&result["isError"], &answer["error"]), (&json!(true), &json!("Unknown tool: ehco")));
        assert!(answer["suggestions"].as_array().unwrap().contains(&json!("echo")), "{arguments}: {answer}");
    }
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn i7_invalid_calls_of_invoke_are_errors_and_do_not_run(setup: Setup) {
    let (_bench, client) = entered(setup).await;
    refuses_wrong_calls(&client, "invoke").await;
}

async fn i1_i2_changes_are_in_the_next_answer(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let count = Scenario::odd().tools.len();
    assert_eq!(ask(&client, "overview").await["total_tools"], count);
    client.read(&kit::scenario::control("tool")).await.result();
    eventually("the tool that came late", async || {
        (ask(&client, "overview").await["total_tools"] == count + 1).then_some(())
    })
    .await;
    assert!(client.tools().await.last().unwrap()["description"].as_str().unwrap().contains("kit (12)"));
    assert_eq!(ask(&client, "late").await["tool"], "late");
}

under_info!(
    i7_entry_only_lists_two_tools_and_explains_all,
    i7_invoke_returns_the_tools_result_untouched,
    i7_invalid_calls_of_invoke_are_errors_and_do_not_run,
    i1_i2_changes_are_in_the_next_answer,
);
