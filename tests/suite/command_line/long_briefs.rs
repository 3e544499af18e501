//! Texts over 60 characters, which `describe` does not list (D1, B4): what is derived is shortened, and what is refused
//! is named, with remedies.

use kit::{Scenario, messages::tool, process::Ended};
use serde_json::Value;

use super::{opened, played, run};
use crate::{Described, UPSTREAM};

const LONG: &str = "Says in a great many words what could have been said in a few of them.";

/// Serves three tools, two of which are described at length.
fn serve(flags: &[&str]) -> Ended {
    let tools =
        [tool("brief", "Is brief."), tool("long", LONG), tool("longer", &format!("{LONG} And so on."))];
    let (_directory, scenario) = played(&Scenario::with_tools(tools.map(|tool| tool.to_string())));
    run(&[&["serve"], flags, &["--", UPSTREAM, &scenario]].concat())
}

/// A description file of `echo` with this brief.
fn briefed(brief: &str) -> Value {
    let mut file = tool("echo", LONG);
    file["brief"] = brief.into();
    file
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
    let files = Described::by([&briefed(LONG)]);
    let files = ["--tool-descriptions", files.path(), "--", super::ODD, "ordinary"];
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
    let log = &served.says(0, &[]).omits(&["not offered"]).stderr;
    let ready = log.lines().find(|line| line.contains(" ready upstreams=")).unwrap();
    assert!(ready.contains("describe"), "{ready}");
    serve(&["--strategy", "describe"]).says(0, &["ready"]).omits(&["WARN"]);
}

#[test]
fn what_comes_later_is_shortened_and_warned_about_once_d1() {
    let files = Described::by([&briefed("Is brief.")]);
    let flags = ["serve", "--strategy", "describe", "--tool-descriptions", files.path(), "--"];
    let mut gateway = opened(&[&flags, &[super::ODD, "ordinary"][..]].concat());
    assert_eq!(gateway.tools()[0]["description"], "Is brief.");
    files.write(&briefed(LONG));
    gateway.notified("notifications/tools/list_changed", 1);
    for _ in 0..3 {
        let brief = gateway.tools()[0]["description"].as_str().unwrap().to_owned();
        assert!(brief.starts_with("Says in a great many words") && brief.ends_with('…'), "{brief}");
    }
    let ended = gateway.finish();
    ended.says(0, &["served nevertheless: tool 'echo': brief has 70 characters"]);
    assert_eq!(ended.stderr.matches("served nevertheless").count(), 1, "{}", ended.stderr);
}
