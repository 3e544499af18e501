//! Upstreams that fail during a call: the call gets an error that names them, the rest goes on (F6); and lists without an end.

use serde_json::json;

use super::{ODD, error, over_http, serve_odd, text};

#[test]
fn one_that_dies_is_named_and_what_it_said_is_the_operators_alone_f6_p5() {
    let mut gateway = serve_odd(&["--log", "debug"], &["dies-on-call", "/dev/null", "--token=s3cret"]);
    // The second call is one of the restarted upstream (U3).
    for _ in 0..2 {
        let error = gateway.call("echo", json!({}))["error"].clone();
        assert_eq!(error["code"], -32000);
        assert_eq!(error["data"], json!({"upstream": "odd"}));
        let message = error["message"].as_str().unwrap();
        assert_eq!(message, "upstream 'odd' has ended: the process ended with exit status: 11");
    }
    assert_eq!(gateway.tool_names(), ["echo", "wait"], "other requests are answered");
    let said = "last stderr lines: odd-upstream: segmentation fault, as if";
    gateway.logs(&["upstream failed, will be restarted", said]);
    gateway.finish().says(0, &[]).omits(&["s3cret"]);
}

#[test]
fn calls_under_way_beside_one_that_kills_the_upstream_are_answered_too_f6() {
    let mut gateway = serve_odd(&[], &["dies-on-call"]);
    let ids: Vec<u64> =
        (0..20).map(|_| gateway.ask("tools/call", json!({"name": "echo", "arguments": {}}))).collect();
    for id in ids {
        let error = gateway.answer(id)["error"].clone();
        assert_eq!(error["code"], -32000);
        assert!(!error.to_string().contains("segmentation fault"), "{error}");
    }
}

#[test]
fn a_second_answer_is_dropped() {
    let mut gateway = serve_odd(&[], &["answers-twice"]);
    for _ in 0..3 {
        assert_eq!(text(&gateway.call("echo", json!({}))), "the first answer");
    }
    let ended = gateway.finish();
    assert!(!ended.says(0, &[]).stdout.contains("the second answer"));
}

#[test]
fn all_pages_are_read_until_they_repeat() {
    let pages = ("pages", &["first", "second", "third"][..]);
    for (mode, tools) in [pages, ("endless-pages", &["echo"]), ("odd-cursor", &["echo"])] {
        let mut gateway = serve_odd(&[], &[mode]);
        assert_eq!(gateway.tool_names(), tools);
        let log = gateway.finish().stderr;
        assert_eq!(log.contains("do not end"), mode != "pages", "{log}");
    }
}

#[test]
fn two_of_one_name_are_told_apart_and_one_that_goes_away_leaves_the_other_served_f6() {
    let other = over_http(&["--", ODD, "no-schema"]);
    let url = format!("http://{}/mcp/full", other.address());
    let mut gateway = serve_odd(&["--connect-timeout", "2", "--upstream-url", &url], &["ordinary"]);
    assert_eq!(gateway.tool_names(), ["odd__echo", "wait", "bare", "odd-2__echo"]);
    for tool in ["odd__echo", "odd-2__echo", "bare"] {
        assert_eq!(text(&gateway.call(tool, json!({"text": tool}))), tool);
    }
    assert_eq!(error(&gateway.call("echo", json!({}))), "Unknown tool: echo");
    drop(other);
    let answer = gateway.call("bare", json!({}));
    assert_eq!(answer["error"]["data"], json!({"upstream": "odd-2"}), "{answer}");
    let message = "upstream 'odd-2' is unavailable: waited 2 seconds for it to restart; upstream 'odd-2' ";
    assert!(error(&answer).starts_with(message), "{answer}");
    assert_eq!(text(&gateway.call("odd__echo", json!({"text": "here"}))), "here");
}
