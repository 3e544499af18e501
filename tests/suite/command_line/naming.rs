//! `prefix` and `rename` of an upstream (U14): what is served by which name, and by which names files go on meaning it.

use kit::{process::until, scenario::Scenario};
use serde_json::json;

use super::{configured, played, playing, refuses, rewrite, run, serve, served, shown, text};

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

#[test]
fn u14_a_name_that_changes_is_served_and_announced() {
    let upstream = "[upstreams.odd]\ncommand = \"ODD\"\n";
    let (_directory, file) = configured(upstream);
    let rewrite = |toml: &str| rewrite(&file, &format!("{upstream}{toml}"));
    let mut gateway = serve(&file, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    rewrite("prefix = \"odd_\"\n");
    assert!(until(|| gateway.tool_names() == ["odd_echo", "odd_wait"]));
    gateway.notified("notifications/tools/list_changed", 1);
    assert_eq!(text(&gateway.call("odd_echo", json!({"text": "here"}))), "here");
    rewrite("prefix = \"odd_\"\nrename = { ehco = \"say\" }\n");
    let line = gateway.logged("no upstream has a tool 'ehco'; did you mean 'echo'?");
    assert!(line.contains("disclosure.toml:1:12: upstreams.\"odd\".rename: "), "{line}");
    rewrite("prefix = \"odd \"\n");
    gateway.logged("were not taken over, the old ones stay: ");
    assert_eq!(gateway.tool_names(), ["odd_echo", "odd_wait"]);
    rewrite("rename = { echo = \"say\" }\n");
    assert!(until(|| gateway.tool_names() == ["say", "wait"]));
    gateway.finish().says(0, &[]).omits(&["needs a restart"]);
}

#[test]
fn u14_names_that_hosts_refuse_are_refused_with_place_and_remedy() {
    let (_directory, file) = configured(
        "[upstreams.a]\ncommand = \"ODD\"\nprefix = \"a/\"\nrename = { echo = \"\", wait = \"ö\" }\n\
         [upstreams.b]\ncommand = \"ODD\"\nrename = { echo = \"same\", wait = \"same\" }\n\
         [upstreams.off]\ncommand = \"ODD\"\nprefix = \"a/\"\ndisabled = true\n",
    );
    let hint = "(hint: a name has 1 to 64 letters, digits, '_', '-' and '.')";
    let accepted = "and hosts accept A-Z, a-z, 0-9, '_', '-' and '.' in names";
    run(&["serve", "--config", shown(&file)]).says(64, &[
        &format!("disclosure.toml:3:1: upstream 'a': prefix contains '/', {accepted} {hint}"),
        &format!("disclosure.toml:4:1: upstream 'a': rename.\"echo\" is empty {hint}"),
        &format!("disclosure.toml:4:1: upstream 'a': rename.\"wait\" contains 'ö', {accepted} {hint}"),
        "disclosure.toml:7:1: upstream 'b': 'echo' and 'wait' are both renamed to 'same' (hint: give each tool a name of its own)",
    ]).omits(&["'off'"]);
}

#[test]
fn u14_settings_of_an_upstream_are_checked() {
    refuses(
        "[upstreams.a]\ncommand = \"ODD\"\nconnect_timeout = \"10s\"\nrequest_timeout = 0\nrestart = \"sometimes\"\nscope = \"all\"\n",
        &[
            "FILE:3:19: upstreams.a.connect_timeout: expected a number, not a text",
            "FILE:4:19: upstreams.a.request_timeout: 0 is not a number of seconds, more than 0 and at most 1e9",
            "FILE:5:11: upstreams.a.restart: unknown variant `sometimes`, expected `always` or `never`",
            "FILE:6:9: upstreams.a.scope: unknown variant `all`, expected `shared` or `session`",
        ],
    );
}
