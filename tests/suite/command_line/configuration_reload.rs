//! A configuration that changes while the program runs: taken over within two seconds, as a whole; and entries of upstreams that
//! are added, removed and changed (U13).

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use kit::process::{Process, id_in, is_gone, until};
use serde_json::json;

use super::{CHANGED, ODD, configured, named_pipe, opened, rewrite, scratch, serve, served, shown, text};

const UPSTREAM: &str = "[upstreams.odd]\ncommand = \"ODD\"\n";

/// Says this beside the upstream.
fn say(file: &Path, toml: &str) {
    rewrite(file, &format!("{UPSTREAM}{toml}"));
}

/// How soon a change is in force, with time for a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// The entry of an upstream in this mode, which writes its process id to NAME.id.
fn entry(name: &str, mode: &str) -> String {
    format!("[upstreams.{name}]\ncommand = \"ODD\"\nargs = [{mode:?}, \"FOLDER/{name}.id\"]\n")
}

#[track_caller]
fn lists_soon(gateway: &mut Process, tools: &[&str]) {
    let changed = Instant::now();
    gateway.lists(tools);
    assert!(changed.elapsed() < SOON, "{:?}", changed.elapsed());
}

#[test]
fn u13_u14_a_good_change_is_served_and_announced() {
    let (_directory, file, mut gateway) = served(UPSTREAM, &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    say(&file, "[tools.wait]\nhidden = true\n");
    lists_soon(&mut gateway, &["echo"]);
    gateway.notified(CHANGED, 1);
    // Names and switches of an upstream are followed without a restart (U14).
    say(&file, "prefix = \"odd_\"\nhidden = [\"wait\"]\n");
    gateway.lists(&["odd_echo"]);
    assert_eq!(text(&gateway.call("odd_echo", json!({"text": "here"}))), "here");
    // As editors save: a new file takes the old one's name.
    let aside = file.with_extension("new");
    say(&aside, "[tools.echo]\nhidden = true\n");
    std::fs::rename(&aside, &file).unwrap();
    gateway.lists(&["wait"]);
    let ended = gateway.finish();
    ended.says(0, &["configuration and description files were read again"]).omits(&["needs a restart"]);
}

#[test]
fn categories_and_facts_change_what_info_says() {
    let (_directory, file) = configured(UPSTREAM);
    let mut gateway = opened(&["serve", "--config", shown(&file), "--strategy", "info"]);
    let mut overview = || gateway.call("info", json!({}))["result"]["structuredContent"].clone();
    assert!(overview()["categories"]["odd"].is_object());
    say(
        &file,
        "[server.facts]\nnew = true\n[categories.echoes]\ndescription = \"Sounds\"\ntools = [\"*\"]\n",
    );
    assert!(until(|| overview()["new"] == true), "{}", overview());
    let categories = overview()["categories"].clone();
    let echoes = &categories["echoes"];
    assert_eq!((&echoes["count"], &echoes["description"]), (&json!(2), &json!("Sounds")));
    assert_eq!(categories.as_object().unwrap().len(), 1);
    gateway.notified(CHANGED, 1);
}

#[test]
fn changes_that_need_a_restart_are_reported() {
    let (_directory, file, mut gateway) = served(UPSTREAM, &[]);
    say(
        &file,
        "[upstreams.more]\ncommand = \"ODD\"\n[serve]\nlisten = \"127.0.0.1:1\"\n[tools.wait]\nhidden = true\n",
    );
    gateway.logged("[serve] changed, which needs a restart");
    // The rest is taken over.
    gateway.lists(&["odd__echo", "more__echo"]);
}

/// A pipe without a writer is like a disk that does not answer.
#[test]
fn p4_a_file_of_tokens_that_does_not_answer_holds_no_client_up() {
    let (directory, file, mut gateway) = served(UPSTREAM, &[]);
    gateway.tools();
    let token = named_pipe(directory.path(), "token");
    say(&file, &format!("[auth]\ntokens = [{{ name = \"t\", file = {token:?} }}]\n"));
    // It opens once the program reads.
    let mut pipe = OpenOptions::new().write(true).open(&token).unwrap();
    assert!(gateway.request("ping", json!({}))["result"].is_object());
    assert!(gateway.call("echo", json!({"text": "x"}))["result"].is_object());
    pipe.write_all(b"a-token-of-more-than-32-characters-0123").unwrap();
    drop(pipe);
    gateway.logged("were read again");
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
    gateway.logs(&["no upstream of a file is left", "accept it with kill -HUP"]);
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
    let lost = "upstream 'odd', of which something is hidden, has another name or is gone";
    gateway.logs(&[lost, "kill -HUP"]);
    assert_eq!(gateway.tool_names(), ["echo"]);
    gateway.hang_up();
    gateway.lists(&["echo", "wait"]);
}
