//! P8: one peer that takes what others need: sessions, connections, memory, children.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::{io::AsyncWriteExt, task::JoinSet};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::{ELSEWHERE, Peer},
    scene::{Scene, Verdict, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P8":
        "10,000 sessions from one address" => sessions,
        "300 slow heads with 256 open files" => slow_heads,
        "2,000 connections from one address that say nothing" => silent_connections,
        "one client behind a proxy: bodies of 20 bytes a second on all connections" => slow_bodies,
        "two clients behind a proxy: event streams on all connections" => event_streams,
        "60 subscriptions to URIs of 5 MB" => long_subscriptions,
        "5,000 subscriptions" => many_subscriptions,
        "15 MB of capabilities, eight times" => capabilities,
        "120 bare initialize with --upstream-scope session" => children,
    ]
}

/// Somebody new from another address gets a session, and is served.
async fn newcomer(scene: &Scene) -> Verdict {
    let coming = async {
        let peer = Peer::with_session(scene.gateway.address, ELSEWHERE).await?;
        peer.call("echo", json!({"text": "new"})).await.result()
    };
    let served = within("a newcomer from another address", Duration::from_secs(5), coming).await;
    served.and_then(|served| served).map(drop).map_err(|reason| format!("a newcomer is not served: {reason}"))
}

async fn sessions(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab)).await;
    let stranger = Arc::new(scene.stranger());
    let mut flood = JoinSet::new();
    for _ in 0..40 {
        let stranger = Arc::clone(&stranger);
        flood.spawn(async move {
            for _ in 0..250 {
                stranger.initialize().await;
            }
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let meanwhile = newcomer(&scene).await;
    let over = within("the flood", Duration::from_secs(14), flood.join_all()).await;
    let verdict = meanwhile.and(over.map(drop)).and(newcomer(&scene).await);
    scene.judge(verdict).await
}

async fn slow_heads(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).open_files(256)).await;
    // Every ping is a connection, and a slow head has to be dropped for it first.
    let scene = scene.pinging_within(Duration::from_secs(2));
    let stranger = scene.stranger();
    let mut slow = Vec::new();
    for _ in 0..300 {
        if let Ok(Ok(mut stream)) = tokio::time::timeout(Duration::from_millis(100), stranger.connect()).await
        {
            let _dropped = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").await;
            slow.push(stream);
        }
    }
    let mut verdict = newcomer(&scene).await;
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        for stream in &mut slow {
            let _dropped = stream.write_all(b"1").await;
        }
        verdict = verdict.and(newcomer(&scene).await);
    }
    drop(slow);
    scene.judge(verdict).await
}

async fn silent_connections(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).open_files(1_500)).await;
    let scene = scene.pinging_within(Duration::from_secs(2));
    let stranger = scene.stranger();
    let mut silent = Vec::new();
    for _ in 0..2_000 {
        if let Ok(Ok(stream)) = tokio::time::timeout(Duration::from_millis(100), stranger.connect()).await {
            silent.push(stream);
        }
    }
    let mut verdict = newcomer(&scene).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    verdict = verdict.and(newcomer(&scene).await);
    drop(silent);
    scene.judge(verdict).await
}

async fn long_subscriptions(lab: &Lab) -> Verdict {
    let length = 5 << 20;
    let scene =
        Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "none"])).await.allowing(length);
    let attacker = scene.attacker().await;
    let padding = "x".repeat(usize::try_from(length).unwrap());
    let mut accepted = 0;
    for number in 0..60 {
        let params = format!(r#"{{"uri":"file:///{number}/{padding}"}}"#);
        let reply = attacker.ask_text("resources/subscribe", None, &params).await;
        accepted += usize::from(!reply.is_refusal());
    }
    let verdict = if accepted == 0 { Ok(()) } else { Err(format!("{accepted} of 60 are accepted")) };
    scene.judge(verdict).await
}

async fn many_subscriptions(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "none"])).await;
    let attacker = Arc::new(scene.attacker().await);
    let mut subscribing = JoinSet::new();
    for batch in 0..20 {
        let attacker = Arc::clone(&attacker);
        subscribing.spawn(async move {
            let mut accepted = 0;
            for number in 0..250 {
                let uri = format!("file:///{batch}/{number}/{}", "x".repeat(500));
                let reply = attacker.ask("resources/subscribe", json!({"uri": uri})).await;
                accepted += usize::from(!reply.is_refusal());
            }
            accepted
        });
    }
    let accepted = within("the subscriptions", Duration::from_secs(16), subscribing.join_all()).await;
    let verdict = accepted.and_then(|accepted| match accepted.into_iter().sum::<usize>() {
        0..=1_000 => Ok(()),
        more => Err(format!("one session has {more} subscriptions")),
    });
    scene.judge(verdict).await
}

