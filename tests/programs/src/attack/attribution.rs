//! P6: responses that name no request, while another client's call waits, and responses that cannot be read.

use std::{
    net::SocketAddr,
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
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::{Peer, Reply},
    scene::{Scene, Verdict, tool},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P6":
        "an error without an id while another's call waits" => nameless,
        "the same over HTTP, as the answer to a notification" => nameless_over_http,
        "two JSON lines in one HTTP body" => two_lines,
    ]
}

/// How long another's call is watched.
const WATCHED: Duration = Duration::from_secs(2);

/// Attacks while a call of another client waits, which must not be settled by it.
async fn while_another_waits(scene: &Scene, attack: impl Future<Output = Verdict>) -> Verdict {
    let victim = scene.attacker().await;
    let waiting = tokio::time::timeout(WATCHED, victim.call("slow", json!({})));
    let attack = async {
        tokio::time::sleep(WATCHED / 4).await;
        attack.await
    };
    match tokio::join!(waiting, attack) {
        (Ok(reply), _) => Err(format!("another's call was answered: {}", reply.text())),
        (Err(_), attacked) => attacked,
    }
}

async fn nameless(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "slow,nameless"])).await;
    let attacker = scene.attacker().await;
    let verdict =
        while_another_waits(&scene, async { attacker.call("nameless", json!({})).await.result().map(drop) });
    let verdict = verdict.await;
    scene.judge(verdict).await
}

/// An upstream that answers notifications and responses with an error without an id.
#[derive(Clone, Debug, Default)]
struct Careless(Arc<AtomicUsize>);

impl Careless {
    async fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(careless).with_state(self.clone());
        tokio::spawn(async { axum::serve(listener, router).await });
        address
    }

    /// The responses that it received, although it asked nothing.
    fn responses(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

async fn careless(State(server): State<Careless>, method: Method, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let id = &message["id"];
    let said =
        |status, body: String| (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
    let answer = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let text = |text: &str| answer(json!({"content": [{"type": "text", "text": text}]}));
    match message["method"].as_str() {
        _ if method != Method::POST => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        Some("initialize") => said(
            StatusCode::OK,
            answer(json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "careless", "version": "1"},
            })),
        ),
        Some("tools/list") => {
            let tool = |name: &str| tool(name, json!({"type": "object"}));
            said(StatusCode::OK, answer(json!({"tools": [tool("slow"), tool("stalls"), tool("two_lines")]})))
        }
        Some("tools/call") if message["params"]["name"] == "two_lines" => {
            let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            said(StatusCode::OK, format!("{}\n{news}", text("first")))
        }
        Some("tools/call") => std::future::pending().await,
        Some("notifications/initialized") => StatusCode::ACCEPTED.into_response(),
        method => {
            server.0.fetch_add(usize::from(method.is_none()), Ordering::SeqCst);
            let error = json!({"code": -32600, "message": "of nobody"});
            said(StatusCode::BAD_REQUEST, json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string())
        }
    }
}

async fn before_careless(lab: &Lab) -> (Scene, Careless) {
    let server = Careless::default();
    let url = format!("http://{}/mcp", server.start().await);
    (Scene::start(lab, Serve::new(lab).url("far", &url, "")).await, server)
}

async fn nameless_over_http(lab: &Lab) -> Verdict {
    let (scene, _server) = before_careless(lab).await;
    let stranger = scene.stranger();
    // A request whose connection closes is cancelled, and the cancellation refused.
    let attack = async {
        let hung_up = tokio::time::timeout(WATCHED / 8, stranger.call("stalls", json!({}))).await;
        if hung_up.is_ok() { Err("its own call was answered".to_owned()) } else { Ok(()) }
    };
    let verdict = while_another_waits(&scene, attack).await;
    scene.judge(verdict).await
}

async fn two_lines(lab: &Lab) -> Verdict {
    let (scene, server) = before_careless(lab).await;
    let attacker: Peer = scene.attacker().await;
    let attack = async {
        for _ in 0..5 {
            match tokio::time::timeout(WATCHED / 4, attacker.call("two_lines", json!({}))).await {
                Ok(Reply::Error(_)) => {}
                Ok(other) => return Err(format!("two lines are {}", other.text())),
                Err(_) => return Err("two lines are waited for".to_owned()),
            }
        }
        Ok(())
    };
    let mut verdict = while_another_waits(&scene, attack).await;
    if server.responses() > 0 {
        verdict = Err(format!("{} responses were answered", server.responses()));
    }
    scene.judge(verdict).await
}
