//! What only HTTP can get wrong (F7): hosts, origins, headers, sessions and their addresses.

use kit::{Bench, Client, Identity, Setup, conformance::Conformance, http, messages::request};
use mcp_disclosure_gateway::{OfferedRevisions, disclose};
use serde_json::{Value, json};

use crate::{connected, odd};

/// Sends `tools/list` with other headers: the value replaces the client's own, an empty one removes it.
async fn list_with(bench: &Bench, client: &Client, changes: &[(&str, &str)]) -> (u16, String) {
    let body = request(1, "tools/list", client.complete(json!({})));
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

async fn f7_g6_headers_must_say_what_the_body_says(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let (list, rich, kit) = (json!({}), json!({"name": "rich", "arguments": {}}), json!({"name": "kit"}));
    let (one, two) = (json!({"names": ["rich"]}), json!({"names": ["rich", "echo"]}));
    for (method, params, changes, agrees) in [
        ("tools/list", &list, &[("mcp-method", "tools/call")][..], false),
        ("tools/list", &list, &[("mcp-method", "Tools/List")], false),
        ("tools/list", &list, &[("mcp-method", "")], false),
        ("tools/list", &list, &[("mcp-method", "tools/list"), ("mcp-method", "tools/call")], false),
        ("tools/list", &list, &[("mcp-protocol-version", "2025-11-25")], false),
        ("tools/list", &list, &[("mcp-protocol-version", "")], false),
        ("tools/list", &list, &[("mcp-name", "anything")], true),
        ("tools/call", &rich, &[("mcp-name", "rich")], true),
        ("tools/call", &rich, &[("mcp-name", "=?base64?cmljaA==?=")], true),
        ("tools/call", &rich, &[("mcp-name", "Rich")], false),
        ("tools/call", &rich, &[("mcp-name", "=?base64?!?=")], false),
        ("tools/call", &rich, &[("mcp-name", "")], false),
        // A name that need not be sent.
        ("groups/get", &kit, &[("mcp-name", "kit")], true),
        ("groups/get", &kit, &[("mcp-name", "=?base64?a2l0?=")], true),
        ("groups/get", &kit, &[("mcp-name", "other")], false),
        ("groups/get", &kit, &[], true),
        ("tools/describe", &one, &[("mcp-name", "rich")], true),
        ("tools/describe", &one, &[("mcp-name", "echo")], false),
        ("tools/describe", &two, &[("mcp-name", "echo")], true),
        ("tools/describe", &two, &[], true),
    ] {
        let body = request(1, method, client.complete(params.clone())).to_string();
        let mut changes = changes.to_vec();
        if changes.iter().all(|(name, _)| *name != "mcp-method") {
            changes.push(("mcp-method", method));
        }
        let (status, text) = exchange(&bench, &client, "POST", "/mcp", &changes, &body).await;
        let refused = (status == 400, text.contains("-32020"));
        assert_eq!(refused, (!agrees, !agrees), "{method} {changes:?}: {status} {text}");
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

async fn f7_what_cannot_be_answered_as_is_accepted_is_refused(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for (method, accepted, status) in
        [("subscriptions/listen", "application/json", 406), ("x/y", "text/event-stream", 404)]
    {
        let params = client.complete(json!({"notifications": {"toolsListChanged": true}}));
        let body = request(1, method, params).to_string();
        let changes = [("accept", accepted), ("mcp-method", method)];
        assert_eq!(exchange(&bench, &client, "POST", "/mcp", &changes, &body).await.0, status, "{method}");
    }
}
cases!(full_http_stateless;
    f7_g6_headers_must_say_what_the_body_says,
    f7_a_revision_that_is_not_offered_is_refused_by_the_status_of_one_that_is_unknown,
    f7_what_cannot_be_answered_as_is_accepted_is_refused,
);

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
