//! Upstreams that hang, or cannot be reached any more (U20).

use std::{
    net::{SocketAddr, TcpStream},
    path::Path,
    time::{Duration, Instant},
};

use kit::{
    Session,
    exchange::{get, post_with},
    messages::{notification, request, stateless},
    process::{Signal, id_in, send_signal, until},
};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};

use super::{ODD, configured, error, over_http, scratch, serve_odd, shown, text};
use crate::operating::status;

const SILENT: &str = "upstream answers neither calls nor a ping";
const LATE: &str = "upstream 'odd' did not respond within 1 seconds";

/// Sends a signal to the process whose id is in this file.
fn signal(file: &Path, signal: Signal) {
    assert!(send_signal(id_in(file, "").trim().parse().unwrap(), signal));
}

#[test]
fn u20_calls_of_an_upstream_that_hangs_fail_at_once_until_it_answers_again() {
    let (_directory, file) = scratch("id");
    let mut gateway = serve_odd(&["--request-timeout", "1"], &["ordinary", shown(&file)]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    for _ in 0..2 {
        signal(&file, Signal::STOP);
        for _ in 0..3 {
            assert_eq!(error(&gateway.call("echo", json!({}))), LATE);
        }
        gateway.logged(SILENT);
        for _ in 0..20 {
            let answer = gateway.call("echo", json!({}));
            assert!(error(&answer).starts_with("upstream 'odd' does not answer: "), "{answer}");
            assert_eq!(answer["error"]["data"], json!({"upstream": "odd"}));
        }
        assert_eq!(gateway.tool_names(), ["echo", "wait"], "its tools stay listed");
        signal(&file, Signal::CONT);
        gateway.logged("upstream answers again");
        // The line may be that of the first time.
        let is_back = || gateway.call("echo", json!({"text": "back"}))["result"].is_object();
        assert!(until(is_back));
    }
    gateway.finish().says(0, &["call not run"]);
}

#[test]
fn u20_calls_that_a_client_gives_up_are_late_as_well() {
    let (_directory, file) = scratch("id");
    let mut gateway = serve_odd(&["--request-timeout", "4"], &["ordinary", shown(&file)]);
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    signal(&file, Signal::STOP);
    for _ in 0..3 {
        let id = gateway.ask("tools/call", json!({"name": "echo", "arguments": {}}));
        // Half of the time-out is what makes it late; a busy machine may hear of either a second later.
        std::thread::sleep(Duration::from_secs(3));
        gateway.line(notification("cancelled", json!({"requestId": id})).to_string());
    }
    gateway.logged(SILENT);
    signal(&file, Signal::CONT);
    gateway.logged("upstream answers again");
    gateway.finish().says(0, &["outcome=cancelled"]);
}

#[test]
fn u20_slow_calls_are_given_up_each_for_itself_while_pings_are_answered() {
    let mut gateway = serve_odd(&["--request-timeout", "1"], &["hangs-on-call"]);
    for _ in 0..3 {
        let ids: Vec<u64> =
            (0..4).map(|_| gateway.ask("tools/call", json!({"name": "echo", "arguments": {}}))).collect();
        for id in ids {
            assert_eq!(error(&gateway.answer(id)), LATE);
        }
    }
    gateway.finish().says(0, &[]).omits(&[SILENT]);
}

fn call(session: &Session) -> Value {
    session.call("echo", json!({"text": "here"}))
}

/// The same of a client without a session.
fn call_without(at: SocketAddr) -> Value {
    let params = json!({"name": "echo", "arguments": {"text": "here"}, "_meta": stateless(json!({}))});
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
    post_with(at, headers, &request(2, "tools/call", params)).1
}

/// Calls of one client, `ann`, are late while another one has a session.
#[test]
fn u20_slow_calls_of_one_of_several_clients_do_not_keep_others_out() {
    for has_session in [true, false] {
        let (_directory, file) = scratch("id");
        let flags = ["--strategy", "full", "--request-timeout", "1", "--admin", "127.0.0.1:0"];
        let gateway = over_http(&[&flags[..], &["--", ODD, "ordinary", shown(&file)]].concat());
        let at = gateway.address();
        let ann = has_session.then(|| Session::open(at));
        let ann = || ann.as_ref().map_or_else(|| call_without(at), call);
        let bob = Session::open(at);
        let bob = || call(&bob);
        let state = || status(&gateway)["upstreams"][0]["state"].clone();
        assert_eq!(text(&ann()), "here");
        signal(&file, Signal::STOP);
        for _ in 0..4 {
            assert_eq!(error(&ann()), LATE);
        }
        assert_eq!(state(), "ready", "it may be what one client asks for");
        assert_eq!(error(&bob()), LATE);
        gateway.logged(SILENT);
        assert_eq!(state(), "silent");
        assert_eq!(get(gateway.admin(), "/readyz", "Host: localhost\r\n").status, 503);
        for who in [&ann as &dyn Fn() -> Value, &bob] {
            assert!(error(&who()).starts_with("upstream 'odd' does not answer: "));
        }
        signal(&file, Signal::CONT);
        gateway.logged("upstream answers again");
        for who in [&ann as &dyn Fn() -> Value, &bob] {
            assert_eq!(text(&who()), "here");
        }
    }
}

/// A listener at this address that takes no connection: its backlog is full.
async fn deaf(at: SocketAddr) -> (TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(at).unwrap();
    let listener = socket.listen(0).unwrap();
    let waiting = (0..4).filter_map(|_| TcpStream::connect_timeout(&at, Duration::from_secs(1)).ok());
    (listener, waiting.collect())
}

#[tokio::test]
async fn u20_a_call_of_an_http_server_that_is_gone_is_an_error_within_five_seconds() {
    for is_deaf in [false, true] {
        let mut server = over_http(&["--strategy", "full", "--", ODD]);
        let at = server.address();
        let url = format!("http://{at}/mcp");
        let gateway = over_http(&["--strategy", "full", "--upstream-url", &url]);
        let client = Session::open(gateway.address());
        assert_eq!(text(&call(&client)), "here");
        server.signal(Signal::KILL);
        assert!(until(|| !server.is_running()));
        let _deaf = if is_deaf { Some(deaf(at).await) } else { None };
        for _ in 0..2 {
            let begun = Instant::now();
            let answer = call(&client);
            assert!(error(&answer).contains("cannot be reached"), "{answer}");
            // The machine may be busy; it was a minute.
            assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
        }
    }
}

#[test]
fn f6_an_upstream_that_hangs_at_the_start_holds_up_no_other_session() {
    let (_directory, config) = configured(&format!(
        "[upstreams.hung]\ncommand = {ODD:?}\nargs = [\"silent\"]\n[upstreams.odd]\ncommand = {ODD:?}\n"
    ));
    let flags = ["--upstream-scope", "session", "--wait-for-upstreams", "12", "--config", shown(&config)];
    let gateway = over_http(&flags);
    let begun = Instant::now();
    let sessions: Vec<Session> = (0..3).map(|_| Session::open(gateway.address())).collect();
    // Two sessions of an address start upstreams at the same time, and the third does not wait until their upstreams are given up.
    // The fourth line is of the upstreams that clients without a session share.
    let ready = || gateway.log().iter().filter(|line| line.contains("upstream ready")).count();
    assert!(until(|| ready() == 4) && begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    let listed = sessions[2].request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][0]["name"], "echo", "{listed}");
}
