//! Texts over 60 characters, which `describe` does not list (D1, B4): what is derived is shortened, and what is refused
//! is named, with remedies.

use std::path::PathBuf;

use kit::{Scenario, process::Ended};
use serde_json::json;
use tempfile::TempDir;

use super::{run, shown, start, write};
use crate::UPSTREAM;

const LONG: &str = "Says in a great many words what could have been said in a few of them.";

/// An upstream of three tools, two of which are described at length.
fn talkative() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let tool = |(name, description): (&str, &str)| {
        json!({"name": name, "description": description, "inputSchema": {"type": "object"}}).to_string()
    };
    let tools = [("brief", "Is brief."), ("long", LONG), ("longer", &format!("{LONG} And so on."))];
    let path = directory.path().join("scenario");
    Scenario::with_tools(tools.map(tool)).write(&path);
    (directory, path)
}

fn serve(flags: &[&str]) -> Ended {
    let (_directory, scenario) = talkative();
    run(&[&["serve"], flags, &["--", UPSTREAM, shown(&scenario)]].concat())
}

/// A folder with a brief of `echo`.
fn briefed(brief: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file =
        json!({"name": "echo", "description": LONG, "brief": brief, "inputSchema": {"type": "object"}});
    write(directory.path(), "echo.json", &file.to_string());
    directory
}

#[test]
fn a_pinned_describe_refuses_them_all_with_their_lengths_where_that_is_asked_for_d1() {
    for pinned in ["--strategy", "--fallback"] {
        let refused = serve(&[pinned, "describe", "--set", "describe.long_briefs=reject"]);
        refused.says(
            64,
            &[
                "strategy 'describe': tool 'long': description has 70 characters (UTF-16 code units), limit 60",
                "tool 'longer': description has 81 characters",
                "(hint: leave out --set describe.long_briefs=reject",
            ],
        );
        let problems = refused.stderr.lines().filter(|line| line.starts_with("mcp-disclosure: "));
        assert_eq!(problems.count(), 2, "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
    }
}

#[test]
fn b4_what_the_operator_wrote_is_refused_and_auto_serves_without_describe() {
    let directory = briefed(LONG);
    let files = ["--tool-descriptions", shown(directory.path()), "--", super::ODD, "ordinary"];
    run(&[&["serve", "--strategy", "describe"][..], &files].concat())
        .says(64, &["tool 'echo': brief has 70 characters", "(hint: write a shorter 'brief'"]);
    let served = run(&[&["serve"][..], &files].concat());
    served.says(0, &["not offered: tool 'echo'", "strategy=\"describe\"", "objections=1"]);
    let ready = served.stderr.lines().find(|line| line.contains(" ready upstreams=")).unwrap();
    assert!(!ready.contains("describe"), "{ready}");
    run(&[&["serve", "--strategy", "describe", "--set", "describe.long_briefs=shorten"][..], &files].concat())
        .says(0, &["ready"]);
}

#[test]
fn b4_what_is_derived_is_shortened_and_describe_is_offered_d1() {
    let served = serve(&[]);
    let ready =
        served.says(0, &["ready"]).stderr.lines().find(|line| line.contains(" ready upstreams=")).unwrap();
    assert!(ready.contains("describe") && !served.stderr.contains("not offered"), "{}", served.stderr);
    let (_directory, scenario) = talkative();
    let mut gateway = start(&["serve", "--strategy", "describe", "--", UPSTREAM, shown(&scenario)]);
    gateway.initialize();
    let briefs: Vec<String> =
        gateway.tools().iter().map(|tool| tool["description"].as_str().unwrap().to_owned()).collect();
    assert!(briefs[..3].iter().all(|brief| brief.encode_utf16().count() <= 60), "{briefs:?}");
    assert!(briefs[1].starts_with("Says in a great many words") && briefs[1].ends_with('…'), "{briefs:?}");
    let ended = gateway.finish();
    ended.says(0, &["ready"]);
    assert!(!ended.stderr.contains("WARN"), "{}", ended.stderr);
}

#[test]
fn what_comes_later_is_shortened_and_warned_about_once_d1() {
    let directory = briefed("Is brief.");
    let flags = ["serve", "--strategy", "describe", "--tool-descriptions", shown(directory.path()), "--"];
    let mut gateway = start(&[&flags, &[super::ODD, "ordinary"][..]].concat());
    gateway.initialize();
    assert_eq!(gateway.tools()[0]["description"], "Is brief.");
    let file = json!({"name": "echo", "description": LONG, "brief": LONG, "inputSchema": {"type": "object"}});
    write(directory.path(), "echo.json", &file.to_string());
    gateway.notified("notifications/tools/list_changed", 1);
    for _ in 0..3 {
        let brief = gateway.tools()[0]["description"].as_str().unwrap().to_owned();
        assert!(brief.starts_with("Says in a great many words") && brief.ends_with('…'), "{brief}");
    }
    let ended = gateway.finish();
    ended.says(0, &["served nevertheless: tool 'echo': brief has 70 characters"]);
    assert_eq!(ended.stderr.matches("served nevertheless").count(), 1, "{}", ended.stderr);
}

#[test]
fn prompt_takes_the_setting_too() {
    let (_directory, scenario) = talkative();
    let prompt = ["prompt", "--strategy", "describe", "--", UPSTREAM];
    let guidance = run(&[&prompt, &[shown(&scenario)][..]].concat());
    assert!(guidance.says(0, &[]).stdout.contains("tools/describe"), "{guidance:?}");
    let rejecting =
        ["prompt", "--strategy", "describe", "--set", "describe.long_briefs=reject", "--", UPSTREAM];
    run(&[&rejecting, &[shown(&scenario)][..]].concat()).says(64, &["tool 'long'"]);
}
