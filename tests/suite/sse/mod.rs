//! Upstreams over the deprecated HTTP+SSE transport (U6): chosen, or found out.

mod server;

use axum::http::Method;
use kit::{Bench, Client, Options, Setup, eventually, setup::Era};
use mcp_disclosure_gateway::{
    limits::Limits,
    upstream::{EndpointKind, Target},
};
use serde_json::json;
use server::{GOOD, Manner, REVISION, SseServer, posted};

use crate::{
    failure,
    questions::{askable, converse},
    with_key, with_progress,
};

const DETECT: EndpointKind = EndpointKind::Detect;

fn target(server: &SseServer, kind: EndpointKind) -> Target {
    with_key(&server.at("/sse"), kind)
}

async fn before(server: &SseServer, kind: EndpointKind, options: Options) -> Bench {
    Bench::start(Options { handlers: vec![("old", target(server, kind))], ..options }).await
}

/// A client over stdio, in the era with sessions.
async fn client(bench: &Bench) -> Client {
    Client::connect(bench, Setup::named("full_stdio_session")).await
}

async fn all_that_it_offers_reaches(era: Era, kind: EndpointKind, manner: Manner) {
    let server = server::start(manner).await;
    let setup = Setup { era, ..Setup::named("full_http_session") };
    let (bench, client) = askable(setup, Options::alone("old", target(&server, kind)).own()).await;
    assert_eq!(client.tool_names().await.len(), 6);
    assert_eq!(client.call("echo", json!({})).await.result()["content"][0]["text"], "echo");
    let steps = vec![json!(1), json!(2), json!(3)];
    assert_eq!(with_progress(&client, "progress").await, (steps, json!("progress")));
    let (result, questions) = converse(&client, "ask").await;
    assert_eq!((questions.len(), &result["content"][0]["text"]), (1, &json!("accept")));
    server.add_tool();
    eventually("the added tool", async || {
        client.tool_names().await.contains(&"added".to_owned()).then_some(())
    })
    .await;
    kit::soon("the end", bench.gateway.close()).await;
    eventually("no stream", async || (server.streams() == 0).then_some(())).await;
}

#[tokio::test]
async fn u6_all_that_it_offers_reaches_clients_of_both_eras() {
    for era in [Era::Session, Era::Stateless] {
        all_that_it_offers_reaches(era, EndpointKind::Sse, GOOD).await;
        all_that_it_offers_reaches(era, DETECT, GOOD).await;
    }
}

#[tokio::test]
async fn u6_what_a_server_answers_to_a_post_does_not_matter_if_it_is_not_there() {
    for refusal in [
        (400, "Bad Request"),
        (404, "<pre>Cannot POST /sse</pre>"),
        (405, ""),
        (400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#),
    ] {
        let server = server::start(Manner { refusal, ..GOOD }).await;
        let bench = before(&server, DETECT, Options::without_upstream()).await;
        let text = client(&bench).await.call("echo", json!({})).await.result()["content"][0]["text"].clone();
        assert_eq!(text, "echo", "{refusal:?}");
    }
}

#[tokio::test]
async fn u6_messages_go_to_the_url_that_is_named_with_headers_and_revision() {
    for opening in [
        "event: endpoint\ndata: /messages?session=ID\n\n",
        "event: endpoint\ndata: messages?session=ID\n\n",
        "id: 1\nretry: 5\n\nevent: endpoint\ndata: HERE/messages?session=ID\n\n",
    ] {
        let server = server::start(Manner { opening, ..GOOD }).await;
        let bench = before(&server, EndpointKind::Sse, Options::without_upstream()).await;
        client(&bench).await.call("echo", json!({})).await.result();
        assert!(server.received().iter().all(|request| request.header("x-api-key") == Some("s3cret")));
        let posted = posted(&server);
        let methods: Vec<&str> = posted.iter().map(|request| request.rpc_method()).collect();
        assert_eq!(methods[..3], ["initialize", "notifications/initialized", "tools/list"], "{opening}");
        for request in &posted {
            let expected = (request.rpc_method() != "initialize").then_some(REVISION);
            let stated = ["mcp-protocol-version", "mcp-session-id"].map(|name| request.header(name));
            assert_eq!(stated, [expected, None]);
        }
        let opened = server.received().iter().filter(|request| request.method == Method::GET).count();
        assert_eq!(opened, 1, "one stream carries everything");
        assert!(!methods.contains(&"server/discover"));
    }
}

#[tokio::test]
async fn u6_a_server_that_cannot_be_used_is_refused_with_the_reason() {
    let neither = "answered HTTP 405 Method Not Allowed";
    let (message, nameless) = ("event: message\ndata: {}\n\n", "data: {}\n\n");
    for (opening, stays, kind, expected) in [
        ("event: endpoint\ndata: https://else.test/m\n\n", true, DETECT, "origin, https://else.test, which"),
        ("event: endpoint\ndata: //127.0.0.1:1/m\n\n", true, DETECT, "origin, http://127.0.0.1:1, which"),
        ("event: endpoint\ndata: file:///messages\n\n", true, DETECT, "origin, null, which is not used"),
        ("event: endpoint\ndata: http://[\n\n", true, DETECT, "named no valid URL"),
        (message, true, DETECT, neither),
        (nameless, true, DETECT, neither),
        ("", false, DETECT, neither),
        // With the transport named, the error is about that transport.
        (message, true, EndpointKind::Sse, "does not begin with the event 'endpoint'"),
        ("", false, EndpointKind::Sse, "closed its event stream before the URL for messages was named"),
    ] {
        let server = server::start(Manner { opening, stays, ..GOOD }).await;
        let error = failure(target(&server, kind)).await;
        assert!(error.contains(expected), "{opening}: {error}");
        eventually("no stream", async || (server.streams() == 0).then_some(())).await;
    }
}

/// The clock is paused: it advances when every task is idle.
#[tokio::test(start_paused = true)]
async fn u6_a_stream_that_never_names_the_url_is_given_up() {
    let server = server::start(Manner { opening: ": hello\n\n", ..GOOD }).await;
    let error = failure(target(&server, EndpointKind::Sse)).await;
    assert!(
        error.contains("did not name its URL for messages (event 'endpoint') within 20 seconds"),
        "{error}"
    );
    eventually("no stream", async || (server.streams() == 0).then_some(())).await;
}

#[tokio::test]
async fn u6_when_the_stream_ends_or_cannot_be_read_so_does_the_connection() {
    let limits = Limits { upstream_message_bytes: 50_000, ..Limits::default() };
    for (tool, expected) in [
        ("close", "has ended: it closed its event stream"),
        ("endless", "at most 50000 bytes are read (limits.upstream_message_bytes)"),
    ] {
        let server = server::start(GOOD).await;
        let options = Options { limits, ..Options::without_upstream() };
        let bench = before(&server, DETECT, options).await;
        let client = client(&bench).await;
        client.call(tool, json!({})).await.error_with(expected);
        eventually("no stream", async || (server.streams() == 0).then_some(())).await;
    }
}

#[tokio::test]
async fn u4_u6_a_session_that_the_server_forgot_is_renewed() {
    let server = server::start(GOOD).await;
    let bench = before(&server, EndpointKind::Sse, Options::without_upstream()).await;
    let client = client(&bench).await;
    let hanging = client.start("tools/call", json!({"name": "hang"})).await;
    eventually("the call", async || (posted(&server).len() == 4).then_some(())).await;
    let _streams = server.forget();
    // The refused call is repeated in the new session. The one that the server had begun is not, since it may have run.
    client.call("echo", json!({})).await.result();
    hanging.reply().await.error_with("no longer knows the session");
}
