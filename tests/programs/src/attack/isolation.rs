//! P12: one client without a session that meets what served another.

use serde_json::{Value, json};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::Peer,
    scene::{Scene, Verdict},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks!["P12": "two clients without sessions and with different roots, 40 calls" => roots,]
}

async fn roots(lab: &Lab) -> Verdict {
    let serve =
        Serve::new(lab).upstream("evil", &["--tools", "roots"]).flags(&["--upstream-scope", "session"]);
    let scene = Scene::start(lab, serve).await;
    let able = || scene.stranger().able(json!({"roots": {}}));
    let (ann, bob) = (able(), able());
    let mut verdict = Ok(());
    for turn in 0..20 {
        for (peer, own, other) in
            [(&ann, "file:///home/ann", "file:///home/bob"), (&bob, "file:///home/bob", "file:///home/ann")]
        {
            match asked_for_roots(peer, own).await {
                Ok(text) if text.contains(other) => {
                    verdict = Err(format!("in turn {turn}, {own} received {other}"));
                }
                Ok(text) if text.contains(own) => {}
                Ok(text) => verdict = Err(format!("in turn {turn}, {own} received {text}")),
                Err(reason) => verdict = Err(format!("in turn {turn}: {reason}")),
            }
            if verdict.is_err() {
                return scene.judge(verdict).await;
            }
        }
    }
    scene.judge(verdict).await
}

/// The roots that the tool tells of, which asks for them in a second round.
async fn asked_for_roots(peer: &Peer, own: &str) -> Result<String, String> {
    let mut params = json!({"name": "roots", "arguments": {}});
    for _ in 0..4 {
        let result = peer.ask("tools/call", params.clone()).await.result()?;
        if result["resultType"] != "input_required" {
            return Ok(result["content"].to_string());
        }
        let questions = result["inputRequests"].as_object().cloned().unwrap_or_default();
        let answer = |key: String| (key, json!({"roots": [{"uri": own, "name": "home"}]}));
        let answers: serde_json::Map<String, Value> =
            questions.into_iter().map(|(key, _)| answer(key)).collect();
        params["inputResponses"] = answers.into();
        params["requestState"] = result["requestState"].clone();
    }
    Err("it is asked for ever".to_owned())
}
