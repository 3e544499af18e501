//! `--fallback adaptive`, and what is advised without it (S11).

use kit::Scenario;
use serde_json::json;

use super::{configuration::configured, run, shown, start};
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
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("scenario.json");
    scenario(20).write(&file);
    let upstream = ["--", UPSTREAM, shown(&file)];
    let explained = |flags: &[&str]| {
        let mut gateway =
            start(&[&["serve", "--explain", "--fallback", "adaptive"], flags, &upstream].concat());
        gateway.initialize();
        let tools = gateway.tool_names();
        let line = gateway.logged("declared no disclosure support");
        let ended = gateway.finish();
        ended.says(0, &[]);
        assert!(!ended.stderr.contains("--fallback adaptive"), "{ended:?}");
        (line, tools)
    };
    let (line, tools) = explained(&[]);
    let expected = "served by adaptive: the client named nothing; adaptive selects full: the complete list of 20 tools is \
                    about ";
    assert!(line.contains(expected), "{line}");
    assert!(line.ends_with("bytes, estimated at 4.5 bytes a token), within the budget of 4000"), "{line}");
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
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("scenario.json");
    scenario(20).write(&file);
    let (_directory, config) =
        configured("[serve]\nfallback = \"adaptive\"\nbudget = 300\nover_budget = \"info\"\n");
    let tools = |flags: &[&str]| {
        let serve = ["serve", "--config", shown(&config)];
        let mut gateway = start(&[&serve, flags, &["--", UPSTREAM, shown(&file)]].concat());
        gateway.initialize();
        let last = gateway.tool_names().pop().unwrap();
        gateway.finish().says(0, &[]);
        last
    };
    assert_eq!(tools(&[]), "info");
    assert_eq!(tools(&["--over-budget", "describe"]), "describe_tools");
    assert_eq!(tools(&["--budget", "4000"]), "tool_19");
    assert_eq!(tools(&["--fallback", "full"]), "tool_19");
}

#[test]
fn s11_a_complete_list_over_the_budget_is_advised_on_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("scenario.json");
    scenario(60).write(&file);
    let advice = "clients that request no strategy are listed 60 complete tools, about ";
    let mut gateway = start(&["serve", "--", UPSTREAM, shown(&file)]);
    gateway.initialize();
    let line = gateway.logged(advice);
    assert!(line.contains("over the budget of 4000; under 'search' it would be about "), "{line}");
    assert!(line.ends_with("(hint: --fallback adaptive)"), "{line}");
    gateway.tool_names();
    let ended = gateway.finish();
    assert_eq!(ended.says(0, &[]).stderr.matches(advice).count(), 1);
}

#[test]
fn s11_what_cannot_serve_is_refused_with_the_flag_that_is_meant() {
    run(&["serve", "--strategy", "adaptive"]).says(
        64,
        &[
            "unknown strategy 'adaptive'",
            "(hint: it is for clients that request no strategy: --fallback adaptive)",
        ],
    );
    for fallback in ["adaptive", "full"] {
        run(&["serve", "--fallback", fallback, "--over-budget", "nope"])
            .says(64, &["unknown strategy 'nope'"]);
    }
    run(&["serve", "--fallback", "adaptive", "--over-budget", "adaptive"])
        .says(64, &["unknown strategy 'adaptive'"]);
    run(&["serve", "--fallback", "adaptive", "--budget", "4k"]).says(2, &["--budget <TOKENS>"]);
    run(&["serve", "--fallback", "adaptive", "--budget=-1"]).says(2, &["--budget <TOKENS>"]);
}
