//! An upstream that speaks both eras shows each client what it would show it directly (U7).

use std::sync::Arc;

use axum::{http::Method, response::Response};
use futures::{StreamExt, stream};
use kit::{
    Bench, Client, HttpServer, Options, Setup, Transport, eventually,
    http_server::{Received, event, reply, status, stream_of},
    messages::{failure, introduction, notification, response, tool},
    setup::Era,
};
use mcp_disclosure_gateway::{backend::Scope, upstream::Target};
use serde_json::{Value, json};
use tokio::sync::watch;

/// Answers without session ids. What it lists depends on the era, and what it lists in one era only can be called
/// there only. A call adds a tool, which raises `has_grown`.
async fn dual(has_grown: Arc<watch::Sender<bool>>, request: Received) -> Response {
    if request.method != Method::POST {
        return status(405);
    }
    let (params, id) = (&request.message["params"], &request.message["id"]);
    let is_stateless = params["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
    let capabilities = json!({"tools": {"listChanged": true}});
    let result = match request.rpc_method() {
        "initialize" => introduction("dual", "2025-11-25", capabilities),
        "server/discover" => {
            json!({"supportedVersions": ["2026-07-28", "2025-11-25"], "capabilities": capabilities})
        }
        "subscriptions/listen" => return news(&has_grown),
        "tools/list" => {
            let mut names = vec![if is_stateless { "modern" } else { "classic" }];
            names.extend(has_grown.borrow().then_some("added"));
            let tools: Vec<Value> = names.into_iter().map(|name| tool(name, "A tool.")).collect();
            json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
        }
        "tools/call" if params["name"] == if is_stateless { "classic" } else { "modern" } => {
            return reply(&failure(id, -32602, "no such tool in this era"));
        }
        "tools/call" => {
            has_grown.send_replace(true);
            json!({"content": [], "resultType": "complete"})
        }
        _ => return status(202),
    };
    reply(&response(id, result))
}

/// A stream on which the list is announced to have changed.
fn news(has_grown: &watch::Sender<bool>) -> Response {
    let mut has_grown = has_grown.subscribe();
    let changed = stream::once(async move {
        let _grown = has_grown.wait_for(|grown| *grown).await;
        event(None, &notification("tools/list_changed", json!({})))
    });
    stream_of(changed.chain(stream::pending()))
}

#[tokio::test(flavor = "multi_thread")]
async fn u7_over_http_each_client_is_served_from_the_lists_of_its_own_era() {
    for scope in [Scope::Shared, Scope::Session] {
        let server = HttpServer::serving(watch::Sender::new(false), dual).await;
        let handlers = vec![("dual", Target::url(server.url().parse().unwrap()))];
        let bench = Bench::start(Options { handlers, scope, ..Options::without_upstream() }).await;
        let mut clients = Vec::new();
        for (era, tool) in [(Era::Session, "classic"), (Era::Stateless, "modern"), (Era::Session, "classic")]
        {
            let setup = Setup { strategy: "full", transport: Transport::Http, era };
            let client = Client::connect(&bench, setup).await;
            assert_eq!(client.tool_names().await, [tool], "{scope:?} {era:?}");
            clients.push((client, tool));
        }
        for (client, tool) in &clients {
            client.call(tool, json!({})).await.result();
        }
        // What is announced in one era is announced to its clients, and listed again in each.
        for (client, tool) in &clients {
            eventually("the added tool", async || {
                (client.tool_names().await == [*tool, "added"]).then_some(())
            })
            .await;
        }
        bench.gateway.close().await;
    }
}
