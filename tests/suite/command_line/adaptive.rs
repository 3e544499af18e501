//! How clients are served that request no strategy (S11).

use std::path::{Path, PathBuf};

use kit::{
    Scenario,
    process::{CACHE, Process, until},
};
use serde_json::json;
use tempfile::TempDir;

use super::{CHANGED, GATED, configured, opened, played, program, remembered, scripted, shown, text};
use crate::UPSTREAM;

/// Tools that cost about 90 tokens each.
fn scenario(count: usize) -> Scenario {
    let tool = |at: usize| {
        let description = format!("Does number {at}. {}", "It is explained at length. ".repeat(10));
        let schema =
            json!({"type": "object", "properties": {"x": {"type": "string", "description": "The x"}}});
        json!({"name": format!("tool_{at}"), "description": description, "inputSchema": schema}).to_string()
    };
    Scenario::with_tools((0..count).map(tool))
}

#[test]
fn s11_adaptive_is_explained_with_the_figures() {
    let (_directory, file) = played(&scenario(20));
    let upstream = ["--", UPSTREAM, &file];
    let explained = |flags: &[&str]| {
        let mut gateway = opened(&[&["serve", "--explain"], flags, &upstream].concat());
        let tools = gateway.tool_names();
        let line = gateway.logged("declared no disclosure support");
        gateway.finish().says(0, &[]);
        (line, tools)
    };
    let (line, tools) = explained(&[]);
    let expected = "served by adaptive: the client named nothing; adaptive selects full: the complete list of 20 tools is \
                    about ";
    assert!(line.contains(expected), "{line}");
    assert!(line.ends_with("tokens (estimated at 4.5 bytes a token), within the budget of 4,000"), "{line}");
    assert_eq!(tools.len(), 20);
    let (line, tools) = explained(&["--budget", "300"]);
    assert!(line.contains("adaptive selects search: the complete list of 20 tools is about "), "{line}");
    assert!(line.contains("over the budget of 300; own tools listed: search_tools, call_tool"), "{line}");
    assert_eq!(tools.len(), 2);
    let (line, _) = explained(&["--budget", "300", "--over-budget", "info"]);
    assert!(line.contains("adaptive selects info: "), "{line}");
}

#[test]
fn s11_the_file_has_the_same_keys_and_flags_come_first() {
    let (_played, file) = played(&scenario(20));
    let (_directory, config) = configured("[serve]\nbudget = 300\nover_budget = \"info\"\n");
    let tools = |flags: &[&str]| {
        let serve = ["serve", "--config", shown(&config)];
        let mut gateway = opened(&[&serve, flags, &["--", UPSTREAM, &file]].concat());
        let last = gateway.tool_names().pop().unwrap();
        gateway.finish().says(0, &[]);
        last
    };
    assert_eq!(tools(&[]), "info");
    assert_eq!(tools(&["--over-budget", "describe"]), "describe_tools");
    assert_eq!(tools(&["--budget", "4000"]), "tool_19");
    assert_eq!(tools(&["--fallback", "full"]), "tool_19");
}

/// A configuration of one upstream, which lists little, and starts once the file `gate` is in the folder.
fn gated() -> (TempDir, PathBuf) {
    configured(&scripted("late", GATED))
}

/// A run of the program with its cache in the folder of `config`.
fn begin(config: &Path, flags: &[&str]) -> Process {
    let serve = ["serve", "--config", shown(config), "--explain"];
    Process::start(program(&[&serve, flags].concat()).env(CACHE, config.with_file_name("cache")))
}

#[test]
fn s11_what_is_not_known_yet_is_waited_for_as_lists_are() {
    let (directory, config) = gated();
    let mut gateway = begin(&config, &[]);
    let introduction = gateway.initialize();
    assert!(!introduction.to_string().contains("search_tools"), "{introduction}");
    let listing = gateway.ask("tools/list", json!({}));
    std::fs::write(directory.path().join("gate"), "").unwrap();
    let listed = gateway.answer(listing);
    assert_eq!(
        [&listed["result"]["tools"][0]["name"], &listed["result"]["tools"][1]["name"]],
        ["echo", "wait"]
    );
    // What a host holds of the other side can be called all the same.
    let found = gateway.call("search_tools", json!({"query": "echo"}));
    assert!(found.to_string().contains("inputSchema"), "{found}");
    let called = gateway.call("call_tool", json!({"tool": "echo", "arguments": {"text": "here"}}));
    assert_eq!(text(&called), "here");
    gateway.finish().says(0, &[]).omits(&["selects search"]);
}

#[test]
fn s11_a_call_waits_for_its_own_upstream_and_what_the_strategy_answers_for_all() {
    let soon = GATED.replace("gate", "soon");
    let (directory, config) =
        configured(&(scripted("late", GATED) + "prefix = \"late_\"\n" + &scripted("soon", &soon)));
    let mut gateway = begin(&config, &["--remember", "off", "--wait-for-upstreams", "600"]);
    gateway.initialize();
    let echo = json!({"text": "here"});
    let asked = [
        json!({"name": "echo", "arguments": echo}),
        json!({"name": "call_tool", "arguments": {"tool": "echo", "arguments": echo}}),
        json!({"name": "search_tools", "arguments": {"query": "late_echo"}}),
    ];
    let [alone, within, search] = asked.map(|params| gateway.ask("tools/call", params));
    std::fs::write(directory.path().join("soon"), "").unwrap();
    assert_eq!([alone, within].map(|id| text(&gateway.answer(id)).to_owned()), ["here", "here"]);
    std::fs::write(directory.path().join("gate"), "").unwrap();
    let found = gateway.answer(search);
    assert!(text(&found).contains("late_echo"), "{found}");
}

#[test]
fn s11_what_failed_is_not_waited_for() {
    let entries = "[upstreams.fails]\ncommand = \"false\"\n[upstreams.works]\ncommand = \"ODD\"\n";
    let (_directory, config) = configured(entries);
    let mut gateway = begin(&config, &[]);
    gateway.initialize();
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    gateway.logged("adaptive selects full: the complete list of 2 tools so far is about ");
}

#[test]
fn s11_what_is_remembered_decides_before_upstreams_are_ready() {
    let (directory, config) = gated();
    let gate = directory.path().join("gate");
    std::fs::write(&gate, "").unwrap();
    let mut first = begin(&config, &[]);
    first.initialize();
    assert_eq!(first.tool_names(), ["echo", "wait"]);
    assert!(until(|| !remembered(&config.with_file_name("cache")).is_empty()), "nothing is kept");
    first.finish().says(0, &[]);
    std::fs::remove_file(&gate).unwrap();
    let mut second = begin(&config, &[]);
    let introduction = second.initialize();
    assert!(!introduction.to_string().contains("search_tools"), "{introduction}");
    assert_eq!(second.tool_names(), ["echo", "wait"]);
    // On a busy machine, what is remembered may itself be news after the handshake.
    let news = second.count(CHANGED);
    std::fs::write(&gate, "").unwrap();
    second.logged("upstream ready");
    assert_eq!(second.finish().says(0, &[]).count(CHANGED), news);
}

#[test]
fn s11_what_serves_is_logged_once_with_what_it_saves() {
    let (_directory, file) = played(&scenario(60));
    let mut gateway = opened(&["serve", "--", UPSTREAM, &file]);
    assert_eq!(gateway.tool_names().len(), 2);
    let line = gateway.logged("served by search: the complete list of 60 tools is about ");
    assert!(line.ends_with(" % less"), "{line}");
    assert_eq!(gateway.finish().says(0, &[]).stderr.matches("request no strategy").count(), 1);
}