async fn capabilities(lab: &Lab) -> Verdict {
    let length = 15 << 20;
    let scene = Scene::start(lab, Serve::new(lab)).await.allowing(length);
    let padding = "x".repeat(usize::try_from(length).unwrap());
    let mut accepted = 0;
    for number in 0..8 {
        let capabilities = json!({"experimental": {format!("x{number}"): {"padding": padding}}});
        let (reply, _) = scene.stranger().able(capabilities).initialize().await;
        accepted += usize::from(!reply.is_refusal());
    }
    // Accepting is no fault; keeping them is, and shows as memory.
    let verdict =
        if accepted > 0 && accepted < 8 { Err(format!("{accepted} of 8 are accepted")) } else { Ok(()) };
    scene.judge(verdict).await
}

/// What one peer may have.
const CHILDREN: usize = 32;
/// What the newcomer from another address gets.
const NEWCOMER: usize = 2;

async fn children(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).flags(&["--upstream-scope", "session"]);
    let scene = Scene::start(lab, serve).await.with_at_most_children(CHILDREN + NEWCOMER);
    let mut flood = JoinSet::new();
    for _ in 0..12 {
        let stranger = scene.stranger();
        flood.spawn(async move {
            for _ in 0..10 {
                stranger.initialize().await;
            }
        });
    }
    let over = within("the flood", Duration::from_secs(12), flood.join_all()).await;
    let verdict = over.map(drop).and(newcomer(&scene).await);
    scene.judge(verdict).await
}

/// Connections that there may be in the attacks on them.
const CONNECTIONS: &str = "connections=60";

/// Somebody new is served on every connection that it opens, while others hold as many as there may be.
async fn newcomers(scene: &Scene, come: impl AsyncFn() -> Verdict) -> Verdict {
    let mut verdict = Ok(());
    for _ in 0..20 {
        verdict = verdict.and(come().await).and(newcomer(scene).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    verdict
}

/// A request of a client of this address behind a proxy, up to the end of its head.
fn forwarded(client: &str, line: &str, headers: &str) -> String {
    format!("{line} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n{headers}\r\n")
}

async fn slow_bodies(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).flags(&["--limit", CONNECTIONS, "--trusted-proxy", "127.0.0.1"]);
    let scene = Scene::start(lab, serve).await;
    let stranger = scene.stranger();
    let held = Mutex::new(Vec::new());
    let head =
        forwarded("203.0.113.1", "POST /mcp", "Content-Type: application/json\r\nContent-Length: 999\r\n");
    let verdict = newcomers(&scene, async || {
        for _ in 0..60 {
            let mut stream = stranger.connect().await?;
            let _dropped = stream.write_all(head.as_bytes()).await;
            held.lock().unwrap().push(stream);
        }
        let mut slow = std::mem::take(&mut *held.lock().unwrap());
        for stream in &mut slow {
            let _dropped = stream.write_all(b" ").await;
        }
        slow.drain(..slow.len().saturating_sub(600));
        *held.lock().unwrap() = slow;
        Ok(())
    });
    let verdict = verdict.await;
    scene.judge(verdict).await
}

async fn event_streams(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).flags(&["--limit", CONNECTIONS, "--trusted-proxy", "127.0.0.1"]);
    let scene = Scene::start(lab, serve).await;
    let mut attackers = Vec::new();
    for _ in 0..60 {
        attackers.push(scene.attacker().await);
    }
    let held = Mutex::new(Vec::new());
    let verdict = newcomers(&scene, async || {
        for at in 0..60 {
            let (attacker, client) = (&attackers[at], ["203.0.113.1", "203.0.113.2"][at % 2]);
            let session = format!("Mcp-Session-Id: {}\r\nAccept: text/event-stream\r\n", attacker.session());
            let mut stream = attacker.connect().await?;
            let _dropped = stream.write_all(forwarded(client, "GET /mcp", &session).as_bytes()).await;
            held.lock().unwrap().push(stream);
        }
        Ok(())
    });
    let verdict = verdict.await;
    scene.judge(verdict).await
}
