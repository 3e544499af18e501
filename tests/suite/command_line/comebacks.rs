//! Upstreams that come back otherwise than they went, or change while they are listed (U3, U4, U7).

use std::fs;

use kit::process::{Process, id_in, kill, until};
use serde_json::json;

use super::{CHANGED, ODD, configured, over_http, scripted, serve, start, text};

/// An upstream whose mode is read at each start.
const BY_MODE: &str = "exec ODD $(cat FOLDER/mode) FOLDER/id";

/// Waits until these tools are listed.
#[track_caller]
fn lists(gateway: &mut Process, tools: &[&str]) {
    assert!(until(|| gateway.tool_names() == tools), "{:?}\n{:#?}", gateway.tool_names(), gateway.log());
}

#[test]
fn u3_the_last_of_lists_that_change_while_they_are_read_is_served() {
    let (_directory, file) =
        configured("[upstreams.odd]\ncommand = \"ODD\"\nargs = [\"changes-while-listing\"]\n");
    let mut gateway = serve(&file, &[]);
    lists(&mut gateway, &["echo", "grown-5"]);
    gateway.notified(CHANGED, 1);
    assert_eq!(text(&gateway.call("grown-5", json!({"text": "here"}))), "here");
}

#[test]
fn u3_what_a_new_process_lists_is_listed_and_announced() {
    for (mode, tools) in [("pages", &["bad_first", "bad_second", "bad_third"][..]), ("no-tools", &[])] {
        let good = "[upstreams.good]\ncommand = \"ODD\"\n";
        let bad = scripted("bad", BY_MODE) + "prefix = \"bad_\"\n";
        let (directory, file) = configured(&format!("{good}{bad}"));
        fs::write(directory.path().join("mode"), "ordinary").unwrap();
        let mut gateway = serve(&file, &[]);
        lists(&mut gateway, &["echo", "wait", "bad_echo", "bad_wait"]);
        let news = gateway.count(CHANGED);
        fs::write(directory.path().join("mode"), mode).unwrap();
        kill(&id_in(directory.path().join("id"), ""));
        lists(&mut gateway, &[&["echo", "wait"], tools].concat());
        gateway.notified(CHANGED, news + 1);
        assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here", "{mode}");
    }
}

#[test]
fn u3_u7_a_new_process_may_speak_another_revision() {
    let (directory, file) = configured(&scripted("odd", BY_MODE));
    fs::write(directory.path().join("mode"), "ordinary").unwrap();
    let mut gateway = serve(&file, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    fs::write(directory.path().join("mode"), "old-version").unwrap();
    kill(&id_in(directory.path().join("id"), ""));
    gateway.logged("will be restarted");
    assert_eq!(text(&gateway.call("echo", json!({"text": "again"}))), "again");
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
}

/// Another process at the same address, which knows no session of the one before.
#[test]
fn u4_an_http_server_that_was_restarted_is_called_in_a_new_session() {
    let before = over_http(&["--", ODD]);
    let address = before.address();
    let entry = format!("[upstreams.far]\nurl = \"http://{address}/mcp/full\"\n");
    let (_directory, file) = configured(&entry);
    let mut gateway = serve(&file, &[]);
    assert_eq!(text(&gateway.call("echo", json!({"text": "before"}))), "before");
    drop(before);
    let after = start(&["serve", "--transport", "http", "--listen", &address.to_string(), "--", ODD]);
    after.address();
    assert_eq!(text(&gateway.call("echo", json!({"text": "after"}))), "after");
}
