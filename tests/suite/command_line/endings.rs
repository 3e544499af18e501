//! How the program ends: what runs finishes, and nothing it started is left behind.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use kit::process::{Process, get, id_in, is_gone, post, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ODD, serve_odd, shown, start};

/// A directory, a file in it that a call waits for, and one that takes the upstream's process id.
fn scratch() -> (TempDir, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (awaited, id) = (path("awaited"), path("id"));
    (directory, awaited, id)
}

fn wait_for(file: &str) -> Value {
    json!({"name": "wait", "arguments": {"file": file}})
}

#[track_caller]
fn assert_gone(id_file: &str) {
    let id = id_in(id_file, "");
    assert!(until(|| is_gone(&id)), "process {id} was left behind");
}

#[test]
fn the_end_of_stdin_lets_a_running_call_finish_and_takes_the_upstream_along() {
    let (_directory, awaited, id) = scratch();
    let mut gateway = serve_odd(&[], &["ordinary", &id]);
    let call = gateway.ask("tools/call", wait_for(&awaited));
    gateway.tools();
    gateway.close_stdin();
    assert!(gateway.is_running());
    fs::write(&awaited, "").unwrap();
    assert_eq!(super::text(&gateway.answer(call)), "the file is there");
    gateway.ended().says(0, &[]);
    assert_gone(&id);
}

#[test]
fn sigterm_on_stdio_lets_a_running_call_finish() {
    let (_directory, awaited, id) = scratch();
    let mut gateway = serve_odd(&[], &["ordinary", &id]);
    let call = gateway.ask("tools/call", wait_for(&awaited));
    gateway.tools();
    gateway.terminate();
    gateway.logged("shutting down");
    fs::write(&awaited, "").unwrap();
    assert_eq!(super::text(&gateway.answer(call)), "the file is there");
    gateway.ended().says(0, &[]);
    assert_gone(&id);
}

/// A gateway on HTTP, its address, and a session.
fn over_http(flags: &[&str], id: &str) -> (Process, SocketAddr, String) {
    let serve = ["serve", "--strategy", "full", "--transport", "http", "--listen", "127.0.0.1:0"];
    let gateway = start(&[&serve[..], flags, &["--", ODD, "ordinary", id]].concat());
    let address = gateway.address();
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let (session, _) = post(address, None, &initialize);
    (gateway, address, session.unwrap())
}

#[test]
fn sigterm_on_http_lets_a_call_finish_whose_client_is_not_connected() {
    let (_directory, awaited, id) = scratch();
    let (gateway, address, session) = over_http(&[], &id);
    let call =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wait_for(&awaited)}).to_string();
    let mut client = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n",
        call.len()
    );
    client.write_all((head + &call).as_bytes()).unwrap();
    assert!(until(|| fs::exists(format!("{awaited}.began")).unwrap()));
    // The answer has become a stream, which can be resumed.
    client.read_exact(&mut [0; 12]).unwrap();
    drop(client);
    gateway.terminate();
    gateway.logged("shutting down");
    fs::write(&awaited, "").unwrap();
    gateway.logged("outcome=ok");
    gateway.ended().says(0, &[]);
    assert_gone(&id);
}

#[test]
fn sigterm_on_http_lets_a_running_call_finish() {
    let (_directory, awaited, id) = scratch();
    let (gateway, address, session) = over_http(&[], &id);
    let call = waiting(address, session, &awaited);
    gateway.terminate();
    gateway.logged("shutting down");
    fs::write(&awaited, "").unwrap();
    assert_eq!(super::text(&call.join().unwrap()), "the file is there");
    gateway.ended().says(0, &[]);
    assert_gone(&id);
}

/// Posts a call that waits for this file, in a thread of its own; returns when it runs.
fn waiting(address: SocketAddr, session: String, awaited: &str) -> thread::JoinHandle<Value> {
    let running = awaited.to_owned();
    let call = thread::spawn(move || {
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wait_for(&running)});
        post(address, Some(&session), &call).1
    });
    assert!(until(|| fs::exists(format!("{awaited}.began")).unwrap()));
    call
}

#[test]
fn o4_while_it_drains_it_is_not_ready_and_what_runs_is_finished() {
    let (_directory, awaited, id) = scratch();
    let (gateway, address, session) = over_http(&["--admin", "127.0.0.1:0"], &id);
    let ready = || get(gateway.admin(), "/readyz", "Host: localhost\r\n");
    assert_eq!(ready().status, 200);
    let call = waiting(address, session, &awaited);
    gateway.terminate();
    gateway.logged("shutting down");
    let said = ready();
    assert_eq!((said.status, &said.json()["draining"]), (503, &json!(true)));
    fs::write(&awaited, "").unwrap();
    assert_eq!(super::text(&call.join().unwrap()), "the file is there");
    gateway.ended().says(0, &[]);
}

#[test]
fn o4_what_runs_longer_than_the_drain_is_answered_with_an_error() {
    let (_directory, awaited, id) = scratch();
    let (gateway, address, session) = over_http(&["--drain", "1"], &id);
    let call = waiting(address, session, &awaited);
    gateway.terminate();
    let answer = call.join().unwrap();
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("shutting down"), "{answer}");
    gateway.ended().says(0, &["answered with an error", "outcome=failed"]);
    assert_gone(&id);
}

#[test]
fn o4_over_stdio_sigterm_ends_it_before_hosts_kill_it() {
    let (_directory, awaited, id) = scratch();
    // Neither the end of its input nor SIGTERM ends this one.
    let script = "trap '' TERM; \"$@\"; while :; do sleep 1; done";
    let mut gateway =
        start(&["serve", "--strategy", "full", "--", "sh", "-c", script, "sh", ODD, "ordinary", &id]);
    gateway.initialize();
    let call = gateway.ask("tools/call", wait_for(&awaited));
    gateway.tools();
    let begun = Instant::now();
    gateway.terminate();
    let answer = gateway.answer(call);
    assert!(answer["error"]["message"].as_str().unwrap().contains("shutting down"), "{answer}");
    gateway.ended().says(0, &[]);
    // Two seconds, on a machine that may be busy; it was ten and more.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_gone(&id);
}

#[test]
fn an_upstream_that_ignores_the_end_of_its_input_is_ended() {
    let (_directory, _, id) = scratch();
    serve_odd(&[], &["stubborn", &id]).finish().says(0, &[]);
    assert_gone(&id);
}

#[test]
fn what_a_launcher_launched_goes_with_it() {
    // A shell gives what runs beside it no input, so it is handed over by another number.
    for (script, mode) in
        [("exec 3<&0; \"$0\" $1 $2 <&3 & wait", "stubborn"), ("exec 3<&0; \"$0\" $1 $2 <&3 &", "ordinary")]
    {
        let (_directory, _, id) = scratch();
        let mut gateway = start(&["serve", "--strategy", "full", "--", "sh", "-c", script, ODD, mode, &id]);
        gateway.initialize();
        assert_eq!(gateway.tool_names(), ["echo", "wait"]);
        gateway.finish().says(0, &[]);
        assert_gone(&id);
    }
}

#[test]
fn an_upstream_that_is_refused_is_not_left_behind() {
    for (mode, flags) in
        [("silent", &["--connect-timeout", "2"][..]), ("wrong-version", &[]), ("list-error", &[])]
    {
        let (_directory, _, id) = scratch();
        super::run_odd(flags, &[mode, &id]).says(1, &[]);
        assert_gone(shown(id.as_ref()));
    }
}
