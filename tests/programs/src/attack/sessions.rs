//! P8: one peer that opens sessions without end.

use std::{sync::Arc, time::Duration};

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
