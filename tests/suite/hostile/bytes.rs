//! Clients that speak another protocol, another version of it, or too much.

use kit::{Bench, Setup};
use serde_json::{Value, json};

use super::{
    STATELESS, connect, healthy, others_are_served,
    socket::{CLOSE, Socket, head, post},
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

async fn http_1_0_is_answered_and_hung_up_on(setup: Setup) {
    let (bench, client) = connect(healthy(), setup).await;
    let asked = post(&client, "old", "tools/call", json!({"name": "small", "arguments": {"number": 1}}));
    let mut socket = Socket::sending(&bench, asked.replace("HTTP/1.1", "HTTP/1.0").replace(CLOSE, "")).await;
    let answer = socket.rest().await;
    assert!(answer.starts_with("HTTP/1.0 200 ") && answer.contains("\"number\":1"), "{answer}");
    others_are_served(&bench).await;
}

async fn pipelined_requests_are_answered_in_their_order(setup: Setup) {
    let (bench, client) = connect(healthy(), setup).await;
    let ids: Vec<String> = (0..50).map(|number| format!("piped-{number}")).collect();
    let call =
        |id: &String| post(&client, id, "tools/call", json!({"name": "small", "arguments": {"id": id}}));
    let all = ids.iter().map(call).collect::<String>().replace(CLOSE, "");
    let mut socket = Socket::sending(&bench, all).await;
    others_are_served(&bench).await;
    let answers = socket.read_until("\"id\":\"piped-49\"}}").await;
    let mut bodies = answers.split("HTTP/1.1 ").skip(1);
    for id in &ids {
        let answer = bodies.next().unwrap();
        assert!(
            answer.starts_with("200 ") && answer.contains(&format!("{{\"given\":{{\"id\":\"{id}\"}}}}")),
            "{answer}"
        );
    }
}
over_http!(http_1_0_is_answered_and_hung_up_on, pipelined_requests_are_answered_in_their_order);
