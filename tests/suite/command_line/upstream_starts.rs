//! Upstreams that cannot be used: each is named, with what it did instead and what may help.

use std::net::TcpListener;

use kit::{
    HeldPort,
    revision::{Revision, RevisionServer},
};

use super::{ODD, endings::assert_gone, opened, run, scratch, shown};

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
fn what_cannot_be_started_or_reached_is_named_with_what_may_help() {
    let (_directory, notes) = scratch("notes.txt");
    std::fs::write(&notes, "not a program").unwrap();
    let held = HeldPort::take();
    // It takes connections, and never answers.
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let [nobody, silent] =
        [held.address(), listening.local_addr().unwrap()].map(|address| format!("http://{address}/mcp"));
    let [of_nobody, of_silent] = [&nobody, &silent].map(|url| format!("upstream '{url}'"));
    let absent = "cannot start '/no/such/program': No such file or directory";
    for (source, expected) in [
        (
            &["--", "/no/such/program", "--flag"][..],
            &[absent, "hint: is '/no/such/program' installed, and on the PATH?"][..],
        ),
        (&["--", "npx -y x"], &["hint: 'npx' is the program; its arguments stand in args"]),
        (&["--", shown(&notes)], &["cannot start '", "notes.txt': Permission denied"]),
        (
            &["--upstream-url", &nobody],
            &[
                &of_nobody,
                "cannot be reached: Connection refused",
                "hint: is an MCP server running there, and is the path right?",
            ],
        ),
        (
            &["--connect-timeout", "2", "--upstream-url", &silent],
            &[&of_silent, "did not answer within 2 seconds"],
        ),
        (&["--upstream-url", &nobody, "--", "/no/such/program"], &[&of_nobody, absent]),
    ] {
        run(&[&["serve"], source].concat()).says(1, expected);
    }
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
        let (_directory, id) = scratch("id");
        let flags: &[&str] = match mode {
            "silent" | "only-garbage" => &["--connect-timeout", "2"],
            _ => &[],
        };
        run(&[&["serve"], flags, &["--", ODD, mode, shown(&id)]].concat()).says(1, expected);
        assert_gone(&id);
    }
    // `cat` sends back what it is sent: a message, but no answer.
    run(&["serve", "--connect-timeout", "1", "--", "cat"]).says(1, &["upstream 'cat' "]);
}
