//! An upstream that speaks both eras shows each client what it would show it directly (U7), and one of 2025-03-26 may
//! send batches.

use std::convert::Infallible;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use kit::{
    Bench, Client, Options, Setup, Transport, eventually,
    http::serve,
    messages::{stateless, tool},
    process::Process,
    setup::Era,
};
use mcp_disclosure_gateway::{backend::Scope, upstream::Target};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{CHANGED, opened, start};

const META: &str = "io.modelcontextprotocol/";

/// A server without session ids. What it lists depends on the era, and on what the client can be asked; what it lists in one
/// era only can be called there only.
#[derive(Clone, Default)]
struct Dual {
    /// Whether a tool was added, which a call does.
    has_grown: watch::Sender<bool>,
}

async fn dual(State(server): State<Dual>, method: Method, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let meta = &message["params"]["_meta"];
    let is_stateless = meta[format!("{META}protocolVersion")] == "2026-07-28";
    let can_be_asked = meta[format!("{META}clientCapabilities")]["elicitation"].is_object();
    let capabilities = json!({"tools": {"listChanged": true}});
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": {"name": "dual", "version": "1"}}),
        "server/discover" => {
            json!({"supportedVersions": ["2026-07-28", "2025-11-25"], "capabilities": capabilities})
        }
        "subscriptions/listen" => return news(&server),
        "tools/list" => {
            let mut names = vec![if is_stateless { "modern" } else { "classic" }];
            names.extend(can_be_asked.then_some("asks"));
            names.extend(server.has_grown.borrow().then_some("added"));
            let tools: Vec<Value> = names.into_iter().map(|name| tool(name, "A tool.")).collect();
            json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
        }
        "tools/call" if message["params"]["name"] == if is_stateless { "classic" } else { "modern" } => {
            let error = json!({"code": -32602, "message": "no such tool in this era"});
            return json_response(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
        "tools/call" => {
            server.has_grown.send_replace(true);
            json!({"content": [], "resultType": "complete"})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    json_response(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

/// A stream on which the list is announced to have changed.
fn news(server: &Dual) -> Response {
    let mut has_grown = server.has_grown.subscribe();
    let changed = stream::once(async move {
        let _grown = has_grown.wait_for(|grown| *grown).await;
        let message = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        Ok::<_, Infallible>(Bytes::from(format!("data: {message}\n\n")))
    });
    let body = Body::from_stream(changed.chain(stream::pending()));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn json_response(message: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], message.to_string()).into_response()
}

/// The names of the tools that are listed to a client with these parameters of each request.
fn listed(gateway: &mut Process, params: Value) -> Vec<String> {
    let result = gateway.request("tools/list", params)["result"].take();
    result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_of_both_eras_shows_each_client_what_it_would_show_it_directly_u7() {
    let address = serve(Router::new().fallback(dual).with_state(Dual::default())).await;
    let url = format!("http://{address}/mcp");
    let gateway = || start(&["serve", "--strategy", "full", "--upstream-url", &url]);
    for (capabilities, expected) in
        [(json!({}), vec!["modern"]), (json!({"elicitation": {"form": {}}}), vec!["modern", "asks"])]
    {
        let mut gateway = gateway();
        assert_eq!(listed(&mut gateway, json!({"_meta": stateless(capabilities)})), expected);
    }
    let mut gateway = gateway();
    gateway.initialize();
    assert_eq!(listed(&mut gateway, json!({})), ["classic"]);
    gateway.call("classic", json!({}));
    // It has no session, so changes are announced to who listens for them.
    gateway.notified(CHANGED, 1);
    assert_eq!(listed(&mut gateway, json!({})), ["classic", "added"]);
    gateway.finish().says(0, &[]);
}

/// The names of the tools that are listed to a client over HTTP.
async fn listed_over_http(client: &Client) -> Vec<String> {
    let result = client.request("tools/list", json!({})).await.result();
    let tools = result["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn u7_over_http_each_client_is_served_from_the_lists_of_its_own_era() {
    for scope in [Scope::Shared, Scope::Session] {
        let server = Dual::default();
        let address = serve(Router::new().fallback(dual).with_state(server.clone())).await;
        let handlers = vec![("dual", Target::url(format!("http://{address}/mcp").parse().unwrap()))];
        let bench = Bench::start(Options { handlers, scope, ..Options::without_upstream() }).await;
        let mut clients = Vec::new();
        for (era, tool) in [(Era::Session, "classic"), (Era::Stateless, "modern"), (Era::Session, "classic")]
        {
            let setup = Setup { strategy: "full", transport: Transport::Http, era };
            let client = Client::connect(&bench, setup).await;
            assert_eq!(listed_over_http(&client).await, [tool], "{scope:?} {era:?}");
            clients.push((client, tool));
        }
        for (client, tool) in &clients {
            client.call(tool, json!({})).await.result();
        }
        // What is announced in one era is announced to its clients, and listed again in each.
        for (client, tool) in &clients {
            eventually("the added tool", async || {
                (listed_over_http(client).await == [*tool, "added"]).then_some(())
            })
            .await;
        }
        bench.gateway.close().await;
    }
}

/// A server of 2025-03-26 that sends progress and result of a call in one batch.
async fn batching(body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let (id, token) = (&message["id"], &message["params"]["_meta"]["progressToken"]);
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
            "serverInfo": {"name": "batching", "version": "1"}}),
        "tools/list" => json!({"tools": [tool("few", "A tool."), tool("many", "A tool.")]}),
        "tools/call" => {
            let steps = if message["params"]["name"] == "few" { 2 } else { 1_001 };
            let step = |step| {
                json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": step}})
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
            return json_response(&(1..=steps).map(step).chain([answer]).collect());
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    json_response(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_a_batch_of_2025_03_26_count_as_if_each_had_come_alone_u7() {
    let address = serve(Router::new().fallback(batching)).await;
    let url = format!("http://{address}/mcp");
    let mut gateway = opened(&["serve", "--strategy", "full", "--upstream-url", &url]);
    let call = |tool| json!({"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}});
    assert_eq!(gateway.request("tools/call", call("few"))["result"]["content"], json!([]));
    gateway.notified("notifications/progress", 2);
    let error = gateway.request("tools/call", call("many"))["error"]["message"].take();
    let expected = "a batch has more than 1000 messages";
    assert!(error.as_str().unwrap().contains(expected), "{error}");
    gateway.finish().says(0, &[]);
}
