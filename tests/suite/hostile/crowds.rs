//! Crowds of connections: who has not said what it wants makes room for who does (P8).

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Instant,
};

use kit::{PATIENCE, Session, messages, process::Process};
use serde_json::json;

use super::ODD;
use crate::{
    access::guarded,
    command_line::{configured, shown, text},
};

/// A gateway over HTTP that may open this many files.
fn with_files(most: u32, flags: &[&str]) -> Process {
    let script = format!("ulimit -n {most}; exec \"$@\"");
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_gateway"), "serve", "--strategy", "full"]);
    limited.args(["--transport", "http", "--listen", "127.0.0.1:0"]).args(flags).args(["--", ODD]);
    Process::start(&mut limited)
}

/// Opens a session, and calls a tool in it.
#[track_caller]
fn is_served(address: SocketAddr) {
    assert_eq!(text(&Session::open(address).call("echo", json!({"text": "served"}))), "served");
}

fn slow_head(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    // One that was closed meanwhile misses it.
    let _closed = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ");
    stream
}

#[test]
fn p8_slow_heads_make_room_for_newcomers_whatever_files_there_are() {
    for most in [40, 64, 256, 4096] {
        let gateway = with_files(most, &[]);
        let address = gateway.address();
        let mut held: Vec<TcpStream> = (0..300).map(|_| slow_head(address)).collect();
        let start = Instant::now();
        for _ in 0..5 {
            is_served(address);
            held.extend((0..60).map(|_| slow_head(address)));
        }
        // Ten heads' time would be a hundred seconds.
        assert!(start.elapsed().as_secs() < 60, "{most} files: {:?}", start.elapsed());
    }
}

/// Sends the beginning of a request, from a client of this address behind a proxy.
fn begun(address: SocketAddr, client: &str, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (line, rest) = request.split_once("\r\n").unwrap();
    let text = format!("{line}\r\nHost: {address}\r\nX-Forwarded-For: {client}\r\n{rest}");
    // One that was closed meanwhile misses it.
    let _closed = stream.write_all(text.as_bytes());
    stream
}

const HALF_A_BODY: &str =
    "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";

/// The status line of what comes, at most its first bytes.
fn status(stream: &mut TcpStream) -> String {
    let mut begun = [0; 12];
    stream
        .read_exact(&mut begun)
        .map_or_else(|error| error.to_string(), |()| String::from_utf8_lossy(&begun).into())
}

fn open_sessions(address: SocketAddr, count: usize) -> Vec<String> {
    (0..count).map(|_| Session::open(address).id).collect()
}

/// Opens the event stream of a session, from a client of this address behind a proxy.
fn listen(address: SocketAddr, client: &str, session: &str) -> TcpStream {
    let mut stream =
        begun(address, client, &format!("GET /mcp HTTP/1.1\r\nMcp-Session-Id: {session}\r\n\r\n"));
    assert_eq!(status(&mut stream), "HTTP/1.1 200");
    stream
}

#[test]
fn p8_one_client_behind_a_proxy_makes_room_for_others_with_its_slow_bodies() {
    let gateway = with_files(256, &["--limit", "connections=8", "--trusted-proxy", "127.0.0.1"]);
    let address = gateway.address();
    let sessions = open_sessions(address, 1);
    let mut other = listen(address, "203.0.113.2", &sessions[0]);
    let mut slow: Vec<TcpStream> = (0..60).map(|_| begun(address, "203.0.113.1", HALF_A_BODY)).collect();
    for _ in 0..5 {
        is_served(address);
        slow.extend((0..8).map(|_| begun(address, "203.0.113.1", HALF_A_BODY)));
    }
    // The other client's stream goes on: nothing more has come, and no end.
    other.set_nonblocking(true).unwrap();
    let mut rest = Vec::new();
    let error = other.read_to_end(&mut rest).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{}", String::from_utf8_lossy(&rest));
}

#[test]
fn p8_one_token_makes_room_for_another() {
    let (_tokens, config) = guarded("");
    let (_folder, config) = configured(&config);
    let gateway = with_files(256, &["--limit", "connections=8", "--config", shown(&config)]);
    let address = gateway.address();
    let of = |name: &str, request: &str| {
        let (line, rest) = request.split_once("\r\n").unwrap();
        let bearing = format!("{line}\r\nAuthorization: Bearer the-secret-token-of-{name}\r\n{rest}");
        begun(address, "203.0.113.1", &bearing)
    };
    let mut held: Vec<TcpStream> = (0..60).map(|_| of("ann", HALF_A_BODY)).collect();
    for _ in 0..20 {
        // What is sent is no message, which only one who is served is told.
        let mut stream = of("bob", &format!("{}{{}}", HALF_A_BODY.replace("99", "2").trim_end_matches('{')));
        assert_eq!(status(&mut stream), "HTTP/1.1 400");
        held.extend((0..4).map(|_| of("ann", HALF_A_BODY)));
    }
}

#[test]
fn p8_a_connection_for_which_only_its_own_peers_calls_could_give_way_is_refused_with_503() {
    let gateway = with_files(256, &["--limit", "connections=4"]);
    let address = gateway.address();
    let session = open_sessions(address, 1).remove(0);
    let folder = tempfile::tempdir().unwrap();
    let call = |id: u64| {
        let file = folder.path().join(id.to_string()).display().to_string();
        let body = messages::call(id, "wait", json!({"file": file})).to_string();
        let head = format!("Mcp-Session-Id: {session}\r\nContent-Length: {}", body.len());
        let head = format!("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n{head}");
        let stream = begun(address, "203.0.113.1", &format!("{head}\r\n\r\n{body}"));
        assert!(kit::process::until(|| std::path::Path::new(&format!("{file}.began")).exists()));
        stream
    };
    let calls: Vec<TcpStream> = (1..=4).map(call).collect();
    let mut refused = TcpStream::connect(address).unwrap();
    refused.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut answer = String::new();
    refused.read_to_string(&mut answer).unwrap();
    for part in ["HTTP/1.1 503", "retry-after: 1", "\"code\":-32005", "limits.connections"] {
        assert!(answer.contains(part), "{answer}");
    }
    drop(calls);
    let is_room = || std::panic::catch_unwind(|| is_served(address)).is_ok();
    assert!(kit::process::until(is_room), "there is room again");
}
