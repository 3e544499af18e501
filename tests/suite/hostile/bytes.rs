//! Clients that speak another protocol, another version of it, or too much.

use kit::Bench;
use serde_json::Value;

use super::{
    STATELESS, connect, healthy, others_are_served,
    socket::{Socket, head},
};

#[tokio::test]
async fn what_is_not_http_is_hung_up_on() {
    let bench = Bench::start(healthy()).await;
    let endless_head = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: {}", "x".repeat(1 << 20));
    let many_headers = format!("POST /mcp HTTP/1.1\r\n{}\r\n", "X-Many: 1\r\n".repeat(10_000));
    let sayings: [&[u8]; 8] = [
        b"\x00\xff\xfe\x80 what\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 as TLS begins\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        endless_head.as_bytes(),
        many_headers.as_bytes(),
    ];
    for said in sayings {
        let mut socket = Socket::sending(&bench, said).await;
        let answer = socket.rest().await;
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(refused, "{} was answered with {answer}", String::from_utf8_lossy(&said[..20]));
        others_are_served(&bench).await;
    }
}

#[tokio::test]
async fn a_body_without_end_is_refused_with_413() {
    let (bench, client) = connect(healthy(), STATELESS).await;
    let head = head("POST", &client, "tools/list", &Value::Null);
    let mut socket = Socket::sending(&bench, format!("{head}Transfer-Encoding: chunked\r\n\r\n")).await;
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1 << 20));
    for _ in 0..15 {
        socket.write(&chunk).await;
    }
    others_are_served(&bench).await;
    for _ in 15..18 {
        socket.write(&chunk).await;
    }
    let answer = socket.read_until("\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    others_are_served(&bench).await;
}
