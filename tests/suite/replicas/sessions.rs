//! What a session is, wherever it is served (K1).

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use kit::{
    messages::{hello, request},
    redis::Redis,
};
use serde_json::json;

use super::{
    Replica, gated, in_session,
    web::{Web, digest, exchange},
};
use crate::command_line::ODD;

/// What the odd upstream lists behind `resource`.
const TOOLS: [&str; 3] = ["echo", "wait", "describe_tools"];

#[test]
fn k1_each_request_may_go_to_another_replica() {
    let (_redis, [a, b, c], web) = in_session();
    assert_eq!(web.tools(b.at), TOOLS);
    assert!(!web.may_call(c.at), "nothing was fetched");
    web.fetch(b.at);
    for at in [a.at, b.at, c.at, a.at] {
        assert!(web.may_call(at), "a mark counts everywhere");
    }
}

#[test]
fn k1_marks_of_many_replicas_never_lose_each_other() {
    let (_redis, [a, b], web) = in_session();
    let fetch = |at, tool: &str| {
        web.fetch_of(at, tool).result();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| (0..10).for_each(|_| fetch(a.at, "echo")));
        scope.spawn(|| (0..10).for_each(|_| fetch(b.at, "wait")));
    });
    assert!(web.may_call(b.at) && web.may_call(a.at));
}

#[test]
fn k1_a_session_is_small_and_ends_by_itself() {
    let (redis, [_a, b], web) = in_session();
    let key = web.key();
    assert!(redis.number(&format!("PTTL {key}")) <= 60_000, "unused sessions end after a minute");
    web.tools(b.at);
    let bytes = redis.number(&format!("MEMORY USAGE {key}"));
    assert!(bytes <= 600, "{bytes} bytes");
    let is_kept = || redis.number(&format!("PTTL {key}")) > 3_000_000;
    assert!(kit::process::until(is_kept), "one that is used lives for the idle time");
}

#[test]
fn k1_the_store_has_no_id_of_a_session() {
    let redis = Redis::start(&[]);
    let a = Replica::start(&redis.url(), &["--strategy", "resource"], &[ODD, "floods-progress"]);
    let web = Web::open(a.at);
    web.fetch(a.at);
    let arguments = json!({"text": "", "times": 1, "bytes": 9});
    let params = json!({"name": "echo", "arguments": arguments, "_meta": {"progressToken": 1}});
    web.stream(a.at, &request(9, "tools/call", params)).next(|message| message["id"] == 9).unwrap();
    let kept = || {
        let keys = redis.keys("*");
        let all = keys.iter().map(|key| match &redis.command(&format!("TYPE {key}"))[..] {
            [kind] if kind == "hash" => redis.command(&format!("HGETALL {key}")),
            _ => redis.command(&format!("GET {key}")),
        });
        (all.flatten().chain(keys.iter().cloned()).collect::<Vec<_>>(), keys)
    };
    let has = |keys: &[String], kind: &str| keys.iter().any(|key| key.contains(kind));
    let is_all_there = || ["4:s:", "4:e:", "4:f:"].iter().all(|kind| has(&kept().1, kind));
    assert!(kit::process::until(is_all_there), "{:?}", kept().1);
    let (texts, keys) = kept();
    assert!(keys.contains(&web.key()), "{keys:?}");
    assert!(texts.iter().all(|text| !text.contains(&web.session)), "{texts:?}");
}

