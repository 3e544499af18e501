//! What `describe` lists and answers (D2, D3, D7).

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_core::RawObject;
use serde_json::{Value, json};

use crate::{Described, connect_plain, connected, info::answered, named, odd};

/// Listed in place of a schema.
pub(crate) const PERMISSIVE: &str = r#"{"type":"object","additionalProperties":true}"#;

/// In its place for clients that pass on named parameters only.
pub(crate) const WRAPPING: &str = r#"{"type":"object","properties":{"arguments":{}}}"#;

/// Over the cap, and with an opening that says nothing.
const LONG: &str =
    "This tool allows you to find all that was ever written about something. It takes its time for that.";

/// Holds what is listed of the odd tools against what was sent, without what is withheld of each.
pub(crate) fn withholds(listed: &[Value], withheld: impl Fn(&mut Value)) {
    let sent = Scenario::odd().tools;
    assert_eq!(listed.len(), sent.len());
    for (tool, sent) in listed.iter().zip(sent) {
        let mut expected: Value = serde_json::from_str(sent.get()).unwrap();
        expected.as_object_mut().unwrap().shift_remove("outputSchema");
        expected["description"] = tool["description"].clone();
        withheld(&mut expected);
        assert_eq!(tool, &expected);
    }
}

/// The schema of `echo` is withheld; those of the others are cheaper than asking for them (B12).
pub(crate) fn without_schema(tool: &mut Value) {
    if tool["name"] == "echo" {
        tool["inputSchema"] = serde_json::from_str(WRAPPING).unwrap();
    }
}

async fn d2_a_client_that_knows_it_is_listed_names_and_briefs(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let sent = Scenario::odd().tools;
    let native = Identity::offering("describe");
    for (omits, identity) in [(false, native.clone()), (true, native.omitting_schemas())] {
        let client = Client::connect_as(&bench, setup, identity).await;
        let listed = client.tools().await;
        assert_eq!(listed.len(), sent.len());
        for (tool, sent) in listed.iter().zip(&sent) {
            let sent: Value = serde_json::from_str(sent.get()).unwrap();
            let brief = tool["description"].as_str().unwrap();
            assert!((1..=60).contains(&brief.encode_utf16().count()), "{brief}");
            let mut expected = json!({"name": sent["name"], "description": brief});
            // Annotations of the odd tools warn of nothing; one title says more than the name (B5).
            if sent["name"] == "echo" {
                expected["title"] = sent["title"].clone();
            }
            if !omits {
                expected["inputSchema"] = serde_json::from_str(PERMISSIVE).unwrap();
            }
            assert_eq!(tool, &expected);
        }
    }
}

