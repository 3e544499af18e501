//! Behaviours that were broken once: each was found by running the program as a stranger would.

use std::{fs, process::Stdio, time::Duration};

use kit::{
    HeldPort,
    process::{id_in, until},
};
use serde_json::json;

use super::{
    ODD, described, endings::assert_gone, error, over_http, reload::serve_described, run, scratch, serve_odd,
    shown, start, terminal::terminal, text, write,
};

#[test]
fn an_error_or_a_result_that_is_no_object_is_an_error_that_names_the_upstream_f6() {
    for (mode, said) in [("error-as-string", "it broke"), ("result-as-string", "")] {
        let mut gateway = serve_odd(&[], &[mode]);
        let answer = gateway.call("echo", json!({}));
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
        assert!(
            error(&answer).starts_with("upstream 'odd' ") && answer.to_string().contains(said),
            "{answer}"
        );
        gateway.finish().says(0, &[]);
    }
}

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
fn sigterm_ends_a_program_whose_input_is_a_terminal() {
    let (_ours, theirs) = terminal();
    let mut command = super::program(&["serve", "--", ODD, "ordinary"]);
    let mut gateway = kit::process::Process::start_with(&mut command, Stdio::from(theirs));
    gateway.logged("starting");
    gateway.terminate();
    assert!(until(|| !gateway.is_running()));
}

#[test]
fn sigterm_before_the_handshake_is_done_leaves_nothing_behind() {
    let (_directory, id) = scratch("id");
    let mut gateway = start(&["serve", "--", ODD, "stubborn-silent", shown(&id)]);
    id_in(&id, "");
    gateway.terminate();
    assert!(until(|| !gateway.is_running()));
    assert_gone(&id);
}

#[test]
fn sigterm_on_http_does_not_wait_for_a_request_that_never_comes_whole() {
    use std::io::Write;
    let mut gateway = over_http(&["--", ODD, "ordinary"]);
    let mut half = std::net::TcpStream::connect(gateway.address()).unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Accept: application/json\r\nContent-Length: 99\r\n\r\n{";
    half.write_all(head.as_bytes()).unwrap();
    gateway.terminate();
    gateway.logged("shutting down");
    assert!(until(|| !gateway.is_running()));
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

#[test]
fn a_missing_upstream_is_an_error_and_files_of_its_tools_only_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "theirs.json", &described("theirs", "A tool of the one that is missing."));
    let nobody = HeldPort::take();
    let url = format!("http://{}/mcp", nobody.address());
    let mut gateway =
        serve_odd(&["--tool-descriptions", shown(directory.path()), "--upstream-url", &url], &[]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"], "the other upstream is served");
    let ended = gateway.finish();
    // The file alone does not stop the program.
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for (level, parts) in [
        ("ERROR", [&*url, "the others are served, and it is tried again"]),
        ("WARN", ["theirs.json", "no upstream has a tool 'theirs'"]),
    ] {
        let is_it = |line: &str| line.contains(level) && parts.iter().all(|part| line.contains(part));
        assert!(ended.stderr.lines().any(is_it), "{level} {parts:?} in {}", ended.stderr);
    }
}
