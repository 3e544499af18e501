//! Answer streams that are resumed at another replica than the one that sent them (K1).

use std::net::SocketAddr;

use kit::{Options, messages::call, process::until, redis::Redis};
use mcp_disclosure_gateway::SessionLimits;
use serde_json::{Value, json};

use super::{
    Replica, bench,
    web::{Events, Web},
};
use crate::command_line::ODD;

const QUESTION: &str = "elicitation/create";
const CHANGED: &str = "notifications/tools/list_changed";

/// A store, and replicas whose upstream asks the client before it answers.
fn asking<const N: usize>() -> (Redis, [Replica; N]) {
    let redis = Redis::start(&[]);
    let flags = ["--strategy", "full", "--upstream-scope", "session"];
    let replicas = std::array::from_fn(|_| Replica::start(&redis.url(), &flags, &[ODD, "asks"]));
    (redis, replicas)
}

fn open(at: SocketAddr) -> Web {
    Web::open_with(at, "/mcp", "", json!({"elicitation": {"form": {}}}))
}

/// A stream whose connection broke after the question.
struct Broken {
    /// The ids of its first event and of the question.
    first: String,
    asked: String,
    question: Value,
}

fn broken(web: &Web, at: SocketAddr) -> Broken {
    broken_of(web, at, 9)
}

/// The same of a call with this id.
fn broken_of(web: &Web, at: SocketAddr, id: u64) -> Broken {
    let mut stream = web.stream(at, &call(id, "echo", json!({"text": QUESTION})));
    let (first, asked) = (stream.id(), stream.id());
    let question = stream.next(|message| message["method"] == QUESTION).unwrap();
    Broken { first, asked, question }
}

fn resumed(web: &Web, at: SocketAddr, event: &str) -> Events {
    web.with(&format!("Last-Event-ID: {event}\r\n")).listen(at)
}

/// Answers what the upstream asks.
pub(super) fn accept(web: &Web, at: SocketAddr, question: &Value) {
    let result = json!({"action": "accept", "content": {"x": 1}});
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
    // On a busy machine, the store may not answer in time.
    assert!(until(|| web.post(at, &answer).status == 202));
}

/// Waits until the store has the response.
fn until_answered(redis: &Redis) {
    let has_ended = |key: &String| redis.number(&format!("HEXISTS {key} $")) == 1;
    assert!(until(|| redis.keys("mcp-disclosure:4:e:*").iter().any(has_ended)), "the response is not kept");
}

#[test]
fn k1_a_stream_is_resumed_elsewhere() {
    let (redis, [a, b, c]) = asking();
    let web = open(a.at);
    let Broken { first, asked, question } = broken(&web, a.at);
    let mut stream = resumed(&web, b.at, &asked);
    accept(&web, c.at, &question);
    let answer = stream.next(|_| true).unwrap();
    assert!(answer["id"] == 9 && answer["error"].is_null(), "{answer}");
    assert_eq!(stream.next(|_| true), None, "the response is the end");
    // And again, all of it, wherever.
    for at in [c.at, a.at, b.at] {
        let mut again = resumed(&web, at, &first);
        assert_eq!(again.next(|_| true).as_ref(), Some(&question));
        assert_eq!(again.next(|_| true).as_ref(), Some(&answer));
        assert_eq!(again.next(|_| true), None);
    }
    let keys = redis.keys("mcp-disclosure:4:e:*");
    assert!(keys.len() == 1 && redis.number(&format!("PTTL {}", keys[0])) > 0, "{keys:?}");
    assert_eq!(web.end(c.at).status, 204);
    assert!(until(|| redis.keys("mcp-disclosure:4:*:*").is_empty()));
}

