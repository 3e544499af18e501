//! Crowds of connections: who has not said what it wants makes room for who does (P8).

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Instant,
};

use kit::{
    PATIENCE,
    process::{Process, post},
};
use serde_json::{Value, json};

use super::ODD;

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
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let request = |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let (session, answer) = post(address, None, &request(1, "initialize", hello));
    assert!(session.is_some(), "{answer}");
    let call = json!({"name": "echo", "arguments": {"text": "served"}});
    let (_, answer) = post(address, session.as_deref(), &request(2, "tools/call", call));
    assert_eq!(answer["result"]["content"][0]["text"], "served", "{answer}");
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

#[test]
fn p8_a_connection_beyond_the_limit_is_refused_with_503() {
    let gateway = with_files(256, &["--limit", "connections=8", "--limit", "connections_per_peer=4"]);
    let address = gateway.address();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    // A session has one such stream.
    let sessions: Vec<String> = (0..6).map(|_| post(address, None, &hello).0.unwrap()).collect();
    let listen = |session: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("GET /mcp HTTP/1.1\r\nHost: {address}\r\nMcp-Session-Id: {session}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut begun = [0; 12];
        stream.read_exact(&mut begun).unwrap();
        (stream, String::from_utf8_lossy(&begun).into_owned())
    };
    let busy: Vec<_> = sessions[..4].iter().map(|session| listen(session)).collect();
    assert!(busy.iter().all(|(_, begun)| begun == "HTTP/1.1 200"));
    let (mut refused, begun) = listen(&sessions[4]);
    assert_eq!(begun, "HTTP/1.1 503");
    let mut rest = String::new();
    refused.read_to_string(&mut rest).unwrap();
    for part in ["retry-after: 1", "\"code\":-32005", "limits.connections_per_peer"] {
        assert!(rest.contains(part), "{rest}");
    }
    drop(busy);
    assert!(kit::process::until(|| listen(&sessions[5]).1 == "HTTP/1.1 200"), "there is room again");
    is_served(address);
}
