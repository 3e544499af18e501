//! Upstreams that cannot be used: each is named, with what it did instead and what may help.

use std::net::TcpListener;

use kit::{
    HeldPort,
    process::{id_in, is_gone, until},
    revision::{Revision, RevisionServer},
};
use serde_json::json;

use super::{ODD, opened, run, serve_odd, shown, text};

#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledgement_without_content_is_no_output_p11() {
    let server = RevisionServer::start(Revision::V2025_11_25).await;
    let mut gateway = opened(&["serve", "--upstream-url", &server.url()]);
    gateway.tools();
    let log = gateway.log();
    drop(gateway.finish());
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
fn one_that_cannot_be_used_is_refused_with_what_it_did_and_not_left_behind() {
    for (mode, expected) in [
        (
            "exits",
            &[
                &*format!("upstream '{ODD}' has ended: the process ended with exit status: 7"),
                "last stderr lines: odd-upstream: no licence found",
                "hint: run the command directly to see why it exits",
            ][..],
        ),
        ("silent", &["odd-upstream' ", "within 2 seconds"]),
        (
            "only-garbage",
            &[
                "odd-upstream' ",
                "did not answer within 2 seconds; on stdout it printed \"Welcome to odd-upstream!\"",
                "hint: is it an MCP server? For a slow one, raise --connect-timeout",
            ],
        ),
        (
            "wrong-version",
            &[
                "odd-upstream' sent an invalid handshake response",
                "protocolVersion \"1999-01-01\", which is not supported",
                "hint: supported revisions are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
            ],
        ),
        ("list-error", &["upstream 'odd'", "the list is lost"]),
        (
            "list-nonsense",
            &["upstream 'odd'", "the result of tools/list is invalid: 'tools' is not an array"],
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let id = directory.path().join("id");
        let flags: &[&str] = match mode {
            "silent" | "only-garbage" => &["--connect-timeout", "2"],
            _ => &[],
        };
        run(&[&["serve"], flags, &["--", ODD, mode, shown(&id)]].concat()).says(1, expected);
        let id = id_in(&id, "");
        assert!(until(|| is_gone(&id)), "{mode}: process {id} was left behind");
    }
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
fn a_url_that_cannot_be_reached_is_named() {
    let nobody = HeldPort::take();
    let url = format!("http://{}/mcp", nobody.address());
    let hint = "hint: is an MCP server running there, and is the path right?";
    run(&["serve", "--upstream-url", &url])
        .says(1, &[&format!("upstream '{url}'"), "cannot be reached: Connection refused", hint]);
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", silent.local_addr().unwrap());
    run(&["serve", "--connect-timeout", "2", "--upstream-url", &url])
        .says(1, &[&format!("upstream '{url}'"), "did not answer within 2 seconds"]);
}
