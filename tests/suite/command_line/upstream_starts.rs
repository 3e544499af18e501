//! Upstreams that cannot be used: each is named, with what it did instead and what may help.

use kit::{
    HeldPort,
    revision::{Revision, RevisionServer},
};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{ODD, run, run_odd, serve_odd, shown, start, text};

#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledgement_without_content_is_no_output_p11() {
    let server = RevisionServer::start(Revision::V2025_11_25).await;
    let url = server.url();
    let log = spawn_blocking(move || {
        let mut gateway = start(&["serve", "--upstream-url", &url]);
        gateway.initialize();
        gateway.tools();
        let log = gateway.log();
        drop(gateway.finish());
        log
    });
    let log = log.await.unwrap();
    assert!(server.received().iter().any(|received| received.message["id"].is_null()), "it was acknowledged");
    assert!(!log.iter().any(|line| line.contains("skipped output")), "{log:?}");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    run(&["serve", "--", "/no/such/program", "--flag"]).says(
        1,
        &[
            "cannot start '/no/such/program': No such file or directory",
            "hint: is '/no/such/program' installed, and on the PATH?",
        ],
    );
}

#[test]
fn a_file_that_is_no_program_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("notes.txt");
    std::fs::write(&file, "not a program").unwrap();
    run(&["serve", "--", shown(&file)]).says(1, &["cannot start '", "notes.txt': Permission denied"]);
}

#[test]
fn one_that_exits_at_once_is_quoted() {
    run_odd(&[], &["exits"]).says(
        1,
        &[
            &format!("upstream '{ODD}' has ended: the process ended with exit status: 7"),
            "last stderr lines: odd-upstream: no licence found",
            "hint: run the command directly to see why it exits",
        ],
    );
}

#[test]
fn one_that_never_answers_is_given_up_after_the_connect_timeout() {
    run_odd(&["--connect-timeout", "1"], &["silent"]).says(1, &["odd-upstream' ", "within 1 second"]);
}

#[test]
fn one_that_prints_only_garbage_is_given_up_and_its_words_shown() {
    run_odd(&["--connect-timeout", "1"], &["only-garbage"])
        .says(1, &["odd-upstream' ", "Welcome to odd-upstream!"]);
    // `cat` sends back what it is sent: a message, but no answer.
    run(&["serve", "--connect-timeout", "1", "--", "cat"]).says(1, &["upstream 'cat' "]);
}

#[test]
fn one_that_prints_garbage_between_messages_is_served_with_a_warning() {
    let mut gateway = serve_odd(&[], &["garbage"]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    assert_eq!(text(&gateway.call("echo", json!({"text": "clear"}))), "clear");
    gateway.finish().says(
        0,
        &[
            "skipped output that is not an MCP message",
            "Starting odd-upstream...",
            "computing...",
            "upstream=\"odd\"",
        ],
    );
}

#[test]
fn one_of_an_unsupported_revision_is_refused() {
    run_odd(&[], &["wrong-version"]).says(
        1,
        &[
            "odd-upstream' sent an invalid handshake response",
            "protocolVersion \"1999-01-01\", which is not supported",
            "hint: supported revisions are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
        ],
    );
}

#[test]
fn a_url_that_cannot_be_reached_is_named() {
    let nobody = HeldPort::take();
    let url = format!("http://{}/mcp", nobody.address());
    run(&["serve", "--upstream-url", &url])
        .says(1, &[&format!("upstream '{url}'"), "cannot be reached: Connection refused"]);
}
