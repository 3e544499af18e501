//! Upstreams whose lists are odd: what can be served is served, and the rest is reported.

use serde_json::json;

use super::{serve_odd, text};

#[test]
fn a_tool_without_input_schema_is_served_with_one_that_accepts_any_object() {
    let mut gateway = serve_odd(&[], &["no-schema"]);
    assert_eq!(
        gateway.tools()[0],
        json!({"name": "bare", "description": "Bare.", "inputSchema": {"type": "object"}})
    );
    assert_eq!(text(&gateway.call("bare", json!({"text": "works"}))), "works");
    gateway.finish().says(0, &["tool 'bare' has no inputSchema"]);
}

#[test]
fn of_two_tools_of_one_name_the_first_is_served() {
    let mut gateway = serve_odd(&[], &["twice"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    assert_eq!(gateway.tools()[0]["description"], "The tool echo of odd-upstream.");
    gateway
        .finish()
        .says(0, &["upstream 'odd' lists 'echo' twice among its tools; only the first is served"]);
}

#[test]
fn items_without_a_name_are_left_out_and_shown() {
    let mut gateway = serve_odd(&[], &["unnamed"]);
    assert_eq!(gateway.tool_names(), ["echo"]);
    let ended = gateway.finish();
    let warning = "upstream 'odd' lists something without a usable 'name' among its tools; it is not served";
    ended.says(0, &[warning, "Nameless."]);
    assert_eq!(ended.stderr.matches(warning).count(), 4, "{}", ended.stderr);
}

#[test]
fn all_pages_are_read_until_they_repeat() {
    for (mode, tools) in [("pages", &["first", "second", "third"][..]), ("endless-pages", &["echo"])] {
        let mut gateway = serve_odd(&[], &[mode]);
        assert_eq!(gateway.tool_names(), tools);
    }
}

#[test]
fn a_result_of_some_megabytes_arrives_whole() {
    let mut gateway = serve_odd(&[], &["huge"]);
    assert_eq!(text(&gateway.call("echo", json!({}))), "0123456789abcdef".repeat(256 * 1024));
}
