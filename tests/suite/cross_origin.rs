//! Who may speak to us from a browser, and how a browser learns it (P15).

use std::net::{Ipv4Addr, SocketAddr};

use kit::{
    Bench,
    exchange::get,
    http::{self, Answer},
};
use mcp_disclosure_gateway::front::http::Guard;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{command_line::over_http, odd};

const APP: &str = "https://app.example";

/// A gateway that pages of one origin may use.
async fn gateway() -> (Bench, SocketAddr) {
    let guard = Guard::new(Ipv4Addr::LOCALHOST.into(), &["proxy.example".into()], &[APP.into()]);
    let bench = Bench::start(odd()).await.guarded(guard).await;
    let address = bench.address;
    (bench, address)
}

async fn send(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = http::headers(headers);
    kit::soon("the answer", http::send(address, method, "/mcp", &headers, body.as_bytes())).await.unwrap()
}

fn words(answer: &Answer, header: &str) -> Vec<String> {
    let value = answer.header(header).unwrap_or_default();
    value.split(',').map(|word| word.trim().to_ascii_lowercase()).collect()
}

#[tokio::test]
async fn p15_a_preflight_of_an_allowed_origin_is_answered() {
    let (_bench, address) = gateway().await;
    for origin in [APP, "http://localhost:5173"] {
        let asked = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type,mcp-param-region,x-forwarded-to-an-upstream"),
            ("access-control-request-private-network", "true"),
        ];
        let answer = send(address, "OPTIONS", &asked, "").await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(words(&answer, "access-control-allow-methods"), ["get", "post", "delete"]);
        assert_eq!(
            words(&answer, "access-control-allow-headers"),
            ["content-type", "mcp-param-region", "x-forwarded-to-an-upstream"]
        );
        assert!(answer.header("access-control-max-age").is_some());
        assert_eq!(answer.header("access-control-allow-private-network"), Some("true"));
        assert_eq!(words(&answer, "vary"), ["origin"]);
    }
}

#[tokio::test]
async fn p15_answers_to_an_allowed_origin_can_be_read_by_its_pages() {
    let (_bench, address) = gateway().await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let headers = [("origin", APP), ("content-type", "application/json"), ("accept", "application/json")];
    let answer = send(address, "POST", &headers, &hello.to_string()).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(APP)));
    assert!(words(&answer, "access-control-expose-headers").contains(&"mcp-session-id".to_owned()));
    let refused = send(address, "POST", &headers, "{").await;
    assert_eq!(
        (refused.status, refused.header("access-control-allow-origin")),
        (400, Some(APP)),
        "errors too"
    );
    let session = answer.header("mcp-session-id").unwrap();
    let listening = [("origin", APP), ("accept", "text/event-stream"), ("mcp-session-id", session)];
    let stream = send(address, "GET", &listening, "").await;
    assert_eq!(
        (stream.status, stream.header("access-control-allow-origin")),
        (200, Some(APP)),
        "streams too"
    );
}

#[tokio::test]
async fn p15_a_foreign_origin_is_refused_and_learns_nothing() {
    let (_bench, address) = gateway().await;
    let preflight = [("access-control-request-method", "POST")];
    for (method, added) in [("OPTIONS", &preflight[..]), ("POST", &[]), ("GET", &[])] {
        for origins in
            [&["https://evil.example"][..], &[APP, "https://evil.example"], &["https://evil.example", APP]]
        {
            let origins = origins.iter().map(|origin| ("origin", *origin));
            let headers: Vec<_> = origins.chain(added.iter().copied()).collect();
            let answer = send(address, method, &headers, "").await;
            assert_eq!(answer.status, 403, "{method} {headers:?}");
            assert!(
                answer.headers.iter().all(|(name, _)| !name.starts_with("access-control-")),
                "{answer:?}"
            );
        }
    }
    let plain = send(address, "OPTIONS", &[("origin", APP)], "").await;
    assert_eq!(plain.status, 405, "what is no preflight is a method like others");
}

/// The status of the answer to a request whose target and headers are these.
async fn status(address: SocketAddr, target: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("DELETE {target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    kit::soon("the answer", stream.read_to_string(&mut answer)).await.unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn p15_every_host_is_checked_and_targets_in_absolute_form_too() {
    let (_bench, address) = gateway().await;
    // 405: it came in, but there is no session.
    for (target, headers, expected) in [
        ("/mcp", "Host: localhost\r\n", "405"),
        ("/mcp", "Host: localhost\r\nHost: evil.example\r\n", "400"),
        ("/mcp", "Host: evil.example\r\nHost: localhost\r\n", "400"),
        ("/mcp", "Host: localhost\r\nHost: localhost\r\n", "400"),
        ("/mcp", "Host: evil.example\r\n", "403"),
        ("/mcp", "", "403"),
        ("http://localhost/mcp", "Host: localhost\r\n", "405"),
        ("http://evil.example/mcp", "Host: localhost\r\n", "403"),
        ("http://localhost/mcp", "Host: evil.example\r\n", "403"),
        ("http://proxy.example/mcp", "Host: localhost\r\n", "400"),
        ("http://user@localhost/mcp", "Host: localhost\r\n", "400"),
        ("http://LocalHost/mcp", "Host: localhost:80\r\n", "405"),
        ("http://localhost:1/mcp", "Host: localhost:2\r\n", "400"),
        ("/mcp", "Host: localhost\r\nOrigin: https://app.example\r\nOrigin: https://app.example\r\n", "400"),
    ] {
        assert_eq!(status(address, target, headers).await, expected, "{target} {headers:?}");
    }
    assert_eq!(status(address, "/elsewhere", "Host: evil.example\r\n").await, "403", "whatever is asked for");
}

#[test]
fn p15_the_program_lets_in_the_hosts_and_origins_of_its_flags() {
    let named = ["--allow-host", "proxy.example", "--allow-origin", APP];
    let gateway = over_http(&[&["--admin", "127.0.0.1:0"], &named[..]].concat());
    for (headers, is_let_in) in [
        ("Host: proxy.example\r\n", true),
        ("Host: app.example\r\n", false),
        ("Host: localhost\r\nOrigin: https://app.example\r\n", true),
        ("Host: localhost\r\nOrigin: https://proxy.example\r\n", false),
    ] {
        for address in [gateway.address(), gateway.admin()] {
            let status = get(address, "/mcp", headers).status;
            assert_eq!(status != 403, is_let_in, "{headers:?}: {status}");
        }
    }
}
