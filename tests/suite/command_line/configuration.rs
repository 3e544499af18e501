//! `--config`: what the file declares is served, and its problems are reported.

use kit::scenario::Scenario;
use serde_json::json;

use super::{
    ODD, configured, described, hosted, opened, played, playing, refuses, run, scratch, serve, served, shown,
    start, text, unauthorizing, write,
};

#[test]
fn a_program_gets_its_environment_and_directory() {
    let (directory, file) = configured(
        r#"
        [upstreams.odd]
        command = "sh"
        args = ["-c", "echo $GIVEN > seen; exec ODD"]
        env = { GIVEN = "it is ${CONFIGURED_NAME:-Ann}, not $${CONFIGURED_NAME}" }
        cwd = "inside"
        "#,
    );
    std::fs::create_dir(directory.path().join("inside")).unwrap();
    serve(&file, &[]).finish().says(0, &[]);
    let seen = std::fs::read_to_string(directory.path().join("inside/seen")).unwrap();
    assert_eq!(seen, "it is Ann, not ${CONFIGURED_NAME}\n");
}

#[test]
fn headers_of_a_url_are_sent_to_that_url_only() {
    let server = unauthorizing();
    let url = server.url();
    let (directory, file) = configured(&format!(
        "[upstreams.far]\nurl = {url:?}\nheaders = {{ Authorization = \"Bearer ${{NO_TOKEN:-s3cret}}\" }}\n"
    ));
    let out = directory.path().join("out");
    run(&["--log", "trace", "export", "--config", shown(&file), "--out", shown(&out)])
        .says(1, &[&url])
        .omits(&["s3cret"]);
    assert_eq!(server.received()[0].header("authorization"), Some("Bearer s3cret"));
}

#[test]
fn what_is_said_of_tools_is_served() {
    let (directory, file) = configured(
        r#"
        tool_descriptions = "files"
        [server]
        name = "Everything"
        facts = { gpu_available = true }
        [upstreams.odd]
        command = "ODD"
        args = ["pages"]
        [categories.ordinals]
        description = "What comes when"
        tools = ["f*", "second"]
        [tools.first]
        brief = "Comes before all others"
        [tools.third]
        category = "last"
        "#,
    );
    std::fs::create_dir(directory.path().join("files")).unwrap();
    write(&directory.path().join("files"), "second.json", &described("second", "The one after the first."));
    let mut gateway = start(&["serve", "--config", shown(&file), "--strategy", "info"]);
    assert_eq!(gateway.initialize()["serverInfo"]["name"], "Everything");
    let mut ask =
        |topic: &str| gateway.call("info", json!({"topic": topic}))["result"]["structuredContent"].clone();
    let overview = ask("overview");
    assert_eq!(overview["name"], "Everything");
    assert_eq!(overview["gpu_available"], true, "{overview}");
    assert_eq!(
        overview["categories"],
        json!({
            "ordinals": {"count": 2, "description": "What comes when", "tools": "first, second"},
            "last": {"count": 1, "tools": "third"},
        }),
        "{overview}"
    );
    assert_eq!(
        ask("ordinals")["tools"],
        json!([
            {"name": "first", "brief": "Comes before all others"},
            {"name": "second", "brief": "The one after the first."}
        ])
    );
}

#[test]
fn a_flag_wins_over_the_file() {
    let (_directory, file) = configured(
        "demo = true\n[serve]\nstrategy = \"resource\"\ntransport = \"stdio\"\n[strategy.info]\ntools = \"entry-only\"\n",
    );
    let names = |flags: &[&str]| opened(&[&["serve", "--config", shown(&file)], flags].concat()).tool_names();
    assert_eq!(names(&[]).last().unwrap(), "describe_tools");
    assert_eq!(names(&["--strategy", "info"]), ["info", "invoke"]);
    assert_eq!(names(&["--strategy", "info", "--set", "info.tools=stubs"]).len(), 12);
    assert_eq!(names(&["--strategy", "auto"]).len(), 11);
}

