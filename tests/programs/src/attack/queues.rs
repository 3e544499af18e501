//! P7: what waits for an upstream that does not read.

use std::time::Duration;

use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::Peer,
    scene::{Scene, Verdict},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P7":
        "a child that does not read, while 192 calls of 1 MB time out" => deaf(Duration::from_secs(5)),
        "the same, and every call is cancelled by hanging up" => deaf(Duration::from_millis(200)),
        "a client that does not read, while 200 MB are logged for it" => deaf_client(),
    ]
}

/// What one upstream's queue may hold.
const QUEUE: u64 = 16 << 20;
const CALL: usize = 1 << 20;
/// Calls under way at once, whose own memory is no queue.
const AT_ONCE: usize = 8;

/// Calls that a client waits for this long.
async fn deaf(lab: &Lab, patience: Duration) -> Verdict {
    let serve = Serve::new(lab).odd("deaf");
    let scene = Scene::start(lab, serve.flags(&["--request-timeout", "0.5"])).await;
    let scene = scene.allowing(QUEUE + (AT_ONCE * CALL) as u64);
    let arguments = format!(r#"{{"text":"{}"}}"#, "x".repeat(CALL - 64));
    for _ in 0..24 {
        let mut calls = Vec::new();
        for _ in 0..AT_ONCE {
            let (attacker, arguments) = (scene.attacker().await, arguments.clone());
            calls.push(async move { attacker.call_text("evil_echo", &arguments).await });
        }
        let _given_up = tokio::time::timeout(patience, futures::future::join_all(calls)).await;
    }
    scene.judge(Ok(())).await
}

/// It asks for log messages and opens streams, from which it never reads.
async fn deaf_client(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).odd("floods-messages")).await;
    let scene = scene.allowing(QUEUE);
    let attacker = scene.attacker().await;
    attacker.ask("logging/setLevel", json!({"level": "debug"})).await?;
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": {"name": "evil_echo", "arguments": {"bytes": 1 << 20, "times": 100}}});
    let mut streams = Vec::new();
    for (method, body) in [("GET", String::new()), ("POST", call.to_string()), ("POST", call.to_string())] {
        streams.push(unread(&scene, &attacker, method, &body).await);
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    scene.judge(streams.into_iter().collect::<Result<Vec<_>, _>>().map(drop)).await
}

/// Sends a request and leaves its answer on the wire.
pub(super) async fn unread(
    scene: &Scene,
    peer: &Peer,
    method: &str,
    body: &str,
) -> Result<TcpStream, String> {
    let mut stream = peer.connect().await.map_err(|error| error.to_string())?;
    let headers = peer.headers();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let (address, length) = (scene.gateway.address, body.len());
    let head =
        format!("{method} /mcp HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {length}\r\n\r\n");
    let sent = stream.write_all((head + body).as_bytes()).await;
    sent.map(|()| stream).map_err(|error| error.to_string())
}
