//! Several upstreams behind one gateway: names that clash, and one that fails.

use kit::HeldPort;
use serde_json::json;

use super::{ODD, error, over_http, run, serve_odd, text};

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

#[test]
fn all_that_cannot_be_used_are_listed() {
    let nobody = HeldPort::take();
    let url = format!("http://{}/mcp", nobody.address());
    run(&["serve", "--upstream-url", &url, "--", "/no/such/program"])
        .says(1, &[&format!("upstream '{url}'"), "cannot start '/no/such/program'"]);
}
