//! P6, P13: messages that kill naive readers, answers that are none, and a parameter of the receipt's name.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::{Peer, Reply},
    scene::{Scene, Verdict, tool},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    let messages = attacks![
        "P6":
        "arguments nested 1,000 deep, to a naive server" => deep_request,
        "a result nested 1,000 deep" => deep_result,
        "answers that are none: NaN, both" => malformed_answers,
    ];
    messages.into_iter().chain(attacks!["P13": "a tool's own disclosure_receipt" => own_receipt,])
}

async fn deep_request(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("naive", &["--tools", "size,process"])).await;
    let attacker = scene.attacker().await;
    let verdict = async {
        let process = attacker.call("process", json!({})).await.result()?;
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            for levels in [130, 1_000, 100_000] {
                let (before, after) = (open.repeat(levels), close.repeat(levels));
                let reply = attacker.call_text("size", &format!(r#"{{"deep":{before}0{after}}}"#)).await;
                if !reply.is_refusal() {
                    return Err(format!("{levels} levels are not refused: {}", reply.text()));
                }
            }
        }
        let afterwards = attacker.call("process", json!({})).await.result()?;
        if process == afterwards { Ok(()) } else { Err("the upstream was killed".to_owned()) }
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}

async fn deep_result(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).upstream("evil", &["--tools", "deep,size"])).await;
    let attacker = scene.attacker().await;
    let verdict = async {
        for levels in [130, 1_000, 100_000] {
            refused_soon(&attacker, "deep", json!({"levels": levels})).await?;
        }
        attacker.call("size", json!({})).await.result().map(drop)
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}

async fn malformed_answers(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).upstream("evil", &["--tools", "not_a_number,both,size"]);
    let scene = Scene::start(lab, serve).await;
    let attacker = scene.attacker().await;
    let verdict = async {
        for tool in ["not_a_number", "both"] {
            refused_soon(&attacker, tool, json!({})).await?;
        }
        attacker.call("size", json!({})).await.result().map(drop)
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}

/// The call is answered with an error, and long before its time-out.
async fn refused_soon(peer: &Peer, tool: &str, arguments: serde_json::Value) -> Verdict {
    let begun = Instant::now();
    let reply = tokio::time::timeout(Duration::from_secs(3), peer.call(tool, arguments)).await;
    match reply {
        Ok(reply @ (Reply::Result(_) | Reply::Broken(_))) if !reply.is_refusal() => {
            Err(format!("{tool} is answered with {}", super::honest::shortened(&reply.text())))
        }
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{tool} is not answered after {} s", begun.elapsed().as_secs())),
    }
}

async fn own_receipt(lab: &Lab) -> Verdict {
    let schema = json!({
        "type": "object",
        "properties": {"disclosure_receipt": {"type": "string", "description": "The number on the till's receipt."}},
        "required": ["disclosure_receipt"],
    });
    let scene = Scene::start(lab, Serve::new(lab).tools("till", &[tool("refund", schema.clone())])).await;
    let stranger = scene.stranger().at("/mcp/resource");
    let verdict = async {
        let uri = "resource:///tool_descriptions?tools=refund";
        let read = stranger.ask("resources/read", json!({"uri": uri})).await.result()?;
        let text = read["contents"][0]["text"].as_str().unwrap_or_default();
        let entries: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let properties = &entries["refund"]["inputSchema"]["properties"];
        let own = &schema["properties"]["disclosure_receipt"];
        if properties["disclosure_receipt"] != *own {
            return Err(format!("its parameter is described as {}", properties["disclosure_receipt"]));
        }
        let receipt = &properties["mcp_disclosure_receipt"]["const"];
        let arguments = json!({"disclosure_receipt": "till-42", "mcp_disclosure_receipt": receipt});
        let echoed = stranger.call("refund", arguments).await.result()?;
        let given = echoed["content"][0]["text"].as_str().unwrap_or_default();
        match serde_json::from_str(given) {
            Ok(serde_json::Value::Object(given))
                if given.len() == 1 && given["disclosure_receipt"] == "till-42" =>
            {
                Ok(())
            }
            _ => Err(format!("the tool was given {given}")),
        }
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}
