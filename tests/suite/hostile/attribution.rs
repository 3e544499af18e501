//! Whose a response is (P6): that of the request with its id, or of the POST that it answers, and of no other that happens
//! to wait.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::State,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use kit::{Bench, Client, Options, eventually, http::serve, messages::tool};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{STATELESS, WITH_SESSION, connect, healthy_beside, odd_child};

/// Errors of a server that could not read an id.
const NAMELESS: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"of nobody"}}"#;

#[tokio::test]
async fn p6_a_response_without_an_id_is_nobodys_where_nothing_else_says_whose_it_is() {
    let patience = Duration::from_secs(2);
    let (_bench, client) =
        connect(Options { patience, ..healthy_beside(odd_child("says")) }, STATELESS).await;
    for line in
        [NAMELESS, r#"{"jsonrpc":"2.0","result":{"content":[]}}"#, r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#]
    {
        let error = client.call("echo", json!({"say": line})).await.error();
        assert_eq!(error["message"], "upstream 'bad' did not respond within 2 seconds", "{line}");
    }
    assert_eq!(client.call("echo", json!({"text": "well"})).await.result()["content"][0]["text"], "well");
}

/// An upstream over HTTP that answers notifications with an error, and each `slow` call once `go` is called.
#[derive(Clone, Default)]
struct Careless {
    released: watch::Sender<bool>,
    /// The notifications that were answered with an error.
    refused: Arc<AtomicUsize>,
    /// The responses that were posted to it, which asks nothing.
    responses: Arc<AtomicUsize>,
    waiting: Arc<AtomicUsize>,
}

const TOOLS: [&str; 7] =
    ["held", "go", "well", "two_lines", "two_lines_with_a_request", "nameless", "nameless_400"];

impl Careless {
    async fn start(&self) -> Target {
        let address = serve(Router::new().fallback(take).with_state(self.clone())).await;
        Target::url(format!("http://{address}/mcp").parse().unwrap())
    }
}

fn answer(id: &Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn said(status: StatusCode, body: impl Into<String>) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

async fn take(State(server): State<Careless>, method: Method, body: String) -> Response {
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_str(&body).unwrap();
    let id = &message["id"];
    let text = |text: &str| answer(id, json!({"content": [{"type": "text", "text": text}]}));
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "careless", "version": "1"}}),
        "tools/list" => {
            json!({"tools": TOOLS.map(|name| tool(name, "A tool."))})
        }
        "tools/call" => {
            let name = message["params"]["name"].as_str().unwrap();
            return match name {
                "held" => {
                    server.waiting.fetch_add(1, Ordering::SeqCst);
                    let mut released = server.released.subscribe();
                    drop(released.wait_for(|released| *released).await);
                    said(StatusCode::OK, text("held"))
                }
                "two_lines" => {
                    let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                    said(StatusCode::OK, format!("{}\n{news}", text("first")))
                }
                "two_lines_with_a_request" => {
                    let request = json!({"jsonrpc": "2.0", "method": "ping"});
                    said(StatusCode::OK, format!("{request}\n{}", text("second")))
                }
                "nameless" => said(StatusCode::OK, NAMELESS),
                "nameless_400" => said(StatusCode::BAD_REQUEST, NAMELESS),
                "go" => {
                    server.released.send_replace(true);
                    said(StatusCode::OK, text("gone"))
                }
                name => said(StatusCode::OK, text(name)),
            };
        }
        "notifications/initialized" => return StatusCode::ACCEPTED.into_response(),
        "" => {
            server.responses.fetch_add(1, Ordering::SeqCst);
            return said(StatusCode::BAD_REQUEST, NAMELESS);
        }
        _ => {
            server.refused.fetch_add(1, Ordering::SeqCst);
            return said(StatusCode::BAD_REQUEST, NAMELESS);
        }
    };
    said(StatusCode::OK, answer(id, result))
}

/// A client whose call is the only one that waits, while others do what is answered without an id.
#[tokio::test]
async fn p6_an_error_without_an_id_is_of_the_post_that_it_answers_and_of_no_other() {
    let server = Careless::default();
    let bench = Bench::start(healthy_beside(server.start().await)).await;
    let (client, other) =
        (Client::connect(&bench, WITH_SESSION).await, Client::connect(&bench, STATELESS).await);
    let waiting = client.start("tools/call", json!({"name": "held"})).await;
    eventually("the call", async || (server.waiting.load(Ordering::SeqCst) == 1).then_some(())).await;
    // The cancellation is refused with an error.
    let given_up = other.start("tools/call", json!({"name": "held"})).await;
    eventually("the other", async || (server.waiting.load(Ordering::SeqCst) == 2).then_some(())).await;
    other.cancel(&given_up).await;
    eventually("the refusal", async || (server.refused.load(Ordering::SeqCst) == 1).then_some(())).await;
    for tool in ["nameless", "nameless_400"] {
        let error = other.call(tool, json!({})).await.error();
        assert_eq!(error["message"], "of nobody", "{tool}: the POST was that of this request");
    }
    other.call("well", json!({})).await.result();
    other.call("go", json!({})).await.result();
    assert_eq!(waiting.reply().await.result()["content"][0]["text"], "held");
}

#[tokio::test]
async fn p6_a_response_that_cannot_be_read_is_not_answered() {
    let server = Careless::default();
    let bench = Bench::start(healthy_beside(server.start().await)).await;
    let (client, other) =
        (Client::connect(&bench, WITH_SESSION).await, Client::connect(&bench, STATELESS).await);
    let waiting = client.start("tools/call", json!({"name": "held"})).await;
    eventually("the call", async || (server.waiting.load(Ordering::SeqCst) == 1).then_some(())).await;
    for tool in ["two_lines", "two_lines_with_a_request"] {
        let error = other.call(tool, json!({})).await.error();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("sent an invalid response: not JSON"), "{tool}: {message}");
        for _ in 0..10 {
            other.call("well", json!({})).await.result();
        }
    }
    other.call("go", json!({})).await.result();
    assert_eq!(waiting.reply().await.result()["content"][0]["text"], "held");
    assert_eq!(server.responses.load(Ordering::SeqCst), 0, "it asked nothing");
}
