//! `--mcp-config`: files of MCP hosts, as they are. What each host says is tested beside the reader.

use serde_json::json;

use super::{configured, error, hosted, opened, run, scratch, serve, served, shown};

#[test]
fn a_hosts_own_file_is_served_as_it_is() {
    let (_directory, file) = hosted(&json!({
        "plain": {"command": "ODD", "args": ["no-schema"]},
        "rich": {
            "type": "stdio", "command": "ODD", "args": [], "env": {"A": "${PATH}"}, "url": null,
            "autoApprove": ["echo"], "timeout": 60, "disabled": false,
        },
        "off": {"command": "/no/such/program", "disabled": true},
    }));
    let mut gateway =
        opened(&["--log", "debug", "serve", "--strategy", "full", "--mcp-config", shown(&file)]);
    assert_eq!(gateway.tool_names(), ["bare", "plain__echo", "rich__echo", "wait"]);
    gateway.finish().says(0, &["server 'off' is switched off: disabled"]);
}

#[test]
fn an_entry_of_a_hosts_file_that_cannot_be_used_is_left_out_with_a_warning_u11() {
    let broken = json!({
        "old": {"type": "sse", "command": "x"},
        "both": {"type": "stdio", "url": "http://localhost/mcp"},
        "odd": {"type": "carrier-pigeon", "command": "x"},
        "args": {"command": "x", "args": "one two"},
        "asks": {"command": "x", "env": {"KEY": "${input:key}"}},
        "none": {},
        "text": "npx",
    });
    let expected = [
        "mcp.json:1:",
        "server 'old' is left out: type: it is sse, but there is no url (hint: set type to stdio, or give a url)",
        "server 'both' is left out: type: it is stdio, but there is no command",
        "server 'odd' is left out: type: unknown transport 'carrier-pigeon' (hint: expected stdio, http",
        "server 'args' is left out: args: is a string",
        "server 'asks' is left out: env.KEY: '${input:key}' is prompted for by the host (hint: set the environment variable \
         MCP_DISCLOSURE_INPUT_KEY to its value)",
        "server 'none' is left out: has neither command nor url",
        "server 'text' is left out: it is a string",
    ];
    let mut servers = broken.clone();
    servers["good"] = json!({"command": "ODD", "args": ["ordinary"]});
    let (_directory, file) = hosted(&servers);
    let mut gateway = opened(&["serve", "--strategy", "full", "--mcp-config", shown(&file)]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    assert!(gateway.finish().says(0, &expected).stderr.contains("WARN"));
    let report = run(&["check", "--format", "json", "--mcp-config", shown(&file)]).json();
    let left_out =
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "left-out");
    assert_eq!(left_out.count(), 7, "{report}");

    let (_directory, alone) = hosted(&broken);
    run(&["serve", "--mcp-config", shown(&alone)])
        .says(64, &[&expected[..], &["no upstream is left"]].concat());
}

#[test]
fn what_a_host_switched_off_exists_for_no_client_u11() {
    let (_hosted, hosts) = hosted(&json!({
        "a": {"command": "ODD", "args": ["ordinary"], "disabledTools": ["wait", "later"]},
        "b": {"command": "ODD", "args": ["ordinary"], "includeTools": ["wait"]},
    }));
    let (_directory, _, mut gateway) = served(
        "[tools.\"a/wait\"]\nhidden = false\n[tools.echo]\nhidden = false\n",
        &["--mcp-config", shown(&hosts)],
    );
    assert_eq!(gateway.tool_names(), ["a__echo", "b__wait"]);
    for name in ["a__wait", "a/wait", "b__echo", "echo"] {
        let answer = gateway.call(name, json!({}));
        assert!(error(&answer).starts_with(&format!("Unknown tool: {name}")), "{answer}");
    }
    gateway.finish().says(0, &["server 'a': no upstream has a tool 'later'"]);
    // What is exported serves the same.
    let (_folder, out) = scratch("out");
    run(&["export", "--mcp-config", shown(&hosts), "--out", shown(&out)]).says(0, &[]);
    let mut gateway = serve(&out.join("disclosure.toml"), &[]);
    assert_eq!(gateway.tool_names(), ["a__echo", "b__wait"]);
}

#[test]
fn client_config_prints_an_address_that_clients_can_use() {
    let printed = |listen: &str, flags: &[&str]| {
        let serve = format!("demo = true\n[serve]\nallow_anonymous = true\nlisten = \"{listen}\"\n");
        let (_directory, file) = configured(&serve);
        run(&[&["client-config", "--host", "cursor", "--config", shown(&file)], flags].concat())
    };
    for (listen, url) in [
        ("127.0.0.1:8848", "http://127.0.0.1:8848/mcp"),
        ("0.0.0.0:8848", "http://127.0.0.1:8848/mcp"),
        ("[::]:8848", "http://[::1]:8848/mcp"),
    ] {
        assert_eq!(printed(listen, &[]).json()["mcpServers"]["mcp-disclosure"]["url"], url);
    }
    printed("127.0.0.1:0", &[]).says(2, &["--url"]);
    printed("127.0.0.1:0", &["--url", "https://tools.example.com/mcp"]).says(0, &[]);
    for (url, problem) in [("ftp://a/", "ftp is not spoken"), ("https://a:b@c/", "a user or a password")] {
        printed("127.0.0.1:0", &["--url", url]).says(2, &[problem]);
    }
    run(&["client-config", "--host", "cursor", "--principal", "ann"]).says(64, &["that --config names"]);
}
