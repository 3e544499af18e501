//! What only HTTP can get wrong (F7): hosts, origins, headers, sessions and their addresses.

use kit::{Bench, Client, Identity, Setup, conformance::Conformance, http};
use mcp_disclosure_gateway::{OfferedRevisions, disclose};
use serde_json::{Value, json};

use crate::{connected, odd};

/// Sends `tools/list` with other headers: the value replaces the client's own, an empty one removes it.
async fn list_with(bench: &Bench, client: &Client, changes: &[(&str, &str)]) -> (u16, String) {
    let params = client.complete(json!({}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    exchange(bench, client, "POST", "/mcp", changes, &body.to_string()).await
}

async fn exchange(
    bench: &Bench,
    client: &Client,
    method: &str,
    path: &str,
    changes: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let mut headers = client.headers_for("tools/list", &Value::Null);
    headers.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
    let added = changes.iter().filter(|(_, value)| !value.is_empty());
    headers.extend(added.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let mut answer =
        kit::soon(method, http::send(bench.address, method, path, &headers, body.as_bytes())).await.unwrap();
    let text = kit::soon("the body", answer.rest()).await.unwrap();
    (answer.status, text)
}

async fn f7_bodies_must_be_json_and_answers_acceptable(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for (changes, status) in [
        ([("content-type", "text/plain")], 415),
        ([("content-type", "")], 415),
        ([("content-type", "Application/JSON; charset=utf-8")], 200),
        ([("accept", "text/html")], 406),
        ([("accept", "application/json")], 200),
        ([("accept", "text/event-stream")], 200),
        ([("accept", "*/*")], 200),
    ] {
        assert_eq!(list_with(&bench, &client, &changes).await.0, status, "{changes:?}");
    }
}

async fn f7_other_methods_and_paths_are_refused(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for method in ["GET", "DELETE", "PUT", "PATCH"] {
        let without = [("mcp-session-id", "")];
        assert_eq!(exchange(&bench, &client, method, "/mcp", &without, "").await.0, 405, "{method}");
    }
    for path in ["/", "/mcp/", "/mcp/nothing", "/mcp/full/more", "/sse"] {
        assert_eq!(exchange(&bench, &client, "POST", path, &[], "{}").await.0, 404, "{path}");
    }
    // What is no UTF-8.
    let (status, text) = exchange(&bench, &client, "POST", "/mcp/%ff", &[], "{}").await;
    assert!(status == 404 && text.contains("-32600") && text.contains("no strategy"), "{status} {text}");
    let foreign = [("host", "evil.example")];
    assert_eq!(exchange(&bench, &client, "POST", "/mcp/%ff", &foreign, "{}").await.0, 403);
}

over_http!(f7_bodies_must_be_json_and_answers_acceptable, f7_other_methods_and_paths_are_refused);

async fn f7_headers_must_say_what_the_body_says(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for changes in [
        &[("mcp-method", "tools/call")][..],
        &[("mcp-method", "Tools/List")],
        &[("mcp-method", "")],
        &[("mcp-method", "tools/list"), ("mcp-method", "tools/call")],
        &[("mcp-protocol-version", "2025-11-25")],
        &[("mcp-protocol-version", "")],
    ] {
        let (status, text) = list_with(&bench, &client, changes).await;
        assert!(status == 400 && text.contains("-32020"), "{changes:?}: {status} {text}");
    }
    let params = client.complete(json!({"name": "rich", "arguments": {}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    for (name, status) in
        [("rich", 200), ("=?base64?cmljaA==?=", 200), ("Rich", 400), ("=?base64?!?=", 400), ("", 400)]
    {
        let changes = [("mcp-method", "tools/call"), ("mcp-name", name)];
        assert_eq!(exchange(&bench, &client, "POST", "/mcp", &changes, &body).await.0, status, "{name}");
    }
}

async fn f7_a_revision_that_is_not_offered_is_refused_by_the_status_of_one_that_is_unknown(setup: Setup) {
    let mut assembly = disclose(Conformance::new()).assembly().unwrap();
    assembly.revisions = OfferedRevisions::Sessions;
    let bench = Bench::of(assembly).await;
    let client = Client::attach(&bench, setup, Identity::default());
    for (method, code, status) in [("server/discover", -32601, 404), ("tools/list", -32022, 400)] {
        let reply = client.request(method, json!({})).await;
        assert_eq!((reply.code(), reply.status), (code, Some(status)), "{method}");
    }
}
cases!(full_http_stateless;
    f7_headers_must_say_what_the_body_says,
    f7_a_revision_that_is_not_offered_is_refused_by_the_status_of_one_that_is_unknown,
);

async fn g6_a_name_that_need_not_be_sent_says_what_the_body_says(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for (method, params, name, agrees) in [
        ("groups/get", json!({"name": "kit"}), "kit", true),
        ("groups/get", json!({"name": "kit"}), "=?base64?a2l0?=", true),
        ("groups/get", json!({"name": "kit"}), "other", false),
        ("tools/describe", json!({"names": ["rich"]}), "rich", true),
        ("tools/describe", json!({"names": ["rich"]}), "echo", false),
        ("tools/describe", json!({"names": ["rich", "echo"]}), "echo", true),
        ("tools/list", json!({}), "anything", true),
    ] {
        let params = client.complete(params);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let changes = [("mcp-method", method), ("mcp-name", name)];
        let (status, text) = exchange(&bench, &client, "POST", "/mcp", &changes, &body).await;
        assert_eq!(status == 400, !agrees, "{method} {name}: {text}");
        assert_eq!(text.contains("-32020"), !agrees, "{method} {name}: {text}");
        let without = exchange(&bench, &client, "POST", "/mcp", &changes[..1], &body).await;
        assert!(!without.1.contains("-32020"), "{method}: {without:?}");
    }
}
cases!(full_http_stateless; g6_a_name_that_need_not_be_sent_says_what_the_body_says);

async fn f7_a_header_of_the_stateless_era_needs_its_metadata(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let changes = [("mcp-protocol-version", "2026-07-28"), ("mcp-session-id", "")];
    let (status, text) = list_with(&bench, &client, &changes).await;
    assert!(status == 400 && text.contains("-32602"), "{status} {text}");
    let (status, text) = list_with(&bench, &client, &[("mcp-protocol-version", "1900-01-01")]).await;
    assert_eq!(status, 400, "{text}");
}

async fn f7_an_unknown_or_ended_session_is_not_found(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let unknown = [("mcp-session-id", "00000000000000000000000000000000")];
    for method in ["POST", "GET", "DELETE"] {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_eq!(exchange(&bench, &client, method, "/mcp", &unknown, body).await.0, 404, "{method}");
    }
    assert_eq!(client.end_session().await, 204);
    assert_eq!(list_with(&bench, &client, &[]).await.0, 404);
    assert_eq!(client.end_session().await, 404);
}

async fn f7_a_session_is_used_at_its_own_address_only(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (home, elsewhere) in [("/mcp", "/mcp/full"), ("/mcp/full", "/mcp"), ("/mcp/resource", "/mcp/full")] {
        let client = Client::connect_as(&bench, setup, Identity::default().at(home)).await;
        for method in ["POST", "GET", "DELETE"] {
            let (status, _) = exchange(&bench, &client, method, elsewhere, &[], body).await;
            assert_eq!(status, 400, "{method} {home} at {elsewhere}");
        }
        assert_eq!(exchange(&bench, &client, "POST", home, &[], body).await.0, 200);
    }
}
cases!(full_http_session;
    f7_a_header_of_the_stateless_era_needs_its_metadata,
    f7_an_unknown_or_ended_session_is_not_found,
    f7_a_session_is_used_at_its_own_address_only,
);

async fn f7_what_cannot_be_answered_as_is_accepted_is_refused(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for (method, accepted, status) in
        [("subscriptions/listen", "application/json", 406), ("x/y", "text/event-stream", 404)]
    {
        let params = client.complete(json!({"notifications": {"toolsListChanged": true}}));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let changes = [("accept", accepted), ("mcp-method", method)];
        assert_eq!(exchange(&bench, &client, "POST", "/mcp", &changes, &body).await.0, status, "{method}");
    }
}
cases!(full_http_stateless; f7_what_cannot_be_answered_as_is_accepted_is_refused);
