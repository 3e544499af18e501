//! Descriptions over 60 characters, which `describe` does not list (D1): all are named, with remedies.

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

#[test]
fn a_pinned_describe_refuses_them_all_with_their_lengths_d1() {
    for flags in [&["--strategy", "describe"][..], &["--fallback", "describe", "--long-briefs", "reject"]] {
        let refused = serve(flags);
        refused.says(
            64,
            &[
                "strategy 'describe': tool 'long': description has 70 characters (UTF-16 code units), limit 60",
                "tool 'longer': description has 81 characters",
                "(hint: use --long-briefs shorten",
            ],
        );
        let problems = refused.stderr.lines().filter(|line| line.starts_with("mcp-disclosure: "));
        assert_eq!(problems.count(), 2, "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
    }
}

#[test]
fn auto_serves_without_describe_and_warns_d1() {
    let served = serve(&[]);
    served.says(
        0,
        &["not offered: tool 'long'", "strategy=\"describe\"", "objections=2", "--long-briefs shorten"],
    );
    let ready = served.stderr.lines().find(|line| line.contains("ready")).unwrap();
    assert!(!ready.contains("describe"), "{ready}");
}

#[test]
fn they_are_shortened_where_that_is_asked_for_d1() {
    let (_directory, scenario) = talkative();
    let flags =
        ["serve", "--strategy", "describe", "--long-briefs", "shorten", "--", UPSTREAM, shown(&scenario)];
    let mut gateway = start(&flags);
    gateway.initialize();
    let briefs: Vec<_> = gateway.tools().iter().map(|tool| tool["description"].clone()).collect();
    let short = "Says in a great many words what could have been said…";
    assert_eq!(briefs[..3], ["Is brief.", short, short]);
    let ended = gateway.finish();
    ended.says(0, &["ready"]);
    assert!(!ended.stderr.contains("WARN"), "{}", ended.stderr);
}

#[test]
fn what_comes_later_is_shortened_and_warned_about_once_d1() {
    let directory = tempfile::tempdir().unwrap();
    let described = |text: &str| {
        let file = json!({"name": "echo", "description": text, "inputSchema": {"type": "object"}});
        write(directory.path(), "echo.json", &file.to_string());
    };
    described("Is brief.");
    let flags = ["serve", "--strategy", "describe", "--tool-descriptions", shown(directory.path()), "--"];
    let mut gateway = start(&[&flags, &[super::ODD, "ordinary"][..]].concat());
    gateway.initialize();
    assert_eq!(gateway.tools()[0]["description"], "Is brief.");
    described(LONG);
    gateway.notified("notifications/tools/list_changed", 1);
    for _ in 0..3 {
        assert_eq!(
            gateway.tools()[0]["description"],
            "Says in a great many words what could have been said…"
        );
    }
    let ended = gateway.finish();
    ended.says(0, &["served nevertheless: tool 'echo': description has 70 characters"]);
    assert_eq!(ended.stderr.matches("served nevertheless").count(), 1, "{}", ended.stderr);
}

#[test]
fn prompt_takes_the_setting_too() {
    let (_directory, scenario) = talkative();
    let prompt = ["prompt", "--strategy", "describe", "--long-briefs", "shorten", "--", UPSTREAM];
    let guidance = run(&[&prompt, &[shown(&scenario)][..]].concat());
    assert!(guidance.says(0, &[]).stdout.contains("tools/describe"), "{guidance:?}");
    run(&["prompt", "--strategy", "describe", "--", UPSTREAM, shown(&scenario)]).says(64, &["tool 'long'"]);
}
