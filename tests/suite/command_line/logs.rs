//! What is logged about disclosure, for operators (001 "Best Practices"), and that stdout is for the protocol.

use kit::{
    Session,
    messages::{hello, stateless, tool},
};
use mcp_disclosure_core::EXTENSION;
use serde_json::{Value, json};

use super::{ODD, opened, over_http, run, start, text};
use crate::Described;

#[test]
fn deliveries_refusals_and_unknown_names_are_logged_with_the_beginning_of_the_session_r16_p11() {
    let gateway = over_http(&["--strategy", "resource", "--log", "debug", "--explain"]);
    let session = Session::open(gateway.address());
    for (method, params) in [
        ("tools/call", json!({"name": "fft"})),
        ("tools/call", json!({"name": "nobodys"})),
        ("resources/read", json!({"uri": "resource:///tool_descriptions?tools=fft,nobodys"})),
    ] {
        session.request(method, params);
    }
    for event in [
        "session opened",
        "call refused",
        "unknown tool called",
        "description delivered",
        "description of an unknown tool asked for",
    ] {
        let line = gateway.logged(event);
        assert!(line.replace('"', "").contains(&format!("session={}", &session.id[..8])), "{line}");
    }
    gateway.terminate();
    gateway.ended().says(0, &[]).omits(&[&session.id[..16]]);
}

#[test]
fn r16_the_paths_of_description_files_are_in_the_debug_log() {
    let files = Described::by([&tool("fft", "Transforms.")]);
    let gateway = start(&["--log", "debug", "serve", "--tool-descriptions", files.path()]);
    gateway.logs(&["description file read", &format!("{}/fft.json", files.path())]);
}

#[test]
fn what_was_decided_for_a_client_is_explained_where_that_is_asked_for() {
    let settings = json!({"strategies": ["unheard-of", "concerns+info"], "concerns": {"precision": "exact"}});
    let hello = hello(json!({"extensions": {EXTENSION: settings}}))["params"].take();
    let mut gateway = start(&["serve", "--explain"]);
    gateway.request("initialize", hello.clone());
    let line = gateway.logged("client 'test'");
    assert!(
        line.ends_with(
            "client 'test' (2025-11-25) offered unheard-of, concerns+info; served by concerns+info: the client \
             prefers it; own tools listed: info; concerns: precision = \"exact\""
        ),
        "{line}"
    );
    gateway.finish().says(0, &[]);
    let mut quiet = start(&["serve"]);
    quiet.request("initialize", hello);
    quiet.finish().omits(&["client 'test'"]);
    // Whoever is decided on with every request is explained once.
    let mut modern = start(&["serve", "--explain"]);
    let meta = json!({"_meta": stateless(json!({}))});
    for _ in 0..3 {
        modern.request("tools/list", meta.clone());
    }
    let ended = modern.finish();
    assert_eq!(
        ended.stderr.matches("declared no disclosure support; served by adaptive").count(),
        1,
        "{ended:?}"
    );
}

#[test]
fn stdout_carries_protocol_only() {
    let mut gateway = opened(&["serve", "--log", "trace", "--", ODD, "garbage"]);
    gateway.tools();
    assert_eq!(text(&gateway.call("echo", json!({"text": "clear"}))), "clear");
    gateway.line("no JSON");
    let ended = gateway.finish();
    let skipped = [
        "skipped output that is not an MCP message",
        "Starting odd-upstream...",
        "computing...",
        "upstream=\"odd\"",
    ];
    for line in ended.says(0, &skipped).stdout.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    assert_eq!(run(&["serve", "--strategy", "nope"]).says(64, &[]).stdout, "");
}
