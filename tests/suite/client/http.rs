//! Servers over HTTP that refuse, and servers that do not read.

use std::time::Duration;

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
};
use kit::http::serve;
use mcp_disclosure_client::{CallError, Error, Host, HttpError, Link, Preferences};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// What OAuth says of a token: JSON, but no JSON-RPC.
const TOKEN: &str = r#"{"error":"invalid_token"}"#;

/// Answers each request with the kind of body and the status that its path names.
async fn refusing() -> String {
    let refuse = |Path((kind, status)): Path<(String, u16)>| async move {
        let status = StatusCode::from_u16(status).unwrap();
        match &*kind {
            "json" => (status, [(header::CONTENT_TYPE, "application/json")], TOKEN),
            _ => (status, [(header::CONTENT_TYPE, "text/plain")], "who are you?"),
        }
    };
    let address = serve(Router::new().route("/{kind}/{status}", axum::routing::any(refuse))).await;
    format!("http://{address}")
}

async fn failure(url: &str) -> HttpError {
    let connected = Host::connect(Link::url(url).unwrap(), Preferences::default()).await;
    match connected.unwrap_err() {
        Error::NoResult { error: CallError::Http(failure), .. } => failure,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_refusal_is_typed_and_says_what_the_server_said() {
    let server = refusing().await;
    for status in [401, 403, 404, 500, 503] {
        for (kind, said) in [("text", "who are you?"), ("json", TOKEN)] {
            let failure = failure(&format!("{server}/{kind}/{status}")).await;
            let HttpError::Status { status: found, body } = &failure else { panic!("{failure:?}") };
            assert_eq!((found.as_u16(), &**body), (status, said));
            let shown = failure.in_full();
            assert!(
                shown.starts_with(&format!("answered HTTP {status} ")) && shown.ends_with(said),
                "{shown}"
            );
        }
    }
}

#[tokio::test]
async fn requests_to_a_server_that_does_not_read_are_bounded() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(near);
    let greeting = tokio::spawn(async move {
        let (input, mut output) = tokio::io::split(far);
        let mut lines = BufReader::new(input).lines();
        let hello = lines.next_line().await.unwrap().unwrap();
        assert!(hello.contains("initialize"), "{hello}");
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}});
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        output.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        lines.next_line().await.unwrap();
        (lines, output)
    });
    let request_timeout = Duration::from_secs(2);
    let preferences = Preferences { request_timeout, ..Preferences::default() };
    let host = Host::connect(Link::streams(input, output), preferences).await.unwrap();
    let _never_read_again = greeting.await.unwrap();
    let megabyte = json!({"text": "x".repeat(1 << 20)});
    let calls = (0..20).map(|_| host.request("tools/call", &megabyte));
    let (mut unsent, mut late) = (0, 0);
    for result in futures::future::join_all(calls).await {
        match result.unwrap_err() {
            Error::NoResult {
                error: error @ (CallError::ShareFull(_) | CallError::QueueFull(_)), ..
            } => {
                let reason = error.to_string();
                assert!(reason.contains("at most 16777216 bytes"), "{reason}");
                unsent += 1;
            }
            error => {
                assert!(
                    matches!(error, Error::NoResult { error: CallError::TimedOut { .. }, .. }),
                    "{error}"
                );
                late += 1;
            }
        }
    }
    assert_eq!((unsent, late), (5, 15));
}
