//! What clients learn of each other and of upstreams: nothing (P5); and where a redirect may lead (P9).

use std::sync::Arc;

use axum::{
    http::{Method, header::LOCATION},
    response::{IntoResponse, Response},
};
use kit::{
    Bench, Client, HttpServer, Options, Scenario, Setup, eventually,
    http_server::{Received, reply, status},
    messages::{introduction, response, tool},
    scenario::{JOURNAL, control},
    server::text,
};
use mcp_disclosure_core::Era;
use mcp_disclosure_gateway::upstream::EndpointKind;
use serde_json::{Value, json};

use crate::{connect, odd, playing, with_key};

const MESSAGE: &str = "notifications/message";

/// Two clients that want every log message, with their streams open.
async fn two(setup: Setup) -> (Bench, Client, Client) {
    let bench = Bench::start(odd()).await;
    let (ann, bob) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    for client in [&ann, &bob] {
        client.open_stream().await;
        client.request("logging/setLevel", json!({"level": "debug"})).await.result();
        client.request("resources/subscribe", json!({"uri": "kit://doc"})).await.result();
    }
    (bench, ann, bob)
}

/// How many log messages a client has heard of, when nothing of what came before is on its way any more.
async fn logged(asking: &Client, client: &Client) -> usize {
    let from = client.inbox.count();
    asking.read(&control("updated")).await.result();
    let is_next = |message: &Value| message["method"] == "notifications/resources/updated";
    client.inbox.first(from, "what comes after it", is_next).await;
    client.inbox.since(0).iter().filter(|message| message.contains(MESSAGE)).count()
}

async fn p5_what_a_shared_upstream_logs_reaches_the_client_whose_request_it_is(setup: Setup) {
    let (_bench, ann, bob) = two(setup).await;
    let log = control("log");
    ann.read(&log).await.result();
    ann.notification(MESSAGE).await;
    assert_eq!((logged(&ann, &bob).await, logged(&ann, &ann).await), (0, 2));
    bob.read(&log).await.result();
    bob.notification(MESSAGE).await;
    assert_eq!((logged(&bob, &ann).await, logged(&bob, &bob).await), (2, 2));
}

async fn p5_what_may_be_another_clients_is_not_delivered(setup: Setup) {
    let (_bench, ann, bob) = two(setup).await;
    let slow = bob.learn("slow", json!({})).await;
    let under_way = bob.start("tools/call", json!({"name": "slow", "arguments": slow})).await;
    let is_there = |message: &Value| message["params"]["name"] == "slow";
    eventually("the slow call", async || ann.journal().await.into_iter().find(is_there)).await;
    ann.read(&control("log")).await.result();
    assert_eq!((logged(&ann, &ann).await, logged(&ann, &bob).await), (0, 0));
    // A call that was given up may still be worked on.
    bob.cancel(&under_way).await;
    eventually("the end of the call", async || {
        let cancelled = |message: &Value| message["method"] == "notifications/cancelled";
        ann.journal().await.into_iter().find(cancelled)
    })
    .await;
    ann.read(&control("log")).await.result();
    assert_eq!((logged(&ann, &ann).await, logged(&ann, &bob).await), (0, 0));
}

/// It is the gateway that subscribes, for the first of its clients.
async fn p5_what_is_logged_of_anothers_subscription_is_not_delivered(setup: Setup) {
    let (_bench, ann, bob) = two(setup).await;
    let slow = bob.learn("slow", json!({})).await;
    let slow = json!({"name": "slow", "arguments": slow, "_meta": {"progressToken": 1}});
    let _under_way = bob.start("tools/call", slow).await;
    bob.notification("notifications/progress").await;
    ann.request("resources/subscribe", json!({"uri": control("log")})).await.result();
    assert_eq!((logged(&ann, &ann).await, logged(&ann, &bob).await), (0, 0));
}
each_transport_with_sessions!(
    p5_what_a_shared_upstream_logs_reaches_the_client_whose_request_it_is,
    p5_what_may_be_another_clients_is_not_delivered,
    p5_what_is_logged_of_anothers_subscription_is_not_delivered,
);

/// An MCP server at `/real`, where `/mcp` leads with 307; its tools are statuses that redirect elsewhere.
async fn redirecting(elsewhere: Arc<String>, request: Received) -> Response {
    if request.uri.path() == "/mcp" {
        return ([(LOCATION, "/real")], status(307)).into_response();
    }
    if request.method != Method::POST {
        return status(405);
    }
    let (params, id) = (&request.message["params"], &request.message["id"]);
    let result = match request.rpc_method() {
        "initialize" => introduction("r", "2025-11-25", json!({"tools": {}})),
        "tools/list" => {
            let tools = ["301", "302", "303", "307", "308", "home"].map(|name| tool(name, "Leads there."));
            json!({"tools": tools})
        }
        "tools/call" => {
            let name = params["name"].as_str().unwrap();
            if let Ok(code) = name.parse() {
                let to = format!("{elsewhere}/steal?code={name}");
                return ([(LOCATION, to)], status(code)).into_response();
            }
            text(name)
        }
        _ => return status(202),
    };
    reply(&response(id, result))
}

async fn p9_a_redirect_elsewhere_is_not_followed(setup: Setup) {
    let elsewhere = HttpServer::serving((), |_, _| async { status(200) }).await;
    let origin = elsewhere.at("");
    let server = HttpServer::serving(origin.clone(), redirecting).await;
    let target = with_key(&server.url(), EndpointKind::Streamable);
    let (_bench, client) = connect(Options::alone("r", target), setup).await;
    for status in ["301", "302", "303", "307", "308"] {
        let error = client.call(status, json!({})).await.error();
        let expected = format!("upstream 'r' redirects to another origin, {origin}, which is not followed");
        assert_eq!(error["message"], expected);
    }
    assert_eq!(client.call("home", json!({})).await.result()["content"][0]["text"], "home");
    assert!(elsewhere.received().is_empty(), "{elsewhere:?}");
    // Within the origin the message went on as it was, key and all.
    let mut followed = server.received();
    followed.retain(|request| request.uri.path() == "/real" && request.method == Method::POST);
    assert!(followed.len() > 6);
    assert!(followed.iter().all(|request| request.header("x-api-key") == Some("s3cret")), "{followed:?}");
}
over_http!(p9_a_redirect_elsewhere_is_not_followed);

async fn p13_a_tools_own_argument_of_the_receipts_name_arrives(setup: Setup) {
    let own = json!({"disclosure_receipt": "own"});
    let schema = json!({"type": "object", "properties": {"disclosure_receipt": {"type": "string"}}});
    let tool = json!({"name": "one", "description": "Has its own.", "inputSchema": schema});
    let (_bench, client) = connect(playing(Scenario::with_tools([tool.to_string()])), setup).await;
    let refused = client.call("one", own.clone()).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    let described = client.describe("one").await.text_as_json()["one"].take();
    let properties = &described["inputSchema"]["properties"];
    let mut arguments = own.clone();
    if setup.era == Era::Stateless {
        assert!(refused.to_string().contains("with the mcp_disclosure_receipt in"), "{refused}");
        assert_eq!(properties["disclosure_receipt"], json!({"type": "string"}));
        arguments["mcp_disclosure_receipt"] = properties["mcp_disclosure_receipt"]["const"].clone();
    }
    let result = client.call("one", arguments).await.result();
    assert_eq!(result["structuredContent"]["given"], own);
    assert!(!client.read(JOURNAL).await.result().to_string().contains("mcp_disclosure_receipt"));
}
under_resource!(p13_a_tools_own_argument_of_the_receipts_name_arrives);