#[test]
fn every_problem_of_a_file_is_reported_before_anything_starts() {
    let (_directory, mark) = scratch("started");
    let toml = format!(
        "[upstreams.odd]\ncommand = {ODD:?}\nargs = [\"ordinary\", {mark:?}]\n[server]\nnmae = \"x\"\n"
    );
    refuses(&toml, &["disclosure.toml:5:1: unknown key server.nmae (hint: did you mean 'name'?)"]);
    assert!(!mark.exists());
    refuses(
        r#"
        [upstreams.a]
        [upstreams.b]
        command = "x"
        url = "https://example.com"
        [upstreams.c]
        url = "ftp://example.com"
        args = ["x"]
        [upstreams.d]
        command = "${NO_SUCH_VARIABLE}"
        cwd = "nowhere"
        [upstreams.e]
        command = "ODD"
        cwd = "nowhere"
        [upstreams.f]
        command = "ODD"
        type = "sse"
        [strategy.inof]
        tools = "stubs"
        [serve]
        fallback = "nope"
        "#,
        &[
            "disclosure.toml:2:20: upstream 'a': has neither command nor url (hint: command names a program",
            "upstream 'b': has both command and url",
            "upstream 'c': args is for a program, and this is a url",
            "upstream 'f': type is for a url, and this is a program (hint: leave it out, or give a url; a program is given env)",
            "upstream 'c': url: ftp is not spoken (hint: it begins with http:// or https://)",
            "upstream 'd': command: the environment variable NO_SUCH_VARIABLE is not set",
            "upstream 'e': cwd: ",
            "settings for unknown strategy 'inof' (hint: did you mean 'info'?)",
            "unknown strategy 'nope'",
        ],
    );
    run(&["serve", "--config", "/no/such/file.toml"]).says(64, &["/no/such/file.toml: No such file"]);
}

#[test]
fn what_a_file_says_of_things_that_no_upstream_lists_is_a_warning_u9() {
    let upstream = "[upstreams.odd]\ncommand = \"ODD\"\n";
    let (_directory, file) = configured(&format!(
        "{upstream}[tools.ehco]\nhidden = true\n[categories.c]\ntools = [\"wiat\"]\n[prompts.p]\nhidden = true\n"
    ));
    let misspelt = "disclosure.toml:3:8: tools.\"ehco\": no upstream has a tool 'ehco'; did you mean 'echo'?";
    let mut gateway = serve(&file, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    gateway.finish().says(
        0,
        &[
            misspelt,
            "disclosure.toml:5:13: categories.c: no upstream has a tool 'wiat'; did you mean 'wait'?",
            "disclosure.toml:7:10: prompts.\"p\": no upstream has a prompt 'p'",
        ],
    );
    run(&["check", "--config", shown(&file)]).prints(0, &[misspelt]);
    let rename = "rename = { ehco = \"say\" }";
    let (_directory, _, mut gateway) = served(
        &format!("{upstream}{rename}\n[tools.\"x_*\"]\nhidden = true\n[resources.\"u:/v\"]\nhidden = true\n"),
        &[],
    );
    gateway.tool_names();
    let patterns = ["'x_*' matches none of the tools", "'u:/v' matches none of the resources"];
    let renamed =
        "disclosure.toml:1:12: upstreams.\"odd\".rename: no upstream has a tool 'ehco'; did you mean 'echo'?";
    gateway.finish().says(0, &patterns).says(0, &[renamed]);
}

#[test]
fn an_upstream_of_the_file_has_switches_of_its_own_u14() {
    let (_directory, _, mut gateway) = served(
        r#"
        [upstreams.a]
        command = "ODD"
        allow = ["e*", "wiat"]
        [upstreams.b]
        command = "ODD"
        hidden = ["echo"]
        [upstreams.off]
        command = "/no/such/program"
        disabled = true
        [tools.wait]
        hidden = false
        "#,
        &[],
    );
    assert_eq!(gateway.tool_names(), ["a__echo", "b__wait"]);
    let misspelt =
        "disclosure.toml:2:20: upstreams.\"a\": no upstream has a tool 'wiat'; did you mean 'wait'?";
    gateway.finish().says(0, &[misspelt]);
    let none = ["FILE: no upstream is left (hint: add one, or enable one)"];
    refuses("[upstreams.off]\ncommand = \"x\"\ndisabled = true\n", &none);
}

#[test]
fn files_and_flags_are_one_source() {
    let (_hosted, hosts) = hosted(&json!({"one": {"command": "ODD", "args": ["pages"]}}));
    let (_directory, file, mut gateway) = served(
        "[upstreams.two]\ncommand = \"ODD\"\nargs = [\"no-schema\"]\n[tools.first]\nhidden = true\n",
        &["--mcp-config", shown(&hosts), "--name", "three", "--", ODD, "twice"],
    );
    assert_eq!(gateway.tool_names(), ["bare", "two__echo", "second", "third", "three__echo", "wait"]);
    gateway.finish().says(0, &[]);
    let twice = ["serve", "--mcp-config", shown(&hosts), "--mcp-config", shown(&hosts)];
    run(&twice).says(64, &["two upstreams are named 'one' (hint: give one of them another name)"]);
    run(&["serve", "--config", shown(&file), "--name", "x"])
        .says(2, &["--name names the one upstream that is an argument"]);
}

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
