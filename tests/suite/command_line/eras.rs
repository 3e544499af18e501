//! An upstream that speaks both eras shows each client what it would show it directly (U7).

use std::convert::Infallible;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use kit::{Bench, Client, Options, Setup, Transport, eventually, http::serve, messages::tool, setup::Era};
use mcp_disclosure_gateway::{backend::Scope, upstream::Target};
use serde_json::{Value, json};
use tokio::sync::watch;

/// A server without session ids. What it lists depends on the era, and what it lists in one era only can be called
/// there only.
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
    let is_stateless = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
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
