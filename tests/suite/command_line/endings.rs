//! How the program ends: what runs finishes, and nothing it started is left behind.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use kit::{
    Session,
    exchange::get,
    process::{Process, id_in, is_gone, until},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ODD, error, opened, over_http, serve_odd, text};

/// A directory, a file in it that a call waits for, and one that takes the upstream's process id.
fn files() -> (TempDir, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (awaited, id) = (path("awaited"), path("id"));
    (directory, awaited, id)
}

fn wait_for(file: &str) -> Value {
    json!({"name": "wait", "arguments": {"file": file}})
}

/// The process whose id is in this file is gone, or goes.
#[track_caller]
pub(super) fn assert_gone(id_file: impl AsRef<Path>) {
    let id = id_in(id_file, "");
    assert!(until(|| is_gone(&id)), "process {id} was left behind");
}

#[test]
fn the_end_of_stdin_and_sigterm_on_stdio_let_a_running_call_finish_and_take_the_upstream_along() {
    for is_asked in [false, true] {
        let (_directory, awaited, id) = files();
        let mut gateway = serve_odd(&[], &["ordinary", &id]);
        let call = gateway.ask("tools/call", wait_for(&awaited));
        gateway.tools();
        if is_asked {
            gateway.terminate();
            gateway.logged("shutting down");
        } else {
            gateway.close_stdin();
        }
        assert!(gateway.is_running());
        fs::write(&awaited, "").unwrap();
        assert_eq!(text(&gateway.answer(call)), "the file is there");
        gateway.ended().says(0, &[]);
        assert_gone(&id);
    }
}

/// A gateway on HTTP, and a session.
fn with_session(flags: &[&str], id: &str) -> (Process, Session) {
    let gateway = over_http(&[&["--strategy", "full"], flags, &["--", ODD, "ordinary", id]].concat());
    let session = Session::open(gateway.address());
    (gateway, session)
}

/// Posts a call that waits for this file, in a thread of its own; returns when it runs.
fn waiting(session: Session, awaited: &str) -> thread::JoinHandle<Value> {
    let running = wait_for(awaited);
    let call = thread::spawn(move || session.request("tools/call", running));
    assert!(until(|| fs::exists(format!("{awaited}.began")).unwrap()));
    call
}

#[test]
fn o4_while_it_drains_it_is_not_ready_and_what_runs_is_finished() {
    let (_directory, awaited, id) = files();
    let (gateway, session) = with_session(&["--admin", "127.0.0.1:0"], &id);
    let ready = || get(gateway.admin(), "/readyz", "Host: localhost\r\n");
    assert_eq!(ready().status, 200);
    let call = waiting(session, &awaited);
    gateway.terminate();
    gateway.logged("shutting down");
    let said = ready();
    assert_eq!((said.status, &said.json()["draining"]), (503, &json!(true)));
    fs::write(&awaited, "").unwrap();
    assert_eq!(text(&call.join().unwrap()), "the file is there");
    gateway.ended().says(0, &[]);
    assert_gone(&id);
}

#[test]
fn o4_what_runs_longer_than_the_drain_is_answered_with_an_error() {
    let (_directory, awaited, id) = files();
    let (gateway, session) = with_session(&["--drain", "1"], &id);
    let call = waiting(session, &awaited);
    gateway.terminate();
    let answer = call.join().unwrap();
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(error(&answer).contains("shutting down"), "{answer}");
    gateway.ended().says(0, &["answered with an error", "outcome=failed"]);
    assert_gone(&id);
}

#[test]
fn o4_over_stdio_sigterm_ends_it_before_hosts_kill_it() {
    let (_directory, awaited, id) = files();
    // Neither the end of its input nor SIGTERM ends this one.
    let script = "trap '' TERM; \"$@\"; while :; do sleep 1; done";
    let mut gateway =
        opened(&["serve", "--strategy", "full", "--", "sh", "-c", script, "sh", ODD, "ordinary", &id]);
    let call = gateway.ask("tools/call", wait_for(&awaited));
    gateway.tools();
    let begun = Instant::now();
    gateway.terminate();
    let answer = gateway.answer(call);
    assert!(error(&answer).contains("shutting down"), "{answer}");
    gateway.ended().says(0, &[]);
    // Two seconds, on a machine that may be busy; it was ten and more.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_gone(&id);
}

#[test]
fn what_a_launcher_launched_goes_with_it() {
    // A shell gives what runs beside it no input, so it is handed over by another number.
    for (script, mode) in
        [("exec 3<&0; \"$0\" $1 $2 <&3 & wait", "stubborn"), ("exec 3<&0; \"$0\" $1 $2 <&3 &", "ordinary")]
    {
        let (_directory, _, id) = files();
        let mut gateway = opened(&["serve", "--strategy", "full", "--", "sh", "-c", script, ODD, mode, &id]);
        assert_eq!(gateway.tool_names(), ["echo", "wait"]);
        gateway.finish().says(0, &[]);
        assert_gone(&id);
    }
}