#[test]
fn k1_a_stream_is_resumed_though_its_connection_looks_open() {
    let (_redis, [a, b]) = asking();
    let web = open(a.at);
    let mut open = web.stream(a.at, &call(9, "echo", json!({"text": QUESTION})));
    let (_, asked) = (open.id(), open.id());
    let question = open.next(|message| message["method"] == QUESTION).unwrap();
    let mut stream = resumed(&web, b.at, &asked);
    assert_eq!(open.next(|_| true), None, "the former connection stops");
    accept(&web, a.at, &question);
    assert_eq!(stream.next(|_| true).unwrap()["id"], 9);
}

#[test]
fn k1_responses_that_no_connection_took_wait_however_many_they_are() {
    let (redis, [a, b]) = asking();
    let web = open(a.at);
    let ended = || {
        redis
            .keys("mcp-disclosure:4:e:*")
            .iter()
            .map(|key| redis.number(&format!("HEXISTS {key} $")))
            .sum::<i64>()
    };
    let mut calls = Vec::new();
    for id in 20..35 {
        let call = broken_of(&web, a.at, id);
        accept(&web, a.at, &call.question);
        calls.push((id, call));
        assert!(until(|| ended() == calls.len() as i64), "{} responses are kept", ended());
    }
    // Another stream is no reason to give one up.
    drop(web.listen(a.at));
    for (id, call) in calls {
        let at = if id % 2 == 0 { a.at } else { b.at };
        let answer = resumed(&web, at, &call.asked).next(|_| true).unwrap();
        assert!(answer["id"] == id && answer["error"].is_null(), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_copy_that_is_made_again_says_that_changes_were_missed() {
    let redis = Redis::start(&[]);
    let sessions = SessionLimits { most: 1, ..SessionLimits::default() };
    let start = async || bench(&redis, Options { sessions, ..crate::odd() }).await;
    let (a, b) = (start().await, start().await);
    let web = Web::open(b.address);
    let id = web.listen(a.address).id();
    let copy = || a.gateway.sessions().find(&web.session);
    kit::eventually("the end of its stream", async || copy().unwrap().is_quiet().then_some(())).await;
    // There is room for one copy.
    let other = start().await;
    Web::open(other.address).tools(a.address);
    kit::eventually("no copy", async || copy().is_none().then_some(())).await;
    let mut stream = resumed(&web, a.address, &id);
    assert_ne!(stream.id(), id, "numbers are not used again");
    assert!(stream.next(|message| message["method"] == CHANGED).is_some());
}

#[test]
fn k2_a_response_outlives_the_replica_that_had_it() {
    let (redis, [a, b]) = asking();
    let web = open(a.at);
    let Broken { asked, question, .. } = broken(&web, a.at);
    // No connection sends it: the store has it all the same.
    accept(&web, b.at, &question);
    until_answered(&redis);
    a.kill();
    let answer = resumed(&web, b.at, &asked).next(|_| true).unwrap();
    assert!(answer["id"] == 9 && answer["error"].is_null(), "{answer}");
}

#[test]
fn k2_a_request_in_a_killed_replica_is_answered_with_an_error_where_its_stream_is_resumed() {
    let (_redis, [a, b]) = asking();
    let web = open(a.at);
    let Broken { first, question, .. } = broken(&web, a.at);
    a.kill();
    let mut stream = resumed(&web, b.at, &first);
    assert_eq!(stream.next(|_| true), Some(question), "what was sent is there");
    let answer = stream.next(|_| true).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(9), &json!(-32000)), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("gone"), "{answer}");
    assert_eq!(stream.next(|_| true), None);
}

#[test]
fn k1_a_stream_is_resumed_by_its_own_session_only() {
    let (_redis, [a, b]) = asking();
    let (web, other) = (open(a.at), open(a.at));
    let Broken { first, .. } = broken(&web, a.at);
    for event in
        [first.clone(), first.replace(".1-", ".2-"), first.replace(".1-", ".1:2-"), format!("*{first}")]
    {
        let mut stream = resumed(&other, b.at, &event);
        assert_eq!(stream.next(|_| true).unwrap()["method"], CHANGED, "{event}: a general stream");
    }
}
