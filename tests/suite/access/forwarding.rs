//! The headers of callers that upstreams are sent (docs/CONTRACT.md A8).

use kit::revision::{Revision, RevisionServer};
use serde_json::{Value, json};

use super::{ANN, BOB, guarded};
use crate::command_line::{configured, over_http, shown, start};

#[tokio::test]
async fn a8_an_upstream_is_sent_the_headers_that_it_is_meant_to_be_sent() {
    let server = RevisionServer::start(Revision::V2025_11_25).await;
    let (_tokens, config) = guarded(&format!(
        "[upstreams.kit]\nurl = {:?}\nscope = \"session\"\nforward = [\"x-user-token\"]\n",
        server.url()
    ));
    let (_folder, file) = configured(&config);
    let gateway = over_http(&["--strategy", "full", "--config", shown(&file), "--log", "trace"]);
    let at = gateway.address();
    let ask =
        async |bearer: &str, secret: Option<&str>, session: Option<&str>, method: &str, params: Value| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
            let mut headers: kit::http::Headers = vec![
                ("content-type".into(), "application/json".into()),
                ("authorization".into(), format!("Bearer {bearer}")),
                ("x-other".into(), "not-forwarded".into()),
            ];
            headers.extend(secret.map(|secret| ("x-user-token".to_owned(), secret.to_owned())));
            headers.extend(session.map(|session| ("mcp-session-id".to_owned(), session.to_owned())));
            let answer = kit::http::send(at, "POST", "/mcp", &headers, message.as_bytes()).await.unwrap();
            (answer.status, answer.header("mcp-session-id").map(str::to_owned))
        };
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let mut sessions = Vec::new();
    for (bearer, secret) in [(ANN, Some("of-ann")), (BOB, Some("of-bob")), (BOB, None)] {
        let session = ask(bearer, secret, None, "initialize", hello.clone()).await.1.unwrap();
        assert_eq!(ask(bearer, secret, Some(&session), "tools/list", json!({})).await.0, 200);
        sessions.push(session);
    }
    let carried: Vec<(String, bool)> = server
        .received()
        .iter()
        .filter(|one| one.message["method"] == "tools/list")
        .map(|one| {
            let said = one.headers.get("x-user-token").map(|value| value.to_str().unwrap().to_owned());
            (
                said.unwrap_or_default(),
                one.headers.contains_key("x-other") || one.headers.contains_key("authorization"),
            )
        })
        .collect();
    for who in ["of-ann", "of-bob", ""] {
        assert!(carried.contains(&(who.to_owned(), false)), "{who}: {carried:?}");
    }
    assert!(carried.iter().all(|(_, other)| !other), "{carried:?}");
    let (status, _) = ask(ANN, Some("of-another-person"), Some(&sessions[0]), "tools/list", json!({})).await;
    assert_eq!(status, 404, "calls of two persons are not mixed");
    gateway.terminate();
    let ended = gateway.ended();
    for secret in ["of-ann", "of-bob", "of-another-person"] {
        assert!(!ended.stderr.contains(secret), "{}", ended.stderr);
    }
}

#[test]
fn a8_what_may_not_be_forwarded_is_refused_with_the_remedy() {
    let of_connection = "is a header of the connection itself";
    for (entry, expected) in [
        ("forward = [\"x-user\"]", "scope = \"session\""),
        ("scope = \"session\"\nforward = [\"authorization\"]", "forward_authorization = true"),
        ("scope = \"session\"\nforward = [\"Host\"]", &*format!("'host' {of_connection}")),
        ("scope = \"session\"\nforward = [\"mcp-session-id\"]", of_connection),
        ("scope = \"session\"\nforward_authorization = true", "has no effect"),
        (
            "scope = \"session\"\nforward = [\"x-a\"]\nheaders = { x-a = \"1\" }",
            "is one of its headers as well",
        ),
    ] {
        let (_folder, file) =
            configured(&format!("[upstreams.kit]\nurl = \"http://localhost:1/mcp\"\n{entry}\n"));
        start(&["serve", "--config", shown(&file)]).finish().says(64, &[expected]);
    }
}
