//! P8: one peer that takes what others need: sessions, connections, memory.

use std::{sync::Arc, time::Duration};

use kit::Scenario;
use serde_json::json;
use tokio::task::JoinSet;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::{ELSEWHERE, Peer, is_refusal, text},
    scene::{Scene, Verdict, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P8":
        "10,000 sessions from one address" => sessions(),
        "2,000 connections from one address that say nothing" => silent_connections(),
        "60 subscriptions to URIs of 5 MB" => long_subscriptions(),
        "15 MB of capabilities, eight times" => capabilities(),
    ]
}

/// Somebody new from another address gets a session, and is served.
async fn newcomer(scene: &Scene) -> Verdict {
    let coming = async {
        let peer = Peer::new(scene.gateway.address, ELSEWHERE).begin_session().await?;
        let reply = peer.call("echo", json!({"text": "new"})).await?;
        if is_refusal(&reply) { Err(text(&reply).to_owned()) } else { Ok(()) }
    };
    let served = within("a newcomer from another address", Duration::from_secs(5), coming).await;
    served.and_then(|served| served).map_err(|reason| format!("a newcomer is not served: {reason}"))
}

async fn sessions(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab)).await;
    let stranger = Arc::new(scene.stranger());
    let mut flood = JoinSet::new();
    for _ in 0..40 {
        let stranger = Arc::clone(&stranger);
        flood.spawn(async move {
            for _ in 0..250 {
                let _refused = stranger.initialize(json!({})).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let meanwhile = newcomer(&scene).await;
    let over = within("the flood", Duration::from_secs(14), flood.join_all()).await;
    let verdict = meanwhile.and(over.map(drop)).and(newcomer(&scene).await);
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
    let scene = Scene::start(lab, Serve::new(lab).playing(&Scenario::named([]))).await.allowing(length);
    let attacker = scene.attacker().await;
    let padding = "x".repeat(usize::try_from(length).unwrap());
    let mut accepted = 0;
    for number in 0..60 {
        let params = format!(r#"{{"uri":"file:///{number}/{padding}"}}"#);
        let reply = attacker.ask_text("resources/subscribe", &params).await?;
        accepted += usize::from(!is_refusal(&reply));
    }
    let verdict = if accepted == 0 { Ok(()) } else { Err(format!("{accepted} of 60 are accepted")) };
    scene.judge(verdict).await
}

async fn capabilities(lab: &Lab) -> Verdict {
    let length = 15 << 20;
    let scene = Scene::start(lab, Serve::new(lab)).await.allowing(length);
    let padding = "x".repeat(usize::try_from(length).unwrap());
    let mut accepted = 0;
    for number in 0..8 {
        let capabilities = json!({"experimental": {format!("x{number}"): {"padding": padding}}});
        let reply = scene.stranger().initialize(capabilities).await?;
        accepted += usize::from(!is_refusal(&reply));
    }
    // Accepting is no fault; keeping them is, and shows as memory.
    let verdict =
        if accepted > 0 && accepted < 8 { Err(format!("{accepted} of 8 are accepted")) } else { Ok(()) };
    scene.judge(verdict).await
}
