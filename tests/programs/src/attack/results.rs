//! P7, T5: results, lists and indexes that are large, and results that nobody reads.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use kit::{Scenario, messages::tool, process::memory, scenario::raw};
use serde_json::{Value, json};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::{HERE, Peer, is_refusal, text},
    queues::unread,
    scene::{Scene, Verdict},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    let results = attacks![
        "P7":
        "a result of 200 MB" => too_large(),
        "six addresses that do not read results of 12 MB" => unread_results(),
        "a list of 30 MB" => long_list(),
    ];
    let indexes =
        attacks!["T5": "an index lists what is hidden, and more than anyone reads" => hidden_in_index(),];
    results.into_iter().chain(indexes)
}

const MEGABYTE: u64 = 1 << 20;

/// It fails before it is read whole.
async fn too_large(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab).odd("huge")).await;
    // As much as is read of it.
    let scene = scene.allowing(64 * MEGABYTE);
    let attacker = scene.attacker().await;
    let verdict = async {
        let reply = attacker.call("evil_echo", json!({"megabytes": 200})).await?;
        if !is_refusal(&reply) || !text(&reply).contains("limits.upstream_message_bytes") {
            return Err(format!(
                "the error does not name the limit: {}",
                super::honest::shortened(text(&reply))
            ));
        }
        let next = attacker.call("evil_echo", json!({"megabytes": 1})).await?;
        if is_refusal(&next) { Err("the next call is refused".to_owned()) } else { Ok(()) }
    };
    let verdict = verdict.await;
    scene.judge(verdict).await
}

/// More results than may wait to be read, which is 25 MB here.
async fn unread_results(lab: &Lab) -> Verdict {
    let serve = Serve::new(lab).odd("huge");
    let scene = Scene::start(lab, serve.flags(&["--limit", "unread_bytes=26214400"])).await;
    // What waits; of the one that comes, copies are within what an attack may take.
    let scene = scene.allowing(25 * MEGABYTE);
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": {"name": "evil_echo", "arguments": {"megabytes": 12}}});
    let mut streams = Vec::new();
    let mut verdict = Ok(());
    for number in 11..17 {
        let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, number));
        let attacker = Peer::new(scene.gateway.address, from).begin_session().await?;
        match unread(&scene, &attacker, "POST", &call.to_string()).await {
            Ok(stream) => {
                // Its answer has begun.
                let _late = tokio::time::timeout(Duration::from_secs(3), stream.readable()).await;
                streams.push(stream);
            }
            Err(reason) => verdict = Err(reason),
        }
    }
    drop(streams);
    scene.judge(verdict).await
}

/// What the program keeps of a list that a client has read is at most 2.5 times its bytes.
async fn long_list(lab: &Lab) -> Verdict {
    let definition = |number: u32| {
        let mut tool = tool(&format!("long_{number}"), "Is long.");
        tool["_meta"] = json!({"example.com/long": "x".repeat(1 << 20)});
        tool.to_string()
    };
    let tools: Vec<String> = (0..30).map(definition).collect();
    let bytes = tools.concat().len() as u64;
    let without = kept(lab, Serve::new(lab)).await?;
    let with = kept(lab, Serve::new(lab).playing(&Scenario::with_tools(tools))).await?;
    let kept = with.saturating_sub(without);
    match kept <= bytes * 5 / 2 {
        true => Ok(()),
        false => Err(format!("{} MB are kept of a list of {} MB", kept / MEGABYTE, bytes / MEGABYTE)),
    }
}

/// The memory of the program once a client has listed everything.
async fn kept(lab: &Lab, serve: Serve) -> Result<u64, String> {
    let scene = Scene::without_honest_client(lab, serve).await;
    let peer = Peer::new(scene.gateway.address, HERE).at("/mcp/full").begin_session().await?;
    for _ in 0..2 {
        let listed = peer.ask("tools/list", json!({})).await?;
        if is_refusal(&listed) {
            return Err(format!("no list: {}", text(&listed)));
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    memory(scene.gateway.process.id()).map(|(now, _)| now).ok_or_else(|| "it has ended".to_owned())
}

/// The entries of an index are looked through, and so is what stands beside it.
async fn hidden_in_index(lab: &Lab) -> Verdict {
    let entry = |uri: String| json!({"name": "stays", "url": uri});
    let many = (0..50_000).map(|number| entry(format!("skill://x/{number}/SKILL.md")));
    let hidden = entry("file:///data/private/SKILL.md".to_owned());
    let entries: Vec<Value> = [hidden].into_iter().chain(many).collect();
    let index = json!({"skills": entries}).to_string();
    let (bytes, uri, skill) = (index.len() as u64, "skill://index.json", "skill://x/SKILL.md");
    let link = json!({"type": "resource_link", "uri": "file:///data/private/key", "name": "key"});
    let mut scenario = Scenario::named([]);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/skills": {}}, "resources": {}});
    scenario.initialize = raw(json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "serverInfo": {"name": "hostile", "version": "1"}}));
    scenario.resources = vec![raw(json!({"uri": uri, "name": "index"}))];
    let listed = json!({"uri": skill, "frontmatter": {"name": "s"}, "resources": [{"uri": skill}]});
    scenario.on("skills/list ", json!({"skills": [listed]}));
    let read = json!({"contents": [{"uri": uri, "text": index}], "content": [link]});
    scenario.on(format!("resources/read {uri}"), read);
    let hiding = "[resources.\"file:///data/private/*\"]\nhidden = true\n";
    let serve = Serve::new(lab).playing(&scenario).rules(hiding);
    let scene = Scene::start(lab, serve).await.allowing(8 * bytes);
    let peer = scene.stranger().at("/mcp/full").begin_session().await?;
    let reply = peer.ask("resources/read", json!({"uri": uri})).await?;
    let text = text(&reply);
    let is_clean = text.contains("stays") && !text.contains("private");
    let verdict = if is_clean { Ok(()) } else { Err(super::honest::shortened(text)) };
    scene.judge(verdict).await
}