#[test]
fn k1_what_replicas_say_to_each_other_has_no_id_of_a_session_and_no_client_addresses_all() {
    let redis = Redis::start(&[]);
    let a = Replica::start(&redis.url(), &[], &[ODD, "ordinary"]);
    let web = Web::open(a.at);
    let mut store = TcpStream::connect(redis.address()).unwrap();
    store.set_read_timeout(Some(kit::PATIENCE)).unwrap();
    store.write_all(b"PSUBSCRIBE *\r\n").unwrap();
    let mut heard = String::new();
    let mut hear = |wanted: &str| {
        let mut piece = [0; 4096];
        while !heard.contains(wanted) {
            let read = store.read(&mut piece).unwrap();
            assert!(read > 0, "{wanted} in {heard}");
            heard.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    };
    hear("psubscribe");
    web.post(a.at, &json!({"jsonrpc": "2.0", "id": "all-1", "result": {}}));
    let params = json!({"requestId": 7});
    web.post(a.at, &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    hear("cancelled");
    assert!(heard.contains(&web.digest()) && !heard.contains(&web.session), "{heard}");
    assert!(!heard.contains("all-1"), "{heard}");
}

#[test]
fn k1_an_idle_session_ends_everywhere() {
    let redis = Redis::start(&[]);
    let flags = ["--strategy", "resource", "--session-idle", "5"];
    let (a, b) = (Replica::start(&redis.url(), &flags, &[ODD]), Replica::start(&redis.url(), &flags, &[ODD]));
    let web = Web::open(a.at);
    web.tools(b.at);
    assert!(kit::process::until(|| redis.keys("mcp-disclosure:4:s:*").is_empty()), "it ends by itself");
    for at in [a.at, b.at] {
        assert_eq!(web.request(at, "ping", json!({})).status, 404);
    }
}

#[test]
fn k1_a_session_that_the_store_dropped_ends_everywhere() {
    let (redis, [a], web) = in_session();
    redis.command(&format!("DEL {}", web.key()));
    assert_eq!(web.request(a.at, "ping", json!({})).status, 404, "no copy is served");
}

#[test]
fn k1_copies_take_no_room_from_sessions_that_are_opened_p8() {
    let redis = Redis::start(&[]);
    let flags = ["--strategy", "resource", "--max-sessions", "2"];
    let [a, b, c] = std::array::from_fn(|_| Replica::start(&redis.url(), &flags, &[ODD]));
    let elsewhere = [Web::open(b.at), Web::open(b.at), Web::open(c.at)];
    // One more than there is room for, twice: each is read again when it is used.
    for web in elsewhere.iter().chain(&elsewhere) {
        web.request(a.at, "ping", json!({})).result();
    }
    let own = [Web::open(a.at), Web::open(a.at)];
    let hello = || exchange(a.at, "POST", "/mcp", "", &hello(json!({})).to_string());
    assert!(hello().body["error"]["message"].as_str().unwrap().contains("too many sessions"));
    for web in elsewhere.iter().chain(&own) {
        web.request(a.at, "ping", json!({})).result();
    }
    assert_eq!(own[0].end(b.at).status, 204);
    assert!(kit::process::until(|| hello().status == 200), "there is room once this replica hears of it");
}

#[test]
fn k1_keys_of_another_version_or_prefix_are_not_ours() {
    let (redis, [a], web) = in_session();
    let other = Replica::start(&format!("{}?prefix=other", redis.url()), &["--strategy", "resource"], &[ODD]);
    assert_eq!(web.request(other.at, "ping", json!({})).status, 404);
    let (key, future) = (web.key(), "00000000000000000000000000000002");
    redis.command(&format!("COPY {key} mcp-disclosure:5:s:{}", digest(future)));
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(exchange(a.at, "POST", "/mcp", &format!("Mcp-Session-Id: {future}\r\n"), ping).status, 404);
    // A field that a later version added is ignored.
    redis.command(&format!("HSET {key} zfuture 1"));
    assert_eq!(web.tools(gated(&redis.url()).at), TOOLS);
}

#[test]
fn k1_fetches_are_limited_across_replicas_r11() {
    let redis = Redis::start(&[]);
    let flags = ["--strategy", "resource", "--fetches-per-minute", "6"];
    let (a, b) = (Replica::start(&redis.url(), &flags, &[ODD]), Replica::start(&redis.url(), &flags, &[ODD]));
    let web = Web::open(a.at);
    let admitted = (0..12).filter(|round| {
        let at = if round % 2 == 0 { a.at } else { b.at };
        !web.fetch_of(at, "echo").result().to_string().contains("RATE_LIMITED")
    });
    let admitted = admitted.count();
    // Each replica knows the sum as of its own last fetch.
    assert!((6..=7).contains(&admitted), "{admitted} of 12 were admitted, 6 are allowed");
}
