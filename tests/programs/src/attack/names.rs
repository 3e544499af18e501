//! P8: names in requests that are as long as messages may be, or as many as fit in one.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    honest::shortened,
    peer::{HERE, Peer, text},
    scene::{MEMORY, Scene, Verdict, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P8":
        "a name of 16 MB, in every request that has one" => asked(long_names()),
        "a name of 16 MB for each of our own tools" => asked(long_arguments()),
        "millions of names in one request" => asked(many()),
        "four such requests at once" => four_at_once(),
    ]
}

/// Nearly as long as a message may be.
const LONG: usize = 16_000_000;

/// No answer to such a request is longer.
const ANSWER: usize = 64 * 1024;

/// A request: the address, the method and the parameters.
type Asked = (&'static str, &'static str, String);

fn call(path: &'static str, tool: &str, arguments: &str) -> Asked {
    (path, "tools/call", format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

/// Sends each of these, one after the other.
async fn asked(lab: &Lab, all: impl IntoIterator<Item = Asked>) -> Verdict {
    // A message is held as received and as parsed, and the allocator may keep that much for another thread.
    let scene = Scene::start(lab, Serve::new(lab)).await.allowing(3 * LONG as u64);
    let mut verdict = Ok(());
    for (path, method, params) in all {
        let asking = ask(scene.gateway.address, path, method, &params);
        let asked = within(method, Duration::from_secs(10), asking).await;
        verdict = verdict.and(asked.and_then(|asked| asked));
    }
    scene.judge(verdict).await
}

/// Sends one. Its answer is short, whatever it is.
async fn ask(to: std::net::SocketAddr, path: &'static str, method: &str, params: &str) -> Verdict {
    let peer = Peer::new(to, HERE).at(path).begin_session().await?;
    let reply = peer.ask_text(method, params).await.map_err(|reason| format!("{path} {method}: {reason}"))?;
    let answer = text(&reply);
    match answer.len() {
        0..=ANSWER => Ok(()),
        bytes => Err(format!("{path} {method} is answered with {bytes} bytes: {}", shortened(answer))),
    }
}

fn long_names() -> [Asked; 7] {
    let long = "u".repeat(LONG);
    let name = format!(r#"{{"name":"{long}"}}"#);
    let names = format!(r#"{{"names":["{long}"]}}"#);
    let prompt = format!(r#"{{"ref":{{"type":"ref/prompt","name":"{long}"}}}}"#);
    [
        ("/mcp/full", "tools/call", name.clone()),
        ("/mcp/full", "prompts/get", name.clone()),
        ("/mcp/groups", "groups/get", name),
        ("/mcp/full", "resources/read", format!(r#"{{"uri":"file:///{long}"}}"#)),
        ("/mcp/full", "tools/describe", names.clone()),
        ("/mcp/describe", "tools/describe", names),
        ("/mcp/full", "completion/complete", prompt),
    ]
}

fn long_arguments() -> [Asked; 7] {
    let long = "u".repeat(LONG);
    [
        call("/mcp/resource", "describe_tools", &format!(r#"{{"names":["{long}"]}}"#)),
        call("/mcp/describe", "describe_tools", &format!(r#"{{"names":["{long}"]}}"#)),
        call("/mcp/info", "info", &format!(r#"{{"topic":"{long}"}}"#)),
        call("/mcp/search", "search_tools", &format!(r#"{{"query":"x","category":"{long}"}}"#)),
        call("/mcp/search", "search_tools", &format!(r#"{{"query":"{long}"}}"#)),
        call("/mcp/search", "call_tool", &format!(r#"{{"tool":"{long}"}}"#)),
        call("/mcp/groups", "get_group", &format!(r#"{{"name":"{long}"}}"#)),
    ]
}

/// The length of messages with many names: each takes longer to read than a long one.
const MANY: usize = LONG / 4;

/// Very many names in a message.
fn many() -> [Asked; 6] {
    let names = format!("[{}\"a\"]", "\"a\",".repeat(MANY / 4));
    let different: String = (0..MANY / 9).map(|number| format!("{number:08},")).collect();
    [
        call("/mcp/resource", "describe_tools", &format!(r#"{{"names":{names}}}"#)),
        call("/mcp/describe", "describe_tools", &format!(r#"{{"names":"{different}"}}"#)),
        call("/mcp/info", "info", &format!(r#"{{"topic":{names}}}"#)),
        ("/mcp/full", "tools/describe", format!(r#"{{"names":{names}}}"#)),
        ("/mcp/describe", "tools/describe", format!(r#"{{"names":{names}}}"#)),
        (
            "/mcp/resource",
            "resources/read",
            json!({"uri": format!("resource:///tool_descriptions?tools={different}")}).to_string(),
        ),
    ]
}

async fn four_at_once(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, Serve::new(lab)).await.allowing(4 * LONG as u64 + 3 * MEMORY);
    let mut asking = JoinSet::new();
    for (path, method, params) in many().into_iter().take(4) {
        let to = scene.gateway.address;
        asking.spawn(async move { ask(to, path, method, &params).await });
    }
    let asked = within("the requests", Duration::from_secs(15), asking.join_all()).await;
    let verdict = asked.and_then(|all| all.into_iter().collect());
    scene.judge(verdict).await
}
