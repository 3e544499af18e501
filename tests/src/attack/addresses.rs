//! F3: what upstreams ask people to open.

use std::time::Duration;

use serde_json::json;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    scene::{Scene, Verdict, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks!["F3": "addresses to open that run or read something, in each form" => addresses,]
}

const ADDRESSES: [&str; 6] = [
    "javascript:alert(document.cookie)",
    " jAvAsCrIpT:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "http://login.example/",
];

async fn addresses(lab: &Lab) -> Verdict {
    let serve =
        Serve::new(lab).upstream("evil", &["--tools", "open"]).flags(&["--upstream-scope", "session"]);
    let scene = Scene::start(lab, serve).await;
    let able = json!({"elicitation": {"form": {}, "url": {}}});
    let with_session = scene.stranger().able(able.clone()).begin_session().await?;
    let without = scene.stranger().able(able);
    let mut relayed = Vec::new();
    for url in ADDRESSES {
        for form in ["request", "result", "error"] {
            for (what, peer) in [("a session", &with_session), ("no session", &without)] {
                // What is relayed as a request waits for an answer.
                let call = peer.call("open", json!({"form": form, "url": url}));
                let heard = within("the answer", Duration::from_secs(3), call).await;
                let asks = |text: &str| text.contains("inputRequests") || text.contains("\"url\"");
                match heard.map(|reply| reply.text()) {
                    Ok(text) if !asks(&text) => {}
                    heard => relayed.push(format!("{form} of {url:?} to {what}: {heard:?}")),
                }
            }
        }
    }
    let verdict = if relayed.is_empty() { Ok(()) } else { Err(format!("relayed: {}", relayed.join(", "))) };
    scene.judge(verdict).await
}