async fn d3_definitions_are_what_the_upstream_sent(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let sent = Scenario::odd().tools;
    let one = client.request("tools/describe", json!({"name": "echo"})).await.result_text();
    if setup.has_sessions() {
        assert_eq!(one, sent[0].get());
    }
    let (one, echo) = (RawObject::parse(one).unwrap(), RawObject::parse(sent[0].get()).unwrap());
    assert!(echo.iter().all(|(key, value)| one.member(key) == Some(value)), "{one:?}");
    let added = one.iter().filter(|(key, _)| echo.member(key).is_none());
    assert!(added.map(|(key, _)| key).all(|key| key == "resultType"));
    let several = json!({"names": ["odd ü,?&%", "echo", "odd ü,?&%"]});
    let several = client.request("tools/describe", several).await;
    let expected = format!(r#"{{"tools":[{},{}]"#, sent[10].get(), sent[0].get());
    assert!(several.result_text().starts_with(&expected), "{several:?}");
}

async fn d3_what_cannot_be_described_is_an_error(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for (params, message) in [
        (json!({"name": "unknown"}), "Unknown tool: unknown"),
        (json!({"name": "Echo"}), "Unknown tool: Echo"),
        (json!({"name": " echo "}), "Unknown tool:  echo "),
        (json!({"name": ""}), "Unknown tool: "),
        (json!({"names": ["echo", "unknown"]}), "Unknown tool: unknown"),
        (json!({}), "params.name must be a string, or params.names a list of strings"),
        (json!({"tool": "echo"}), "params.name must be a string, or params.names a list of strings"),
        (json!({"name": ["echo"]}), "params.name must be a string"),
        (json!({"name": null}), "params.name must be a string"),
        (json!({"names": "echo"}), "params.names must be a list of strings"),
        (json!({"names": ["echo", 7]}), "params.names must be a list of strings"),
        (
            json!({"names": vec!["echo"; 101]}),
            "params.names has more than 100 names; at most 100 are taken by one request",
        ),
        (json!({"name": "echo", "names": []}), "params must have either 'name' or 'names', not both"),
    ] {
        let reply = client.request("tools/describe", params.clone()).await;
        assert_eq!(reply.error(), json!({"code": -32602, "message": message}), "{params}");
        assert_eq!(reply.status, setup.is_http().then_some(200));
    }
    let most = client.request("tools/describe", json!({"names": vec!["echo"; 100]})).await.result();
    assert_eq!(most["tools"].as_array().unwrap().len(), 1);
}

under_describe!(
    d2_a_client_that_knows_it_is_listed_names_and_briefs,
    d3_definitions_are_what_the_upstream_sent,
    d3_what_cannot_be_described_is_an_error,
);

/// A client that has never heard of `describe`, and a gateway that serves nothing else.
async fn plain(setup: Setup, options: Options) -> (Bench, Client) {
    connect_plain(options.pinned("describe"), setup).await
}

async fn d7_a_plain_client_is_listed_tools_as_far_as_it_can_read_them(setup: Setup) {
    let (_bench, client) = plain(setup, odd()).await;
    let mut listed = client.tools().await;
    let bridge = listed.pop().unwrap();
    assert_eq!(bridge["name"], "describe_tools");
    assert_eq!(bridge["inputSchema"]["required"], json!(["names"]));
    withholds(&listed, |tool| {
        without_schema(tool);
        if let Some(annotations) = tool.get_mut("annotations") {
            annotations.as_object_mut().unwrap().shift_remove("title");
        }
    });
    let introduction = client.introduced().await;
    let instructions = introduction["instructions"].as_str().unwrap();
    let places: Vec<usize> =
        ["PICK", "DESCRIBE", "CALL"].iter().map(|step| instructions.find(step).unwrap()).collect();
    assert!(places.is_sorted() && instructions.contains("describe_tools"), "{instructions}");
}

/// As mcp-use's adapter for LangChain and the AI SDK send what their models write.
async fn d7_clients_that_pass_listed_parameters_only_can_call(setup: Setup) {
    let (_bench, client) = plain(setup, odd()).await;
    let given = json!({"text": "t", "filters": {"a": [1]}});
    for arguments in [json!({"arguments": given}), json!({"arguments": given.to_string()}), given.clone()] {
        assert_eq!(client.call("echo", arguments.clone()).await.given(), given, "{arguments}");
    }
    // What a model gave beside it was dropped.
    let error = client.call("echo", json!({"arguments": null})).await.refusal("INVALID_ARGUMENTS");
    assert_eq!(error["problems"][0]["argument"], "text");
    let right = error["instructions"][1].as_str().unwrap();
    assert!(right.contains(r#"Call echo with {"arguments":{"text":"<string>"}}"#), "{right}");
}

async fn d7_the_bridge_tells_and_authorizes_nothing(setup: Setup) {
    let file = json!({
        "name": "a", "description": LONG,
        "inputSchema": {"type": "object", "required": ["x"], "properties": {"x": {"description": LONG.repeat(3)}}},
        "examples": [{"input": {"x": 1}}], "usage_guidance": "Use it.",
    });
    let files = Described::by([&file]);
    let (_bench, client) = plain(setup, files.before(Options { fetches: 1, ..named(["a", "b"]) })).await;
    assert_eq!(client.tools().await[0]["description"], "Does a.", "the upstream's own, which is short");
    client.call("a", json!({})).await.refusal("INVALID_ARGUMENTS");
    for _ in 0..3 {
        let names = ["unknown", "a", "describe_tools"];
        let result = client.call("describe_tools", json!({"names": names})).await.result();
        assert_eq!(result["isError"], false);
        let entries = answered(&result);
        assert_eq!(entries.as_object().unwrap().keys().collect::<Vec<_>>(), names);
        let note = "Tool 'describe_tools' needs no description, call it directly.";
        assert_eq!(entries["describe_tools"], json!({"note": note}));
        let unknown = json!({"error": "Tool 'unknown' not found", "available_tools": ["a", "b"]});
        assert_eq!(entries["unknown"], unknown);
        for part in ["name", "description", "inputSchema", "examples", "usage_guidance"] {
            assert_eq!(entries["a"][part], file[part], "{part}");
        }
        assert_eq!(entries["a"].get("version"), None);
        assert!(kit::client::receipt_of(&entries["a"]).is_none());
    }
    let nothing = client.call("describe_tools", json!({"names": []})).await;
    assert_eq!(nothing.refusal("MISSING_TOOL_SELECTION")["examples"][0], json!({"names": ["a"]}));
    // Neither described nor refused.
    client.call("b", json!({})).await.given().as_object().unwrap();
}

under_describe!(
    d7_a_plain_client_is_listed_tools_as_far_as_it_can_read_them,
    d7_clients_that_pass_listed_parameters_only_can_call,
    d7_the_bridge_tells_and_authorizes_nothing,
);
