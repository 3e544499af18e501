//! Behaviours that were broken once: each was found by running the program as a stranger would.

use std::{fs, time::Duration};

use kit::process::until;
use serde_json::json;

use super::{ODD, described, reload::serve_described, run, serve_odd, shown, start, text, write};

#[test]
fn a_closed_stderr_does_not_matter() {
    let mut gateway = start(&["serve", "--strategy", "full", "--", ODD, "ordinary"]);
    gateway.logged("starting");
    gateway.close_stderr();
    gateway.initialize();
    assert_eq!(gateway.call("nope", json!({}))["error"]["code"], -32602);
    assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here");
    assert_eq!(gateway.finish().code, Some(0));
}

#[test]
fn a_directory_that_is_never_quiet_is_read_again_all_the_same() {
    let (directory, mut gateway) = serve_described(&[]);
    write(directory.path(), "wait.json", &described("wait", "New."));
    let noise = directory.path().join("noise.log");
    let until_then = std::time::Instant::now() + Duration::from_secs(10);
    let read = until(|| {
        fs::write(&noise, "noise").unwrap();
        std::time::Instant::now() > until_then || gateway.tools()[1]["description"] == "New."
    });
    assert!(read && std::time::Instant::now() < until_then, "not read again within 10 s");
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

#[test]
fn problems_of_flags_and_of_files_are_listed_together() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a.json", r#"{"name":"a","description":"","inputSchema":[]}"#);
    let flags = ["--receipt-key-file", "/no/such/key", "--tool-descriptions", shown(directory.path())];
    run(&[&["serve", "--strategy", "nope"], &flags[..]].concat()).says(
        64,
        &["unknown strategy 'nope'", "/no/such/key", "'description' is missing", "'inputSchema' must be"],
    );
}
