//! Upstreams whose lists change.

use std::time::Duration;

use super::{Fault, Lab, Outcome, judged, scene::Setting, shown};

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "U3",
        "one changes its tools five times while they are listed",
        "the last list is served, and `list_changed` came",
        while_listing,
    ),
    Fault::new(
        "U3",
        "one is killed and comes back with other tools",
        "they are listed and announced",
        |lab| comes_back(lab, "pages", &["echo", "wait", "first", "second", "third"]),
    ),
    Fault::new("U3", "one is killed and comes back without tools", "they leave the list, announced", |lab| {
        comes_back(lab, "no-tools", &["echo", "wait"])
    }),
    Fault::new(
        "U3, U7",
        "one is killed and comes back with another revision (2024-11-05)",
        "the same tools stay listed and are called",
        other_revision,
    ),
];

const SOON: Duration = Duration::from_secs(15);

/// An upstream whose mode is read at each start.
const SCRIPT: &str = "exec ODD $(cat FOLDER/mode) FOLDER/bad.id";

fn while_listing(lab: &Lab) -> Outcome {
    let mut scene = Setting::empty(lab).odd("bad", "changes-while-listing", "").start(&[]);
    let took = scene.lists(SOON, &["echo", "grown-5"]);
    scene.gateway.notified("notifications/tools/list_changed", 1);
    judged(took.is_some() && scene.answers("grown-5"), format!("the last list after {}", shown(took)))
}

fn comes_back(lab: &Lab, mode: &str, tools: &[&str]) -> Outcome {
    let setting = Setting::new(lab).script("bad", SCRIPT, "prefix = \"bad_\"");
    std::fs::write(setting.path("mode"), "ordinary").unwrap();
    let mut scene = setting.start(&[]);
    if scene.gateway.tools().len() != 4 {
        return Err("it does not start".to_owned());
    }
    scene.write("mode", mode);
    scene.kill("bad");
    let expected: Vec<String> = tools.iter().enumerate().map(|(at, tool)| prefixed(at, tool)).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let took = scene.lists(SOON, &expected);
    scene.gateway.notified("notifications/tools/list_changed", 1);
    judged(took.is_some() && scene.answers("echo"), format!("{} tools after {}", expected.len(), shown(took)))
}

/// The first two tools are those of the good upstream.
fn prefixed(at: usize, tool: &str) -> String {
    if at < 2 { tool.to_owned() } else { format!("bad_{tool}") }
}

fn other_revision(lab: &Lab) -> Outcome {
    let setting = Setting::empty(lab).script("bad", SCRIPT, "");
    std::fs::write(setting.path("mode"), "ordinary").unwrap();
    let mut scene = setting.start(&[]);
    let before = scene.gateway.tool_names();
    scene.write("mode", "old-version");
    scene.kill("bad");
    scene.gateway.logged("will be restarted");
    let (error, took) = scene.error("echo");
    let after = scene.gateway.tool_names();
    let seen =
        format!("a call is answered after {} ms{error}; {} tools listed", took.as_millis(), after.len());
    judged(error.is_empty() && before == after, seen)
}
