//! Entries of upstreams that are added, removed and changed while the program runs (U13).

use std::{
    fs,
    time::{Duration, Instant},
};

use kit::process::{Process, id_in, is_gone, until};
use serde_json::json;

use super::{CHANGED, ODD, configured, opened, rewrite, scratch, serve, served, shown, text};

/// How soon a change is in force, with time for a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// The entry of an upstream in this mode, which writes its process id to NAME.id.
fn entry(name: &str, mode: &str) -> String {
    format!("[upstreams.{name}]\ncommand = \"ODD\"\nargs = [{mode:?}, \"FOLDER/{name}.id\"]\n")
}

#[track_caller]
fn lists_soon(gateway: &mut Process, tools: &[&str]) {
    let changed = Instant::now();
    assert!(until(|| gateway.tool_names() == tools), "{:?}", gateway.tool_names());
    assert!(changed.elapsed() < SOON, "{:?}", changed.elapsed());
}

#[test]
fn u13_entries_are_added_removed_and_changed_live_and_others_are_left_alone() {
    let stays = entry("stays", "ordinary");
    let (directory, file) = configured(&stays);
    let folder = directory.path();
    let mut gateway = serve(&file, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    let id = id_in(folder.join("stays.id"), "");

    rewrite(&file, &(stays.clone() + &entry("more", "pages")));
    lists_soon(&mut gateway, &["echo", "wait", "first", "second", "third"]);
    gateway.notified(CHANGED, 1);
    let more = id_in(folder.join("more.id"), "");

    // Another mode of the same upstream, in front of the one that stays.
    rewrite(&file, &(entry("more", "no-schema") + &stays));
    lists_soon(&mut gateway, &["bare", "more__echo", "stays__echo", "wait"]);
    assert!(until(|| is_gone(&more)), "the process of the old entry is left");
    let changed = id_in(folder.join("more.id"), &more);

    rewrite(&file, &stays);
    lists_soon(&mut gateway, &["echo", "wait"]);
    assert!(until(|| is_gone(&changed)), "the process of the removed entry is left");
    assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here");
    assert_eq!(fs::read_to_string(folder.join("stays.id")).unwrap(), id, "it was started again");
    gateway.finish().says(0, &[]).omits(&["needs a restart"]);
}

#[test]
fn u13_entries_of_a_hosts_file_are_taken_over_live() {
    let (_directory, file) = scratch("mcp.json");
    let write = |servers| fs::write(&file, json!({"mcpServers": servers}).to_string()).unwrap();
    write(json!({"odd": {"command": ODD}}));
    let mut gateway = opened(&["serve", "--strategy", "full", "--mcp-config", shown(&file)]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    write(json!({"odd": {"command": ODD}, "pages": {"command": ODD, "args": ["pages"]}}));
    lists_soon(&mut gateway, &["echo", "wait", "first", "second", "third"]);
    gateway.notified(CHANGED, 1);
    // What the host switches off is gone, and what it cannot mean is left out with a warning.
    write(
        json!({"odd": {"command": ODD, "disabled": true}, "pages": {"command": ODD, "args": ["pages"]}, "x": {}}),
    );
    lists_soon(&mut gateway, &["first", "second", "third"]);
    gateway.logged("server 'x'");
}

#[test]
fn u13_p4_losing_all_upstreams_takes_an_operators_word() {
    let (directory, file, mut gateway) = served(&entry("odd", "ordinary"), &["--", ODD, "pages"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait", "first", "second", "third"]);
    let id = id_in(directory.path().join("odd.id"), "");
    fs::write(&file, "[server]\nname = \"Half a file\"\n").unwrap();
    let line = gateway.logged("no upstream of a file is left");
    assert!(line.contains("accept it with kill -HUP"), "{line}");
    assert!(!is_gone(&id));
    gateway.hang_up();
    lists_soon(&mut gateway, &["first", "second", "third"]);
    assert!(until(|| is_gone(&id)));
}

#[test]
fn u13_tools_stay_listed_while_a_changed_entry_starts_and_calls_wait_for_it() {
    let entry = "[upstreams.odd]\ncommand = \"ODD\"\nargs = [\"parks\", \"FOLDER/parked\"]\n";
    let (directory, file, mut gateway) = served(entry, &["--connect-timeout", "3"]);
    let tools = gateway.tool_names();
    assert!(!tools.is_empty());
    // From now on it does nothing when it is started.
    fs::write(directory.path().join("parked"), "").unwrap();
    rewrite(&file, &format!("{entry}env = {{ CHANGED = \"yes\" }}\n"));
    assert!(until(|| directory.path().join("parked.parked").exists()), "the changed entry is started");
    assert_eq!(gateway.tool_names(), tools);
    let error = gateway.call(&tools[0], json!({}))["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("'odd'"), "{error}");
    assert_eq!(error["code"], -32000);
}

#[test]
fn p2_an_upstream_with_hidden_tools_gets_no_other_name_without_an_operators_word() {
    let named =
        |name: &str| format!("[upstreams.{name}]\ncommand = {ODD:?}\n[tools.\"odd/wait\"]\nhidden = true\n");
    let (_directory, file, mut gateway) = served(&named("odd"), &[]);
    assert_eq!(gateway.tool_names(), ["echo"]);
    fs::write(&file, named("other")).unwrap();
    let line = gateway.logged("upstream 'odd', of which something is hidden, has another name or is gone");
    assert!(line.contains("kill -HUP"), "{line}");
    assert_eq!(gateway.tool_names(), ["echo"]);
    gateway.hang_up();
    assert!(until(|| gateway.tool_names() == ["echo", "wait"]));
}
