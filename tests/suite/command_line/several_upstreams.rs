//! Several upstreams behind one gateway: names that clash, and one that fails.

use kit::{HeldPort, process::Process};
use serde_json::json;

use super::{ODD, opened, over_http, serve_odd, text};

/// A gateway over HTTP in front of an odd upstream, and the URL it is reached by.
fn reached_by_url(mode: &str) -> (Process, String) {
    let gateway = over_http(&["--", ODD, mode]);
    let url = format!("http://{}/mcp/full", gateway.address());
    (gateway, url)
}

#[test]
fn tools_of_one_name_are_served_under_their_upstreams_names() {
    let ((_one, first), (_two, second)) = (reached_by_url("ordinary"), reached_by_url("no-schema"));
    let mut gateway =
        opened(&["serve", "--strategy", "full", "--upstream-url", &first, "--upstream-url", &second]);
    assert_eq!(gateway.tool_names(), ["odd__echo", "wait", "bare", "odd-2__echo"]);
    for tool in ["odd__echo", "odd-2__echo", "bare"] {
        assert_eq!(text(&gateway.call(tool, json!({"text": tool}))), tool);
    }
    assert_eq!(gateway.call("echo", json!({}))["error"]["message"], "Unknown tool: echo");
    gateway.finish().says(0, &[]);
}

#[test]
fn one_that_goes_away_leaves_the_other_served_f6() {
    let (other, url) = reached_by_url("pages");
    let mut gateway = serve_odd(&["--connect-timeout", "2", "--upstream-url", &url], &["ordinary"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait", "first", "second", "third"]);
    drop(other);
    let error = gateway.call("first", json!({}))["error"].clone();
    assert_eq!(error["data"], json!({"upstream": "odd-2"}), "{error}");
    let message = "upstream 'odd-2' is unavailable: waited 2 seconds for it to restart; upstream 'odd-2' ";
    assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
    assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here");
    gateway.finish().says(0, &[]);
}

#[test]
fn all_that_cannot_be_used_are_listed() {
    let nobody = HeldPort::take();
    let url = format!("http://{}/mcp", nobody.address());
    super::run(&["serve", "--upstream-url", &url, "--", "/no/such/program"])
        .says(1, &[&format!("upstream '{url}'"), "cannot start '/no/such/program'"]);
}
