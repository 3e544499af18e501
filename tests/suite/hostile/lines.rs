//! A client on standard streams that talks without end, does not listen, or leaves.

use std::{
    io::Write,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use kit::{
    Apart, Bench, Options,
    messages::{call, hello, request},
    process::{Signal, send_signal, until},
};
use mcp_disclosure_gateway::front::stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::command_line::{ODD, error, program, serve_odd, text};

fn line(message: &Value) -> String {
    format!("{message}\n")
}

#[test]
fn a_line_without_end_is_refused_at_the_end_of_the_input() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    gateway.line(format!(r#"{{"method":"ping","params":{{"x":"{}"}},"id":"long"}}"#, "x".repeat(20 << 20)));
    assert!(error(&gateway.answer("long")).contains("at most 16777216"));
    gateway.write(vec![b'x'; 20 << 20]);
    gateway.close_stdin();
    let answer = gateway.error_without_id("20971520 bytes");
    assert_eq!(answer["error"]["code"], -32600);
    gateway.ended().says(0, &[]);
}

#[test]
fn bytes_that_are_no_utf_8_are_refused_wherever_they_stand() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    let call = |id: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{"name":"echo","arguments":{{"text":"#
        )
    };
    let all =
        [&b"\"\xc3\""[..], b"\"\xed\xa0\x80\"", b"\"\xff\"", b"\"\xf0\x9f\x98\"", "\"\u{1f600}\"".as_bytes()];
    for (id, argument) in all.into_iter().enumerate() {
        gateway.line([call(id).as_bytes(), argument, b"}}}"].concat());
    }
    for id in 0..4 {
        assert!(error(&gateway.answer(id.to_string())).contains("not UTF-8"), "{id}");
    }
    assert_eq!(text(&gateway.answer("4")), "\u{1f600}");
    gateway.finish().says(0, &[]);
}

/// The clock is paused, so that a time-out passes only when every task is idle.
#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_not_read_for_ever() {
    let bench = Bench::start(Options::without_upstream()).await;
    let (mut client, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    let gateway = Arc::clone(&bench.gateway);
    let mut taken = 0;
    let talking = async {
        client.write_all(line(&hello(json!({}))).as_bytes()).await.unwrap();
        let list = line(&request("list", "tools/list", json!({})));
        while taken < 50_000 {
            let writing = client.write_all(list.as_bytes());
            if tokio::time::timeout(Duration::from_secs(600), writing).await.is_err() {
                break;
            }
            taken += 1;
        }
    };
    tokio::select! {
        served = stdio::Stdio::new(input, output, gateway.limits()).serve(&gateway) => panic!("it ended: {served:?}"),
        () = talking => {}
    }
    assert!(taken < 10_000, "{taken} requests were taken while no answer was read");
}

#[test]
fn a_program_whose_client_never_reads_ends_when_it_is_asked_to() {
    let mut command = program(&["serve", "--strategy", "full", "--log", "error", "--", ODD, "ordinary"]);
    let (mut gateway, mut input, _unread) = Apart::start(&mut command, Stdio::inherit());
    let said = Arc::new(AtomicUsize::new(2));
    let saying = Arc::clone(&said);
    let arguments = json!({"text": "x".repeat(10_000)});
    thread::spawn(move || {
        let mut written = input.write_all(line(&hello(json!({}))).as_bytes());
        while written.is_ok() {
            let id = saying.fetch_add(1, Ordering::Relaxed);
            written = input.write_all(line(&call(id, "echo", arguments.clone())).as_bytes());
        }
    });
    // The answers are ten times what a pipe holds.
    assert!(until(|| said.load(Ordering::Relaxed) > 100));
    assert!(send_signal(gateway.id(), Signal::TERM));
    assert_eq!(gateway.ended(), Some(0));
}
