//! What cannot move: connections of a session's own, and requests under way (K3).

use kit::{
    messages::call,
    redis::Redis,
    scenario::{JOURNAL, control},
};
use serde_json::{Value, json};

use super::{
    Replica, bench, in_session,
    streams::accept,
    web::{Events, Web},
};
use crate::command_line::ODD;

const CHANGED: &str = "notifications/tools/list_changed";

/// The resource that a message says was updated.
fn updated(message: &Value) -> Option<&str> {
    let is_update = message["method"] == "notifications/resources/updated";
    is_update.then(|| message["params"]["uri"].as_str().unwrap())
}

/// The stream after it said that this resource was updated. The subscription follows after the stream is open.
#[track_caller]
fn followed(mut stream: Events, uri: &str, update: impl Fn()) -> Events {
    std::thread::scope(|scope| {
        let followed = scope.spawn(|| {
            stream.next(|message| updated(message) == Some(uri)).unwrap();
            stream
        });
        let is_followed = kit::process::until(|| {
            update();
            followed.is_finished()
        });
        assert!(is_followed, "no update of {uri}");
        followed.join().unwrap()
    })
}

fn own(redis: &Redis, mode: &str) -> Replica {
    Replica::start(&redis.url(), &["--strategy", "full", "--upstream-scope", "session"], &[ODD, mode])
}

#[test]
fn k3_a_session_that_moves_gets_upstreams_of_its_own_and_is_told() {
    let redis = Redis::start(&[]);
    let (a, b) = (own(&redis, "ordinary"), own(&redis, "ordinary"));
    let web = Web::open(a.at);
    let mut stream = web.listen(a.at);
    assert!(web.may_call(b.at), "an upstream was started for it");
    assert!(stream.next(|message| message["method"] == CHANGED).is_some(), "it is told where it listens");
    a.kill();
    let mut stream = web.listen(b.at);
    assert!(stream.next(|message| message["method"] == CHANGED).is_some());
}

#[test]
fn k3_an_answer_reaches_the_replica_that_asked_f3() {
    let redis = Redis::start(&[]);
    let (a, b) = (own(&redis, "asks"), own(&redis, "asks"));
    let web = Web::open_with(a.at, "/mcp", "", json!({"elicitation": {"form": {}}}));
    for (asked_at, answered_at) in [(a.at, b.at), (b.at, a.at), (a.at, a.at)] {
        let mut stream = web.stream(asked_at, &call(9, "echo", json!({"text": "elicitation/create"})));
        let question = stream.next(|message| message["method"] == "elicitation/create").unwrap();
        accept(&web, answered_at, &question);
        let answer = stream.next(|message| message["id"] == 9).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap()["result"]["content"], json!({"x": 1}));
    }
}

#[test]
fn k1_a_stream_that_goes_on_at_another_replica_misses_no_change() {
    let (_redis, [a, b], web) = in_session();
    let id = web.listen(a.at).id();
    a.kill();
    let mut stream = web.with(&format!("Last-Event-ID: {id}\r\n")).listen(b.at);
    for kind in ["tools", "resources", "prompts"] {
        let changed = format!("notifications/{kind}/list_changed");
        assert!(stream.next(|message| message["method"] == *changed).is_some(), "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_updates_come_where_the_client_listens() {
    let redis = Redis::start(&[]);
    let (a, b) = (bench(&redis, crate::odd()).await, bench(&redis, crate::odd()).await);
    let (at, other) = (a.address, b.address);
    let web = Web::open(at);
    let subscribe = |method: &str, uri: &str| {
        web.request(at, &format!("resources/{method}"), json!({"uri": uri})).result();
    };
    let update = |uri: &str| {
        web.request(other, "resources/read", json!({"uri": control(&format!("updated:{uri}"))})).result();
    };
    subscribe("subscribe", "kit://doc");
    let mut stream = web.listen(other);
    // Before the stream was open there, and while it is.
    for uri in ["kit://doc", JOURNAL] {
        subscribe("subscribe", uri);
        stream = followed(stream, uri, || update(uri));
    }
    subscribe("unsubscribe", "kit://doc");
    update("kit://doc");
    // Sent by the upstream after that.
    web.request(other, "resources/read", json!({"uri": control("tool")})).result();
    let is_doc = |message: &Value| updated(message) == Some("kit://doc");
    let next = stream.next(|message| is_doc(message) || message["method"] == CHANGED).unwrap();
    assert!(!is_doc(&next), "the subscription ended everywhere");
}

#[test]
fn k2_a_request_is_cancelled_wherever_it_is() {
    let (_redis, [a, b], web) = in_session();
    web.fetch_of(a.at, "wait").result();
    let folder = tempfile::tempdir().unwrap();
    let call = call("slow", "wait", json!({"text": "", "file": folder.path().join("file")}));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| web.post(a.at, &call));
        let begun = kit::process::until(|| {
            // It is repeated until the call is there to be cancelled.
            let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}});
            assert_eq!(web.post(b.at, &cancelled).status, 202);
            waiting.is_finished()
        });
        assert!(begun, "the call at A was not cancelled");
        assert_eq!(waiting.join().unwrap().status, 202, "a cancelled request has no answer");
    });
}
