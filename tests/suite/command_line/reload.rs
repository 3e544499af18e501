//! Description files that change while the program runs: reloaded within two seconds, as a whole.

use std::{
    fs,
    time::{Duration, Instant},
};

use kit::process::{Process, until};
use tempfile::TempDir;

use super::{CHANGED, described, serve_odd, shown, write};

/// The bound in the contract is two seconds, of which an idle machine needs more than one; the rest is for a busy one.
const SOON: Duration = Duration::from_secs(10);

/// Serves the odd upstream with these descriptions of its tools, by their names.
#[track_caller]
pub(super) fn serve_described(tools: &[(&str, &str)]) -> (TempDir, Process) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in tools {
        write(directory.path(), &format!("{name}.json"), &described(name, text));
    }
    let gateway = serve_odd(&["--tool-descriptions", shown(directory.path())], &["ordinary"]);
    (directory, gateway)
}

fn description(gateway: &mut Process, tool: &str) -> String {
    let tools = gateway.tools();
    let tool = tools.iter().find(|listed| listed["name"] == tool).unwrap();
    tool["description"].as_str().unwrap().to_owned()
}

#[track_caller]
fn becomes(gateway: &mut Process, tool: &str, text: &str) {
    let changed = Instant::now();
    assert!(until(|| description(gateway, tool) == text), "{}", description(gateway, tool));
    assert!(changed.elapsed() < SOON, "{:?}", changed.elapsed());
}

#[test]
fn a_bad_set_is_reported_and_the_old_one_stays_u9() {
    let (directory, mut gateway) = serve_described(&[]);
    write(directory.path(), "wait.json", &described("wait", "Half of a set."));
    becomes(&mut gateway, "wait", "Half of a set.");
    write(directory.path(), "wait.json", "{ \"name\": \"wait\", ");
    gateway
        .logs(&["description files were not taken over, the old ones stay", "wait.json: EOF while parsing"]);
    assert_eq!(description(&mut gateway, "wait"), "Half of a set.");
    // A file about a tool that is not there holds nothing back.
    write(directory.path(), "wiat.json", &described("wiat", "Misspelt."));
    write(directory.path(), "wait.json", &described("wait", "A set again."));
    gateway.logs(&["wiat.json", "no upstream has a tool 'wiat'", "did you mean 'wait'?"]);
    becomes(&mut gateway, "wait", "A set again.");
    gateway.finish().says(0, &[]);
}

#[test]
fn files_that_change_come_and_go_are_followed_and_announced() {
    let (directory, mut gateway) = serve_described(&[("echo", "The first text.")]);
    assert_eq!(description(&mut gateway, "echo"), "The first text.");
    write(directory.path(), "echo.json", &described("echo", "The second text."));
    becomes(&mut gateway, "echo", "The second text.");
    write(directory.path(), "wait.json", &described("wait", "New."));
    becomes(&mut gateway, "wait", "New.");
    fs::remove_file(directory.path().join("echo.json")).unwrap();
    becomes(&mut gateway, "echo", "The tool echo of odd-upstream.");
    // As editors save: a new file takes the old one's name.
    write(directory.path(), "wait.json.tmp", &described("wait", "Saved."));
    fs::rename(directory.path().join("wait.json.tmp"), directory.path().join("wait.json")).unwrap();
    becomes(&mut gateway, "wait", "Saved.");
    gateway.notified(CHANGED, 4);
    gateway.finish().says(0, &["description files were read again"]);
}

#[test]
fn a_directory_that_is_never_quiet_is_read_again_all_the_same() {
    let (directory, mut gateway) = serve_described(&[]);
    write(directory.path(), "wait.json", &described("wait", "New."));
    let noise = directory.path().join("noise.log");
    let until_then = Instant::now() + Duration::from_secs(10);
    let read = until(|| {
        fs::write(&noise, "noise").unwrap();
        Instant::now() > until_then || gateway.tools()[1]["description"] == "New."
    });
    assert!(read && Instant::now() < until_then, "not read again within 10 s");
    gateway.finish().says(0, &[]);
}

#[test]
fn a_directory_put_in_the_place_of_the_old_one_is_followed() {
    let base = tempfile::tempdir().unwrap();
    for (version, text) in [("v1", "One."), ("v2", "Two.")] {
        fs::create_dir(base.path().join(version)).unwrap();
        write(&base.path().join(version), "echo.json", &described("echo", text));
    }
    let link = base.path().join("current");
    std::os::unix::fs::symlink("v1", &link).unwrap();
    let mut gateway = serve_odd(&["--tool-descriptions", shown(&link)], &["ordinary"]);
    std::os::unix::fs::symlink("v2", base.path().join("next")).unwrap();
    fs::rename(base.path().join("next"), &link).unwrap();
    gateway.notified("notifications/tools/list_changed", 1);
    assert_eq!(gateway.tools()[0]["description"], "Two.");
    gateway.finish().says(0, &[]);
}
