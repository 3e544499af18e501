//! `prefix` and `rename` of an upstream (U14): what is served by which name, and by which names files go on meaning it.

use kit::scenario::Scenario;
use serde_json::json;

use super::{configured, played, playing, serve, served, text};

#[test]
fn u14_calls_by_the_served_name_reach_the_upstream_under_its_own() {
    let (directory, _, mut gateway) = served(
        r#"
        [upstreams.a]
        command = "ODD"
        args = ["records", "FOLDER/calls"]
        prefix = "a_"
        rename = { wait = "pause" }
        [upstreams.b]
        command = "ODD"
        rename = { wait = "pause" }
        "#,
        &[],
    );
    assert_eq!(gateway.tool_names(), ["a_echo", "a__wait", "echo", "b__wait"]);
    assert_eq!(text(&gateway.call("a_echo", json!({"text": "hello"}))), "hello");
    for unknown in ["pause", "wait", "a__echo"] {
        let error = gateway.call(unknown, json!({}))["error"]["message"].clone();
        assert_eq!(error, format!("Unknown tool: {unknown}"));
    }
    gateway.call("a__wait", json!({"text": "x"}));
    gateway.finish().says(0, &[]);
    let calls = std::fs::read_to_string(directory.path().join("calls")).unwrap();
    assert_eq!(calls, "\"echo\" {\"text\":\"hello\"}\n\"wait\" {\"text\":\"x\"}\n");
}

#[test]
fn u14_prompts_get_the_prefix_too() {
    let (_played, scenario) = played(&Scenario::odd());
    let upstream = playing("kit", &scenario);
    let (_directory, file) = configured(&upstream);
    let ask = |prefix: &str| {
        let mut gateway = serve(&file, &[]);
        let listed = gateway.request("prompts/list", json!({}))["result"]["prompts"].take();
        let listed: Vec<&str> =
            listed.as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
        let name = listed[0];
        let got = gateway.request("prompts/get", json!({"name": name}))["result"].clone();
        let reference = json!({"type": "ref/prompt", "name": name});
        let argument = json!({"name": "n", "value": ""});
        let completed = gateway
            .request("completion/complete", json!({"ref": reference, "argument": argument}))["result"]
            .clone();
        gateway.finish().says(0, &[]);
        assert!(listed.iter().all(|name| name.starts_with(prefix)), "{listed:?}");
        (listed.len(), got, completed)
    };
    let plain = ask("");
    assert!(plain.1["messages"].is_array(), "{plain:?}");
    std::fs::write(&file, format!("{upstream}prefix = \"kit.\"\n")).unwrap();
    assert_eq!(ask("kit."), plain);
}
