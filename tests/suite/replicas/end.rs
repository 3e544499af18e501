//! The end of a session, everywhere (K1).

use kit::{Options, redis::Redis};
use mcp_disclosure_gateway::limits::Limits;
use serde_json::json;

use super::{Replica, bench, gated, in_session, replicas, web::Web};
use crate::command_line::ODD;

#[test]
fn k1_a_session_that_was_ended_is_served_nowhere() {
    let (redis, [a, b, c]) = replicas();
    for _ in 0..20 {
        let web = Web::open(a.at);
        web.tools(b.at);
        let mut stream = web.listen(c.at);
        assert_eq!(web.end(a.at).status, 204);
        assert!(stream.next(|_| true).is_none(), "its stream is closed");
        for at in [b.at, c.at, a.at] {
            assert_eq!(web.request(at, "ping", json!({})).status, 404, "its end was answered");
        }
    }
    assert!(redis.keys("mcp-disclosure:4:s:*").is_empty());
}

#[test]
fn k2_an_end_does_not_wait_for_a_replica_that_was_killed() {
    let (redis, [a, b], web) = in_session();
    web.tools(b.at);
    b.kill();
    let ended = web.end(a.at);
    assert_eq!(ended.status, 204, "{ended:?}");
    assert!(redis.keys("mcp-disclosure:4:s:*").is_empty());
}

#[test]
fn k1_an_end_that_failed_is_finished() {
    let (redis, [a, b], web) = in_session();
    let mut stream = web.listen(b.at);
    redis.command("ACL SETUSER default -del");
    web.end(a.at).is_of_store("refused a command");
    redis.command("ACL SETUSER default +del");
    assert!(stream.next(|_| true).is_none(), "it is tried again, without the client");
    assert_eq!(web.request(b.at, "ping", json!({})).status, 404);
}

#[test]
fn k2_a_session_goes_on_elsewhere_when_its_replica_was_killed() {
    let (redis, [a, b], web) = in_session();
    web.fetch(a.at);
    a.kill();
    assert!(web.may_call(b.at), "within one request");
    let c = gated(&redis.url());
    assert!(web.may_call(c.at));
}

#[test]
fn k1_a_session_that_ends_while_it_moves_is_not_served() {
    let (redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let gate = folder.path().join("gate");
    // An upstream that starts when something is written into the gate, once that is there.
    let upstream = format!("if [ -p {0} ]; then read -r line < {0}; fi; exec {ODD}", gate.display());
    let start = |upstream: &[&str]| {
        Replica::start(&redis.url(), &["--strategy", "full", "--upstream-scope", "session"], upstream)
    };
    let (a, b) = (start(&[ODD]), start(&["sh", "-c", &upstream]));
    let web = Web::open(a.at);
    web.tools(a.at);
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| web.call(b.at, "echo"));
        // Opened when the upstream reads: B has read the session, and starts its upstreams.
        let mut opened = std::fs::File::options().write(true).open(&gate).unwrap();
        assert_eq!(web.end(a.at).status, 204);
        std::io::Write::write_all(&mut opened, b"go\n").unwrap();
        let answer = moving.join().unwrap();
        assert_eq!(answer.status, 404, "its end was answered: {answer:?}");
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn k3_an_end_needs_no_upstreams() {
    let redis = Redis::start(&[]);
    let start = async |upstreams_per_peer| {
        let limits = Limits { upstreams_per_peer, ..Limits::default() };
        bench(&redis, Options { limits, ..crate::named(["echo"]).own() }).await
    };
    let (a, full) = (start(32).await, start(1).await);
    let (web, other) = (Web::open(a.address), Web::open(full.address));
    assert_eq!(web.request(full.address, "ping", json!({})).status, 429, "the other has its upstreams");
    assert_eq!(web.end(full.address).status, 204);
    assert_eq!(web.request(a.address, "ping", json!({})).status, 404);
    other.request(full.address, "ping", json!({})).result();
}
