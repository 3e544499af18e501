//! What clients and operators choose, at every replica (K1).

use std::net::SocketAddr;

use kit::redis::Redis;
use serde_json::json;

use super::{
    Replica,
    web::{Answer, Web},
};
use crate::command_line::{configured, shown};

/// Replicas that offer concerns: `echo` costs little, and `wait` much.
fn concerned<const N: usize>() -> (Redis, [Replica; N]) {
    let redis = Redis::start(&[]);
    let (_folder, file) = configured(
        "[[concerns]]\nname = \"cost\"\nvalues = [\"low\", \"high\"]\n[upstreams.odd]\ncommand = \"ODD\"\n\
         [categories.cheap]\ntools = [\"echo\"]\nconcerns = { cost = \"low\" }\n\
         [categories.dear]\ntools = [\"wait\"]\nconcerns = { cost = \"high\" }\n",
    );
    let config = ["--config", shown(&file)];
    let started = std::array::from_fn(|_| Replica::configured(&redis.url(), &config));
    (redis, started)
}

fn concerned_session(at: SocketAddr) -> Web {
    Web::open_with(at, "/mcp/concerns+full", "", json!({}))
}

fn names(web: &Web, at: SocketAddr) -> Vec<String> {
    web.tools(at).into_iter().filter(|name| name != "choose_concerns").collect()
}

fn choose(web: &Web, at: SocketAddr, cost: &str) -> Answer {
    let arguments = json!({"concerns": {"cost": cost}});
    web.request(at, "tools/call", json!({"name": "choose_concerns", "arguments": arguments}))
}

#[test]
fn k1_a_choice_at_one_replica_holds_at_the_others() {
    let (_redis, [a, b]) = concerned();
    let web = concerned_session(a.at);
    for at in [a.at, b.at] {
        assert_eq!(names(&web, at), ["echo", "wait"]);
    }
    let mut stream = web.listen(b.at);
    // Twenty times, since what is used too long would be used by chance only.
    for round in 0..20 {
        let (cost, expected) = if round % 2 == 0 { ("low", "echo") } else { ("high", "wait") };
        let (chosen_at, other) = if round % 3 == 0 { (a.at, b.at) } else { (b.at, a.at) };
        let chosen = choose(&web, chosen_at, cost);
        assert_eq!(chosen.result()["isError"], false, "{chosen:?}");
        assert_eq!(names(&web, other), [expected], "chosen at another replica, round {round}");
        assert_eq!(names(&web, chosen_at), [expected]);
    }
    let changed = stream.next(|message| message["method"] == "notifications/tools/list_changed");
    assert!(changed.is_some(), "the choice was made at A, and the stream is open at B");
}

#[test]
fn k4_a_choice_of_the_handshake_that_cannot_be_kept_is_an_error() {
    let (redis, [a]) = concerned();
    let web = concerned_session(a.at);
    redis.command("CONFIG SET maxmemory-policy noeviction");
    redis.command("CONFIG SET maxmemory 1");
    let initialized = json!({
        "jsonrpc": "2.0", "method": "notifications/initialized", "params": {"concerns": {"cost": "low"}},
    });
    web.post(a.at, &initialized).is_of_store("full");
    redis.command("CONFIG SET maxmemory 0");
    assert_eq!(web.post(a.at, &initialized).status, 202);
    assert_eq!(names(&web, a.at), ["echo"]);
}
